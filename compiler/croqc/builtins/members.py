"""Rows of the dotted words that apply to data (reference, 3.5 and 5.4). Data only."""

from __future__ import annotations

from typing import Final

from croqc.builtins.row import Row

MEMBERS: Final = (
    Row(
        ".span",
        "x.span · x.span(d)",
        "The shape of data or of a future's destination; with `(d)` one extent.",
        "f32 [lhs.span(0), rhs.span(1)] out;",
        "3.3",
    ),
    Row(".data", "f.data", "The destination of a transfer; for a buffer the buffer itself.", "f.data.at(i, k)", "5.4"),
    Row(
        ".mdata",
        "f.mdata",
        "The metadata of a transfer that packed sparse data.",
        "e = mma.load f.mdata;",
        "1.3.9",
    ),
    Row(
        ".at",
        "x.at(i, …) · x.subspan(e, …).at(t, …) · e.at(order)",
        "On data: the element at these indices, one a dimension. Behind `subspan`, `modspan` or `chunk`: the *tile "
        "number* in each dimension, not an element offset. On an event array: slot `order % N`, round `order / N`.",
        "output.at(px # qx, py # qy) += x;",
        "3.5",
    ),
    Row(
        ".chunkat",
        "x.chunkat(v, …)",
        "Cuts dimension d into `#v` equal parts and takes part `v`; `_` keeps the dimension whole. Extents that do "
        "not divide are floored: trailing elements belong to no part.",
        "lhs.chunkat(px, tile_k)",
        "3.5",
    ),
    Row(
        ".chunk",
        "x.chunk(f, …).at(i, …)",
        "Cuts dimension d into `f` equal parts and takes part `i`.",
        "a.chunk(4, 2).at(p, 0)",
        "3.5",
    ),
    Row(
        ".subspan",
        "x.subspan(e, …)[.step(t, …)][.at(i, …)]",
        "Tiles of extent `e`; `.at` takes the tile number. `_` keeps the incoming extent. "
        "The last tile may overhang; copies say what happens there.",
        "lhs.subspan(64, 128).at(block_m, iv_k)",
        "3.5",
    ),
    Row(
        ".modspan",
        "x.modspan(e, …)[.at(i, …)]",
        "The remainder behind the last whole tile of extent `e`.",
        "rest = wave.modspan(32);",
        "3.5",
    ),
    Row(
        ".step",
        "x.subspan(e, …).step(t, …).at(i, …)",
        "The distance between tile origins in elements; less than `e` makes tiles overlap.",
        "a.subspan(8, 64).step(4, 64).at(i, 0)",
        "3.5",
    ),
    Row(
        ".stride",
        "x.subspan(e, …).stride(t, …)",
        "Older spelling of `.step`.",
        "a.subspan(8, 64).step(4, 64).at(i, 0)",
        "3.5",
    ),
    Row(
        ".view",
        "x.view(e, …[: q, …]).from(o, …)",
        "A window of extents `e` at element offset `o`, with element strides `q` if given. A stride of 0 repeats.",
        "w = src.view(8, 40).from(r0, 0);",
        "3.5",
    ),
    Row(
        ".from",
        "x.view(e, …).from(o, …)",
        "Element offsets of the window, one a dimension.",
        "src.view(8, 40).from(r0, 0)",
        "3.5",
    ),
    Row(
        ".span_as",
        "x.span_as([n, …])",
        "The same elements under another shape. The counts must be equal and the data contiguous.",
        "flat = a.span_as([4096]);",
        "3.5",
    ),
    Row(
        ".sqz",
        "x.subspan(…).sqz()",
        "Drops every dimension of extent 1.",
        "row = a.subspan(1, 64).at(i, 0).sqz();",
        "3.5",
    ),
    Row(
        ".map",
        "w = x.map<storage>(offset, size);",
        "Maps a part of a buffer into another memory. No GPU target has such a memory.",
        "w = x.map<local>(0, 64);",
        "1.3.9",
    ),
    Row(".remap", "w = x.remap<storage>(offset, size);", "As `.map`, again.", "w = x.remap<local>(64, 64);", "1.3.9"),
)
