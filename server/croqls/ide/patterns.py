"""Whole kernels to start from: pipelines with one and two consumers, persistent ones, double and triple buffering.

Each is written in the three dialects where they differ, with the place-holders of LSP's snippets (`${1:name}`). Data
and its composition only; must not know the document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from croqc.targets.table import Feature, Target

CLASSIC, COURSE, CURRENT = "classic", "course", "current"


@dataclass(frozen=True, slots=True)
class Pattern:
    """`label` is what is typed; `text` is valid as a file once the place-holders are filled."""

    label: str
    detail: str
    text: str
    dialect: str = CURRENT

    @property
    def plain(self) -> str:
        return filled(self.text)


def filled(pattern: str) -> str:
    """A pattern with every place-holder at its default."""
    defaults = dict(re.findall(r"\$\{(\d+):([^{}$]*)\}", pattern))
    text = re.sub(r"\$\{\d+:([^{}$]*)\}", r"\1", pattern)
    return re.sub(r"\$(\d+)", lambda found: defaults.get(found[1], ""), text)


def patterns(dialect: str, target: Target) -> tuple[Pattern, ...]:
    """The patterns that the target can run, in a dialect; that of a file without evidence is the current one."""
    spoken = dialect if dialect in (CLASSIC, COURSE) else CURRENT
    return (*(_rings(spoken) if target.has(Feature.TMA) else ()), *_BUFFERS)


def _named(label: str, dialect: str) -> str:
    """Clients may have snippets of the current dialect by these names: those of others say that they are others."""
    return label if dialect == CURRENT else f"{label} ({dialect})"


def _rings(spoken: str) -> tuple[Pattern, ...]:
    return (
        Pattern(
            _named("1p1c", spoken),
            "pipeline: one loading and one multiplying warpgroup",
            _ring(spoken, 1, persistent=False),
            spoken,
        ),
        Pattern(
            _named("1p2c", spoken),
            "pipeline: one loading and two multiplying warpgroups",
            _ring(spoken, 2, persistent=False),
            spoken,
        ),
        Pattern(
            _named("persistent", spoken),
            "pipeline over several tiles a block, its ring lives on",
            _ring(spoken, 2, persistent=True),
            spoken,
        ),
    )


# --- rings ---------------------------------------------------------------------------------------


def _ring(dialect: str, consumers: int, persistent: bool) -> str:
    """A multiply `lhs @ rhs.T` through a ring of stages. Place-holders: name, tile N, tile K, stages, blocks."""
    rows = 64 * consumers
    body = [*_roles(dialect, consumers, persistent), f"tma.copy output_s => output.subspan({rows}, $2).at(bm, bn);"]
    ready = " = ready" if dialect == CURRENT else ""
    shared = [
        f"shared event full[${{4:4}}], empty[$4]{ready};",
        f"shared f16 [{rows}, ${{3:64}}] lhs_s[$4];",
        "shared f16 [$2, $3] rhs_s[$4];",
        f"shared f16 [{rows}, $2] output_s;",
        "",
    ]
    lines = [
        "// croq: run M=512 N=512 K=512",
        "// croq: expect output ~= lhs @ rhs.T",
        "__co__ void ${1:matmul}(global f16 [M, K] lhs, global f16 [N, K] rhs, global f16 [M, N] output) {",
    ]
    if persistent:
        lines += ["  int tiles_n = cdiv(N, ${2:64});", f"  int tiles = cdiv(M, {rows}) * tiles_n;", ""]
        lines += ["  parallel b by ${5:132} : block {", *_inside(shared, 4), "    foreach {t} in [cdiv(tiles, $5)] {"]
        lines += ["      id = t * $5 + b;", "      if (id < tiles) {"]
        lines += _inside(["bm = id / tiles_n;", "bn = id % tiles_n;", *body], 8)
        lines += ["      }", "    }"]
    else:
        lines += [
            f"  parallel {{bm, bn}} by [cdiv(M, {rows}), cdiv(N, ${{2:64}})] : block {{",
            *_inside([*shared, *body], 4),
        ]
    return "\n".join([*lines, "  }", "}$0"])


def _inside(lines: list[str], depth: int) -> list[str]:
    return [" " * depth + line if line else "" for line in lines]


def _roles(dialect: str, consumers: int, persistent: bool) -> Iterator[str]:
    loader = "w == 0 && x == 0" if dialect == CLASSIC else "w == 0"
    threads = ", x by 128 : thread" if dialect == CLASSIC else ""
    yield f"parallel w by {consumers + 1} : group-4{threads} {{"
    yield from _inside(
        [f"inthreads.async ({loader}) {{", *_inside(list(_loads(dialect, consumers, persistent)), 2), "}"], 2
    )
    yield ""
    condition = "w == 1" if consumers == 1 else "w > 0"
    uses = _inside(list(_multiplies(dialect, consumers, persistent)), 2)
    yield from _inside([f"inthreads.async ({condition}) {{", *uses, "}"], 2)
    yield "}"


def _loads(dialect: str, consumers: int, persistent: bool) -> Iterator[str]:
    rows = 64 * consumers
    sides = (f"lhs.subspan({rows}, $3).at(bm, k) => lhs_s", "rhs.subspan($2, $3).at(bn, k) => rhs_s")
    slot, stage = _slot(dialect, persistent)
    yield "foreach {k} in [cdiv(K, $3)] {"
    yield from _inside([] if dialect == CURRENT else ["stage = k % $4;"], 2)
    yield f"  wait empty{slot};"
    if dialect == CURRENT:
        yield f"  a = tma.copy.async.swiz<128> {sides[0]}{stage};"
        yield f"  b = tma.copy.async.swiz<128> {sides[1]}{stage};"
        yield f"  trigger full{slot} after a, b;"
    else:
        named = f".async<full{slot}>" if dialect == CLASSIC else ""
        yield from (f"  tma.copy{named}.swiz<128> {side}{stage};" for side in sides)
        yield f"  trigger full{slot};"
    yield "}"


def _multiplies(dialect: str, consumers: int, persistent: bool) -> Iterator[str]:
    slot, stage = _slot(dialect, persistent)
    own = "" if consumers == 1 else ".subspan(64, $3).at(w - 1, 0)"
    yield "acc = mma.fill.f32 0.0f;"
    if dialect != CURRENT:
        start = ["foreach {s} in [$4] {", "  trigger empty[s];", "}"]
        yield from ["if (t == 0) {", *_inside(start, 2), "}"] if persistent else start
    yield "foreach {k} in [cdiv(K, $3)] {"
    yield from _inside([] if dialect == CURRENT else ["stage = k % $4;"], 2)
    yield f"  wait full{slot};"
    if dialect == CURRENT:
        yield f"  mma.row.row acc, lhs_s{stage}{own}, rhs_s{stage};"
    else:
        yield f"  ma = mma.load.swiz<128> lhs_s{stage}{own};"
        yield f"  mb = mma.load.swiz<128> rhs_s{stage};"
        yield "  mma.row.row acc, ma, mb;"
        yield "  mma.commit;"
    yield f"  trigger empty{slot};"
    yield "}"
    yield "mma.store acc, output_s" + ("" if consumers == 1 else ".subspan(64, $2).at(w - 1, 0)") + ";"


def _slot(dialect: str, persistent: bool) -> tuple[str, str]:
    """How the dialect writes the slot of turn `k`, of an event and of a buffer. Over tiles the order goes on."""
    if dialect != CURRENT:
        return "[stage]", "[stage]"
    return ("[k % $4]" if persistent else ".at(k)"), "[k % $4]"


# --- futures in turn: alike in all dialects ------------------------------------------------------

_DOUBLE: Final = """// croq: run R=64 C=512
// croq: expect dst ~= src + src
__co__ void ${1:twice}(global f32 [R, C] src, global f32 [R, C] dst) {
  parallel r by R / ${2:16} : block {
    with {c} in [C / ${3:32}] {
      now = dma.copy.async src.subspan($2, $3).at(r, c) => shared;
      next = dma.any;
      foreach c(1:) {
        next = dma.copy.async src.subspan($2, $3).at(r, c) => shared;
        wait now;
        parallel {i, j} by [$2, $3] : thread
          dst.at(r # i, (c - 1) * $3 + j) = now.data.at(i, j) + now.data.at(i, j);
        swap(now, next);
      }
      wait now;
      parallel {i, j} by [$2, $3] : thread
        dst.at(r # i, (#c - 1) * $3 + j) = now.data.at(i, j) + now.data.at(i, j);
    }
  }
}$0"""

_TRIPLE: Final = """// croq: run R=64 C=512
// croq: expect dst ~= src + src
__co__ void ${1:twice}(global f32 [R, C] src, global f32 [R, C] dst) {
  parallel r by R / ${2:16} : block {
    with {c} in [C / ${3:32}] {
      f0 = dma.copy.async src.subspan($2, $3).at(r, 0) => shared;
      f1 = dma.copy.async src.subspan($2, $3).at(r, 1) => shared;
      f2 = dma.any;
      foreach c(2:) {
        f2 = dma.copy.async src.subspan($2, $3).at(r, c) => shared;
        wait f0;
        parallel {i, j} by [$2, $3] : thread
          dst.at(r # i, (c - 2) * $3 + j) = f0.data.at(i, j) + f0.data.at(i, j);
        rotate(f0, f1, f2);
      }
      wait f0;
      parallel {i, j} by [$2, $3] : thread
        dst.at(r # i, (#c - 2) * $3 + j) = f0.data.at(i, j) + f0.data.at(i, j);
      wait f1;
      parallel {i, j} by [$2, $3] : thread
        dst.at(r # i, (#c - 1) * $3 + j) = f1.data.at(i, j) + f1.data.at(i, j);
    }
  }
}$0"""

_BUFFERS: Final = (
    Pattern("double", "two buffers: copy the next tile, use the present one, swap", _DOUBLE),
    Pattern("triple", "three buffers: two copies under way, rotate", _TRIPLE),
)
