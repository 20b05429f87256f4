"""One process that fuzzes one reader, led by which lines each input reaches: ``READER FOLDER SECONDS``.

The seconds are the processor's. A fault is noted by where it happened, and the search goes on; only what kills the
process ends it sooner.
"""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from hashlib import sha256
from pathlib import Path
from time import process_time

import atheris

from tests.steps import steps

INSTRUMENTED = [
    "xregit", "uritemplate", "json_structure", "xmlschema", "elementpath", "markdown", "jsonschema",
    "tests.fuzzing",
]  # fmt: skip
# An input that takes longer is counted.
SECONDS = 1.0
MAX_STEPS = 20_000_000
MEGABYTES = 1024
MAX_BYTES = 8192
# By the clock, as libFuzzer counts: far more than a busy machine makes of what a reader may take.
HANGING_SECONDS = 600


def main(name: str, folder: Path, seconds: float) -> None:
    """Fuzz a reader, and write what is found below a folder."""
    with atheris.instrument_imports(include=INSTRUMENTED):
        from tests.fuzzing.readers import READERS

        reader = READERS[name]
        corpus = folder / "corpus"
        corpus.mkdir(parents=True, exist_ok=True)
        for seed in reader.seeds():
            (corpus / sha256(seed).hexdigest()[:20]).write_bytes(seed)
            reader.read(seed)  # so that what is imported late is known

    warnings.simplefilter("error")  # they go to users' terminals

    inputs = 0

    def tried(data: bytes) -> None:
        nonlocal inputs
        if process_time() > seconds:
            os.write(2, b"Done %d runs" % inputs)
            os._exit(0)  # libFuzzer holds any other end for a fault
        inputs += 1
        try:
            start = process_time()
            reader.read(data)
            if process_time() - start > SECONDS:  # a machine may be slow, so its steps decide
                steps(lambda: reader.read(data), MAX_STEPS)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is a find
            note(folder / "finds", data, error)

    words = folder / "words.txt"
    words.write_text("".join(f'"{quoted(word)}"\n' for word in reader.words))
    options = [f"-max_len={MAX_BYTES}", f"-rss_limit_mb={MEGABYTES}", f"-timeout={HANGING_SECONDS}"]
    options += [f"-dict={words}"] if reader.words else []
    options += [f"-artifact_prefix={folder / 'finds'}/"]
    atheris.Setup([sys.argv[0], *options, str(corpus)], tried)
    atheris.Fuzz()


def note(folder: Path, data: bytes, error: Exception) -> None:
    """Keep an input and how it failed, unless one that fails at the same place is there."""
    frames = traceback.extract_tb(error.__traceback__)
    places = [frame for frame in frames if "tests/fuzzing/fuzz.py" not in frame.filename][-1:]
    place = "".join(f"{frame.filename}:{frame.lineno}" for frame in places)
    path = folder / sha256(f"{type(error).__name__} {place}".encode()).hexdigest()[:12]
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        path.with_suffix(".txt").write_text("".join(traceback.format_exception(error)), errors="replace")


def quoted(word: str) -> str:
    """Return a word as libFuzzer's dictionaries have it."""
    return "".join(chr(byte) if byte < 128 and chr(byte).isalnum() else f"\\x{byte:02x}" for byte in word.encode())


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), float(sys.argv[3]))
