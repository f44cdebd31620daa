"""Draws pipelines as source text: roles, rings, dialects, persistent loops. Most are correct, some are not.

Must not use the analysis. A `Draw` is `random.Random` or hypothesis' counterpart, so that one drawing function
serves seeded runs and shrinking ones. Tiles are 16 x 16 integers (or one 64 x 8 x 16 multiply): a run takes
milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from hypothesis import strategies as st

from tests.truth.assemble import Draw, Role, Style, kernel
from tests.truth.handles import draw_handles
from tests.truth.program import Program
from tests.truth.ring import Copy, Index, Loop, Ring, indent


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
    for number, (inner, outer) in enumerate(pairwise(rings)):
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
    """Tensor cores: two operands a stage, one or two consumers, results stored at once or by way of a buffer.

    `mma.commit` and `mma.load`, or operands straight from shared memory.
    """
    style, pair = draw_style(draw), draw.random() < 0.3
    stages, packed = draw.choice([1, 2, 3, 4]), draw.random() < 0.4
    rows = 128 if pair else 64
    ring = Ring("a", stages, packed, style.ready, style.index, style.copy, style.loop, multiply=True, rows=rows)
    steps = ring.take(multiplying_work(ring, pair, draw.random() < 0.6))
    store, block = draw_store(draw, style, rows)
    fill = "acc = mma.fill.f32 0.0f;"
    consumer = "{1:}" if pair else "{1}"
    roles = [Role("{0}", [], ring.fill_both(), [])]
    if style.loop is Loop.INNER:
        roles.append(Role(consumer, ring.grant(), [fill, "<<", *steps, ">>", *store], [], True))
    else:
        roles.append(Role(consumer, [fill, *ring.grant()], steps, store))
    return kernel(draw, "multiply", style, [ring], roles, {"out": "lhs @ rhs.T"}, block=block)


def multiplying_work(ring: Ring, pair: bool, commit: bool) -> list[str]:
    left, right = ring.stages_of()
    left += ".subspan(64, 16).at($p - 1, 0)" if pair else ""
    if commit:
        return [f"ma = mma.load {left};", f"mb = mma.load {right};", "mma.row.row acc, ma, mb;", "mma.commit;"]
    return [f"mma.row.row acc, {left}, {right};"]


def draw_store(draw: Draw, style: Style, rows: int) -> tuple[list[str], tuple[list[str], list[str]]]:
    """How a consumer stores its tile, and what the block declares and does behind the roles for it."""
    tile, pair = style.loop.tile, rows == 128
    if style.loop is Loop.INNER or draw.random() < 0.4:
        row = f"{tile} * 2 + $p - 1" if pair else tile
        return [f"mma.store acc, out.subspan(64, 8).at({row}, 0);"], ([], [])
    part = "out_s.subspan(64, 8).at($p - 1, 0)" if pair else "out_s"
    copy = f"dma.copy out_s => out.subspan({rows}, 8).at({tile}, 0);"
    declared = [f"shared f32 [{rows}, 8] out_s;"]
    if pair or draw.random() < 0.5:
        return [f"mma.store acc, {part};"], (declared, [copy])
    return [f"mma.store acc, {part};", copy], (declared, [])


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
