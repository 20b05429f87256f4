"""Epoch and times of an entity: what its file states, else what Git knows of the commits that touched its files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from xregit.model.times import moment, timestamp

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xregit.catalog.registry import Registry
    from xregit.source.commit_log import FileHistory


FACTS = frozenset({"epoch", "createdat", "modifiedat"})


class Lifecycle(NamedTuple):
    """An entity's epoch and times."""

    epoch: int
    createdat: str
    modifiedat: str


def lifecycle_of(registry: Registry, paths: tuple[str, ...]) -> Lifecycle | FileHistory:
    """Return the facts of an entity that is kept in these files, relative to the repository.

    The history of a single file has them all.
    """
    history = registry.origin.history
    if len(paths) == 1:
        return history.of(paths[0])
    histories = [history.of(path) for path in dict.fromkeys(paths)]
    commits = {commit for history in histories for commit in history.commits}
    return Lifecycle(
        len(commits) or max(history.epoch for history in histories),
        min(history.createdat for history in histories),
        max(history.modifiedat for history in histories),
    )


def with_stated(attributes: Mapping[str, Any], otherwise: Lifecycle | FileHistory) -> Lifecycle:
    """Return the facts that an entity states, and others for those it doesn't."""
    stated = attributes.get("epoch")
    return Lifecycle(
        stated if isinstance(stated, int) and not isinstance(stated, bool) and stated > 0 else otherwise.epoch,
        _time(attributes.get("createdat"), otherwise.createdat),
        _time(attributes.get("modifiedat"), otherwise.modifiedat),
    )


def _time(stated: Any, otherwise: str) -> str:
    """Return a stated time in UTC; one without a zone counts as UTC, one that can't be read stays as it is."""
    if not isinstance(stated, str) or not stated:
        return otherwise
    if stated.endswith("Z"):
        return stated
    time = moment(stated)
    return timestamp(time) if time else stated
