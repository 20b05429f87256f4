"""Killed at any moment, a command leaves what was there or what is new, and does its work when it is run again."""

from __future__ import annotations

import random
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import xregit
from tests.resilience.commands import COMMANDS, State, Subject, begin, leftovers, run, state

# Of the steps in which a command changes files, so many at most are those before which it is killed.
STEPS = dict.fromkeys(COMMANDS, 5) | {"build": 4, "site": 2}
# At so many moments beside, anywhere in the time that the command takes, it is killed wherever it is.
MOMENTS = 2
SLOWER = 1.2  # a machine with more to do


def spread(steps: int, most: int) -> list[int]:
    """Return the numbers of some steps, the first and the last among them."""
    if steps <= most:
        return list(range(1, steps + 1))
    return sorted({1 + round(number * (steps - 1) / (most - 1)) for number in range(most)})


def whole(subject: Subject, found: State) -> None:
    """Each file is as it was or as it should be, and what is put in place as a whole is the one or the other."""
    after, _ = subject.undisturbed
    for place in subject.command.wholes:
        assert _below(place, found) in (_below(place, subject.before), _below(place, after))
    for path in {*subject.before, *after, *found}:
        assert found.get(path) in (subject.before.get(path), after.get(path)), path


def goes_on(subject: Subject, at: Path) -> None:
    """The next run does what the killed one should have done, and nothing is left of that."""
    after, _ = subject.undisturbed
    if state(at) != after or leftovers(at):
        ended = run(subject.command.arguments, at)
        assert ended.code == 0, ended.said
    assert state(at) == after
    assert leftovers(at) == []


@pytest.mark.parametrize("name", COMMANDS)
def test_killed_before_a_step_nothing_is_half(name: str, subjects: Callable[[str], Subject]) -> None:
    """Whatever it was about to write, rename or remove, nothing is lost; the registry can be read at any time."""
    subject = subjects(name)
    steps = subject.undisturbed[1].told["steps"]
    assert steps > 0
    for step in spread(steps, STEPS[name]):
        at = subject.copy()
        assert run(subject.command.arguments, at, step=step, signal=signal.SIGKILL).code == -signal.SIGKILL
        whole(subject, state(at))
        xregit.load(at / "registry")
        goes_on(subject, at)


@pytest.mark.parametrize("name", ["build", "import", "fmt"])
def test_killed_at_any_moment_nothing_is_half(name: str, subjects: Callable[[str], Subject]) -> None:
    """The same at moments that nobody has chosen."""
    subject = subjects(name)
    seconds = subject.undisturbed[1].seconds * SLOWER
    chance = random.Random(name)  # noqa: S311 - moments, not secrets
    for _ in range(MOMENTS):
        at = subject.copy()
        with begin(subject.command.arguments, at) as process:
            try:
                process.communicate(timeout=chance.uniform(0, seconds))
            except subprocess.TimeoutExpired:
                process.kill()
        whole(subject, state(at))
        goes_on(subject, at)


def _below(place: str, files: State) -> State:
    return {path: data for path, data in files.items() if path == place or path.startswith(f"{place}/")}
