"""Progress: a line that is replaced on a terminal, and lines in a log."""

from __future__ import annotations

import io

import pytest

import xregit
from xregit.cli import progress as module
from xregit.cli.output import note
from xregit.cli.progress import CLEAR, progress_display
from xregit.progress import shown_by, task, track


class Stream(io.StringIO):
    """Standard error: a terminal or a log."""

    def __init__(self, *, terminal: bool) -> None:
        """Say which it is."""
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        """Return whether it is a terminal."""
        return self.terminal


@pytest.fixture
def stream(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Stream:
    """Return standard error, where progress of any age is shown."""
    result = Stream(terminal=getattr(request, "param", True))
    monkeypatch.setattr(module, "FRAME", 0.0)
    monkeypatch.setattr(module, "LINE", 0.0)
    monkeypatch.delenv("XREGIT_PROGRESS")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    return result


@pytest.mark.parametrize("stream", [True, False], indirect=True, ids=["terminal", "log"])
def test_work_names_what_it_does(stream: Stream) -> None:
    """The task that began last is shown, with how much of it is done; a terminal is clear in the end."""
    with progress_display(stream), task("building the site"):
        assert list(track(range(2), "making pages")) == [0, 1]
    lines = ["Building the site", "Making pages, 0 of 2", "Making pages, 1 of 2"]
    terminal = "".join(f"{CLEAR}{line}" for line in lines) + CLEAR
    assert stream.getvalue() == (terminal if stream.terminal else "".join(f"{line}\n" for line in lines))


@pytest.mark.parametrize("stream", [False], indirect=True)
def test_short_work_leaves_no_line_in_a_log(stream: Stream, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first line comes after ten seconds."""
    monkeypatch.setattr(module, "LINE", 10.0)
    with progress_display(stream), task("reading files"):
        assert list(track(iter("ab"), "reading files")) == ["a", "b"]
    assert stream.getvalue() == ""


def test_line_makes_room_for_what_is_printed(stream: Stream, capsys: pytest.CaptureFixture[str]) -> None:
    """It is cleared first, and its text never goes beyond the line."""
    with progress_display(stream), task("x" * 200):
        note("a note")
        assert stream.getvalue() == f"{CLEAR}X{'x' * 78}{CLEAR}"
    assert capsys.readouterr().err == "a note\n"


def test_closed_stream_is_left_alone(stream: Stream) -> None:
    """Work goes on where nothing can be shown."""
    with progress_display(stream):
        stream.close()
        assert list(track("ab", "reading files")) == ["a", "b"]


def test_environment_forbids_it(stream: Stream, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that reads standard error may want nothing of it there."""
    monkeypatch.setenv("XREGIT_PROGRESS", "never")
    with progress_display(stream), task("reading files"):
        pass
    assert stream.getvalue() == ""


def test_work_names_its_tasks(root: object) -> None:
    """Reading and checking are told apart."""
    names = set()
    with shown_by(lambda name, _done, _total: names.add(name)):
        xregit.check(xregit.read(f"{root}/registry"))
    assert {"reading files", "checking groups", "comparing messages with each other"} <= names
