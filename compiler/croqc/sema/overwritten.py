"""Writes of elements that threads of another warp may still have to read, with nothing between that makes them
wait: the other way round than `unsynced`. Watches a play (`plays`) and must not walk the tree.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from croqc.sema import rulenames_device as rules
from croqc.sema.builder import Builder
from croqc.sema.masks import Mask
from croqc.sema.model import Symbol
from croqc.sema.plays import Touch
from croqc.sema.shared_elements import Place, in_two_warps, is_shared
from croqc.text.diagnostics import Related


class Overwritten:
    """One kernel: `pending` has who read each place since the last barrier."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.pending: dict[Symbol, dict[Place, Mask]] = {}
        self.reads: list[Touch] = []

    def barrier(self) -> None:
        self.pending, self.reads = {}, []

    def read(self, touch: Touch, units: Sequence[Mask]) -> None:
        self.reads.append(touch)
        known = self.pending.setdefault(touch.buffer, {})
        for place, mask in touch.made.items():
            known[place] = known.get(place, 0) | mask

    def write(self, touch: Touch, again: Collection[Place], units: Sequence[Mask]) -> None:
        known = self.pending.get(touch.buffer, {})
        for place, writers in touch.made.items():
            readers = known.get(place, 0)
            if readers and in_two_warps(readers, writers, units) and place not in again:
                self._report(touch, place, writers, units)
                break

    def _report(self, touch: Touch, place: Place, writers: Mask, units: Sequence[Mask]) -> None:
        """The latest read is named."""
        masks = ((one.node, one.made.get(place, 0)) for one in reversed(self.reads) if one.buffer is touch.buffer)
        read = next(node for node, mask in masks if in_two_warps(mask, writers, units))
        related = Related("other threads may still have to read it here", read.span)
        shared, own = is_shared(touch.buffer), any(one.node is touch.node for one in self.reads)  # `y.at(0) += v`
        facts = {"name": touch.buffer.name, "shared": shared, "update": own and (not shared or read is touch.node)}
        self.builder.report(rules.UNSYNCED_WRITE, touch.node.span, (related,), **facts)
