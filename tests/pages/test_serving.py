"""The served site follows what people write."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pages.server import COMMAND, next_address, wait_for
from tests.pages.small import small_folder
from tests.waiting import PATIENCE_SECONDS

pytestmark = pytest.mark.long

MESSAGE = "messagegroups/doors/messages/doors.closed"
OTHER = "messagegroups/doors/messages/doors.opened"
DERIVED = "messagegroups/doors.mqtt/messages/doors.opened"


@pytest.fixture
def registry(tmp_path: Path) -> Path:
    """Write the small registry."""
    return small_folder(tmp_path)


@pytest.fixture
def site(registry: Path, root: Path, tmp_path: Path) -> Iterator[str]:
    """Serve its site, and give the address; what is told goes to a file."""
    address, command = next_address(), [*COMMAND, str(registry)]
    with (
        (tmp_path / "log").open("wb") as log,
        subprocess.Popen([*command, address], cwd=root / "tools", stderr=log) as server,
    ):
        try:
            wait_for(f"http://{address}/{MESSAGE}/", "A door was closed.", server)
            yield f"http://{address}/"
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(timeout=PATIENCE_SECONDS)


def test_edited_files_are_shown(registry: Path, site: str, tmp_path: Path) -> None:
    """Whatever shows an edited message shows the edit, also after a fault, which is told; what is gone is gone."""
    message, other = registry / f"{MESSAGE}.yaml", registry / f"{OTHER}.yaml"
    message.write_text("description: [\n")
    wait_for(f"{site}{MESSAGE}/", "The file can't be read")
    text = "doors.closed.yaml:1:14: The bracket that opens here is not closed. Close it."
    assert text in (tmp_path / "log").read_text()
    wait_for(f"{site}{OTHER}/", "Door opened")
    message.write_text("name: Slammed\ndescription: Somebody slammed a door.\n")
    wait_for(f"{site}{MESSAGE}/", "Somebody slammed a door.")
    for page in ("all-messages/", "messagegroups/doors/"):
        wait_for(f"{site}{page}", "Slammed")
    other.write_text(other.read_text().replace("{door}", "{gate}"))
    for page in (f"{OTHER}/", f"{DERIVED}/"):
        wait_for(f"{site}{page}", "{gate}")
    wait_for(f"{site}all-fields/", ">gate<")
    message.unlink()
    wait_for(f"{site}{MESSAGE}/", "There is no page at this address")
    wait_for(f"{site}{OTHER}/", "Door opened")
