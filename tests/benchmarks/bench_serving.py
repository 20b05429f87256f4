"""How long an edited file takes until its page shows it, while the site of many messages is served."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.benchmarks.synthetic import PREFIX, write_registry
from tests.pages.server import COMMAND, next_address, wait_for

MESSAGES, EDITS = 1_000, 7
# Until an edit is shown, the half second included in which MkDocs looks for changes.
AIM_SECONDS = 5.0
# The group's first message, on which others are based, and one on which none is.
EDITED = (f"plant3/messages/{PREFIX}150", f"plant7/messages/{PREFIX}361")


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the registry."""
    return write_registry(tmp_path_factory.mktemp("served"), MESSAGES)


@pytest.fixture(scope="module")
def served(registry: Path) -> Iterator[str]:
    """Serve it, and give the address once it is built."""
    address = next_address()
    with subprocess.Popen([*COMMAND, str(registry), address], stderr=subprocess.DEVNULL) as server:
        try:
            wait_for(f"http://{address}/", "A registry of a given size", server)
            yield f"http://{address}"
        finally:
            server.terminate()


@pytest.mark.parametrize("name", EDITED)
def test_edit_is_shown(registry: Path, served: str, name: str) -> None:
    """The time of each edit is printed."""
    times = [_seconds(registry / f"messagegroups/{name}.yaml", f"{served}/messagegroups/{name}/", edit)
             for edit in range(EDITS)]  # fmt: skip
    print(f"\n{name}: {', '.join(f'{each:.2f}' for each in times)} s; aim {AIM_SECONDS}")


def _seconds(file: Path, page: str, edit: int) -> float:
    text = f"Edited for the time number {edit}."
    written = re.sub(
        r"description: >-\n(?:  .*\n)+|description: Edited .*\n", f"description: {text}\n", file.read_text(), count=1
    )
    time.sleep(0.3 * edit)  # so that the server looks for changes at another moment each time
    start = time.perf_counter()
    file.write_text(written)
    wait_for(page, text)
    return time.perf_counter() - start
