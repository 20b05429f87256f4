"""Where a new repository's workflows and hooks get xregit from: its own place, as the installer noted it, or PyPI."""

from __future__ import annotations

import re

from xregit.errors import XregitError
from xregit.installed import SOURCE, address, noted

_RELEASE = re.compile(r"(xregit(?:\[all\])?)~=[0-9.]+")


def source_of(given: str) -> str:
    """Return the address that the installed program came from, or the one that is given; empty text stands for PyPI.

    Raises:
        XregitError: what is given is no address from which pip can install on every machine.
    """
    if given and not SOURCE.fullmatch(given):
        message = (
            f'from "{given}" pip can\'t install on every machine; write it as git+https://git.example.com/xregit@COMMIT'
        )
        raise XregitError(message)
    return given or address(noted())


def installing_from(source: str, data: bytes) -> bytes:
    """Return a file of the template whose requirements name a source instead of a release."""
    if not source:
        return data
    return _RELEASE.sub(lambda found: f"{found[1]} @ {source}", data.decode()).encode()
