"""Draws pipelines as source text: roles, rings, dialects, persistent loops. Most are correct, some are not.

Must not use the analysis. A `Draw` is `random.Random` or hypothesis' counterpart, so that one drawing function
serves seeded runs and shrinking ones. Tiles are 16 x 16 integers (or one 64 x 8 x 16 multiply): a run takes
milliseconds.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from hypothesis import strategies as st

from tests.truth.handles import draw_handles
from tests.truth.program import Program, Sizes
from tests.truth.ring import Copy, Index, Loop, Ring, indent

T = TypeVar("T")
ROWS = 16


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


def draw_style(draw: Draw) -> Style:
    copy = draw.choice(list(Copy))
    return Style(
        copy,
        draw.choice([Loop.ONCE, Loop.ONCE, Loop.INNER, Loop.OUTER]),
        draw.choice(list(Index)),
        copy.engine == "tma" and draw.random() < 0.3,
        draw.random() < 0.4,
    )


def draw_ring(draw: Draw, style: Style, name: str, copy: Copy | None = None) -> Ring:
    return Ring(
        name,
        draw.choice([1, 2, 2, 3, 3, 4, 5]),
        draw.random() < 0.4,
        style.ready,
        style.index,
        copy or style.copy,
        style.loop,
    )


def draw_program(draw: Draw) -> Program:
    """One program, with every choice left to `draw`."""
    return draw.choice(TOPOLOGIES)(draw)


def programs() -> st.SearchStrategy[Program]:
    """Hypothesis' strategy: shrinks towards the first choices."""
    return st.randoms(use_true_random=False).map(draw_program)


# --- shapes of pipelines -------------------------------------------------------------------------


def one_to_one(draw: Draw) -> Program:
    style = draw_style(draw)
    ring = draw_ring(draw, style, "a")
    roles = [
        Role("{0}", [], ring.fill(style.loop.source("src")), []),
        Role("{1}", ring.grant(), ring.take([f"dma.copy {ring.stage()} => {style.loop.source('dst')};"]), []),
    ]
    return kernel(draw, "one to one", style, [ring], roles, {"dst": "src"})


def one_to_many(draw: Draw) -> Program:
    """Two or three consumers of one ring, each with its own output; all give each stage back."""
    style, count = draw_style(draw), draw.choice([2, 2, 3])
    ring = draw_ring(draw, style, "a")
    outputs = [f"dst{number}" for number in range(count)]
    roles = [Role("{0}", [], ring.fill(style.loop.source("src")), [])]
    for number, output in enumerate(outputs):
        copy = f"dma.copy {ring.stage()} => {style.loop.source(output)};"
        roles.append(Role(f"{{{number + 1}}}", ring.grant(), ring.take([copy]), []))
    return kernel(draw, "one to many", style, [ring], roles, dict.fromkeys(outputs, "src"))


def one_to_halves(draw: Draw) -> Program:
    """Two consumers in one region, each with half of the rows of a stage."""
    style = draw_style(draw)
    ring = draw_ring(draw, style, "a")
    half = f"dma.copy {ring.stage()}.subspan(8, 16).at($p - 1, 0) => {style.loop.half('dst', '$p - 1')};"
    roles = [
        Role("{0}", [], ring.fill(style.loop.source("src")), []),
        Role("{1:}", ring.grant(), ring.take([half]), []),
    ]
    return kernel(draw, "one to halves", style, [ring], roles, {"dst": "src"})


def two_to_one(draw: Draw) -> Program:
    """Two producers, each with half of a stage: two arrivals a generation."""
    style = draw_style(draw)
    ring = draw_ring(draw, style, "a")
    roles = [
        Role(f"{{{number}}}", [], ring.fill(style.loop.half("src", str(number)), f"subspan(8, 16).at({number}, 0)"), [])
        for number in range(2)
    ]
    roles.append(Role("{2}", ring.grant(), ring.take([f"dma.copy {ring.stage()} => {style.loop.source('dst')};"]), []))
    return kernel(draw, "two to one", style, [ring], roles, {"dst": "src"})


