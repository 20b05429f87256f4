"""Progress: a bar on a terminal, lines in a log, what took how long; and nothing for work that is short."""

from __future__ import annotations

import io

import pytest

import xregit
from tests.waiting import wait_until
from xregit.cli import progress as module
from xregit.cli.output import note
from xregit.cli.progress import CLEAR, ProgressDisplay, progress_display
from xregit.progress import current, task, track


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
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let work of any length count as long."""
    monkeypatch.setattr(module, "QUIET", 0.0)
    monkeypatch.setattr(module, "FRAME", 0.01)
    monkeypatch.setattr(module, "LINE", 0.01)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")


def wait_for(stream: Stream, text: str) -> None:
    """Wait until a stream has a text."""
    wait_until(lambda: text in stream.getvalue(), told=stream.getvalue)


@pytest.mark.usefixtures("fast")
@pytest.mark.parametrize("terminal", [True, False], ids=["terminal", "log"])
def test_long_work_says_what_it_does(terminal: bool) -> None:
    """The innermost task is shown with how much of it is done, and in the end what each took by itself."""
    stream = Stream(terminal=terminal)
    with ProgressDisplay(stream) as display, task("building the site"):
        wait_for(stream, "Building the site, ")
        for number in track(range(4), "making pages"):
            if number == 2:
                wait_for(stream, "Making pages, 2 of 4, ")
        display.seconds["starting Spark"] = 12.0
    output = stream.getvalue()
    assert ("[##########----------] Making pages" in output) == terminal
    assert (CLEAR in output) == terminal
    assert output.endswith("Took 12 s: starting Spark 12 s.\n")
    assert current() is None


def test_short_work_shows_nothing() -> None:
    """Nobody has to read of what is over already."""
    stream = Stream(terminal=True)
    with ProgressDisplay(stream), task("reading files"):
        assert list(track(iter("ab"), "reading files")) == ["a", "b"]
    assert stream.getvalue() == ""


@pytest.mark.usefixtures("fast")
def test_bar_makes_room_for_what_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """It is cleared first, and its text never goes beyond the line."""
    stream = Stream(terminal=True)
    with ProgressDisplay(stream), task("x" * 200):
        wait_for(stream, "X")
        note("a note")
        assert CLEAR in stream.getvalue()
    assert capsys.readouterr().err == "a note\n"
    assert all(len(part) < 80 for part in stream.getvalue().split(CLEAR)[:-1])


@pytest.mark.usefixtures("fast")
def test_failed_work_is_not_summed_up() -> None:
    """An error is the last that is said, and a stream that is closed is left alone."""
    stream = Stream(terminal=False)
    with pytest.raises(ValueError, match="wrong"), ProgressDisplay(stream), task("reading files"):
        raise ValueError("wrong")
    assert "Took" not in stream.getvalue()
    with ProgressDisplay(stream), task("reading files"):
        stream.close()


def test_environment_forbids_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that reads standard error may want nothing of it there."""
    assert progress_display() is None
    monkeypatch.delenv("XREGIT_PROGRESS")
    assert progress_display() is not None


def test_work_names_its_tasks(root: object) -> None:
    """Reading and checking are told apart, and each ends what it has begun."""
    stream = Stream(terminal=False)
    with ProgressDisplay(stream) as display:
        xregit.check(xregit.read(f"{root}/registry"))
        assert display.tasks == []
    assert {"reading files", "checking groups", "comparing messages with each other"} <= display.seconds.keys()
