"""Registries that go from one process to another."""

from __future__ import annotations

import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import xregit


def test_a_registry_can_be_pickled(root: Path) -> None:
    """What comes out is the same, with types of its own, positions and findings."""
    registry = xregit.load(root / "registry")
    document, report = xregit.compile(registry), xregit.check(registry)
    copy = pickle.loads(pickle.dumps(registry))  # noqa: S301 - made above
    assert list(copy) == list(registry)
    assert xregit.compile(copy) == document
    assert xregit.check(copy) == report


def test_messages_of_one_registry_share_it_in_another_process(root: Path) -> None:
    """A view takes its registry along, once for all views that are sent together."""
    registry = xregit.load(root / "registry")
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        one, other = pool.submit(tuple, registry.messages[:2]).result()
    assert (one.xid, other.xid) == tuple(message.xid for message in registry.messages[:2])
    assert one.registry is other.registry
