"""What the source promises and limits of a launch: blocks of a multiprocessor and of a cluster, registers of a thread,
all blocks at once (reference, 4.2). Must not look at statements of the body but for the older spelling."""

from __future__ import annotations

from collections.abc import Iterator

from croqc.pipe import ir
from croqc.pipe.errors import LoweringError
from croqc.sema.model import THREADS, Kernel, Model, Unit
from croqc.syntax import ast
from croqc.syntax.visit import nodes_of_kind
from croqc.targets.registers import FILE, share
from croqc.text.span import Span


def bounds_of(model: Model, kernel: Kernel, threads: int) -> ir.Bounds:
    """What a kernel whose blocks have so many threads is made for; all 0 where the source leaves it open.

    Raises LoweringError for a cooperative launch, and for promises that CUDA does not take or that are broken.
    """
    for axis in nodes_of_kind(kernel.node, ast.Axis):
        if axis.cooperative:
            reason = "a cooperative launch, with its barrier of the grid, is not lowered yet"
            raise LoweringError(
                f"{reason}: split the kernel where its blocks meet; a 'parallel' begins behind the one in front",
                Span(axis.level_span_start, axis.span.end),
            )
    blocks = cluster = registers = 0
    for name, args, place in _promises(kernel):
        values = [_number(model, arg) for arg in args]
        if name == "maxnreg":
            registers, limit = values[0], place
            continue
        first, blocks, cluster = (*values, 0, 0, 0)[:3]
        if 0 < first < threads:
            raise LoweringError(f"a block would have {threads} threads: promise as many, or write '_'", place)
    if registers and (blocks or cluster):
        reason = "CUDA takes no 'maxnreg' beside the blocks that 'launch_bounds' names"
        raise LoweringError(f"{reason}: keep one of them, either limits the registers of a thread", limit)
    return ir.Bounds(blocks, cluster, min(registers, _most_registers(threads)))


def _promises(kernel: Kernel) -> Iterator[tuple[str, tuple[ast.Expr, ...], Span]]:
    """Name, arguments and place of each, in the spelling of attributes, or of the older statements."""
    for each in kernel.node.attributes:
        yield each.name, each.args, each.span
    for bounds in nodes_of_kind(kernel.node, ast.LaunchBounds):
        yield "launch_bounds", bounds.args, bounds.span
    roles = {inner for role in nodes_of_kind(kernel.node, ast.InThreads) for inner in nodes_of_kind(role, ast.SetReg)}
    for limit in nodes_of_kind(kernel.node, ast.SetReg):
        if not limit.direction and limit not in roles:
            yield "maxnreg", (limit.value,), limit.span


def _number(model: Model, node: ast.Expr) -> int:
    """A constant; 0 for `_`, which leaves it to the compiler."""
    if isinstance(node, ast.Name) and node.id == "_":
        return 0
    value = model.values.get(node)
    if value is None or value.const is None:
        raise LoweringError("a bound of a launch is a constant: write a number", node.span)
    return value.const


def _most_registers(threads: int) -> int:
    """With which a block still fits on a multiprocessor: registers are given to whole warps, in steps."""
    warp = THREADS[Unit.GROUP]
    return share(FILE, -(-threads // warp) * warp)
