"""Variables that C++ and PTX may write: what a called function takes by reference or by its address, what an island
names, what an `asm` has as output; and what any of these may have kept the place of. Must not follow the text: whatever
may be written, is.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Protocol
from weakref import WeakKeyDictionary

from croqc.sema.island_text import island_text
from croqc.sema.model import Context, Symbol, SymbolKind
from croqc.sema.types import Bounded, BoundedTuple, Scalar
from croqc.syntax import ast
from croqc.syntax.visit import nodes_of_kind


class Facts(Hashable, Protocol):
    """What is read here; the model has it, and so has the analysis that makes the model."""

    @property
    def function(self) -> ast.Function: ...
    @property
    def context(self) -> Context: ...
    @property
    def uses(self) -> Mapping[ast.Name, Symbol]: ...
    @property
    def islands(self) -> Mapping[ast.Cpp, Mapping[str, Symbol]]: ...


_SIZES = (SymbolKind.PARAM, SymbolKind.DIMENSION)
_STEADY = (*_SIZES, SymbolKind.LOOP, SymbolKind.PARALLEL)
_NUMBERS = (Scalar, Bounded, BoundedTuple)


def foreign_writes(model: Facts, node: ast.Node) -> Iterator[Symbol]:
    """The mutable variables that a node may give another value without an assignment of the language (4.6, 2.5)."""
    match node:
        case ast.Call(kind="call"):
            written = [*_mutable(model, _handed(model, node)), *_kept(model)]
        case ast.Asm():
            written = [
                *_mutable(model, (each for operand in node.outputs for each in _places(operand.value))),
                *_kept(model),
            ]
        case ast.Cpp():
            written = [*_kept(model)]
        case _:
            return
    yield from dict.fromkeys(written)


def foreign_parameters(model: Facts, node: ast.Node) -> Iterator[Symbol]:
    """The parameters and dimensions of the kernel that a node hands to C++ or PTX to be written, and the indices of its
    loops and levels that an island seems to write: sizes and turns are no more what they are taken for.

    Of functions that the file does not have nothing is known, and nothing is said.
    """
    places: list[ast.Node] = []
    match node:
        case ast.Call(kind="call", args=args):
            name = node.callee.rpartition("::")[2]
            handed = ((number, place) for number, arg in enumerate(args) for place in _places(arg))
            for number, place in handed:
                if isinstance(place, ast.AddressOf):
                    places.append(place.operand)
                elif (name, number) in model.context.by_reference:
                    places.append(place)
        case ast.Asm():
            places += [each for operand in node.outputs for each in _places(operand.value)]
        case ast.Cpp():
            text = island_text(model.context, node)
            yield from (
                symbol
                for name, symbol in model.islands.get(node, {}).items()
                if symbol.kind in _STEADY and isinstance(symbol.type, _NUMBERS) and _may_write(text, name)
            )
    for place in places:
        symbol = model.uses.get(place) if isinstance(place, ast.Name) else None
        if symbol is not None and symbol.kind in _SIZES and isinstance(symbol.type, Scalar | Bounded):
            yield symbol


def _may_write(text: str, name: str) -> bool:
    """Whether a text seems to assign to a name, or to take its address or a reference to it."""
    assigned = r"\s*(?:(?:[-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--)"
    address = r"(?:^|[-+*/%=(,;{\[!~?:<>|^]|\breturn)\s*&"  # behind a value, `&` has two operands
    before = rf"(?:\+\+|--|{address})\s*|&\s*\w+\s*(?:=|\{{|\()\s*"
    own = rf"(?<!\.)(?<!->)\b{name}\b"  # no member of something else
    return re.search(rf"{own}{assigned}|(?:{before})\b{name}\b", text) is not None


def shared_with_islands(model: Facts) -> frozenset[Symbol]:
    """The mutable variables that an island names. What it declares, a reference, a lambda, an object whose end writes,
    lives on behind it: nobody knows when such a variable changes."""
    return frozenset(symbol for named in model.islands.values() for symbol in named.values() if symbol.mutable)


_KEPT: WeakKeyDictionary[Facts, tuple[Symbol, ...]] = WeakKeyDictionary()  # an analysis that is over goes with its own


def _kept(model: Facts) -> tuple[Symbol, ...]:
    """The mutable variables whose place C++ or PTX has got somewhere in the function and may have kept: any of their
    text may write them. Each node of a kernel asks."""
    if model not in _KEPT:
        body = model.function.body
        addresses = (node.operand for node in nodes_of_kind(body, ast.AddressOf))
        handed = (arg for call in nodes_of_kind(body, ast.Call) if call.kind == "call" for arg in _handed(model, call))
        found = {*_mutable(model, (*addresses, *handed)), *shared_with_islands(model)}
        _KEPT[model] = tuple(sorted(found, key=lambda symbol: symbol.name_span))
    return _KEPT[model]


def _handed(model: Facts, call: ast.Call) -> Iterator[ast.Node]:
    by_value = call.callee.rpartition("::")[2] in model.context.by_value
    for place in (each for arg in call.args for each in _places(arg)):
        if isinstance(place, ast.AddressOf):
            yield place.operand
        elif not by_value:
            yield place


def _mutable(model: Facts, nodes: Iterable[ast.Node]) -> Iterator[Symbol]:
    for node in nodes:
        symbol = model.uses.get(node) if isinstance(node, ast.Name) else None
        if symbol is not None and symbol.mutable:
            yield symbol


def _places(node: ast.Node) -> Iterator[ast.Node]:
    """What an expression may be another name of, as C++ has it."""
    match node:
        case ast.Paren(inner=inner):
            yield from _places(inner)
        case ast.Cond(then=then, other=other):
            yield from _places(then)
            yield from _places(other)
        case ast.IncDec(name=name):
            yield name
        case _:
            yield node
