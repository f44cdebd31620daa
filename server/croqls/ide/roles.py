"""What the asynchronous regions of a kernel do: fill stages, use them, or both. Must not run anything or know LSP."""

from __future__ import annotations

from enum import Enum

from croqc.sema.model import Model
from croqc.sema.types import Storage
from croqc.syntax import ast
from croqc.syntax.visit import nodes_of_kind, walk
from croqc.text.span import Span


class Role(Enum):
    """A region that loads tiles into shared memory produces; one that multiplies or reads shared tiles consumes."""

    PRODUCER = "producer"
    CONSUMER = "consumer"


Roles = tuple[Role, ...]


def roles_of(model: Model) -> tuple[tuple[Span, Roles], ...]:
    """The asynchronous regions with what they do, outer ones first; spans are relative to the function."""
    regions = [node for node in nodes_of_kind(model.function, ast.InThreads) if node.is_async]
    return tuple((node.span, _roles(model, node)) for node in regions)


def _roles(model: Model, region: ast.InThreads) -> Roles:
    fills = uses = False
    for node in walk(region):
        info = model.copies.get(node) if isinstance(node, ast.Copy) else None
        if info is not None:
            fills |= info.dest_storage is Storage.SHARED
            uses |= info.source_storage is Storage.SHARED
        elif isinstance(node, ast.Mma | ast.MmaLoad):
            uses = True
        else:
            view = model.views.get(node)
            uses |= view is not None and view.element is not None and view.data.storage is Storage.SHARED
    return tuple(role for role, holds in ((Role.PRODUCER, fills), (Role.CONSUMER, uses)) if holds)


def roles_at(regions: tuple[tuple[Span, Roles], ...], place: int) -> Roles:
    """The roles of the innermost region around a place."""
    found: Roles = ()
    for span, roles in regions:
        if span.contains(place):
            found = roles
    return found
