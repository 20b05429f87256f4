"""The commands in their small repositories, made once for all that happens to them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.resilience.commands import COMMANDS, Subject, subject


@pytest.fixture(scope="session")
def subjects(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Subject]:
    """Return a function that gives a command by its name, in a folder that is made when it is first asked for."""
    result: dict[str, Subject] = {}

    def named(name: str) -> Subject:
        if name not in result:
            result[name] = subject(COMMANDS[name], tmp_path_factory.mktemp("subject"))
        return result[name]

    return named
