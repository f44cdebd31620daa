"""What is checked when a function is entered, of what its statements take for granted (reference, 3.9: 4, 5, 8, 9).

Only what no condition guards, hangs on sizes and scalar parameters alone, and is not decided by the text; the other
checks stand at the launches (`codegen/host_body`), and assertions of the host where they are written. Must not build
what the statements do.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import mul

from croqc.pipe import ir_host
from croqc.pipe.build.context import Context
from croqc.pipe.build.integers import of_int
from croqc.pipe.exprs import ZERO, Expr, Lit, Op
from croqc.pipe.wide import widened
from croqc.sema.entry_assertions import entry_assertions
from croqc.sema.integers import COMPARISONS
from croqc.sema.masks import defining_value
from croqc.sema.model import Model
from croqc.sema.symbolic import Int
from croqc.sema.types import Bounded, BoundedTuple
from croqc.syntax import ast
from croqc.syntax.visit import children
from croqc.text.span import Span

_GUARDS = (ast.If, ast.While, ast.InThreads, ast.Cond)
_ONE = Int.of(1)
Check = tuple[Span, Expr, str]


def entry_checks(c: Context, model: Model) -> tuple[ir_host.Require, ...]:
    """`c` knows sizes and scalar parameters."""
    checks = _Checks(c, model)
    found = {cond: (span, text) for node in _unguarded(model.function) for span, cond, text in checks.of(node)}
    implied = (ir_host.Require(span, cond, text, implied=True) for cond, (span, text) in found.items())
    return (*implied, *checks.asserted())


def _unguarded(node: ast.Node) -> Iterator[ast.Node]:
    yield node
    lazy = isinstance(node, ast.Binary) and node.op in ("&&", "||")
    for child in () if lazy or isinstance(node, _GUARDS) else children(node):
        yield from _unguarded(child)


class _Checks:
    def __init__(self, c: Context, model: Model) -> None:
        self.c, self.model = c, model

    def of(self, node: ast.Node) -> Iterator[Check]:
        match node:
            case ast.Copy():
                yield from self._copy(node)
            case ast.Select(index=index, options=options):
                yield from self._selected(index, len(options))
            case ast.With():
                yield from self._with(node)

    def asserted(self) -> Iterator[ir_host.Require]:
        """What kernels assert of what is known here."""
        for node, around in entry_assertions(self.model.function):
            for part in () if around.on_host else self._parts(node.cond):
                yield ir_host.Require(node.span, part, node.message.value)

    def _parts(self, cond: ast.Node) -> Iterator[Expr]:
        """Of the conditions that hold together the comparisons whose sides are known."""
        match cond:
            case ast.Paren(inner=inner):
                yield from self._parts(inner)
            case ast.Binary(op="&&", left=left, right=right):
                yield from self._parts(left)
                yield from self._parts(right)
            case ast.Name() if (value := defining_value(self.model.uses.get(cond))) is not None:
                yield from self._parts(value)
            case ast.Binary(op=op, left=left, right=right) if op in COMPARISONS:
                one, other = self.model.values.get(left), self.model.values.get(right)
                if one is not None and other is not None:
                    yield from (found for _, found, _ in self._compared(cond.span, op, one, other, ""))

    def _copy(self, node: ast.Copy) -> Iterator[Check]:
        info = self.model.copies.get(node)
        if info is None or isinstance(node.config, ast.PadConfig):
            return
        source, dest = info.source.data.shape, info.dest.data.shape
        if not isinstance(node.config, ast.TransConfig):
            have, want = (reduce(mul, shape, _ONE) for shape in (source, dest))
            yield from self._compared(node.span, "<=", have, want, f"{have} elements are copied to {want}")
            return
        if len(node.config.order) == len(source) == len(dest):
            for dim, (axis, want) in enumerate(zip(node.config.order, dest, strict=True)):
                have = source[axis]
                text = f"dimension {dim} of the transposed source has {have} elements, it goes to {want}"
                yield from self._compared(node.span, "==", have, want, text)

    def _compared(self, span: Span, op: str, one: Int, other: Int, text: str) -> Iterator[Check]:
        if (one - other).const is None and self._is_known(one) and self._is_known(other):
            yield span, Op(op, (self._expr(one), self._expr(other)), "bool"), text

    def _selected(self, node: ast.Expr, count: int) -> Iterator[Check]:
        index = self.model.values.get(node)
        if index is not None and index.const is None and self._is_known(index):
            value = self._expr(index)
            ends = Op(">=", (value, ZERO), "bool"), Op("<", (value, Lit(count)), "bool")
            yield node.span, Op("&&", ends, "bool"), f"select has {count} values, the index is {index}"

    def _with(self, node: ast.With) -> Iterator[Check]:
        for binding in node.bindings:
            types = [symbol.type for name in binding.names if (symbol := self.model.uses.get(name)) is not None]
            for bound in (bound for each in types for bound in _bounds(each)):
                if bound.const is None and self._is_known(bound):
                    cond = Op("!=", (self._expr(bound), ZERO), "bool")
                    yield binding.extent.span, cond, f"the extent {bound} is 0"

    def _is_known(self, value: Int) -> bool:
        return value.names() <= self.c.sizes.keys()

    def _expr(self, value: Int) -> Expr:
        return widened(of_int(value, self.c.sizes))


def _bounds(kind: object) -> tuple[Int, ...]:
    match kind:
        case Bounded(bound=bound):
            return (bound,)
        case BoundedTuple(bounds=bounds):
            return bounds
    return ()
