"""What a run line or `-D` may give a value, and which values. Must not read directives or choose sizes."""

from __future__ import annotations

from collections.abc import Mapping

from croqc.sema.elements import INTEGERS, limits
from croqc.sema.model import Model, Symbol, SymbolKind
from croqc.sema.types import Scalar
from croqc.text.near import did_you_mean

Size = int | float | bool


def is_size(symbol: Symbol) -> bool:
    """Whether a run line may give the symbol a value: a dimension or a scalar parameter."""
    return symbol.kind is SymbolKind.DIMENSION or (symbol.kind is SymbolKind.PARAM and isinstance(symbol.type, Scalar))


def bindable(model: Model) -> dict[str, Symbol]:
    """All of them by name."""
    return {symbol.name: symbol for symbol in model.symbols if is_size(symbol)}


def unknown_size(name: str, known: Mapping[str, Symbol]) -> tuple[str, str]:
    """What is said of a name that is none of `known`, and the way out."""
    message = f"'{name}' is no size or scalar parameter of this kernel"
    others = f"its own are {', '.join(known)}" if known else "it has none"
    return message, did_you_mean(name, known) or others


def wrong_value(symbol: Symbol, value: Size) -> str:
    """Why a size or a scalar parameter cannot have a value; empty where it can."""
    whole = isinstance(value, float) and value.is_integer()
    written = f": write {symbol.name}={int(value)}, without point or exponent" if whole else ""
    is_integer = isinstance(value, int) and not isinstance(value, bool)
    if symbol.kind is SymbolKind.DIMENSION:
        if is_integer and value >= 1:
            return ""
        return f"dimension '{symbol.name}' must be an integer of at least 1{written if value >= 1 else ''}"
    elem = symbol.type.elem if isinstance(symbol.type, Scalar) else ""
    if elem in INTEGERS:
        if not is_integer:
            return f"'{symbol.name}' is of type {elem}, which takes an integer{written}"
        low, high = limits(elem)
        return "" if low <= value <= high else f"'{symbol.name}' is of type {elem}, which holds {low:,} to {high:,}"
    if elem == "bool":
        return "" if value in (0, 1) else f"'{symbol.name}' is of type bool, which takes true or false"
    return f"'{symbol.name}' is of type {elem}, which takes a number" if isinstance(value, bool) else ""
