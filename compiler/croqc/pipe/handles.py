"""Which handles are rotated among each other, so that any of them may hold any of their transfers. Must not decide."""

from __future__ import annotations

from collections.abc import Iterable

from croqc.pipe import ir


def together(kernel: ir.Kernel) -> dict[str, frozenset[str]]:
    """Each handle of memory that the compiler allocates, with all that share its tensor, itself among them."""
    groups: dict[str, set[str]] = {}
    for name, tensor, _ in kernel.handles:
        groups.setdefault(tensor, set()).add(name)
    return {name: frozenset(groups[tensor]) for name, tensor, _ in kernel.handles}


def spread(names: Iterable[str], groups: dict[str, frozenset[str]]) -> set[str]:
    """Handles with all that they are rotated with."""
    return {each for name in names for each in groups.get(name, frozenset((name,)))}
