"""What a condition speaks of, through the variables that it is written with. Must not judge what it says."""

from __future__ import annotations

from typing import Final

from croqc.sema.masks import Facts, defining_value
from croqc.sema.model import Symbol, SymbolKind
from croqc.sema.types import Data, Storage
from croqc.syntax import ast
from croqc.syntax.visit import walk

_MOST_NAMES: Final = 500  # a chain of variables with more names is not followed
_OWN = (Storage.LOCAL, Storage.SHARED)


def mentioned(facts: Facts, cond: ast.Node) -> frozenset[str] | None:
    """The atoms of sizes and indices on which a condition depends; None where it may depend on any of them.

    What is stored, in a `mutable` variable or in memory of the block, may have been stored under a condition.
    """
    found: set[str] = set()
    followed: set[Symbol] = set()
    rest, names = [cond], 0
    while rest:
        for node in walk(rest.pop()):
            if not isinstance(node, ast.Name):
                continue
            names += 1
            symbol = facts.uses.get(node)
            if names > _MOST_NAMES or (symbol is not None and _is_stored(symbol)):
                return None
            if (value := facts.values.get(node)) is not None:
                found |= value.names()
            if symbol is not None and symbol not in followed and (source := defining_value(symbol)) is not None:
                followed.add(symbol)
                rest.append(source)
    return frozenset(found)


def _is_stored(symbol: Symbol) -> bool:
    if symbol.kind in (SymbolKind.FUTURE, SymbolKind.FRAGMENT, SymbolKind.ANONYMOUS):
        return True
    return symbol.mutable or (isinstance(symbol.type, Data) and symbol.type.storage in _OWN)
