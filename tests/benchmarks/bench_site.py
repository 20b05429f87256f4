"""What a page of the docs site costs; how a site grows with its registry is in bench_growth.py."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks.measurement import cost
from tests.benchmarks.synthetic import write_registry

MESSAGES, MAX_PAGE_BYTES = 10_000, 80_000
PLAIN, ROUNDS = 3_000, 2
CONFIG = "site_name: Plain\ntheme: {name: material, font: false}\nplugins: []\nnav: [0.md]\n"


def test_a_page_against_a_plain_one_of_mkdocs(tmp_path: Path) -> None:
    """A page of 10,000 messages, against a plain one of MkDocs with two headings; none has more than 80 kB.

    The sites are written to memory where that can be: ext4 searches long for inodes where many files were deleted in
    the last minutes, by whatever program.
    """
    registry, memory = write_registry(tmp_path / "registry", MESSAGES), Path("/dev/shm")  # noqa: S108 - a folder of its own
    with TemporaryDirectory(dir=memory if memory.is_dir() else tmp_path) as folder:
        plain, site = Path(folder) / "plain", Path(folder) / "site"
        (plain / "docs").mkdir(parents=True)
        (plain / "mkdocs.yml").write_text(CONFIG, encoding="utf-8")
        for number in range(PLAIN):
            (plain / "docs" / f"{number}.md").write_text(f"# Page {number}\n\nText.\n\n## Part\n", encoding="utf-8")
        program = ("-m", "xregit", "--registry", str(registry), "site", "-o", str(site))
        ours: list[float] = []
        theirs: list[float] = []
        for _ in range(ROUNDS):
            theirs.append(cost(("-m", "mkdocs", "build", "-q"), plain, {}).seconds / PLAIN)
            ours.append(cost(program, tmp_path, {}).seconds)
        sizes = [path.stat().st_size for path in site.rglob("index.html")]
    page, baseline = min(ours) / len(sizes), min(theirs)
    print(f"\n{1000 * page:.2f} ms a page, {page / baseline:.2f} times the {1000 * baseline:.2f} ms of a plain one")
    print(f"{len(sizes):,} pages; the largest has {max(sizes):,} bytes")
    assert max(sizes) < MAX_PAGE_BYTES
