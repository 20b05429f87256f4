"""The served site follows what people write."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from http.client import HTTPException
from pathlib import Path
from urllib.request import urlopen

from tests.pages.small import small_folder

SERVE = "import sys; from pathlib import Path; from xregit.pages.building import serve_site as serve; "
SERVE += "serve(Path(sys.argv[1]), None, sys.argv[2])"
PATIENCE_SECONDS = 60


def _free_address() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"


def _wait_for(url: str, text: str) -> bool:
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        try:
            with urlopen(url, timeout=5) as answer:  # noqa: S310 - our own server
                if text in answer.read().decode():
                    return True
        except (OSError, HTTPException):
            pass
        time.sleep(0.2)
    return False


def test_edited_file_is_shown(tmp_path: Path, root: Path) -> None:
    """A message that changes while the site is served changes on its page, also after a fault in between."""
    registry, address = small_folder(tmp_path), _free_address()
    command = [sys.executable, "-c", SERVE, str(registry), address]
    page = f"http://{address}/messagegroups/doors/messages/doors.closed/"
    message = registry / "messagegroups/doors/messages/doors.closed.yaml"
    with subprocess.Popen(command, cwd=root / "tools", stderr=subprocess.DEVNULL) as server:
        try:
            assert _wait_for(page, "A door was closed.")
            message.write_text("description: [\n")
            assert _wait_for(page.replace("doors.closed/", "doors.opened/"), "Door opened")
            message.write_text("description: Somebody slammed a door.\n")
            assert _wait_for(page, "Somebody slammed a door.")
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(timeout=PATIENCE_SECONDS)
