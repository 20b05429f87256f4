"""How long the pages of a site take: CPU time for each page, and how it grows with the registry.

    python -m tests.benchmarks.bench_pages 1000 10000

The time of the theme's frame and of writing files is not in it; what machines read is.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks.synthetic import write_registry
from xregit.catalog import read_folder
from xregit.pages.context import SiteContext
from xregit.pages.site import all_pages, as_markdown, site_files


def main(sizes: list[int]) -> None:
    """Print a line for each number of messages."""
    for messages in sizes:
        with TemporaryDirectory() as folder:
            registry = read_folder(write_registry(Path(folder), messages))
        began = time.process_time()
        book = SiteContext(registry)
        made = list(all_pages(book))
        paged = time.process_time()
        files = len(list(site_files(book, made))) + sum(1 for _ in map(as_markdown, made))
        ended = time.process_time()
        sizes_of = [len(page.html.encode()) for page in made if "/messages/" in page.address]
        print(
            f"{messages} messages: {len(made)} pages, {paged - began:.1f} s,"
            f" {1000 * (paged - began) / len(made):.2f} ms each; {files} files for machines,"
            f" {1000 * (ended - paged) / files:.2f} ms each; a message's page has {max(sizes_of):,} bytes at most"
        )


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or [1000])
