"""Draws kernels without events: handles under `swap` and `rotate`, a single buffer, two operands in step.

Must not use the analysis. One path; a tile is copied in while the one before is copied out, tripled or multiplied.
"""

from __future__ import annotations

from typing import Any

from tests.truth.program import Program
from tests.truth.ring import indent

OUT = "subspan(16, 16).at(b, {item})"


def draw_handles(draw: Any) -> Program:
    """`draw` as in `generate`."""
    return draw.choice([rotating, rotating, rotating, multiplying, single])(draw)


def rotating(draw: Any) -> Program:
    """`depth` buffers: depth - 1 tiles are in flight while one is used."""
    depth, operands = draw.choice([2, 2, 3, 4]), draw.choice([1, 1, 2])
    waits, tripled = draw.random() < 0.7, draw.random() < 0.4
    letters = "fg"[:operands]
    lines: list[str] = ["shared s32 [16, 16] out_s;"] if tripled else []
    body: list[str] = []
    for number, letter in enumerate(letters):
        body += [_load(letter + str(slot), number, str(slot), waits) for slot in range(depth - 1)]
        body += [f"{letter}{depth - 1} = dma.any;"]
    steady = [_load(f"{letter}{depth - 1}", number, "c", waits) for number, letter in enumerate(letters)]
    steady += _use(letters, 0, f"c - {depth - 1}", waits, tripled)
    steady += [_turn(letter, depth) for letter in letters]
    body += [f"foreach c({depth - 1}:) {{", *indent(steady), "}"]
    for slot in range(depth - 1):
        body += _use(letters, slot, f"cdiv(C, 16) - {depth - 1 - slot}", waits, tripled)
    lines += ["with c in [cdiv(C, 16)] {", *indent(body), "}"]
    factor = " * 3" if tripled else ""
    expects = tuple((f"dst{number}", f"src{number}{factor}") for number in range(operands))
    return _program(lines, expects, f"rotating {depth}", depth)


def _load(name: str, number: int, item: str, waits: bool) -> str:
    return f"{name} = dma.copy{'.async' if waits else ''} src{number}.subspan(16, 16).at(b, {item}) => shared;"


def _turn(letter: str, depth: int) -> str:
    names = ", ".join(f"{letter}{slot}" for slot in range(depth))
    return f"{'swap' if depth == 2 else 'rotate'}({names});"


def _use(letters: str, slot: int, item: str, waits: bool, tripled: bool) -> list[str]:
    lines = [f"wait {', '.join(f'{letter}{slot}' for letter in letters)};"] if waits else []
    for number, letter in enumerate(letters):
        out = f"dst{number}.{OUT.format(item=item)}"
        if tripled:
            lines += ["parallel {i, j} by [16, 16] : thread", f"  out_s.at(i, j) = {letter}{slot}.data.at(i, j) * 3;"]
            lines += [f"dma.copy out_s => {out};"]
        else:
            lines += [f"dma.copy {letter}{slot}.data => {out};"]
    return lines


def multiplying(draw: Any) -> Program:
    """Two operands under swap, multiplied by tensor cores."""
    waits = draw.random() < 0.7
    kind = "dma.copy.async" if waits else "dma.copy"

    def load(slot: int, item: str) -> list[str]:
        return [
            f"l{slot} = {kind} lhs.subspan(64, 16).at(b, {item}) => shared;",
            f"r{slot} = {kind} rhs.subspan(8, 16).at(0, {item}) => shared;",
        ]

    work = ["wait l0, r0;"] if waits else []
    work += ["ma = mma.load l0.data;", "mb = mma.load r0.data;", "mma.row.row acc, ma, mb;", "mma.commit;"]
    steady = [*load(1, "c"), *work, "swap(l0, l1);", "swap(r0, r1);"]
    body = [*load(0, "0"), "l1 = dma.any;", "r1 = dma.any;", "foreach c(1:) {", *indent(steady), "}", *work]
    inner = ["acc = mma.fill.f32 0.0f;", "with c in [cdiv(C, 16)] {", *indent(body), "}"]
    inner += ["mma.store acc, out.subspan(64, 8).at(b, 0);"]
    lines = ["parallel p by 1 : group-4 {", *indent(inner), "}"]
    return _program(lines, (("out", "lhs @ rhs.T"),), "multiplying", 2)


def single(draw: Any) -> Program:
    """One buffer: fill it, use it, again."""
    copies = draw.choice(["plain", "waited", "tma"])
    source, dest = "src0.subspan(16, 16).at(b, k)", "dst0.subspan(16, 16).at(b, k)"
    fill = {
        "plain": [f"dma.copy {source} => one;"],
        "waited": [f"f = dma.copy.async {source} => one;", "wait f;"],
        "tma": [f"tma.copy {source} => one;"],
    }[copies]
    steps = [*fill, f"dma.copy one => {dest};"]
    lines = ["shared s32 [16, 16] one;", "foreach {k} in [cdiv(C, 16)] {", *indent(steps), "}"]
    return _program(lines, (("dst0", "src0"),), "single", 1)


def _program(lines: list[str], expects: tuple[tuple[str, str], ...], label: str, depth: int) -> Program:
    if expects[0][0] == "out":
        params, rows = "global f16 [R, C] lhs, global f16 [8, C] rhs, global f32 [R, 8] out", 64
    else:
        count = range(len(expects))
        params = ", ".join(f"global s32 [R, C] {name}{number}" for name in ("src", "dst") for number in count)
        rows = 16
    block = [f"parallel b by cdiv(R, {rows}) : block {{", *indent(lines), "}"]
    text = "\n".join([f"__co__ void pipe({params}) {{", *indent(block), "}", ""])
    counts = sorted({max(depth - 1, 1), depth, depth + 1, 2 * depth + 1})
    return Program(text, tuple({"R": rows, "C": 16 * count} for count in counts), expects, label, True)
