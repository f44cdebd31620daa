"""At which sizes a kernel was run, in words that claim no more than that. Must not run anything.

"C up to 96" is said only where each value below was run, or one that no step can tell from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

from croqc.flow.candidates import admits
from croqc.flow.exprs import Env, Expr, UndecidedError, Value, closure
from croqc.flow.ops_control import LoopStart
from croqc.flow.pieces import parts_of_slots
from croqc.flow.program import Op, Program, Size
from croqc.flow.signature import spell

_LISTED = 6  # sizes that are named one by one
_LOOKED_AT = 4096  # instances that are looked at, to see whether none was left out
Instances = Sequence[Mapping[int, int]]


def tried_at(program: Program, sizes: Sequence[Size], done: Instances) -> str:
    """ "for C up to 96", "at C = 1, 2 and 63", "at 14 sizes of C, the largest 321"; empty where there is no choice.

    `sizes`: those that something depends on.
    """
    free = [size for size in sizes if size.bound is None]
    blocks = [size for size in sizes if size.bound is not None]
    if not done or not sizes:
        return ""
    at_blocks = _at_blocks(program, blocks, done) if blocks else ""
    if not free:
        return at_blocks
    if len(free) == 1:
        (size,) = free
        values = sorted({sizes[size.var] for sizes in done})
        if _is_gapless(program, size, blocks, done, values[-1]):
            return f"for {size.name} up to {values[-1]}"
        return f"{_of_one(size.name, values)}{', ' + at_blocks if at_blocks else ''}"
    largest = ", ".join(f"{size.name} = {max(sizes[size.var] for sizes in done)}" for size in free)
    count = len({tuple(sizes[size.var] for size in free) for sizes in done})
    names = " and ".join(filter(None, (", ".join(size.name for size in free[:-1]), free[-1].name)))
    if count == 1:
        return f"at {largest}{', ' + at_blocks if at_blocks else ''}"
    return f"at {count} combinations of {names}, the largest {largest}{', ' + at_blocks if at_blocks else ''}"


def _at_blocks(program: Program, blocks: Sequence[Size], done: Instances) -> str:
    for sizes in done:
        env: Env = [0] * program.variables
        for var, value in sizes.items():
            env[var] = value
        for block in blocks:
            assert block.bound is not None
            if 0 < sizes.get(block.var, 0) < closure(block.bound)(env) - 1:
                return "at the first, the last and some other blocks"
    return "at the first and the last block"


def _of_one(name: str, values: Sequence[int]) -> str:
    if len(values) > _LISTED:
        return f"at {len(values)} sizes of {name}, the largest {values[-1]}"
    front = ", ".join(map(str, values[:-1]))
    return f"at {name} = {front} and {values[-1]}" if front else f"at {name} = {values[-1]}"


def _is_gapless(program: Program, size: Size, blocks: Sequence[Size], done: Instances, largest: int) -> bool:
    """Whether each value up to the largest, in each block, comes out everywhere as one of the instances."""
    look = _Look(program)
    try:
        seen = {look.at(sizes) for sizes in done}
        count = 0
        for value in admits(program, size, range(size.least, largest + 1)):
            for sizes in _in_blocks(program, {size.var: value}, blocks):
                count += 1
                if count * look.weight > _LOOKED_AT or look.at(sizes) not in seen:
                    return False
    except UndecidedError:
        return False
    return True


def _in_blocks(program: Program, sizes: Mapping[int, int], blocks: Sequence[Size]) -> Iterator[Mapping[int, int]]:
    env: Env = [0] * program.variables
    for var, value in sizes.items():
        env[var] = value
    places = [range(max(closure(block.bound)(env), 1)) for block in blocks if block.bound is not None]
    for chosen in product(*places):
        yield {**sizes, **{block.var: place for block, place in zip(blocks, chosen, strict=True)}}


class _Look:
    """How everything that depends on sizes alone comes out; `weight`: of one look, in sixteen nodes."""

    def __init__(self, program: Program) -> None:
        self.variables = program.variables
        parts = {spell(part): part for op in program.ops for part in _parts(program, _deciding(op))}
        self.codes: tuple[Value, ...] = tuple(closure(part) for part in parts.values())
        self.weight = 1 + sum(part.size for part in parts.values()) // 16

    def at(self, sizes: Mapping[int, int]) -> tuple[object, ...]:
        env: Env = [0] * self.variables
        for var, value in sizes.items():
            env[var] = value
        return tuple(code(env) for code in self.codes)


def _deciding(op: Op) -> Iterator[Expr]:
    yield from op.exprs()
    yield from parts_of_slots(op)
    if isinstance(op, LoopStart):
        yield op.loop.step


def _parts(program: Program, exprs: Iterable[Expr]) -> Iterator[Expr]:
    """The largest parts that depend on sizes alone."""
    sizes = {size.var for size in program.sizes}
    stack = list(exprs)
    while stack:
        expr = stack.pop()
        used = expr.variables()
        if used and used <= sizes:
            yield expr
        elif used & sizes:
            stack += expr.args