def turns(draw: Draw) -> Program:
    """Two producers that fill stages by turns.

    Each waits in its own turns only: right where the slots of one are never those of the other, that is with an even
    number of stages. Both wait for every stage: wrong, for the one that has no turn can fall two generations behind.
    """
    style = draw_style(draw)
    ring = draw_ring(draw, style, "a")
    every, roles = draw.random() < 0.3, []
    item = ring.item
    for number in range(2):
        steps = ring.fill(style.loop.source("src"))
        wait = steps.index(ring.wait("empty"))
        begin = wait + every
        mine = [f"if ({item} % 2 == {number}) {{", *indent(steps[begin:]), "}"]
        roles.append(Role(f"{{{number}}}", [], [*steps[:begin], *mine], []))
    roles.append(Role("{2}", ring.grant(), ring.take([f"dma.copy {ring.stage()} => {style.loop.source('dst')};"]), []))
    made = kernel(draw, "turns", style, [ring], roles, {"dst": "src"}, counted="full_a")
    return made if ring.stages % 2 == 0 and not every else made.with_text(made.text, "turns, faulty")


def chain(draw: Draw) -> Program:
    """A ring into a ring, perhaps into a third one; relays copy from stage to stage."""
    style, links = draw_style(draw), draw.choice([2, 2, 3])
    rings = [draw_ring(draw, style, "a")]
    rings += [draw_ring(draw, style, name, Copy.PLAIN) for name in "bc"[: links - 1]]
    roles = [Role("{0}", [], rings[0].fill(style.loop.source("src")), [])]
    for number, (inner, outer) in enumerate(itertools.pairwise(rings)):
        steps = relay(draw, inner, outer)
        roles.append(Role(f"{{{number + 1}}}", inner.grant(), steps, []))
    last = rings[-1]
    copy = f"dma.copy {last.stage()} => {style.loop.source('dst')};"
    roles.append(Role(f"{{{links}}}", last.grant(), last.take([copy]), []))
    return kernel(draw, "chain", style, rings, roles, {"dst": "src"})


def relay(draw: Draw, inner: Ring, outer: Ring) -> list[str]:
    """Out of one ring into the next; the order of the two waits is free."""
    waits = [inner.wait("full"), outer.wait("empty")]
    if draw.random() < 0.5:
        waits.reverse()
    copy = f"dma.copy {inner.stage()} => {outer.stage()};"
    triggers = [inner.trigger("empty"), outer.trigger("full")]
    if draw.random() < 0.5:
        triggers.reverse()
    return [*inner.number(), *outer.number(), *waits, copy, *triggers]


def two_rings(draw: Draw) -> Program:
    """Two producers with a ring each, one consumer of both."""
    style = draw_style(draw)
    rings = [draw_ring(draw, style, name) for name in "ab"]
    roles = [
        Role(f"{{{number}}}", [], ring.fill(style.loop.source(f"src{number}")), []) for number, ring in enumerate(rings)
    ]
    steps = [
        line
        for number, ring in enumerate(rings)
        for line in ring.take([f"dma.copy {ring.stage()} => {style.loop.source(f'dst{number}')};"])
    ]
    if draw.random() < 0.5:  # both waits first
        steps.sort(
            key=lambda line: ("stage", "wait", "dma", "trigger").index(line.split("_")[0].split(".")[0].split()[0])
        )
    first = [*rings[0].grant(), *rings[1].grant()]
    roles.append(Role("{2}", first, steps, []))
    return kernel(draw, "two rings", style, rings, roles, {"dst0": "src0", "dst1": "src1"})


def tiles_too(draw: Draw) -> Program:
    """A ring of stages inside a ring of tiles: the consumer collects rows for a third role that stores them."""
    style = draw_style(draw)
    loop = Loop.INNER
    style = Style(style.copy, loop, Index.SLOT, style.threads, style.ready)
    ring = draw_ring(draw, style, "a")
    done = Ring("t", draw.choice([1, 2]), False, style.ready, Index.SLOT, Copy.PLAIN, loop, order="ti")
    steps = ring.take([f"dma.copy {ring.stage()} => {done.stage()};"])
    roles = [
        Role("{0}", [], ring.fill(loop.source("src")), []),
        Role("{1}", ring.grant(), [done.wait("empty"), "<<", *steps, ">>", done.trigger("full")], [], True),
        Role("{2}", done.grant(), [done.wait("full"), done_copy(done), done.trigger("empty")], [], True),
    ]
    return kernel(draw, "tiles too", style, [ring, done], roles, {"dst": "src[:, -16:]"}, narrow=("dst",))


