"""Puts the parts of a drawn pipeline together: events and buffers, loops, roles, signature, sizes.

Must not choose more than the name of an index.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from tests.truth.program import Program, Sizes
from tests.truth.ring import Copy, Index, Loop, Ring, indent

T = TypeVar("T")


class Draw(Protocol):
    def choice(self, seq: Sequence[T], /) -> T: ...
    def randint(self, a: int, b: int, /) -> int: ...
    def random(self) -> float: ...


@dataclass(frozen=True, slots=True)
class Style:
    """What the whole kernel has in common: its dialect's copies, its loops, the spelling of roles."""

    copy: Copy
    loop: Loop
    index: Index
    threads: bool
    ready: bool


@dataclass(frozen=True, slots=True)
class Role:
    """An `inthreads.async` region: its condition, what precedes its loop, the loop's statements, what follows.

    `per_tile`: the statements are those of a row of tiles; those between the lines `<<` and `>>` of one tile.
    """

    condition: str
    first: list[str]
    steps: list[str]
    last: list[str]
    per_tile: bool = False


def kernel(
    draw: Draw,
    label: str,
    style: Style,
    rings: list[Ring],
    roles: list[Role],
    expects: dict[str, str],
    *,
    counted: str = "",
    narrow: tuple[str, ...] = (),
    block: tuple[list[str], list[str]] = ([], []),
) -> Program:
    """The whole text. Roles name their path by `{i}`, a group of roles by `{i:}` and its index by `$p`.

    `block`: declarations of the block, and what it does behind the roles.
    """
    index = draw.choice(["p", "w"])
    count = 3 if roles[-1].condition == "{1:}" else len(roles)
    body: list[str] = []
    for role in roles:
        body += [f"inthreads.async ({_condition(role.condition, index, style.threads)}) {{"]
        body += indent(_role_body(role, style.loop))
        body += ["}"]
    threads = ", t by 128 : thread" if style.threads else ""
    inner = [f"parallel {index} by {count} : group-4{threads} {{", *indent(body), "}", *block[1]]
    declared = [line for ring in rings for line in ring.declare(counted)]
    lines = [*declared, *block[0], *style.loop.around(inner)]
    lines = [f"parallel b by {style.loop.blocks} : block {{", *indent(lines), "}"]
    text = "\n".join([_signature(expects, narrow), *indent(lines), "}", ""])
    text = text.replace("$p", index).replace("$rows", str(rings[0].rows))
    deepest = max(ring.stages for ring in rings)
    return Program(text, _sizes(style.loop, deepest, rings[0].rows), tuple(expects.items()), label, True)


def _condition(written: str, index: str, threads: bool) -> str:
    if written == "{1:}":
        return f"{index} > 0"
    number = written.strip("{}")
    return f"{index} == 0 && t == 0" if threads and number == "0" else f"{index} == {number}"


def _role_body(role: Role, loop: Loop) -> list[str]:
    steps = role.steps
    if not role.per_tile:
        return [*role.first, *loop.over_blocks(loop.over_tiles(steps)), *role.last]
    if "<<" in steps:
        begin, end = steps.index("<<"), steps.index(">>")
        steps = [*steps[:begin], *loop.over_tiles(steps[begin + 1 : end]), *steps[end + 1 :]]
    return [*role.first, *loop.over_blocks(steps), *role.last]


def _signature(expects: dict[str, str], narrow: tuple[str, ...]) -> str:
    if "out" in expects:
        params = "global f16 [R, C] lhs, global f16 [8, C] rhs, global f32 [R, 8] out"
    else:
        inputs = sorted({formula.split("[")[0] for formula in expects.values()})
        params = ", ".join(
            [f"global s32 [R, C] {name}" for name in inputs]
            + [f"global s32 [R, {16 if name in narrow else 'C'}] {name}" for name in expects]
        )
    return f"__co__ void pipe({params}) {{"


def _sizes(loop: Loop, stages: int, rows: int) -> tuple[Sizes, ...]:
    tiles = [1] if loop is Loop.ONCE else [1, 3, 5]
    counts = sorted({1, stages, stages + 1, 2 * stages + 1})
    return tuple(
        {"R": rows * tile, "C": 16 * count}
        for tile in tiles
        for count in (counts if tile == tiles[-1] else counts[-2:])
    )
