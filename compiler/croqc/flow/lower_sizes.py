"""What must hold of the sizes for a kernel to run at all: assertions, the host's conditions around the launch, and what
the hardware asks. Must not choose sizes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from croqc.flow.conditions import guards
from croqc.flow.exprs import Expr, apply, const
from croqc.flow.lower_exprs import Exprs
from croqc.sema.elements import ELEMENTS
from croqc.sema.model import Kernel, Model
from croqc.sema.nesting import statements
from croqc.sema.symbolic import Int
from croqc.sema.types import Storage, data_of
from croqc.syntax import ast
from croqc.syntax.visit import nodes_of, walk

_STRIDE = 16  # bytes (reference, 5.5)
_MAX_DEPTH = 80


def demands(model: Model, kernel: Kernel, exprs: Exprs) -> list[Expr]:
    """Conditions over sizes alone that hold wherever the kernel is launched."""
    found: list[Expr] = []
    for cond, negated in _conditions(model, kernel):
        found += [apply("!", part) if negated else part for part in _parts(cond, negated, exprs, 0)]
    found += _blocks(model, kernel, exprs)
    found += _strides(model, kernel, exprs)
    return list(_of_sizes(found, exprs))


def defined(kernel: Kernel, exprs: Exprs) -> Iterator[Expr]:
    """Sums and products of signed integers over sizes stay within their type: beyond it they mean nothing."""
    for node, (low, high) in exprs.widths.undefined(nodes_of(kernel.node)):
        value = exprs.of(node)
        yield from _of_sizes((apply("<=", value, const(high)), apply(">=", value, const(low))), exprs)


def _of_sizes(found: Iterable[Expr], exprs: Exprs) -> Iterator[Expr]:
    sizes = {size.var for size in exprs.program.sizes}
    return (expr for expr in found if expr.known and expr.variables() and expr.variables() <= sizes)


def _conditions(model: Model, kernel: Kernel) -> Iterator[tuple[ast.Node, bool]]:
    """The conditions that the host launches under, and what is asserted on the way to the launch, beside it, or in a
    kernel under no condition: that is checked when the function is entered (reference, 3.9)."""
    function = model.function.body
    chain = next(around.chain for stmt, around in statements(function) if stmt is kernel.node)
    yield from guards((function, *chain, kernel.node))
    for node, around in statements(function):
        if isinstance(node, ast.Assert) and _is_passed(node, around.chain, (*chain, kernel.node)):
            yield node.cond, False


def _is_passed(node: ast.Node, own: tuple[ast.Node, ...], chain: tuple[ast.Node, ...]) -> bool:
    """Whether a launch under `chain` says that what is asserted was passed, too: no condition parts the two."""
    for at, frame in enumerate(own):
        if isinstance(frame, ast.If | ast.While):
            if at + 1 >= len(chain) or chain[at] is not frame:
                return False
            below = own[at + 1] if at + 1 < len(own) else node
            if isinstance(frame, ast.If) and _branch(frame, below) != _branch(frame, chain[at + 1]):
                return False
    return True


def _branch(node: ast.If, inner: ast.Node) -> bool:
    return any(at is inner for at in walk(node.then))


def _parts(cond: ast.Node, negated: bool, exprs: Exprs, depth: int) -> Iterator[Expr]:
    """The parts that each hold if the whole does (or each fail if it fails): what is not known spoils only its own."""
    match cond:
        case ast.Paren(inner=inner) if depth < _MAX_DEPTH:
            yield from _parts(inner, negated, exprs, depth + 1)
        case ast.Binary(op=op, left=left, right=right) if op == ("||" if negated else "&&") and depth < _MAX_DEPTH:
            yield from _parts(left, negated, exprs, depth + 1)
            yield from _parts(right, negated, exprs, depth + 1)
        case _:
            yield exprs.of(cond)


def _blocks(model: Model, kernel: Kernel, exprs: Exprs) -> Iterator[Expr]:
    """There is a block at least."""
    for axis in kernel.block_axes:
        for bound in axis.bounds:
            value = model.values.get(bound)
            extent = exprs.of_int(value) if value is not None and value.const is None else None
            if extent is not None:
                yield apply(">=", extent, const(1))


def _strides(model: Model, kernel: Kernel, exprs: Exprs) -> Iterator[Expr]:
    """The rows of what a tensor map describes are a multiple of 16 bytes; other strides are multiples of the rows."""
    met: set[Int] = set()
    for node in walk(kernel.node):
        info = model.copies.get(node) if isinstance(node, ast.Copy) and node.engine == "tma" else None
        for view in () if info is None else (info.source, info.dest):
            data = data_of(view.base.type)
            if data is None or data.storage not in (Storage.GLOBAL, Storage.HOST) or len(data.shape) < 2:
                continue
            row, bits = data.shape[-1], ELEMENTS[data.elem].bits
            if row.const is not None or row in met or bits >= 8 * _STRIDE:
                continue
            met.add(row)
            extent = exprs.of_int(row)
            if extent is not None:
                yield apply("==", apply("%", extent, const(8 * _STRIDE // bits)), const(0))
