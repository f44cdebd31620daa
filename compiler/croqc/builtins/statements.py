"""Rows of statements, structure and synchronisation (reference, chapters 4, 5.4 and 7). Data only."""

from __future__ import annotations

from typing import Final

from croqc.builtins.row import Row, needs
from croqc.targets.table import Feature

_MBARRIER = needs(Feature.MBARRIER)

STRUCTURE: Final = (
    Row(
        "__co__",
        "__co__ T name(params) { … }",
        "A Croqtile function. Outside `parallel` it is host code; each outermost `parallel` is one kernel.",
        "__co__ void scale(global f32 [N] x) { … }",
        "4.2",
    ),
    Row(
        "parallel",
        "parallel p by N[, …] [: level] { … }",
        "Runs the body for every index at once. The outermost one launches a kernel. Levels from outside to inside: "
        "`block`, `group-4` (128 threads), `group` (32), `thread`; unwritten ones are inferred.",
        "parallel {bm, bn} by [cdiv(M, 64), cdiv(N, 64)] : block { … }",
        "4.1",
    ),
    Row("by", "parallel p by N", "The count of each index of a `parallel`.", "parallel p by 4 : group-4 { … }", "4.1"),
    Row(
        "parallel.async",
        "parallel.async[<stream>] p by N { … }",
        "The host does not wait for the kernel. Outermost `parallel` only.",
        "parallel.async<s> b by 64 : block { … }",
        "4.2",
    ),
    Row(
        "inthreads",
        "inthreads[.async] (cond) { … }",
        "Restricts the body to the threads for which `cond` holds. Every part of `cond` depends on a parallel index. "
        "Without `.async` a block barrier follows.",
        "inthreads.async (p == 0) { … }",
        "4.4",
    ),
    Row(
        "inthreads.async",
        "inthreads.async (cond) { … }",
        "A role: no barrier behind it, so that sibling regions run at the same time. They talk through events.",
        "inthreads.async (p == 0) { wait empty[s];  … trigger full[s]; }",
        "4.4",
    ),
    Row(
        "with",
        "with i in N { … } · with {a, b} in [A, B] { … }",
        "Binds bounded indices with current value 0. No loop: `foreach i` inside makes one.",
        "with tile_k in 16 { foreach tile_k(1:) { … } }",
        "4.5",
    ),
    Row("in", "with i in N · foreach i in N", "The extent of an index.", "foreach {k} in [cdiv(K, 64)] { … }", "4.5"),
    Row(
        "where",
        "with … where a <-> b",
        "Makes two indices of one `with` the same.",
        "with a in 4, b in 4 where a <-> b { }",
        "4.5",
    ),
    Row(
        "foreach",
        "foreach i in N { … } · foreach {a, b} in [A, B] { … } · foreach i(lo:hi:step) { … }",
        "A loop; several indices nest, the leftmost outermost. In the range form `hi` is added to the bound: "
        "`i(1:)` starts at 1, `i(:-2)` leaves out the last two.",
        "foreach {iv_k} in [cdiv(K, 64)] { … }",
        "4.5",
    ),
    Row("while", "while (cond) { … }", "A loop as long as a truth value holds.", "while (n > 0) { n -= 1; }", "4.5"),
    Row(
        "if",
        "if (cond) { … } [else { … }]",
        "Any truth value. Nothing collective under a divergent condition.",
        "if (i == 0) { … }",
        "4.4",
    ),
    Row("else", "if (cond) { … } else { … }", "The other branch.", "if (i == 0) { … } else { … }", "4.4"),
    Row("break", "break;", "Leaves the innermost loop.", "if (k == last) break;", "4.5"),
    Row(
        "continue",
        "continue;",
        "Goes on with the next iteration of the innermost loop.",
        "if (k == 0) continue;",
        "4.5",
    ),
    Row("yield", "yield;", "The executing thread leaves the kernel.", "if (row >= M) yield;", "4.5"),
    Row("return", "return [value];", "Ends the function with its result. Host level only.", "return output;", "4.6"),
    Row(
        "call",
        "[x =] call f(args);",
        "Calls a C++ device function. Data arrives as a pointer.",
        "call digest(f.data, |f.span|);",
        "4.6",
    ),
    Row("unroll", "foreach … : unroll[(n)]", "Unrolls the loop.", "foreach k in 4 : unroll { … }", "4.5"),
    Row(
        "vectorize",
        "foreach … : vectorize(i, n)",
        "Vectorises the innermost loop by n, a power of two.",
        "foreach k in 64 : vectorize(k, 4) { … }",
        "4.5",
    ),
    Row(
        "cooperative",
        "parallel b by N : block<cooperative>",
        "A cooperative launch: `sync.barrier : block` waits for the whole grid.",
        "parallel b by 64 : block<cooperative> { … }",
        "4.2",
    ),
    Row(
        "launch_bounds",
        "[[launch_bounds(t, b, c)]]",
        "Threads a block (0: computed), blocks an SM, cluster size.",
        "[[launch_bounds(384, 1)]] parallel …",
        "4.2",
    ),
    Row("maxnreg", "[[maxnreg(n)]]", "The most registers a thread.", "[[maxnreg(168)]] parallel …", "4.2"),
)

