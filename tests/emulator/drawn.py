"""Draws kernels that are right, with what they should give: copies, pipelines of multiplies, multiplies of warps.

A seed always means the same kernel. Must not run any.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Final

BITS: Final = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64, "f8_e4m3": 8, "f8_e5m2": 8, "s8": 8, "u8": 8, "s16": 16,
               "u16": 16, "s32": 32, "u32": 32, "s64": 64, "u64": 64}  # fmt: skip


FAMILIES: Final = ("copy", "pipeline", "warp")


@dataclass(frozen=True)
class Drawn:
    """`family` is "copy", "pipeline" or "warp"; `text` a file of one function; `arch`: what it is compiled for."""

    family: str
    text: str
    arch: str


def draw(seed: int) -> Drawn:
    """Of any family."""
    return drawn_of(FAMILIES[seed % len(FAMILIES)], seed)


def drawn_of(family: str, seed: int) -> Drawn:
    makers = {"copy": copy, "pipeline": pipeline, "warp": warp}
    return makers[family](Random(seed))


# --- copies --------------------------------------------------------------------------------------


def copy(random: Random) -> Drawn:
    """Tiles of one to four dimensions into shared memory and out, by threads or by TMA, at once or later; sizes need
    not be whole tiles, rows are multiples of 16 bytes."""
    elem = random.choice(tuple(BITS))
    rank = random.randint(1, 4)
    row = 16 * 8 // BITS[elem]  # elements of 16 bytes
    tile = [random.choice((1, 2, 3, 4, 8)) for _ in range(rank - 1)] + [row * random.choice((1, 2, 4, 8))]
    # Whole tiles or ragged ones; an extent in memory is never smaller than the tile.
    extents = [each * random.choice((1, 2, 3)) + random.choice((0, 0, 1)) for each in tile[:-1]]
    extents.append(tile[-1] * random.choice((1, 2)) + random.choice((0, 0, row)))
    names = "ABCD"[:rank]
    indices = [f"i{number}" for number in range(min(rank, 3))]
    counts = [f"cdiv({name}, {size})" for name, size in zip(names, tile, strict=True)]
    if rank == 4:  # a grid has three dimensions
        extents[0], tile[0], counts, places = tile[0], tile[0], counts[1:], ["0", *indices]
    else:
        places = indices
    at = f"subspan({', '.join(map(str, tile))}).at({', '.join(places)})"
    width = tile[-1] * BITS[elem] // 8
    swizzle = f".swiz<{width}>" if rank == 2 and width in (32, 64, 128) and random.random() < 0.5 else ""
    shape = ", ".join(names)
    load = _moved(random, f"x.{at}", "s", "f", swizzle)
    store = _moved(random, "s", f"y.{at}", "g", "")
    threads = random.choice((1, 2))
    text = f"""// croq: run {" ".join(f"{name}={size}" for name, size in zip(names, extents, strict=True))}
// croq: expect y == x
__co__ void drawn(global {elem} [{shape}] x, global {elem} [{shape}] y) {{
  parallel {{{", ".join(indices)}}} by [{", ".join(counts)}] : block {{
    shared {elem} [{", ".join(map(str, tile))}] s;
    parallel p by {threads} : group-4 {{
      inthreads (p == {threads - 1}) {{
        {load}
        {store}
      }}
    }}
  }}
}}
"""
    return Drawn("copy", text, "sm_90a")


def _moved(random: Random, source: str, dest: str, future: str, swizzle: str) -> str:
    engine = "tma" if swizzle else random.choice(("tma", "dma"))
    at_once = random.random() < 0.5 or (source, engine) == ("s", "dma")  # threads store at once
    if at_once:
        return f"{engine}.copy{swizzle} {source} => {dest};"
    return f"{future} = {engine}.copy.async{swizzle} {source} => {dest};\n        wait {future};"


# --- pipelines -----------------------------------------------------------------------------------


def pipeline(random: Random) -> Drawn:
    """One producer, one or two consumers, one to four stages: futures or events, credits at the start or ready."""
    elem = random.choice(("f16", "bf16"))
    stages, consumers = random.randint(1, 4), random.randint(1, 2)
    wide, rows = random.choice((16, 32, 64, 128)), 64 * consumers
    turns = random.choice((1, stages, stages + 1, 2 * stages + 1, 7))
    columns = wide * random.choice((1, 2)) + random.choice((0, 8))
    ready = random.random() < 0.5
    credits = "" if ready else f"foreach {{s}} in [{stages}] {{ trigger empty[s]; }}"
    left, right = f"a_s[k % {stages}]", f"b_s[k % {stages}]"
    a, b = f"a.subspan({rows}, 64).at(i, k)", f"b.subspan({wide}, 64).at(j, k)"
    style = random.choice(("future", "event", "sync"))
    loads = {
        "future": f"""af = tma.load.async.swiz<128> {a} => {left};
          bf = tma.load.async.swiz<128> {b} => {right};
          trigger full[k % {stages}] after af, bf;""",
        "event": f"""tma.copy.async<full[k % {stages}]>.swiz<128> {a} => {left};
          tma.copy.async<full[k % {stages}]>.swiz<128> {b} => {right};
          trigger full[k % {stages}];""",
        "sync": f"""tma.copy.swiz<128> {a} => {left};
          tma.copy.swiz<128> {b} => {right};
          trigger full[k % {stages}];""",
    }[style]
    part = f"{left}.subspan(64, 64).at(w - 1, 0)" if consumers > 1 else left
    step = f"{left}.subspan(64, 16).at(w - 1, step)" if consumers > 1 else f"{left}.chunkat(_, step)"
    by_steps = f"""foreach {{step}} in [4] {{
            x = mma.load.swiz<128> {step};
            y = mma.load.swiz<128> {right}.chunkat(_, step);
            mma.row.row acc, x, y;
          }}
          mma.commit;"""
    multiply = random.choice((by_steps, f"mma.row.row acc, {part}, {right};"))
    through = random.random() < 0.5 and wide >= 32
    if through:
        buffer = f"shared {elem} [{rows}, {wide}] out_s;"
        place = f"out_s.subspan(64, {wide}).at(w - 1, 0)" if consumers > 1 else "out_s"
        target = f"out.subspan(64, {wide}).at(i * {consumers} + w - 1, j)"
        epilogue = f"mma.store acc, {place};\n        {random.choice(('tma', 'dma'))}.copy {place} => {target};"
    else:
        buffer, epilogue = "", f"mma.store acc, out.subspan(64, {wide}).at(i * {consumers} + w - 1, j);"
    text = f"""// croq: run M={rows * random.choice((1, 2))} N={columns} K={64 * turns}
