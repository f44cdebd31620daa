"""Names that fit at a place, ranked by type and by how lately they were used; members of what a name stands for.

Must not know LSP types or read keywords.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from croqc.sema.describe import describe
from croqc.sema.model import Symbol, SymbolKind
from croqc.sema.types import (
    Bounded,
    BoundedTuple,
    Data,
    Event,
    Fragment,
    Future,
    Scalar,
    ShapeType,
    Storage,
    TupleType,
    Type,
    Unknown,
    data_of,
)
from croqc.syntax.keywords import ELEMENT_TYPES, VIEW_OPERATIONS
from croqc.syntax.tokens import Kind, Token
from croqls.ide.items import ItemKind

_OPEN, _CLOSE = (
    ("_LPAR", "_LBRACK", "_LBRACE", "_ARGPAR", "_COUNT_OPEN", "_DERIVE"),
    ("_RPAR", "_RBRACK", "_COUNT_CLOSE", "_RBRACE"),
)
_WHOLE = (Bounded, BoundedTuple, Scalar, ShapeType, TupleType)
_SYMBOL_KINDS = {SymbolKind.EVENT: ItemKind.EVENT, SymbolKind.DIMENSION: ItemKind.CONSTANT}
# Where nothing but names fits, those of these statements are uses; elsewhere a new name is due.
_NAMING = frozenset({"ROTATE", "WHERE", "EQUATE", "HASH", "AFTER"})


# In the brackets behind these, extents are due and not places.
EXTENTS = frozenset({".subspan", ".modspan", ".step", ".view", ".span_as", "in", "by", *ELEMENT_TYPES})


class Context(NamedTuple):
    """What stands around a place: the terminal that governs it, and whether it is inside brackets opened behind that.

    `bracket` is the word in front of the innermost open bracket, `source` the storage of what a copy copies.
    `begins`: a statement begins at the place.
    """

    head: str
    bracket: str
    nested: bool
    comma: int
    source: Storage | None = None
    begins: bool = False


def context_of(before: Sequence[Token]) -> Context:
    """Of the statement that the last tokens belong to. `head` is its nearest word that asks for a kind of thing."""
    depth, bracket, nested, commas = 0, "", False, 0
    for index in range(len(before) - 1, -1, -1):
        token = before[index]
        if token.type in _CLOSE:
            depth += 1
        elif token.type in _OPEN:
            if depth == 0 and token.type == "_LBRACE" and _is_body(before, index):
                break
            if depth == 0 and not nested:
                nested, bracket = True, before[index - 1].text if index else ""
            depth = max(depth - 1, 0)
        elif depth == 0 and token.type == "_SEMI":
            break
        elif depth == 0 and token.type == "_COMMA" and not nested:
            commas += 1
        elif depth == 0 and token.type in _GOVERNING:
            return Context(token.type, bracket, nested, commas)
    return Context("", bracket, nested, commas)


_GOVERNING = frozenset({"WAIT", "TRIGGER", "AFTER", "ARROW", "ENGINE", "MMA", "ROTATE", "WHERE", "EQUATE"}) | frozenset(
    {"HASH", "CALL", "BY", "IN", "IF", "FOREACH", "EVENT", "RETURN", "APPLY"}
)


def _is_body(before: Sequence[Token], index: int) -> bool:
    return index == 0 or before[index - 1].type not in ("EQ", "_COMMA", "FOREACH", "WITH", "PARALLEL", "_LPAR")


def with_source(context: Context, before: Sequence[Token], symbols: Sequence[Symbol]) -> Context:
    """The same behind the `=>` of a copy, with the storage of its source."""
    if context.head != "ARROW":
        return context
    start = max((number for number, token in enumerate(before) if token.type == "ENGINE"), default=0)
    name = next((token.text for token in before[start:] if token.type == "NAME"), "")
    symbol = next((one for one in symbols if one.name == name), None)
    data = data_of(symbol.type) if symbol is not None else None
    return context._replace(source=data.storage if data is not None else None)


def bound_names(before: Sequence[Token]) -> Iterator[str]:
    """The indices of a `parallel`, `foreach` or `with` whose body, without braces, is being typed: a model without the
    rest of the statement does not have them."""
    start = max((number for number, token in enumerate(before) if token.type in ("_SEMI", "_RBRACE")), default=-1) + 1
    if start and before[start - 1].type == "_RBRACE":  # of the names, or of a block
        start = max((number for number, token in enumerate(before) if token.type == "_SEMI"), default=-1) + 1
    for number in range(start, len(before)):
        at = number - 1
        if before[number].type in ("BY", "IN"):
            while at >= start and before[at].type in ("NAME", "_COMMA", "_RBRACE"):
                if before[at].type == "NAME":
                    yield before[at].text
                at -= 1


def takes_names(terminals: frozenset[str], context: Context) -> bool:
    """Whether a name of something known is due, not a new one."""
    if "NAME" not in terminals:
        return False
    return bool(terminals - {"NAME", "_LBRACK", "MISSING", "_LBRACE", "LEVEL"}) or context.head in _NAMING


def fits(symbol: Symbol, context: Context) -> bool:
    """Whether a symbol has the type that the place asks for."""
    kind = symbol.type
    if isinstance(kind, Unknown):
        return False
    if context.nested and context.head != "ROTATE":
        extents = context.bracket in EXTENTS and symbol.kind in (SymbolKind.PARALLEL, SymbolKind.LOOP)
        return isinstance(kind, _WHOLE) and not extents
    if context.begins:
        return isinstance(kind, Data | Fragment | Future) or (isinstance(kind, Scalar) and kind.mutable)
    match context.head:
        case "WAIT":
            return isinstance(kind, Event | Future)
        case "TRIGGER":
            return isinstance(kind, Event)
        case "AFTER" | "ROTATE":
            return isinstance(kind, Future)
        case "ARROW":
            elsewhere = isinstance(kind, Data) and kind.storage is not context.source
            return elsewhere and symbol.kind is not SymbolKind.VARIABLE
        case "ENGINE":
            return data_of(kind) is not None
        case "MMA":
            return isinstance(kind, Fragment) or (context.comma > 0 and _is_shared(kind))
        case "HASH" | "BY" | "IN":
            return isinstance(kind, _WHOLE)
        case _:
            return False


def required(context: Context) -> bool:
    """Whether nothing but what `fits` may stand there."""
    return context.head in ("WAIT", "TRIGGER", "AFTER", "ROTATE") and (not context.nested or context.head == "ROTATE")


def starts_event(before: Sequence[Token]) -> bool:
    """Whether what an event starts as is due: behind the `=` of its declaration."""
    if not before or before[-1].type != "EQ":
        return False
    context = context_of(before)
    return context.head == "EVENT" and not context.nested


def takes_whole(context: Context) -> bool:
    """Whether `_` may stand there (reference, 2.6.2): as an argument of a view."""
    return context.nested and context.bracket in _WHOLES


_WHOLES = frozenset({".chunkat", ".chunk", ".subspan", ".modspan"})


def _is_shared(kind: Type) -> bool:
    data = data_of(kind)
    return data is not None and data.storage is Storage.SHARED


def item_kind(symbol: Symbol) -> ItemKind:
    return _SYMBOL_KINDS.get(symbol.kind, ItemKind.VARIABLE)


def detail_of(symbol: Symbol) -> str:
    return "dimension" if symbol.kind is SymbolKind.DIMENSION else f"{symbol.kind.value}, {describe(symbol.type)}"


# --- members -------------------------------------------------------------------------------------


def base_of(before: Sequence[Token]) -> tuple[str, str] | None:
    """The name that the reference in front of the place begins with, and its last dotted word; None if it has none."""
    depth, last = 0, ""
    for token in reversed(before):
        if token.type in _CLOSE:
            depth += 1
        elif token.type in _OPEN:
            if depth == 0:
                return None
            depth -= 1
        elif depth == 0 and token.kind is Kind.DOTTED:
            last = last or token.text.lstrip(".")
        elif depth == 0:
            return (token.text, last) if token.type == "NAME" else None
    return None


def members(symbol: Symbol | None, last: str) -> Iterator[str]:
    """The dotted words that apply to a symbol, or to the view that ends with the word `last`."""
    kind = symbol.type if symbol is not None else Unknown()
    if isinstance(kind, Event):
        yield from () if last else ("at",)
        return
    if last in ("subspan", "modspan"):
        yield from ("at", "step")
    elif last in ("chunk", "step"):
        yield "at"
    elif last == "view":
        yield "from"
    elif isinstance(kind, Future) and not last:
        yield from ("data", "span", "mdata")
    elif isinstance(kind, Fragment):
        yield from ("at", "span")
    elif isinstance(kind, Data | Future | Unknown):
        yield from ("at", *sorted(VIEW_OPERATIONS), "sqz", "span")
