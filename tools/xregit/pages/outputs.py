"""What stands in a served site's folder since the last build, so that a build writes only what has become different.

MkDocs calls such builds dirty, as it can't tell what a page depends on. Ours depend on the registry's pages and on what
is around each: configuration, theme, hand-written pages and navigation. Where that changes, all is written anew.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.structure.files import File

from xregit.pages.machines import MARKDOWN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

    from xregit.pages.page import Page


class CatalogFile(File):
    """The file of a page of the catalog; one that ``stands`` is not written again by a dirty build."""

    stands = False

    def is_modified(self) -> bool:
        """Tell whether the page is to be written."""
        return not self.stands


@dataclass(slots=True)
class Outputs:
    """The pages in the folder by address, and what was around them; ``anew`` says that a build has to write all."""

    around: object = None
    pages: Mapping[str, Page] = field(default_factory=dict)
    anew: bool = True

    def begin(self, pages: Iterable[Page], files: Files, config: MkDocsConfig, *, dirty: bool) -> None:
        """Compare what there will be with what there is; a page that is gone or has to be written is forgotten.

        ``files`` are those of the theme and the hand-written pages.
        """
        listed = tuple(pages)
        around = (config.site_name, tuple(_navigation(listed)), tuple(_sources(files, config)))
        self.anew = not dirty or around != self.around
        self.around = around
        known = {} if self.anew else self.pages
        _remove(self.pages.keys() - {page.address for page in listed}, config)
        if self.anew:
            _forget(files)
        # A build that fails leaves some pages written and others not, so that none of them is known to stand.
        self.pages = {page.address: page for page in listed if known.get(page.address) == page}

    def end(self, pages: Iterable[Page]) -> None:
        """Note what stands in the folder now."""
        self.pages = {page.address: page for page in pages}


def _navigation(pages: Iterable[Page]) -> Iterator[tuple[str, str]]:
    return ((page.address, page.title) for page in pages if page.listed)


def _sources(files: Files, config: MkDocsConfig) -> Iterator[tuple[str, int, int]]:
    """Give each source file of a site with its time and size."""
    paths = (file.abs_src_path for file in files if file.generated_by is None)
    for path in (config.config_file_path, *paths):
        if path and os.path.exists(path):  # noqa: PTH110 - hundreds of paths, which are texts
            found = os.stat(path)  # noqa: PTH116
            yield path, found.st_mtime_ns, found.st_size


def _remove(addresses: Iterable[str], config: MkDocsConfig) -> None:
    for address in addresses:
        for name in ("index.html", MARKDOWN):
            Path(config.site_dir, *address.split("/"), name).unlink(missing_ok=True)


def _forget(files: Files) -> None:
    """Have MkDocs write the hand-written pages again, which it does where there are none."""
    for file in files.documentation_pages():
        Path(file.abs_dest_path).unlink(missing_ok=True)
