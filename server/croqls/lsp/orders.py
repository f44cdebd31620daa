"""A document as the processes for long work are sent it. Must not know tasks or processes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from croqls.ide.snapshot import Snapshot
from croqls.lsp.documents import key_of
from croqls.workers.orders import Order, Text


def order_of(snapshot: Snapshot, task: str, options: Mapping[str, Any]) -> Order:
    text = Text(key_of(snapshot.uri), snapshot.text, snapshot.path, snapshot.below)
    return Order(task, text, options)
