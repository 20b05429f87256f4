"""The commands in their small repositories, made once for all that happens to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.resilience.commands import COMMANDS, Subject, subject

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture(scope="session")
def subjects(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Subject]:
    """Return a function that gives a command by its name, in a folder that is made when it is first asked for."""
    made: dict[str, Subject] = {}

    def named(name: str) -> Subject:
        if name not in made:
            made[name] = subject(COMMANDS[name], tmp_path_factory.mktemp("subject"))
        return made[name]

    return named
