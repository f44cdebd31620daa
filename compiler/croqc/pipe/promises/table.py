"""The rules of each pass by its name, in the order of the passes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from croqc.pipe import ir
from croqc.pipe.promises import copies, memory, multiplies, roles, tiles

Promise = Callable[[ir.Kernel], Iterator[str]]

PROMISES: Final[Mapping[str, Promise]] = {
    "cover": copies.cover,
    "roles": roles.roles,
    "mechanism": copies.mechanism,
    "fold": copies.fold,
    "mirror": copies.mirror,
    "publish": copies.publish,
    "groups": copies.groups,
    "layout": memory.layout,
    "scopes": copies.scopes,
    "epilogue": memory.epilogue,
    "scales": tiles.scales,
    "completion": multiplies.completion,
    "rows": multiplies.rows,
    "fragments": tiles.fragments,
    "overwrite": multiplies.overwrite,
    "commits": multiplies.commits,
    "inflight": multiplies.inflight,
    "tensor_memory": multiplies.tensor_memory,
    "phases": roles.phases,
    "elect": roles.elect,
    "registers": roles.registers,
    "barriers": roles.barriers,
    "stored": roles.stored,
    "memory": memory.memory,
    "unread": tiles.unread,
    "arguments": memory.arguments,
    "dependents": roles.dependents,
}
"""Gives what does not hold of a kernel that the pass and those before it have been over."""
