"""Rows of `mma` and of register fragments (reference, chapter 6). Data only."""

from __future__ import annotations

from typing import Final

from croqc.builtins.row import Row

MULTIPLY: Final = (
    Row(
        "mma",
        "mma.A.B acc, a, b;",
        "Matrix multiply by tensor cores. All threads of the unit execute it together: a warp for 16-row tiles, a "
        "warpgroup for 64-row tiles.",
        "mma.row.row acc, a, b;",
        "6.1",
    ),
    Row(
        "mma.fill",
        "c = mma.fill[.T] v; · mma.fill c, v;",
        "Declares an accumulator with every element `v`, or refills one. Without `.T` the type follows the operands: "
        "f16 gives f16, bf16, tf32 and f8 give f32, s8 and u8 give s32.",
        "acc = mma.fill.f32 0.0f;",
        "6.1",
    ),
    Row(
        "mma.load",
        "a = mma.load[.frag][.swiz<N>] view;",
        "An operand of a multiply. For a warp it loads registers; for a warpgroup a shared view is an operand in "
        "place, nothing moves, unless `.frag` asks for registers (A only).",
        "a = mma.load a_s.chunkat(_, k);",
        "6.4",
    ),
    Row(
        "mma.row",
        "mma.row.row · mma.row.col",
        "A is stored `[M, K]`. The second word is for B: `row` is `[N, K]`, `col` is `[K, N]`.",
        "mma.row.row acc, a, b;",
        "6.2",
    ),
    Row(
        "mma.col",
        "mma.col.row · mma.col.col",
        "A is stored `[K, M]`. The second word is for B: `row` is `[N, K]`, `col` is `[K, N]`.",
        "mma.col.row acc, a, b;",
        "6.2",
    ),
    Row(
        "mma.store",
        "mma.store[.transp|.async|.mask] acc, view[, rows[, cols]];",
        "Writes the accumulator to shared or global memory, converted to the view's type. "
        "It waits for the multiplies of `acc`.",
        "mma.store acc, out.subspan(16, 16).at(i, j);",
        "6.8",
    ),
    Row(
        "mma.scale",
        "mma.scale acc, sa, sb;",
        "Scales what was multiplied into `acc` since the last scale: `acc[m, n] += T[m, n] * sa[m] * sb`.",
        "mma.scale acc, sa_s, sb;",
        "6.7",
    ),
    Row(
        "mma.commit",
        "mma.commit;",
        "All earlier multiplies of this warpgroup have finished: their operands may be overwritten, their "
        "accumulators read. It belongs between the last multiply of a stage and the `trigger` that frees it.",
        "mma.commit;  trigger empty[stage];",
        "6.6",
    ),
    Row(
        "mma.wait",
        "mma.wait<n>;",
        "Older: waits until at most n groups of multiplies are unfinished. Assign `.async` multiplies and `wait`.",
        "mma.commit;",
        "2.13",
    ),
    Row("mma.desc", "a = mma.desc view;", "Older spelling of `mma.load` of a shared tile.", "a = mma.load s;", "2.13"),
    Row("mma.loadR", "a = mma.loadR view;", "Older spelling of `mma.load.frag`.", "a = mma.load.frag s;", "2.13"),
    Row("mma.loadS", "a = mma.loadS view;", "Older spelling of `mma.load`.", "a = mma.load s;", "2.13"),
    Row("mma.exec", "mma.exec …", "No longer a form; write `mma.row.row acc, a, b`.", "mma.row.row acc, a, b;", "2.13"),
    Row(
        ".row",
        "mma.….row",
        "As the second layout word: B is stored `[N, K]`.",
        "mma.row.row acc, a, b;",
        "6.2",
    ),
    Row(".col", "mma.….col", "As the second layout word: B is stored `[K, N]`.", "mma.row.col acc, a, b;", "6.2"),
    Row(
        ".scale",
        "mma.A.B.scale acc, a, b, sa, sb;",
        "Multiplies and scales at once: `acc[m, n] += sum * sa[m] * sb`. Warpgroup shapes only.",
        "mma.row.row.scale acc, a, b, sa_s, sb;",
        "6.7",
    ),
    Row(
        ".frag",
        "mma.load.frag view",
        "Loads the operand into registers (A of a warpgroup multiply, any operand of a warp multiply).",
        "a = mma.load.frag a_s.chunkat(_, k);",
        "6.4",
    ),
    Row(
        ".mask",
        "mma.store.mask acc, view, rows[, cols];",
        "Writes only rows below `rows` and columns below `cols`; a negative count is 0.",
        "mma.store.mask acc, out_s, M - i * 64;",
        "6.8",
    ),
    Row(
        ".transp",
        "mma.store.transp acc, view;",
        "Writes the accumulator transposed: `view[n, m] = acc[m, n]`.",
        "mma.store.transp acc, t_s;",
        "6.8",
    ),
    Row(
        ".order",
        "mma.A.B.order<…>",
        "Older spelling of `[[schedule(k_tiles(…))]]`: the order of the K steps.",
        "[[schedule(k_tiles(1, 0))]] mma.row.row acc, a, b;",
        "2.13",
    ),
    Row(
        "schedule",
        "[[schedule(k_tiles(…))]] mma.A.B acc, a, b;",
        "The order of the K steps of a split multiply; each step exactly once.",
        "[[schedule(k_tiles(1, 0))]] mma.row.row acc, a, b;",
        "6.7",
    ),
)

FRAGMENTS: Final = (
    Row(
        "frag",
        "frag T [rows(, cols)] name {v};",
        "A register tile spread over the unit. Its elements are visited by `apply`.",
        "frag f32 [64, 128] p {0.0f};",
        "6.5",
    ),
    Row(
        "apply",
        "apply {i, j} in x.span body",
        "Visits the elements of a fragment that each thread owns; fragments of the same layout may be read by `.at`.",
        "apply {i, j} in p.span { p.at(i, j) = p.at(i, j) * 2.0f; }",
        "6.5",
    ),
    Row("copy", "copy(dst, src);", "Copies one fragment into another.", "copy(old, now);", "6.5"),
    Row(
        "reduce_max",
        "reduce_max(dst, src, 1);",
        "Largest element of each row of a fragment. Along columns (dimension 1) only.",
        "reduce_max(m, p, 1);",
        "6.5",
    ),
    Row(
        "reduce_sum",
        "reduce_sum(dst, src, 1);",
        "Sum of each row of a fragment. Along columns (dimension 1) only.",
        "reduce_sum(l, p, 1);",
        "6.5",
    ),
    Row(
        "all_reduce_sum",
        "all_reduce_sum(v);",
        "Sums a replicated fragment of rank 1 over its owners.",
        "all_reduce_sum(l);",
        "6.5",
    ),
)
