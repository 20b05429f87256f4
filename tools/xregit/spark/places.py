"""Where tables are: a folder of this machine, or a folder of a store that a URL names."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from xregit.arguments import to_path
from xregit.errors import XregitError
from xregit.records import record

# A single letter before a colon is a drive.
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://?[^/]?|file:/")


@record
class Place:
    """One folder; ``url`` is its absolute path, or the URL of a store's folder, without a slash at its end."""

    url: str

    @classmethod
    def of(cls, folder: Path | str) -> Place:
        """Return the place that a path or URL names; a ``file:`` URL is a path.

        Raises:
            XregitError: it is no path; or the path is no text, as in a process whose locale does not have its letters.
        """
        text = str(folder)
        try:
            text.encode()
        except UnicodeEncodeError as error:
            message = f"the path {text!a} is no text here; name another, or set LC_ALL to a locale with UTF-8"
            raise XregitError(message) from error
        if isinstance(folder, str) and _URL.match(text):
            parts = urlsplit(text)
            if parts.scheme == "file":
                return cls(str(Path(unquote(parts.path)).resolve()))
            return cls(text.rstrip("/"))
        return cls(str(to_path(folder).resolve()))

    @property
    def local(self) -> Path | None:
        """The path on this machine, None for a store."""
        return None if "://" in self.url else Path(self.url)

    def __truediv__(self, name: str) -> Place:
        """Return the place of that name below this one."""
        return Place(f"{self.url}/{name}")

    def __str__(self) -> str:
        """Return the path or URL."""
        return self.url
