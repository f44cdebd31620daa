"""GEMM kernels for tests, as people write them: a producer, some consumers of 64 rows each, TMA and wgmma."""

from __future__ import annotations

from typing import NamedTuple

DEPTH, LIMIT = 64, 232448  # elements of K a stage; bytes of shared memory of a block (sm_90a)


class Shape(NamedTuple):
    """A kernel of tiles of 64 x `width` a consumer. `elected`: the producer's region names its thread; `epilogue`: who
    writes the result."""

    width: int
    consumers: int
    persistent: bool
    elected: bool
    epilogue: str

    @property
    def stages(self) -> int:
        """As many as fit, up to four."""
        stage = (64 * self.consumers + self.width) * DEPTH * 2
        result = 0 if self.epilogue == "direct" else 64 * self.consumers * self.width * 2
        return min((LIMIT - 2048 - result) // stage, 4)

    @property
    def fits(self) -> bool:
        """Whether there are registers for it: in a loop, each thread has those of the launch (65536 over all)."""
        looped = self.persistent and self.epilogue == "block"
        return self.stages > 1 and not (looped and self.width // 2 + 26 > 65536 // (128 * (self.consumers + 1)))


def text_of(shape: Shape) -> str:
    rows, width, stages = 64 * shape.consumers, shape.width, shape.stages
    head = f"parallel {{bm, bn}} by [cdiv(M, {rows}), cdiv(N, {width})] : block {{"
    turn, end = "", ""
    if shape.persistent:
        head = "parallel q by 132 : block {"
        turn = f"""foreach {{ti}} in [cdiv(cdiv(M, {rows}) * cdiv(N, {width}), 132)] {{
      id = ti * 132 + q;
      if (id < cdiv(M, {rows}) * cdiv(N, {width})) {{
        bm = id / cdiv(N, {width});
        bn = id % cdiv(N, {width});"""
        end = "} }"
    thread, first = (", t by 128 : thread", " && t == 0") if shape.elected else ("", "")
    out = f"y.subspan(64, {width}).at(bm * {shape.consumers} + p - 1, bn)"
    own = f"out.subspan(64, {width}).at(p - 1, 0)"
    leave = {"direct": f"mma.store c, {out};", "own": f"mma.store c, {own}; tma.copy {own} => {out};"}
    block = f"dma.copy out => y.subspan({rows}, {width}).at(bm, bn);" if shape.epilogue == "block" else ""
    return f"""__co__ void gemm(global f16 [M, K] a, global f16 [N, K] b, global f16 [M, N] y) {{
  {head}
    shared event full[{stages}], empty[{stages}] = ready;
    shared f16 [{rows}, {DEPTH}] as[{stages}];
    shared f16 [{width}, {DEPTH}] bs[{stages}];
    {"" if shape.epilogue == "direct" else f"shared f16 [{rows}, {width}] out;"}
    {turn}
    parallel p by {shape.consumers + 1} : group-4{thread} {{
      inthreads.async (p == 0{first}) {{
        foreach {{k}} in [cdiv(K, {DEPTH})] {{
          s = k % {stages};
          wait empty[s];
          fa = tma.copy.async.swiz<128> a.subspan({rows}, {DEPTH}).at(bm, k) => as[s];
          fb = tma.copy.async.swiz<128> b.subspan({width}, {DEPTH}).at(bn, k) => bs[s];
          trigger full[s] after fa, fb;
        }}
      }}
      inthreads.async (p > 0) {{
        c = mma.fill.f32 0.0f;
        foreach {{k}} in [cdiv(K, {DEPTH})] {{
          s = k % {stages};
          wait full[s];
          mma.row.row c, as[s].subspan(64, {DEPTH}).at(p - 1, 0), bs[s];
          trigger empty[s];
        }}
        {leave.get(shape.epilogue, f"mma.store c, {own};")}
      }}
    }}
    {block}
    {end}
  }}
}}
"""
