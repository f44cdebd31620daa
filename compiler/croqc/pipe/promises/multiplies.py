"""What passes from completion to tensor_memory promise of multiplies and their accumulators."""

from __future__ import annotations

from collections.abc import Iterator
from operator import or_

from croqc.pipe import ir
from croqc.pipe.dataflow import Dataflow
from croqc.pipe.held import held_in
from croqc.pipe.walk import Body, bodies, flat, statements


def completion(kernel: ir.Kernel) -> Iterator[str]:
    """Every end of a group stands where it is waited for."""
    for stmt in statements(kernel.body):
        if isinstance(stmt, ir.Commit) and stmt.movable:
            yield "a wait for multiplies may still come later"


def rows(kernel: ir.Kernel) -> Iterator[str]:
    """Every multiply says how often it is issued; a fence stands in front of each run of those that run beside."""
    loads = (stmt for stmt in statements(kernel.body) if isinstance(stmt, ir.LoadMetadata))
    metadata = {stmt.name: (stmt.k_step, stmt.steps) for stmt in loads}
    for stmt in _multiplies(kernel):
        if stmt.steps * stmt.k_step != stmt.k:
            yield f"{stmt.steps} steps of {stmt.k_step} are not K = {stmt.k}"
        if stmt.metadata and metadata.get(stmt.metadata) != (stmt.k_step, stmt.steps):
            yield f"{stmt.metadata} says nothing of {stmt.steps} steps of {stmt.k_step}"
    yield from _unfenced(kernel.body, False)[0]


def _unfenced(body: Body, fenced: bool) -> tuple[list[str], bool]:
    """The multiplies of a list without a fence, and whether one behind the list needs none."""
    found: list[str] = []
    for stmt in flat(body):
        match stmt:
            case ir.Multiply() if stmt.instruction.is_async:
                if not fenced:
                    found.append(f"no fence stands in front of the multiply into {stmt.acc.name}")
            case ir.Fence():
                fenced = True
            case ir.Let():
                pass
            case _:
                ends = [_unfenced(inner, fenced and isinstance(stmt, ir.Loop)) for inner in bodies(stmt)]
                found += [problem for problems, _ in ends for problem in problems]
                fenced = isinstance(stmt, ir.Loop) and all(end for _, end in ends)
    return found, fenced


def overwrite(kernel: ir.Kernel) -> Iterator[str]:
    """Only wgmma can overwrite what it would add to; registers without zeros are overwritten by some multiply."""
    begun = {stmt.acc.name for stmt in _multiplies(kernel) if stmt.adds is not None}
    begun |= {stmt.acc.name for stmt in statements(kernel.body) if isinstance(stmt, ir.Fill)}
    for each in statements(kernel.body):
        if isinstance(each, ir.Declare) and each.acc.name not in begun:
            yield f"nothing is in {each.acc.name}, and every multiply adds to it"
    for stmt in _multiplies(kernel):
        if stmt.adds is not None and stmt.instruction is not ir.Instruction.WGMMA:
            yield f"{stmt.instruction} into {stmt.acc.name} cannot overwrite"


def commits(kernel: ir.Kernel) -> Iterator[str]:
    """A group ends only where one was begun, and nothing takes registers that an open one may write."""
    ends = any(isinstance(stmt, ir.Commit) for stmt in statements(kernel.body))
    if ends and not any(stmt.instruction.is_async for stmt in _multiplies(kernel)):
        yield "a group of multiplies ends that never began"
    none = frozenset[str]()
    for stmt, written in Dataflow(_written_behind, or_, none).fronts(kernel.body, none):
        for name in sorted(_taken(stmt) & written):
            yield f"{name} is taken while multiplies into it may run"


def _written_behind(stmt: ir.Stmt, following: Body, written: frozenset[str]) -> frozenset[str]:
    """The accumulators in registers that multiplies in flight may write."""
    match stmt:
        case ir.Multiply(instruction=ir.Instruction.WGMMA):
            return written | {stmt.acc.name}
        case ir.Commit(keep=0):
            return frozenset()
    return written


def _taken(stmt: ir.Stmt) -> frozenset[str]:
    """The tiles whose registers a statement itself reads or writes, other than as what it adds to."""
    match stmt:
        case ir.Multiply():
            return frozenset((stmt.a_registers, stmt.b_registers))
        case ir.StoreTile() | ir.Fill():
            return frozenset((stmt.acc.name,))
        case ir.Reduce():
            return frozenset((stmt.acc.name, stmt.source.name))
    return frozenset(element.name for element in held_in(stmt))


def inflight(kernel: ir.Kernel) -> Iterator[str]:
    """A wait that ends no group of its own leaves none in flight."""
    for stmt in statements(kernel.body):
        if isinstance(stmt, ir.Commit) and not stmt.closes and stmt.keep:
            yield f"a wait behind multiplies leaves {stmt.keep} groups in flight, and nothing ends them"


def tensor_memory(kernel: ir.Kernel) -> Iterator[str]:
    """Accumulators of tcgen05 have their columns, and nothing treats them as registers before they are loaded."""
    memory = kernel.tensor_memory
    uses = any(stmt.instruction is ir.Instruction.TCGEN05 for stmt in _multiplies(kernel))
    if memory is None:
        if uses:
            yield "accumulators of tcgen05 have no tensor memory"
        return
    offsets = dict(memory.offsets)
    for acc in dict.fromkeys(stmt.acc for stmt in _multiplies(kernel) if stmt.instruction is ir.Instruction.TCGEN05):
        if acc.name not in offsets or offsets[acc.name] + acc.count * acc.n > memory.share:
            yield f"{acc.name} lies outside the {memory.share} columns of its warpgroup"
    if memory.share * memory.groups > memory.columns:
        yield f"{memory.groups} parts of {memory.share} columns do not fit into {memory.columns}"
    for stmt in statements(kernel.body):
        if isinstance(stmt, ir.Commit) or (isinstance(stmt, ir.Fill) and stmt.declares and stmt.acc.name in offsets):
            yield f"a {type(stmt).__name__} of registers is left"
    yield from _not_loaded(kernel.body, set(), set(offsets))


def _not_loaded(body: Body, loaded: set[str], tiles: set[str]) -> Iterator[str]:
    for stmt in flat(body):
        if isinstance(stmt, ir.LoadAccumulator | ir.Fill):
            loaded.add(stmt.acc.name)
        used = {stmt.acc.name} if isinstance(stmt, ir.StoreTile) else {element.name for element in held_in(stmt)}
        used |= {stmt.source.name} if isinstance(stmt, ir.Reduce) else set()
        for name in sorted(used & tiles - loaded):
            yield f"{name} is taken from registers that nothing loads"
        for inner in bodies(stmt):
            yield from _not_loaded(inner, set(loaded), tiles)


def _multiplies(kernel: ir.Kernel) -> Iterator[ir.Multiply]:
    return (stmt for stmt in statements(kernel.body) if isinstance(stmt, ir.Multiply))
