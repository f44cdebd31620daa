"""Reads of elements that threads of another warp have just written, with nothing between that makes them wait.

Watches a play (`plays`) and must not walk the tree.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from croqc.sema import rulenames_device as rules
from croqc.sema.builder import Builder
from croqc.sema.masks import Mask
from croqc.sema.model import Symbol
from croqc.sema.plays import Touch
from croqc.sema.shared_elements import Place, in_two_warps, is_shared
from croqc.syntax import ast
from croqc.text.diagnostics import Related


class Unsynced:
    """One kernel: who wrote each place last since the last barrier, and in which statement."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.threads: dict[tuple[Symbol, Place], Mask] = {}
        self.nodes: dict[tuple[Symbol, Place], ast.Chain] = {}

    def barrier(self) -> None:
        self.threads, self.nodes = {}, {}

    def read(self, touch: Touch, units: Sequence[Mask]) -> None:
        for place, readers in touch.made.items():
            key = touch.buffer, place
            writers = self.threads.get(key, 0)
            if writers and in_two_warps(readers & ~writers, writers, units):  # who wrote it too has its own
                related = Related("other threads write it here", self.nodes[key].span)
                facts = {"name": touch.buffer.name, "shared": is_shared(touch.buffer)}
                self.builder.report(rules.UNSYNCED_READ, touch.node.span, (related,), **facts)
                break

    def write(self, touch: Touch, again: Collection[Place], units: Sequence[Mask]) -> None:
        for place, writers in touch.made.items():
            key = touch.buffer, place
            if place not in again:
                self.threads[key] = writers
                self.nodes[key] = touch.node
            elif key in self.threads:
                self.threads[key] |= writers
