"""The xRegistry model language, its one interpreter, and the models of the specifications as data."""

from xregit.model.checking import check, siblings
from xregit.model.names import Name, canonical, named, names
from xregit.model.normalising import normalised
from xregit.model.reading import builtin

__all__ = ["Name", "builtin", "canonical", "check", "named", "names", "normalised", "siblings"]
