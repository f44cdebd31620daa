"""References to register tiles: one of an array, an element of a tile (reference, 6.5). Must not build statements."""

from __future__ import annotations

from croqc.pipe.build.context import Context
from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import ZERO, Expr, Held
from croqc.pipe.ir import Accumulator
from croqc.sema.model import Symbol
from croqc.sema.roots import base_name
from croqc.sema.types import Fragment, FragRole
from croqc.syntax import ast
from croqc.text.span import Span


def accumulator(c: Context, node: ast.Expr) -> tuple[Accumulator, Expr]:
    """The register tile of a reference and its number in its array."""
    name = base_name(node)
    symbol = None if name is None else c.symbol(name)
    if symbol is None:
        raise LoweringError("this is no register tile: name an accumulator or a fragment", node.span)
    index: Expr = ZERO
    for suffix in node.suffixes if isinstance(node, ast.Chain) else ():
        if isinstance(suffix, ast.Index):
            index = c.expr(suffix.args[0])
    return _tile(c, symbol, node.span), index


def _tile(c: Context, symbol: Symbol, span: Span) -> Accumulator:
    found = c.accumulators.get(symbol)
    if found is not None:
        return found
    if isinstance(symbol.type, Fragment) and symbol.type.role is FragRole.OPERAND:
        reason = f"the elements of an operand lie as its multiply wants them, and '{symbol.name}' is one"
        raise LoweringError(f"{reason}: change them in memory, in front of mma.load", span)
    if not isinstance(symbol.type, Fragment):
        reason = f"'{symbol.name}' is memory, and this works on register tiles"
        raise LoweringError(f"{reason}: use 'mma.load' or the elements of a buffer", span)
    reason = f"no multiply gives '{symbol.name}' its shape"
    raise LoweringError(f"{reason}: declare it with one, as 'frag f32 [64, 64] {symbol.name}'", span)


def is_element(c: Context, node: ast.Chain) -> bool:
    """Whether a reference is `.at(…)` of a register tile, or of one of an array of them."""
    name = base_name(node)
    last = node.suffixes[-1]
    fragment = name is not None and isinstance(c.symbol(name).type, Fragment)
    return fragment and isinstance(last, ast.Member) and last.name == "at"


def element_of(c: Context, node: ast.Chain) -> Held:
    """The element that `.at(…)` of a register tile names. Raises LoweringError outside of `apply`."""
    last = node.suffixes[-1]
    assert isinstance(last, ast.Member)
    tile, slot = accumulator(c, node)
    if not c.visiting:
        reason = f"an element of '{tile.name}' is in the registers of some thread"
        raise LoweringError(f"{reason}: read and write it in 'apply {{i, j}} in {tile.name}.span'", node.span)
    return Held(tile.name, tile.elem, slot, tuple(c.expr(arg) for arg in last.args))


def element_of_whole(c: Context, symbol: Symbol, span: Span) -> Held:
    """The element of a tile that stands as a whole in arithmetic on tiles, at the place that is being computed."""
    tile = _tile(c, symbol, span)
    if len(c.visiting) != (1 if tile.vector else 2) or tile.count > 1:
        reason = f"'{symbol.name}' has another shape than what is computed here"
        raise LoweringError(f"{reason}: write the elements in an 'apply'", span)
    return Held(tile.name, tile.elem, ZERO, c.visiting)