// croq: expect out ~= a @ b.T
__co__ void drawn(global {elem} [M, K] a, global {elem} [N, K] b, global {elem} [M, N] out) {{
  parallel {{i, j}} by [cdiv(M, {rows}), cdiv(N, {wide})] : block {{
    shared event full[{stages}], empty[{stages}]{" = ready" if ready else ""};
    shared {elem} [{rows}, 64] a_s[{stages}];
    shared {elem} [{wide}, 64] b_s[{stages}];
    {buffer}
    parallel w by {consumers + 1} : group-4 {{
      inthreads.async (w == 0) {{
        foreach {{k}} in [cdiv(K, 64)] {{
          wait empty[k % {stages}];
          {loads}
        }}
      }}
      inthreads.async (w > 0) {{
        acc = mma.fill.f32 0.0f;
        {credits}
        foreach {{k}} in [cdiv(K, 64)] {{
          wait full[k % {stages}];
          {multiply}
          trigger empty[k % {stages}];
        }}
        {epilogue}
      }}
    }}
  }}
}}
"""
    return Drawn("pipeline", text, "sm_90a")


# --- multiplies of warps -------------------------------------------------------------------------

# Element, accumulator, K of one multiply.
FORMS: Final = (("f16", "f32", 16), ("f16", "f32", 8), ("f16", "f16", 16), ("bf16", "f32", 16), ("bf16", "f32", 8),
                ("f32", "f32", 8), ("s8", "s32", 32), ("s8", "s32", 16), ("u8", "s32", 32),
                ("f8_e4m3", "f32", 32))  # fmt: skip


def warp(random: Random) -> Drawn:
    """Warps with a tile of 16 x 8 each; operands from global or from shared memory, along K or across."""
    elem, acc, depth = random.choice(FORMS)
    warps, turns = random.randint(1, 3), random.randint(1, 4)
    rows, columns = 16 * warps * random.randint(1, 2), 8 * random.randint(1, 3)
    across = random.random() < 0.4 and elem in ("f16", "bf16")  # b lies [K, N]
    right = f"b.subspan({depth}, 8).at(t, j)" if across else f"b.subspan(8, {depth}).at(j, t)"
    shape, product = ("[K, N]", "a @ b") if across else ("[N, K]", "a @ b.T")
    old = elem != "f8_e4m3" and random.random() < 0.4
    text = f"""// croq: run M={rows} N={columns} K={depth * turns}
// croq: expect out ~= {product}
__co__ void drawn(global {elem} [M, K] a, global {elem} {shape} b, global {acc} [M, N] out) {{
  parallel {{i, j}} by [M / {16 * warps}, N / 8] : block {{
    parallel w by {warps} : group {{
      acc = mma.fill.{acc} 0;
      foreach t in [K / {depth}] {{
        x = mma.load a.subspan(16, {depth}).at(i * {warps} + w, t);
        y = mma.load {right};
        mma.row.{"col" if across else "row"} acc, x, y;
      }}
      mma.store acc, out.subspan(16, 8).at(i * {warps} + w, j);
    }}
  }}
}}
"""
    return Drawn("warp", text, "sm_80" if old else "sm_90a")
