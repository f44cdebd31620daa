"""What the host part of a function does for given sizes: its launches in order, with every argument. Must run nothing.

The same as the generated host function does (`host`), as data for an engine.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, Final

from croqc.codegen.kernel import grid_of
from croqc.pipe import ir, ir_host
from croqc.pipe.errors import LoweringError, NotRunError
from croqc.pipe.evaluate import UncomputedError, cut, value_of
from croqc.pipe.exprs import Expr
from croqc.pipe.facts import Number
from croqc.pipe.walk import Body
from croqc.pipe.wide import widened
from croqc.sema.elements import ELEMENTS
from croqc.sema.launch_limits import LARGEST, MOST_BLOCKS
from croqc.text.record import record
from croqc.text.span import Span

MOST_LAUNCHES: Final = 1 << 14
_STEPS: Final = 1 << 20  # statements of the host part
_FORMAT = re.compile(r"%%|%(lld|llu|u|d|f|b)")


@record
class PointerArg:
    array: str


@record
class MapArg:
    """A tensor map by value (5.5). `extents` and `box` in elements, innermost first; `swizzle` in bytes."""

    array: str
    elem: str
    extents: tuple[int, ...]
    box: tuple[int, ...]
    swizzle: int


@record
class ScalarArg:
    name: str
    elem: str
    value: Number


Arg = PointerArg | MapArg | ScalarArg


@record
class Launch:
    """One start of a kernel, which says its threads and its dynamic shared memory; `says`: what the host prints in
    front of it."""

    kernel: ir.Kernel
    grid: tuple[int, int, int]
    args: tuple[Arg, ...]
    says: str = ""


@record
class HostRun:
    """`result`: the array that the function returns, or `value`; `says`: what the host prints behind the last launch.
    `trouble`: why it does not come to its end, None where it does."""

    launches: tuple[Launch, ...] = ()
    result: str | None = None
    value: Number | None = None
    says: str = ""
    trouble: LoweringError | None = None


def run_host(host: ir_host.Host, kernels: Sequence[ir.Kernel], sizes: Mapping[str, Number]) -> HostRun:
    """`kernels` as launches number them; `sizes` by the names of the source. What does not come to its end keeps the
    launches so far."""
    run = _Run(host, kernels, sizes)
    trouble = None
    try:
        run.body(host.body)
    except LoweringError as error:
        trouble = error
    return HostRun(tuple(run.launches), run.result, run.value, run.says, trouble)


class _Run:
    """`values`: the names of the host part, those of a loop too."""

    def __init__(self, host: ir_host.Host, kernels: Sequence[ir.Kernel], sizes: Mapping[str, Number]) -> None:
        self.kernels = kernels
        self.values = {name: cut(sizes[source], elem) for name, source, elem in host.scalars if source in sizes}
        self.elems: dict[str, str] = {name: elem for name, _, elem in host.scalars}
        self.launches: list[Launch] = []
        self.says = ""
        self.result: str | None = None
        self.value: Number | None = None
        self.steps = 0

    def body(self, body: Body) -> str:
        """Runs statements; the word of the jump that leaves them, empty at their end."""
        for stmt in body:
            self.steps += 1
            if self.steps > _STEPS:
                raise NotRunError(f"the host part takes more than {_STEPS:,} steps here", stmt.span)
            word = _HANDLERS[type(stmt)](self, stmt)
            if word:
                return word
        return ""

    def known(self, expr: Any, span: Span) -> Number:
        try:
            return value_of(expr, self.values)
        except UncomputedError as error:
            message = f"'{error.name}' of the host part is computed in what `croq cuda --full` prints alone"
            raise NotRunError(message, span) from None
        except ValueError as error:
            raise LoweringError(str(error), span) from error
        except ZeroDivisionError:
            raise LoweringError("division by zero: test the divisor first", span) from None

    # --- scalars and control ----------------------------------------------------------------------

    def let(self, stmt: ir.Let) -> str:
        self.elems[stmt.name] = stmt.elem
        self.values[stmt.name] = cut(self.known(stmt.value, stmt.span), stmt.elem)
        return ""

    def set(self, stmt: ir.Set) -> str:
        self.values[stmt.name] = cut(self.known(stmt.value, stmt.span), self.elems.get(stmt.name, "s32"))
        return ""

    def loop(self, stmt: ir.Loop) -> str:
        at = self.known(stmt.start, stmt.span)
        while at < self.known(stmt.stop, stmt.span):
            self.values[stmt.name] = at
            word = self._turn(stmt.body, stmt.span)
            if word in ("break", "return"):
                return "" if word == "break" else word
            at += self.known(stmt.step, stmt.span)
        return ""

    def while_(self, stmt: ir.While) -> str:
        while self.known(stmt.cond, stmt.span):
            word = self._turn(stmt.body, stmt.span)
            if word in ("break", "return"):
                return "" if word == "break" else word
        return ""

    def _turn(self, body: Body, span: Span) -> str:
        self.steps += 1
        if self.steps > _STEPS:
            raise NotRunError(f"the host part takes more than {_STEPS:,} steps here", span)
        return self.body(body)

    def if_(self, stmt: ir.If) -> str:
        return self.body(stmt.then if self.known(stmt.cond, stmt.span) else stmt.other)

    def jump(self, stmt: ir.Jump) -> str:
        return stmt.word

    def scope(self, stmt: ir.Scope) -> str:
        return self.body(stmt.body)

    def print(self, stmt: ir.Print) -> str:
        values = iter([self.known(arg, stmt.span) for arg in stmt.args])
        self.says += _FORMAT.sub(lambda found: _shown(found.group(1), values), stmt.text)
        return ""

    def text(self, stmt: ir.Text) -> str:
        raise NotRunError("C++ of the host part runs in what `croq cuda --full` prints alone", stmt.span)

    def require(self, stmt: ir_host.Require) -> str:
        if not self.known(stmt.cond, stmt.span):
            raise LoweringError(stmt.text if stmt.implied else f"assertion failed: {stmt.text}", stmt.span)
        return ""

    def finish(self, stmt: ir_host.Finish) -> str:
        self.result = stmt.array or None
        self.value = None if stmt.value is None else self.known(stmt.value, stmt.span)
        return "return"

    def nothing(self, stmt: ir.Stmt) -> str:
        return ""

    # --- launches ---------------------------------------------------------------------------------

    def launch(self, stmt: ir_host.Launch) -> str:
        if len(self.launches) >= MOST_LAUNCHES:
            raise NotRunError(f"more than {MOST_LAUNCHES:,} launches are not started in one run", stmt.span)
        kernel = self.kernels[stmt.kernel]
        if missing := [name for name, _ in kernel.scalars if name not in self.values]:
            raise LoweringError(f"'{missing[0]}' has no value: give it one by '-D' or a run line", stmt.span)
        scalars = tuple(ScalarArg(name, elem, self.values[name]) for name, elem in kernel.scalars)
        try:
            grid = self._grid(kernel, stmt.span)
            maps = tuple(self._map(kernel, item, stmt.span) for item in kernel.maps)
        except ValueError as error:
            raise LoweringError(str(error), stmt.span) from error
        sources = dict(zip((tensor.name for tensor in kernel.tensors), kernel.sources, strict=True))
        pointers = tuple(PointerArg(sources[pointer.name]) for pointer in kernel.pointers)
        args: tuple[Arg, ...] = (*maps, *pointers, *scalars)
        self.launches.append(Launch(kernel, grid, args, self.says))
        self.says = ""
        return ""

    def _extent(self, extent: Expr, span: Span) -> int:
        """In 64 bits where sizes may make it too large for 32, as the generated host function has it."""
        return int(self.known(widened(extent), span))

    def _grid(self, kernel: ir.Kernel, span: Span) -> tuple[int, int, int]:
        x, y, z = (self._extent(extent, span) for extent in grid_of(kernel))
        for extent, most in zip((x, y, z), MOST_BLOCKS, strict=True):
            if extent < 1:
                raise ValueError(f"a bound of this parallel is {extent}; it must be at least 1")
            if extent > most:
                raise ValueError(f"a bound of this parallel is {extent:,}; a grid takes up to {most:,} there")
        return x, y, z

    def _map(self, kernel: ir.Kernel, item: ir.TensorMap, span: Span) -> MapArg:
        array = dict(zip((tensor.name for tensor in kernel.tensors), kernel.sources, strict=True))[item.tensor.name]
        extents = tuple(self._extent(extent, span) for extent in reversed(item.tensor.shape))
        if max(extents) > LARGEST:
            raise ValueError(f"'{array}' is {max(extents):,} elements long for TMA, which counts in 32 bits: use 'dma'")
        return MapArg(array, item.tensor.elem, extents, item.box, item.swizzle)


def _shown(form: str | None, values: Any) -> str:
    """A value as printf shows it; `%%` is a percent sign."""
    if form is None:
        return "%"
    value = next(values)
    if form == "b":
        return "true" if value else "false"
    return f"{float(value):f}" if form == "f" else str(int(value))


_HANDLERS: dict[type, Callable[[_Run, Any], str]] = {
    ir.Let: _Run.let,
    ir.Set: _Run.set,
    ir.Loop: _Run.loop,
    ir.While: _Run.while_,
    ir.If: _Run.if_,
    ir.Jump: _Run.jump,
    ir.Scope: _Run.scope,
    ir.Print: _Run.print,
    ir.Text: _Run.text,
    ir_host.Require: _Run.require,
    ir_host.Finish: _Run.finish,
    ir_host.Zero: _Run.nothing,
    ir_host.Join: _Run.nothing,
    ir_host.Launch: _Run.launch,
}


def map_strides(arg: MapArg) -> tuple[int, ...]:
    """Byte strides of all dimensions but the innermost, as the driver takes them."""
    size = ELEMENTS[arg.elem].bits // 8
    return tuple(prod(arg.extents[: dim + 1]) * size for dim in range(len(arg.extents) - 1))
