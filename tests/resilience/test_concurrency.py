"""Two commands in one folder at the same time: both are right, or one says why it is not done."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.resilience.commands import COMMANDS, XID, State, Subject, leftovers, run, state, stopped

DEPRECATE = ("deprecate", XID, "--removal", "2099-01-01")
# The first command stops just before a step in which it changes files, the second runs meanwhile to its end.
PAIRS: dict[str, tuple[str, tuple[str, ...]]] = {
    "build, build": ("build", COMMANDS["build"].arguments),
    "site, site": ("site", COMMANDS["site"].arguments),
    "fmt, fmt": ("fmt", ("fmt",)),
    "fmt, rename": ("fmt", COMMANDS["rename"].arguments),
    "rename, fmt": ("rename", ("fmt",)),
    "fmt, deprecate": ("fmt", DEPRECATE),
    "import, import": ("import", COMMANDS["import"].arguments),
}
# Takes long; that its folder is exchanged safely is shown by the others.
ONE_STEP = ("site, site",)


@pytest.mark.parametrize("name", PAIRS)
def test_of_two_at_once_none_undoes_the_other(name: str, subjects: Callable[[str], Subject]) -> None:
    """The one that comes second ends right or says that another run is at work; repeated, it ends right."""
    subject = subjects(PAIRS[name][0])
    second = PAIRS[name][1]
    expected = one_by_one(subject, second) if second != subject.command.arguments else subject.undisturbed[0]
    for step in {1, subject.undisturbed[1].told["steps"]} if name not in ONE_STEP else {1}:
        at = subject.copy()
        first = stopped(subject.command.arguments, at, step)
        ended = run(second, at)
        first.send_signal(signal.SIGCONT)
        _, said = first.communicate()
        assert first.returncode == 0, said
        if ended.code:
            assert ended.code == 2
            assert "another run is" in ended.said
            assert "; wait for its end" in ended.said
            assert run(second, at).code == 0
        assert state(at) == expected
        assert leftovers(at) == []


def one_by_one(subject: Subject, second: tuple[str, ...]) -> State:
    """Return the files after both commands, one after the other."""
    at: Path = subject.copy()
    assert run(subject.command.arguments, at).code == 0
    assert run(second, at).code == 0
    return state(at)