def done_copy(done: Ring) -> str:
    return f"dma.copy {done.stage()} => dst.subspan(16, 16).at(id, 0);"


def multiply(draw: Draw) -> Program:
    """Tensor cores: two operands a stage. `mma.commit` and `mma.load`, or operands straight from shared memory."""
    style = draw_style(draw)
    ring = Ring(
        "a",
        draw.choice([1, 2, 3, 4]),
        draw.random() < 0.4,
        style.ready,
        style.index,
        style.copy,
        style.loop,
        multiply=True,
    )
    commit = draw.random() < 0.6
    tiles = ring.stages_of()
    if commit:
        work = [f"ma = mma.load {tiles[0]};", f"mb = mma.load {tiles[1]};", "mma.row.row acc, ma, mb;", "mma.commit;"]
    else:
        work = [f"mma.row.row acc, {tiles[0]}, {tiles[1]};"]
    fill, store = "acc = mma.fill.f32 0.0f;", f"mma.store acc, out.subspan(64, 8).at({style.loop.tile}, 0);"
    steps = ring.take(work)
    roles = [Role("{0}", [], ring.fill_both(), [])]
    if style.loop is Loop.INNER:
        roles.append(Role("{1}", ring.grant(), [fill, "<<", *steps, ">>", store], [], True))
    else:
        roles.append(Role("{1}", [fill, *ring.grant()], steps, [store]))
    return kernel(draw, "multiply", style, [ring], roles, {"out": "lhs @ rhs.T"}, multiply_kernel=True)


TOPOLOGIES: tuple[Callable[[Draw], Program], ...] = (
    one_to_one,
    one_to_many,
    one_to_halves,
    two_to_one,
    turns,
    chain,
    two_rings,
    tiles_too,
    multiply,
    multiply,
    draw_handles,
)


# --- putting together ----------------------------------------------------------------------------


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
    multiply_kernel: bool = False,
) -> Program:
    """The whole text. Roles name their path by `{i}`, a group of roles by `{i:}` and its index by `$p`."""
    index = draw.choice(["p", "w"])
    count = 3 if roles[-1].condition == "{1:}" else len(roles)
    body: list[str] = []
    for role in roles:
        body += [f"inthreads.async ({_condition(role.condition, index, style.threads)}) {{"]
        body += indent(_role_body(role, style.loop))
        body += ["}"]
    threads = ", t by 128 : thread" if style.threads else ""
    inner = [f"parallel {index} by {count} : group-4{threads} {{", *indent(body), "}"]
    declared = [line for ring in rings for line in ring.declare(counted)]
    lines = [*declared, *style.loop.around(inner)]
    lines = [f"parallel b by {style.loop.blocks} : block {{", *indent(lines), "}"]
    text = "\n".join([_signature(expects, narrow, multiply_kernel), *indent(lines), "}", ""])
    text = text.replace("$p", index).replace("$rows", "64" if multiply_kernel else "16")
    deepest = max(ring.stages for ring in rings)
    return Program(text, _sizes(draw, style.loop, deepest, multiply_kernel), tuple(expects.items()), label, True)


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


def _signature(expects: dict[str, str], narrow: tuple[str, ...], multiply_kernel: bool) -> str:
    if multiply_kernel:
        params = "global f16 [R, C] lhs, global f16 [8, C] rhs, global f32 [R, 8] out"
    else:
        inputs = sorted({formula.split("[")[0] for formula in expects.values()})
        params = ", ".join(
            [f"global s32 [R, C] {name}" for name in inputs]
            + [f"global s32 [R, {16 if name in narrow else 'C'}] {name}" for name in expects]
        )
    return f"__co__ void pipe({params}) {{"


def _sizes(draw: Draw, loop: Loop, stages: int, multiply_kernel: bool) -> tuple[Sizes, ...]:
    rows = 64 if multiply_kernel else ROWS
    tiles = [1] if loop is Loop.ONCE else [1, 3, 5]
    counts = sorted({1, stages, stages + 1, 2 * stages + 1})
    return tuple(
        {"R": rows * tile, "C": 16 * count}
        for tile in tiles
        for count in (counts if tile == tiles[-1] else counts[-2:])
    )
