"""What fuzzing found once stays mended: each kept input has an answer, in bounded steps and memory."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzzing.readers import READERS
from tests.sizes import sample, some
from tests.steps import at_most

REGRESSIONS = Path(__file__).parent / "regressions"
KEPT = [path.relative_to(REGRESSIONS).as_posix() for path in sorted(REGRESSIONS.rglob("*")) if path.is_file()]
MAX_STEPS = 20_000_000


@pytest.mark.parametrize("name", KEPT)
def test_find_stays_mended(name: str) -> None:
    """The input that a reader once failed on is answered, in a bounded number of steps."""
    reader = READERS[name.partition("/")[0]]
    for seed in reader.seeds():  # so that what is imported late counts for nobody
        reader.read(seed)
        break
    with at_most(MAX_STEPS):
        reader.read((REGRESSIONS / name).read_bytes())


@pytest.mark.parametrize("name", READERS)
def test_seeds_are_read(name: str) -> None:
    """What fuzzing begins with breaks no law."""
    for seed in sample([*READERS[name].seeds()]):
        READERS[name].read(seed)


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=some(25))
@given(st.data())
def test_mutilated_seeds_are_read(name: str, data: st.DataObject) -> None:
    """Nor does it where a piece is cut out and another put in."""
    reader = READERS[name]
    seed = data.draw(st.sampled_from([seed for seed in reader.seeds() if len(seed) < MAX_BYTES]))
    start = data.draw(st.integers(0, len(seed)))
    end = data.draw(st.integers(start, min(len(seed), start + 20)))
    words = st.sampled_from([word.encode() for word in reader.words] or [b""])
    reader.read(seed[:start] + data.draw(words | st.binary(max_size=4)) + seed[end:])


MAX_BYTES = 8192