SYNC: Final = (
    Row(
        "wait",
        "wait e[s], …; · wait e.at(order); · wait f;",
        "Blocks until the next generation of the event slot is complete, or until the transfer of a future has landed. "
        "Waiters reset nothing: each path counts its own waits.",
        "wait full[stage];",
        "7.4",
    ),
    Row(
        "trigger",
        "trigger e[s], …; · trigger e after f, …;",
        "One arrival of this path on the event slot. With `after` the generation also needs the bytes of the "
        "transfers; the statement does not block.",
        "trigger full[stage] after fa, fb;",
        "7.3",
        _MBARRIER,
    ),
    Row(
        "trigger.cluster",
        "trigger.cluster e[s];",
        "One arrival on the event slot of every block of the cluster.",
        "trigger.cluster empty[stage];",
        "7.3",
        needs(Feature.CLUSTER),
    ),
    Row(
        "after",
        "trigger e after f · dma.copy … after f",
        "Joins transfers into an event's generation, or orders a copy behind another.",
        "trigger full.at(i) after ld;",
        "7.5",
    ),
    Row(
        "swap",
        "swap(a, b);",
        "Exchanges two futures: what `a` named, `b` names, and the other way round. No bytes move.",
        "swap(lf0, lf1);",
        "5.4",
    ),
    Row(
        "rotate",
        "rotate(a, b, c, …);",
        "Shifts futures: a gets b's transfer, b gets c's, the last gets a's. No bytes move.",
        "rotate(f0, f1, f2);",
        "5.4",
    ),
    Row(
        "select",
        "select(k, v0, v1, …)",
        "The k-th of several futures or buffers of one type.",
        "dma.copy a.chunkat(i) => select(i % 2, s0, s1);",
        "5.4",
    ),
    Row(
        "sync",
        "sync.shared; · sync.barrier : level; · sync.fence : level;",
        "Explicit synchronisation.",
        "sync.shared;",
        "4.7",
    ),
    Row("sync.shared", "sync.shared;", "Block barrier with shared-memory visibility.", "sync.shared;", "4.7"),
    Row("sync.global", "sync.global;", "The host waits for the device. Host level only.", "sync.global;", "4.7"),
    Row("sync.local", "sync.local;", "Not supported: local data belongs to one thread.", "sync.shared;", "4.7"),
    Row(
        "sync.barrier",
        "sync.barrier : level;",
        "Barrier among the threads of the level; `block` in a cooperative kernel means the grid.",
        "sync.barrier : block;",
        "4.7",
    ),
    Row(
        "sync.fence",
        "sync.fence : level[<storage>];",
        "Memory fence: orders this thread's accesses for the others of the level.",
        "sync.fence : block;",
        "4.7",
    ),
    Row("barrier", "sync.barrier : level;", "Barrier among the threads of the level.", "sync.barrier : group;", "4.7"),
    Row("fence", "sync.fence : level;", "Memory fence.", "sync.fence : device;", "4.7"),
    Row(
        "ready",
        "shared event e[N] = ready;",
        "Generation 0 of each slot is complete at start: the first wait passes.",
        "shared event full[4], empty[4] = ready;",
        "7.2",
    ),
)
