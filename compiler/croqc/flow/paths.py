"""Paths: the sequential flows of control inside a block (credit-flow, section 1). Must not run them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from croqc.sema.model import Symbol


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """One path of a kernel's block.

    `name` as texts say it: "path w == 0" where the condition of an `inthreads`, as written, selects exactly
    this path, else "path w = 2"; "the block" at block level. `indices` are the values of the parallel
    indices that name it; `threads` the half-open range of `threadIdx.x` that it covers.
    """

    name: str
    indices: Mapping[Symbol, int]
    threads: range
