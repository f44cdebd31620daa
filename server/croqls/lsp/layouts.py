"""What the kernels of a document take of shared memory, and how their copies are made, found while nobody types: lenses
and hovers tell it, once it is known.

Worked out in the process for long work, a few functions at a time, so that who asks it for something waits for those
alone. Must not lay anything out (see `croqls.ide.shared_memory`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from croqc.text.span import Span
from croqls.ide.hover_operations import Made, not_known
from croqls.ide.lenses import Laid, Layouts, layout_key, layout_keys
from croqls.ide.snapshot import Snapshot
from croqls.lsp.documents import Documents, key_of
from croqls.lsp.orders import order_of
from croqls.lsp.worker_process import WorkerProcess

_REST = 1.0  # seconds without an edit
_AT_ONCE = 8  # functions


class LayoutFinder:
    """`on_found` is called on the loop, once all functions of a document are known."""

    def __init__(self, documents: Documents, worker: WorkerProcess) -> None:
        self.on_found: Callable[[], None] = lambda: None
        self._documents, self._worker = documents, worker
        self._known: dict[str, Layouts] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def of(self, snapshot: Snapshot) -> Layouts:
        """What is known by now of a version that is read; the rest is worked out when the document is at rest."""
        key = key_of(snapshot.uri)
        known = self._known.get(key, {})
        if key not in self._tasks and _missing(snapshot, known):
            self._tasks[key] = asyncio.create_task(self._find(snapshot.uri))
        return known

    def copies_at(self, snapshot: Snapshot, offset: int) -> Made:
        """How the copies of the function at a place are made, as far as that is known by now."""
        function = snapshot.function_at(offset)
        known = self.of(snapshot) if function is not None and snapshot.is_read else {}
        if function is None or not known:
            return not_known()
        laid = known.get(layout_key(snapshot.report, snapshot.report.functions.index(function)))
        return not_known() if laid is None else laid.copies

    async def _find(self, uri: str) -> None:
        key = key_of(uri)
        try:
            if await self._all_found(uri):
                self.on_found()
        finally:
            del self._tasks[key]
            if self._documents.get(uri) is None:
                self._known.pop(key, None)

    async def _all_found(self, uri: str) -> bool:
        """Whether there is something new, once nothing is missing."""
        rested: Snapshot | None = None
        while (snapshot := self._documents.get(uri)) is not None:
            if snapshot is not rested:
                rested = snapshot
                await asyncio.sleep(_REST)
            elif not snapshot.is_read:
                return False  # its lenses are asked for again when it is read
            elif missing := _missing(snapshot, self._known.get(key_of(uri), {})):
                await self._ask(snapshot, missing[:_AT_ONCE])
            else:
                return True
        return False

    async def _ask(self, snapshot: Snapshot, numbers: list[int]) -> None:
        outcome = await self._worker.ask(order_of(snapshot, "layouts", {"functions": numbers}))
        found = outcome.data if isinstance(outcome.data, list) else [None] * len(numbers)
        known, keys = self._known.get(key_of(snapshot.uri), {}), layout_keys(snapshot.report)
        now = {key: known[key] for key in keys if key in known}
        now.update((keys[number], taken) for number, taken in zip(numbers, map(_laid, found), strict=True))
        self._known[key_of(snapshot.uri)] = now  # None too: it is not tried again


def _laid(found: Any) -> Laid | None:
    """As the process tells it."""
    if found is None:
        return None
    return Laid(found["bytes"], {Span(one["start"], one["end"]): one["how"] for one in found["copies"]})


def _missing(snapshot: Snapshot, known: Layouts) -> list[int]:
    """The numbers of functions with kernels that nothing is known of: of two of one name each has its own."""
    report = snapshot.report
    return [
        number
        for number, (one, place) in enumerate(zip(report.functions, layout_keys(report), strict=True))
        if one.name and one.analysis is not None and one.analysis.model.kernels and place not in known
    ]
