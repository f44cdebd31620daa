"""Statements of the host part as C++: scalars, control, launches with their tensor maps (reference, 4.2, 5.5). Must not
decide anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from croqc.codegen.control import CONTROL, Control
from croqc.codegen.copies import map_name
from croqc.codegen.driver import format_word, swizzle_word
from croqc.codegen.kernel import grid_of
from croqc.codegen.program import Program
from croqc.codegen.words import quoted, spell
from croqc.codegen.writer import Writer
from croqc.pipe import ir, ir_host
from croqc.pipe.exprs import Expr, Held, Read, integer
from croqc.pipe.mentioned import mentioned
from croqc.pipe.walk import Body, statements
from croqc.pipe.wide import is_small, widened
from croqc.sema.launch_limits import LARGEST, MOST_BLOCKS
from croqc.sema.memory import STATIC_LIMIT


class HostBody(Control):
    """Prints statements; what is checked at the entry is not checked again.

    `arrays`: the parameters by what the kernels' `sources` call them; `stream`: where all of it runs, if no stream is
    bound; `returns`: the function has a result.
    """

    def __init__(self, writer: Writer, program: Program, arrays: Mapping[str, str], stream: str, returns: bool) -> None:
        self.w, self.program, self.arrays, self.stream, self.returns = writer, program, arrays, stream, returns
        taken = {name for kernel in program.kernels for name, _ in kernel.scalars}
        changed = {stmt.name for stmt in statements(program.host.body) if isinstance(stmt, ir.Set)}
        self.used = mentioned(program.host.body) | taken | changed
        self.checked = {cond for kernel in checked_at_entry(program) for cond in needs(kernel)}

    def body(self, body: Body) -> None:
        for stmt in body:
            with self.w.at(stmt.span):
                _HANDLERS[type(stmt)](self, stmt)

    def spell(self, expr: Expr, binding: int = 0) -> str:
        return _spell(expr, binding)

    def let(self, stmt: ir.Let) -> None:
        if stmt.name in self.used:  # the others kernels have in terms of sizes
            super().let(stmt)

    def require(self, stmt: ir_host.Require) -> None:
        self.w.line(f"require({_spell(stmt.cond)}, {quoted(stmt.text)});")

    def finish(self, stmt: ir_host.Finish) -> None:
        if stmt.value is not None:
            self.w.line(f"return {_spell(stmt.value)};")
        elif stmt.array and self.returns:
            self.w.line(f"return {self.arrays[stmt.array]};")
        elif stmt is not self.program.host.body[-1]:
            self.w.line("return;")

    # --- the card ---------------------------------------------------------------------------------

    def _stream(self, name: str) -> str:
        if name or not self.program.host.streams:
            return name or self.stream
        return "nullptr"  # some launches name their stream, this one does not: the default one

    def join(self, stmt: ir_host.Join) -> None:
        several = self.program.host.streams
        self.w.line("check(cudaDeviceSynchronize());" if several else f"check(cudaStreamSynchronize({self.stream}));")

    def zero(self, stmt: ir_host.Zero) -> None:
        tensor = self.tensor(stmt.array)
        if tensor is None:
            return  # no kernel looks at it
        size = " * ".join(["sizeof *" + tensor.name, *(_wide(extent, 12) for extent in tensor.shape)])
        if tensor.slots > 1:
            size += f" * {tensor.slots}"
        stream = self.program.host.streams[0] if self.program.host.streams else self.stream
        self.w.line(f"check(cudaMemsetAsync({tensor.name}, 0, {size}, {stream}));")
        self._wait(stream)

    def tensor(self, array: str) -> Any:
        """The tensor of an array, in the first kernel that uses it."""
        for kernel in self.program.kernels:
            for tensor, source in zip(kernel.tensors, kernel.sources, strict=True):
                if source == array:
                    return tensor
        return None

    def _wait(self, stream: str) -> None:
        """Launches on one stream follow each other; those of a program with streams of its own are waited for."""
        if self.program.host.streams:
            of = f"cudaStreamSynchronize({stream})" if stream != "nullptr" else "cudaDeviceSynchronize()"
            self.w.line(f"check({of});")

    def launch(self, stmt: ir_host.Launch) -> None:
        kernel, stream = self.program.kernels[stmt.kernel], self._stream(stmt.stream)
        for cond, text in needs(kernel).items():
            if cond not in self.checked:
                self.w.line(f'require({cond}, "{text}");')
        if kernel.maps:
            with self.w.block(""):
                self._started(kernel, stream)
        else:
            self._started(kernel, stream)
        if stmt.waits:
            self._wait(stream)

    def _started(self, kernel: ir.Kernel, stream: str) -> None:
        maps = [map_name(kernel, number) for number in range(len(kernel.maps))]
        for name, item in zip(maps, kernel.maps, strict=True):
            self.w.line(f"const TensorMap {name} = {_map(item)};")
        if kernel.shared_bytes > STATIC_LIMIT:
            limit = "cudaFuncAttributeMaxDynamicSharedMemorySize"
            self.w.line(f"check(cudaFuncSetAttribute({kernel.name}, {limit}, {kernel.shared_bytes}));")
        args = [*maps, *(pointer.name for pointer in kernel.pointers), *(name for name, _ in kernel.scalars)]
        blocks = ", ".join(_wide(extent) for extent in grid_of(kernel))
        shape = f"dim3({blocks}), {kernel.threads}, {kernel.shared_bytes}, {stream}"
        if kernel.dependent:
            self.w.line(f"launch_overlapping({', '.join([kernel.name, shape, *args])});")
            return
        self.w.line(f"{kernel.name}<<<{shape}>>>({', '.join(args)});")
        self.w.line("check(cudaGetLastError());")


_HANDLERS: dict[type, Callable[[HostBody, Any], None]] = {
    **CONTROL,
    ir.Let: HostBody.let,
    ir_host.Require: HostBody.require,
    ir_host.Finish: HostBody.finish,
    ir_host.Join: HostBody.join,
    ir_host.Zero: HostBody.zero,
    ir_host.Launch: HostBody.launch,
}


# --- what a launch needs -----------------------------------------------------------------------


def checked_at_entry(program: Program) -> Iterator[ir.Kernel]:
    """The kernels that are launched whatever happens, with values of the entry alone: their checks stand in front of
    everything else (reference, 3.9)."""
    known = {name for name, _, _ in program.host.scalars}
    for stmt in program.host.body:
        if any(isinstance(inner, ir_host.Finish) for inner in statements((stmt,))):
            return
        if isinstance(stmt, ir_host.Launch):
            kernel = program.kernels[stmt.kernel]
            if mentioned((*kernel.grid, *kernel.tensors, *(item.tensor for item in kernel.maps))) <= known:
                yield kernel


def needs(kernel: ir.Kernel) -> dict[str, str]:
    """What a launch needs, by condition, with what is said where it does not hold."""
    told: dict[str, str] = {}
    for cond, text in _needs(kernel):
        told.setdefault(cond, text)
    return told


def _needs(kernel: ir.Kernel) -> Iterator[tuple[str, str]]:
    """Every extent of an array and every bound of a grid is at
    least 1 and not too large; what the lowering assumed holds."""
    for extent in (extent for tensor in kernel.tensors for extent in tensor.shape if integer(extent) is None):
        yield f"{_wide(extent, 9)} > 0", f"{_named(extent)} must be at least 1"
    for extent in kernel.grid:
        if integer(extent) is None:
            yield f"{_wide(extent, 9)} > 0", f"a launch needs blocks: {_named(extent)} is 0 or less"
    for name, value in kernel.fixed:
        yield f"{name} == {value}", f"this code was made for {name} = {value}"
    for name, divisor in kernel.assumed:
        yield f"{name} % {divisor} == 0", f"{name} must be a multiple of {divisor}"
    for extent, most in zip(kernel.grid[1:3], MOST_BLOCKS[1:], strict=False):
        if integer(extent) is None:
            yield f"{_wide(extent, 9)} <= {most}", f"a grid has at most {most} blocks there: {_named(extent)}"
    if kernel.grid and not is_small(kernel.grid[0]):
        most = MOST_BLOCKS[0]
        yield f"{_wide(kernel.grid[0], 9)} <= {most}", f"a grid has up to {most} blocks: {_named(kernel.grid[0])}"
    for extent in (extent for item in kernel.maps for extent in item.tensor.shape):
        if not is_small(extent):
            yield f"{_wide(extent, 9)} <= {LARGEST}", f"TMA counts up to {LARGEST}: {_named(extent)} is more"


def _map(item: ir.TensorMap) -> str:
    tensor = item.tensor
    extents = ", ".join(f"cuuint64_t({_wide(extent)})" for extent in reversed(tensor.shape))
    box = ", ".join(str(extent) for extent in item.box)
    kind, swizzle = format_word(tensor.elem), swizzle_word(item.swizzle)
    size = tensor.elem_bytes
    return f"tensor_map({tensor.name}, {kind}, {size}, {{{extents}}}, {{{box}}}, {swizzle})"


def _named(expr: Expr) -> str:
    """An expression as messages show it."""
    return spell(expr, _no_element)


def _no_element(_: Read | Held) -> str:
    raise AssertionError("the host reads no elements")


def _spell(expr: Expr, binding: int = 0) -> str:
    """An expression in its own type."""
    return spell(expr, _no_element, binding)


def _wide(expr: Expr, binding: int = 0) -> str:
    """An extent as the host computes it: in 64 bits what sizes may make too large for 32."""
    return spell(widened(expr), _no_element, binding)
