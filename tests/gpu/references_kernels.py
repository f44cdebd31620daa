"""The references of the kernels in `kernels`; see `references`. Must not run kernels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from tests.gpu import bounds
from tests.gpu.reference import Arrays, Reference, depth_of, of_rows, product


def _scaled(products: Any, factors: Any) -> Any:
    """A factor for each row."""
    return products * factors[:, None]


def _rows(xp: Any, a: Arrays, left: str = "a", right: str = "b") -> Any:
    """Products of the rows of two arrays."""
    return xp.einsum("ik,jk->ij", a[left], a[right], optimize=True)


def _softmax(xp: Any, values: Any) -> Any:
    powers = xp.exp(values - values.max(axis=1)[:, None])
    return powers / powers.sum(axis=1)[:, None]


def _attention(xp: Any, a: Arrays) -> dict[str, Any]:
    return {"out": xp.einsum("ij,jk->ik", _softmax(xp, _rows(xp, a, "q", "k")), a["v"], optimize=True)}


def _columns(left: str, right: str, rows: bool) -> Any:
    """Products of the columns of one and the rows or columns of the other."""
    return lambda xp, a: xp.einsum("ki,jk->ij" if rows else "ki,kj->ij", a[left], a[right], optimize=True)


def _narrow(xp: Any, a: Arrays) -> dict[str, Any]:
    return {"out": _columns("a", "b", True)(xp, a), "other": _columns("a", "d", False)(xp, a)}


def _halves(xp: Any, a: Arrays) -> dict[str, Any]:
    scaled = _scaled(_rows(xp, a), a["scale"])
    return {"out": scaled, "total": scaled.sum(axis=1), "most": scaled.max(axis=1)}


def _integers(xp: Any, a: Arrays) -> dict[str, Any]:
    found = _rows(xp, a)
    return {"out": 3 * found + 7, "total": found.sum(axis=1) + a["total"], "most": found.max(axis=1)}


def _shifted(xp: Any, a: Arrays) -> dict[str, Any]:
    found = _rows(xp, a, "q", "k") - 1000
    return {"out": found, "total": found.sum(axis=1), "most": found.max(axis=1)}


def _bytes_and_words(xp: Any, a: Arrays) -> dict[str, Any]:
    products = {"bytes": ("a", "b", "ik,kj->ij"), "words": ("c", "d", "ik,kj->ij"), "odd": ("e", "f", "ik,jk->ij")}
    return {out: xp.einsum(how, a[one], a[other], optimize=True) for out, (one, other, how) in products.items()}


def _nothing(columns: int, *outputs: str) -> Any:
    """What is computed is taken away again."""
    return lambda xp, a: {out: xp.zeros((a["x"].shape[0], columns)) for out in outputs}


_FRAGMENT: Final = Reference(lambda xp, a: {"out": _rows(xp, a)}, depth_of("a"), "f32", 16)
_SPARSE: Final = replace(_FRAGMENT, depth=lambda arrays: 1)
_CORR: Final = Reference(of_rows("q", "k", "out"), depth_of("q"), "f32", 16, ragged="wrong")

KERNELS: Final[Mapping[str, Reference]] = {
    "attention.co": replace(
        _FRAGMENT, compute=_attention, depth=lambda arrays: arrays["k"].shape[0], beyond=bounds.attention
    ),
    "col_col.co": replace(_FRAGMENT, compute=lambda xp, a: {"out": _columns("a", "b", False)(xp, a)}),
    "col_row_narrow.co": replace(_FRAGMENT, compute=_narrow, depth=lambda arrays: 32),
    "frag_halves.co": replace(_FRAGMENT, compute=_halves, accumulator="f16", beyond=bounds.halves),
    "frag_integers.co": replace(_FRAGMENT, compute=_integers),
    "frag_places.co": replace(_FRAGMENT, compute=lambda xp, a: {"out": (_rows(xp, a) + a["weight"].T).T + 1}),
    "frag_softmax.co": replace(
        _FRAGMENT, compute=lambda xp, a: {"out": _softmax(xp, _rows(xp, a))}, beyond=bounds.softmax
    ),
    "frag_through_shared.co": replace(
        _FRAGMENT, compute=lambda xp, a: {"out": xp.full((a["a"].shape[0], 64), 5, dtype="int64")}
    ),
    "frag_vectors.co": replace(_FRAGMENT, compute=lambda xp, a: {"out": _scaled(_rows(xp, a) + a["bias"], a["scale"])}),
    "frag_warp.co": replace(_CORR, compute=_shifted),
    "row_col.co": replace(_FRAGMENT, compute=product("a", "b", "out")),
    "scale_form.co": replace(_FRAGMENT, compute=lambda xp, a: {"out": _scaled(_rows(xp, a), a["rows"]) * 0.75 + 1}),
    "scale_statement.co": replace(
        _FRAGMENT,
        compute=lambda xp, a: {"out": _scaled(_rows(xp, a), a["rows"]) * 0.5 + _rows(xp, a) - 1},
        accumulator="f16",
        beyond=bounds.scaled,
    ),
    "sparse_f16.co": replace(_SPARSE, compute=_nothing(64, "out"), beyond=bounds.sparse("x", "w", 32)),
    "sparse_f8.co": replace(_SPARSE, compute=_nothing(64, "out"), beyond=bounds.sparse_f8),
    "sparse_warp.co": replace(
        _SPARSE, compute=_nothing(8, "out", "other"), beyond=bounds.sparse("x", "w", 32), ragged="wrong"
    ),
    "tma_futures.co: swapped": replace(_FRAGMENT, compute=of_rows("lhs", "rhs", "output"), depth=depth_of("lhs")),
    "tma_futures.co: at_once": Reference(lambda xp, a: {"out": a["src"]}, exact=True),
    "tma_futures.co: between": Reference(lambda xp, a: {"out": a["src"]}, exact=True),
    "warp_32x8.co": _CORR,
    "warp_8x32.co: bf": _CORR,
    "warp_8x32.co: bytes": _CORR,
    "warp_8x32.co: halves": replace(_CORR, accumulator="f16"),
    "warp_8x32.co: wide": _CORR,
    "warp_8x32_places.co": replace(_CORR, compute=lambda xp, a: {"out": 2 * _rows(xp, a, "q", "k") + a["more"]}),
    "warp_8x8_s8.co": _CORR,
    "warp_bf16.co": _CORR,
    "warp_f16_16x8x16.co": _CORR,
    "warp_f16_16x8x8.co": replace(_CORR, k_step=8),
    "warp_f16_acc.co": replace(_CORR, accumulator="f16"),
    "warp_f8.co": replace(_CORR, k_step=32, factor="f8_e4m3"),
    "warp_f64.co: by_8_4": replace(_CORR, accumulator="f64", k_step=1, ragged="right"),
    "warp_f64.co: columns": replace(
        _CORR, accumulator="f64", k_step=1, compute=product("q", "k", "out"), ragged="right"
    ),
    "warp_f64_16.co: by_16_16": replace(_CORR, accumulator="f64", k_step=1),
    "warp_f64_16.co: by_16_4": replace(_CORR, accumulator="f64", k_step=1),
    "warp_f64_16.co: by_16_8": replace(_CORR, accumulator="f64", k_step=1),
    "warp_row_col.co": Reference(product("a", "b", "out"), depth_of("a"), "f32", 16, ragged="wrong"),
    "warp_s8.co": _CORR,
    "warp_s8_k16.co": _CORR,
    "warp_tf32.co": replace(_CORR, k_step=8, factor="tf32"),
    "warp_wmma.co": replace(_CORR, ragged="right"),
    "wgmma_a_registers.co": replace(_CORR, compute=of_rows("a", "b", "out"), depth=depth_of("a")),
    "warp_byte_columns.co": replace(_CORR, compute=_bytes_and_words, depth=lambda arrays: 17, k_step=8, factor="tf32"),
}
