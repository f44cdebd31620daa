"""Rows of `dma`, `tma` and their modifiers (reference, chapter 5). Data only."""

from __future__ import annotations

from typing import Final

from croqc.builtins.row import Row, needs
from croqc.targets.table import Feature

_TMA, _ASYNC = needs(Feature.TMA), needs(Feature.CP_ASYNC)

MOVEMENT: Final = (
    Row(
        "dma",
        "[f =] dma.op[.async][modifiers] source => destination",
        "A copy made by the threads of the executing unit. Element types and ranks of both sides are equal.",
        "dma.copy a.chunkat(i, k) => a_s;",
        "5.1",
    ),
    Row(
        "dma.copy",
        "[f =] dma.copy[.async][.swiz<N>][.zfill] source => destination [after g]",
        "Copies a tile. Without `.async` the data is there after the statement. `=> shared` lets the compiler "
        "allocate one buffer a block, `=> local` one a thread.\n\n"
        "Elements that a valid source element does not cover stay unchanged unless `.zfill` is given.",
        "f = dma.copy a.chunkat(i, k) => shared;",
        "5.1",
    ),
    Row(
        "dma.transp",
        "[f =] dma.transp<d0, d1, …> source => destination",
        "Copies with permuted dimensions: `destination extent i = source extent d_i`. "
        "The list is a permutation of 0 to rank − 1.",
        "dma.transp<1, 0> a.chunkat(i, j) => t;",
        "5.1",
    ),
    Row(
        "dma.pad",
        "[f =] dma.pad<{low…}, {high…}, {mid…}, value> source => destination",
        "Copies into a larger tile and fills the border with `value`: `destination extent = source + low + high + "
        "mid`, source element x lands at `low + x`. Every entry is 0 to 2048; `mid` is all 0.",
        "dma.pad<{1, 1}, {1, 1}, {0, 0}, 0> a => p;",
        "5.1",
    ),
    Row(
        "dma.any",
        "f = dma.any;",
        "A placeholder future. It takes the type of the copies that are later assigned or swapped into it.",
        "next = dma.any;",
        "5.4",
    ),
    Row(
        "tma",
        "[f =] tma.op[.async][modifiers] source => destination",
        "A copy made by the tensor memory accelerator, global to shared or shared to global, issued by one thread. "
        "The innermost box is a multiple of 16 bytes, each extent 1 to 256, rank 1 to 5.",
        "tma.copy a.subspan(64, 64).at(i, k) => a_s;",
        "5.5",
        _TMA,
    ),
    Row(
        "tma.copy",
        "[f =] tma.copy[.async][.swiz<N>][.multicast] source => destination",
        "Copies a box by TMA. Out of bounds it reads zeros and writes nothing. The box is known at launch; its "
        "place may use block and loop indices.",
        "f = tma.copy.async a.subspan(64, 64).at(i, k) => a_s[k % 4];",
        "5.5",
        _TMA,
    ),
    Row(
        "tma.load",
        "[f =] tma.load[.async][.evict_first|.evict_last][.swiz<N>] source => destination",
        "As `tma.copy`, global to shared only; takes an eviction hint in front of `.swiz`.",
        "f = tma.load.async.evict_first.swiz<128> a.subspan(64, 64).at(i, k) => a_s;",
        "5.1",
        _TMA,
    ),
    Row(
        "tma.transp",
        "tma.transp<d0, d1, …> source => destination",
        "TMA cannot transpose; write `dma.transp`.",
        "dma.transp<1, 0> a => t;",
        "5.5",
        _TMA,
    ),
    Row(
        "tma.pad",
        "tma.pad<…> source => destination",
        "TMA cannot pad; write `dma.pad`.",
        "dma.pad<{1}, {1}, {0}, 0> a => p;",
        "5.5",
        _TMA,
    ),
    Row(
        "tma.any",
        "f = tma.any;",
        "A placeholder future for TMA copies, as `dma.any`.",
        "next = tma.any;",
        "5.4",
        _TMA,
    ),
    Row(
        "tma.store",
        "tma.store source => destination",
        "Older spelling of `tma.copy` from shared to global memory.",
        "tma.copy out_s => out.subspan(64, 64).at(i, j);",
        "2.13",
        _TMA,
    ),
)

MODIFIERS: Final = (
    Row(
        ".async",
        "op.async … · op.async<event> … (classic)",
        "The copy returns at once; its data may be read after `wait f`, or after the wait for the event that a "
        "`trigger e after f` bound it to. Classic: the event that the copy completes on stands in `<…>`.",
        "f = dma.copy.async a.chunkat(i) => shared;  wait f;",
        "5.3",
        _ASYNC,
    ),
    Row(
        ".copy_async",
        "dma.copy_async source => destination",
        "Older spelling of `.copy.async`.",
        "f = dma.copy.async a => shared;",
        "1.4.1",
        _ASYNC,
    ),
    Row(
        ".swiz",
        ".swiz<32|64|128>",
        "Permutes 16-byte units of each row of the tile in shared memory, so that columns do not meet in one bank. "
        "N is the row width in bytes. Producer and consumer of a buffer must agree; one of them may leave it out.",
        "tma.copy.swiz<128> a.subspan(64, 64).at(i, k) => a_s;",
        "5.6",
    ),
    Row(
        ".swizzle",
        ".swizzle<32|64|128>",
        "Long spelling of `.swiz`.",
        "tma.copy.swizzle<128> a.subspan(64, 64).at(i, k) => a_s;",
        "5.6",
    ),
    Row(
        ".zfill",
        ".zfill",
        "Every destination element that no valid source element covers becomes 0. May also stand behind the source.",
        "dma.copy.zfill a.subspan(32, 64).at(i, k) => a_s;",
        "5.2",
    ),
    Row(
        ".multicast",
        "tma.copy.multicast …",
        "The box lands in the shared memory of every block of the cluster. Triggers of its event reach all.",
        "tma.copy.async.multicast a.subspan(64, 64).at(i, k) => a_s;",
        "5.1",
        needs(Feature.TMA, Feature.CLUSTER),
    ),
    Row(
        ".promote",
        ".promote<64|128|256>",
        "How many bytes the L2 cache fetches for the copy.",
        "tma.copy.promote<128> a.subspan(64, 64).at(i, k) => a_s;",
        "1.4.1",
    ),
    Row(
        ".evict_first",
        "tma.load.evict_first …",
        "L2 hint: the data is not needed again. In front of `.swiz`, not with `.multicast`.",
        "tma.load.evict_first a.subspan(64, 64).at(i, k) => a_s;",
        "5.1",
        _TMA,
    ),
    Row(
        ".evict_last",
        "tma.load.evict_last …",
        "L2 hint: the data will be needed again. In front of `.swiz`, not with `.multicast`.",
        "tma.load.evict_last b.subspan(64, 64).at(j, k) => b_s;",
        "5.1",
        _TMA,
    ),
    Row(
        ".sp",
        ".sp[<2:4>]",
        "On a copy: packs 2:4 sparse data. On a multiply: A holds two of every four elements along K, the fourth "
        "operand says which.",
        "mma.row.row.sp acc, a, b, meta;",
        "6.7",
    ),
)
