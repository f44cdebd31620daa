"""Loops that part the threads of one unit: turns or a jump that follow indices of threads alone (reference, 4.4, 4.5).

Must not report; silent where anything is unknown.
"""

from __future__ import annotations

from collections.abc import Iterator

from croqc.sema.builder import Builder
from croqc.sema.lanes import Lanes
from croqc.sema.masks import Mask, Numbers, mask_of
from croqc.sema.nesting import Around, in_else, statements
from croqc.sema.rounds import rounds
from croqc.sema.shared_elements import loop_bounds
from croqc.sema.splits import jumps_apart, splits
from croqc.syntax import ast
from croqc.text.span import Span

_LOOPS = (ast.Foreach, ast.While)


def find_parting(builder: Builder, kernel: Lanes, node: ast.Node, around: Around, size: int) -> Span | None:
    """What keeps some threads of a unit of `size` from a statement that others of it come to: the extent of a loop, or
    a jump in front."""
    active = _active(kernel, around, node)
    if active is None:
        return None
    for loop in (one for one in around.chain if isinstance(one, _LOOPS)):
        if any(splits(more, active, size) for more in _counts(builder, kernel, loop)):
            return loop.cond.span if isinstance(loop, ast.While) else loop.bindings[0].extent.span
    for jump, there in statements(builder.function.body):
        if isinstance(jump, ast.Jump) and _leaves(builder, jump, there, node, around):
            gone = _active(kernel, there, jump)
            if gone is not None and splits(gone, active, size):
                return jump.span
            if gone is None and jumps_apart(builder, kernel.masks, jump, there, size):
                return jump.span
    return None


def _active(kernel: Lanes, around: Around, node: ast.Node) -> Mask | None:
    """The threads that regions and conditions over their indices let through; None where one is not known."""
    active = kernel.masks.of_regions(around.regions)
    for condition in (one for one in around.chain if isinstance(one, ast.If)):
        taken = kernel.taken(condition.cond)
        if active is None or taken is None:
            return None
        active &= ~taken if in_else(condition, node) else taken
    return active


def _counts(builder: Builder, kernel: Lanes, loop: ast.Foreach | ast.While) -> Iterator[Mask]:
    """For each index the threads that take more turns than others, by the turn."""
    if isinstance(loop, ast.While):
        counts = [rounds(builder, kernel.masks, loop)]
    else:
        counts = list(_extents(builder, kernel, loop))
    for numbers in counts:
        for turns in sorted(set(numbers or ())):
            yield mask_of(number > turns for number in numbers or ())


def _extents(builder: Builder, kernel: Lanes, loop: ast.Foreach) -> Iterator[Numbers | None]:
    """How often each index turns, in every thread; None where all take the same turns, or it is not known."""
    bounds = loop_bounds(builder, loop) or ()
    for bound in bounds:
        yield None if bound.const is not None else kernel.masks.numbers(bound)
    for extent in (binding.extent for binding in loop.bindings if not loop.ranges):
        items = extent.items if isinstance(extent, ast.ShapeLit) else (extent,)
        yield from map(kernel.numbers, items)


def _leaves(builder: Builder, jump: ast.Jump, there: Around, node: ast.Node, around: Around) -> bool:
    """Whether a `break` or `continue` of a loop around a statement stands in front of it, or leaves a turn out."""
    loops = [one for one in there.chain if isinstance(one, _LOOPS)]
    if jump.word == "yield" or not loops or not any(one is loops[-1] for one in around.chain):
        return False
    if jump.span.start < node.span.start:
        return True
    bounds = loop_bounds(builder, loops[-1]) if isinstance(loops[-1], ast.Foreach) else None
    again = bool(bounds) and all((bound.const or 0) > 1 for bound in bounds or ())
    return jump.word == "break" and again
