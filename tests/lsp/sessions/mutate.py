"""Draws texts: examples, prefixes of them, mutants, and what no person types; and edits of a text.

Must not know servers. Everything follows from the `Random` that is handed in.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from random import Random

from tests.lsp.positions import edited, place_at

EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*.co"))
# Small kernels keep a session short; large ones are drawn less often.
SMALL = (
    "// croq: run\n// croq: expect y == x + 1\n__co__ void add(global s32 [64] x, global s32 [64] y) {\n"
    "  parallel p by 64 : thread\n    y.at(p) = x.at(p) + 1;\n}\n",
    "#define N 8\n#define STORE(a) a.at(p) = p * N\n__co__ void f(global s32 [N] x) {\n"
    "  parallel p by N : thread { STORE(x); }\n}\n",
    "__co__ void half(global f16 [M, K] a, global f16 [M, K] b) {\n"
    "  parallel {r, c} by [cdiv(M, 16), cdiv(K, 16)] : block {\n"
    "    shared f16 [16, 16] t;\n    dma.copy a.subspan(16, 16).at(r, c) => t;\n"
    "    dma.copy t => b.subspan(16, 16).at(r, c);\n  }\n}\n",
)
WORDS = (
    "wait ", "trigger ", "full", "empty[s]", "stage", "foreach {k} in [3] {", "}", "{", "(", ")", "[", "]", ";", "=>",
    "mma.commit;", "swap(a, b);", "shared event e[2];", "inthreads.async (p == 0) {", "// croq: run\n",
    "// croq: allow ", "// croq: expect y == x\n", "// croq: arch sm_90a\n", "// croq: dialect current\n",
    "#define A B\n", "#define F(x) x x\n", "#undef A\n", "#if 0\n", "#endif\n", "/*", "*/", '"', "'", "\\\n", "\n",
    "\r\n", "\r", "\t", "0x", "1e999", "1 << 4000", "%", "::", "template <int N>", "__device__ ", "__co__ ",
    "__global__ void g() {}\n", "call f(1);", "return 1;", "after load", "dma.copy a => b;", "tma.copy", ".subspan(",
    ".at(k)", ".chunkat(", "#", "_", "auto ", "local ", "select(", "-1", "999999999999",
)  # fmt: skip
ODD = (
    "°", "é", "e\u0301", "中文", "😀", "👩‍👩‍👧", "\u2028", "\u0085", "\x0c", "\x00", "\ufeff", "\u202e", "ﬀ", "ſ",
    "𝒙", "٣", "²", "\ud83d",
)  # fmt: skip


@cache
def examples() -> tuple[str, ...]:
    return tuple(path.read_text(encoding="utf-8") for path in EXAMPLES)


def draw_text(draw: Random) -> str:
    """A document as it is opened."""
    kind = draw.random()
    if kind < 0.05:
        return draw.choice(("", "\n", "}", "\ufeff", "// only a comment", draw_rubbish(draw, 200)))
    text = draw.choice(SMALL) if kind < 0.45 else draw.choice(examples())
    if kind > 0.8:
        text = text[: draw.randrange(len(text) + 1)]
    for _ in range(draw.choice((0, 0, 0, 1, 1, 2, 4))):
        start, end, new = draw_edit(draw, text)
        text = text[:start] + new + text[end:]
    if draw.random() < 0.1:
        text = text.replace("\n", draw.choice(("\r\n", "\r")))
    return text


def draw_rubbish(draw: Random, most: int) -> str:
    return "".join(draw.choice((*WORDS, *ODD, chr(draw.randrange(32, 127)))) for _ in range(draw.randrange(most)))


def draw_offset(draw: Random, text: str) -> int:
    """A place in a text: mostly the start of a word, or inside of it."""
    at = draw.randrange(len(text) + 1)
    if draw.random() < 0.7:
        word = re.compile(r"\w+").search(text, at)
        if word is not None:
            return draw.choice((word.start(), word.end(), (word.start() + word.end()) // 2))
    return at


def draw_edit(draw: Random, text: str) -> tuple[int, int, str]:
    """One replacement: start, end, new text."""
    at = draw_offset(draw, text)
    line_start, line_end = text.rfind("\n", 0, at) + 1, text.find("\n", at) + 1 or len(text)
    kind = draw.randrange(10)
    if kind == 0:
        return line_start, line_end, ""
    if kind == 1:
        return line_end, line_end, text[line_start:line_end]
    if kind == 2:
        return at, min(len(text), at + draw.randrange(1, 40)), ""
    if kind == 3:
        return at, at, draw.choice(ODD)
    if kind == 4:
        return line_start, line_start, "// "
    if kind in (5, 6):
        word = re.compile(r"\w+").search(text, at)
        start, end = (word.start(), word.end()) if word else (at, at)
        return start, end, draw.choice(re.findall(r"\w+", text) or ["x"]) if draw.random() < 0.6 else draw.choice(WORDS)
    if kind == 7:
        other = draw.choice((*SMALL, *examples()))
        start = draw.randrange(len(other))
        return at, at, other[start : start + draw.randrange(200)]
    return at, at, draw.choice(WORDS) if draw.random() < 0.8 else chr(draw.randrange(32, 127))


def draw_changes(draw: Random, text: str, whole: str, encoding: str) -> list[dict[str, object]]:
    """The changes of one `didChange`. `whole` is the text to go back to now and then, as who undoes everything."""
    if draw.random() < 0.12:
        return [{"text": draw.choice((whole, whole, draw_text(draw), ""))}]
    changes: list[dict[str, object]] = []
    for _ in range(draw.choice((1, 1, 1, 1, 2, 5))):
        start, end, new = draw_edit(draw, text)
        span = {"start": place_at(text, start, encoding), "end": place_at(text, end, encoding)}
        if draw.random() < 0.04:  # to the end of the line, of the text, and behind it
            span["end"] = {"line": span["start"]["line"] + draw.choice((0, 1, 10_000)), "character": 100_000}
        changes.append({"range": span, "text": new})
        text = edited(text, changes[-1:], encoding)
    return changes
