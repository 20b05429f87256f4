"""Texts to files of a folder that is being built, and is put in its place when it is full."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from xregit.errors import XregitError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from xregit.pages.page import Page


# A new file in place of what there was; Windows would change the ends of lines.
_ANEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
_FOR_ALL = 0o666


def refuse_taken(pages: Iterable[Page], files: Iterable[str]) -> None:
    """Refuse a page whose folder would stand where the site has a file, as an id can ask for that ends like a file.

    Raises:
        XregitError: there is one.
    """
    taken = {file.lower() for file in files}
    for page in pages:
        if page.address[:-1].lower() in taken:
            message = f'the page of "/{page.address[:-1]}" needs a folder where the site has a file; use another id'
            raise XregitError(message)


def write(folder: str, files: Iterable[tuple[str, str]]) -> None:
    """Write texts to files below a folder, by their paths with slashes; make the folders that they need."""
    for name, text in files:
        path, data = f"{folder}/{name}", text.encode()
        try:
            _write(path, data)
        except FileNotFoundError:  # most stand beside a page, whose folder is there
            _make(os.path.dirname(path))  # noqa: PTH120 - half of what paths take
            _write(path, data)


def _make(folder: str) -> None:
    """Make a folder, and those above it in the few cases in which they are not there; others may do so meanwhile."""
    try:
        os.mkdir(folder)  # noqa: PTH102
    except FileNotFoundError:
        os.makedirs(folder, exist_ok=True)  # noqa: PTH103
    except FileExistsError:
        pass


def _write(path: str, data: bytes) -> None:
    """Write a file at once: what Python puts between takes as long as the system does, and files are thousands."""
    file = os.open(path, _ANEW, _FOR_ALL)
    try:
        while data:  # the system may take less than all, say of a very large file
            data = data[os.write(file, data) :]
    finally:
        os.close(file)
