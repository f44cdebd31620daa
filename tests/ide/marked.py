"""Texts with a cursor: `|` marks it. Must not assert."""

from __future__ import annotations

from collections.abc import Iterable

from croqc.flow.analysis import TYPING_BUDGET
from croqc.service.flow_check import with_flow
from croqc.text.span import Span
from croqls.ide.snapshot import Snapshot


def marked(text: str) -> tuple[Snapshot, int]:
    """The document without its mark, and where that stood."""
    return Snapshot("file:///k.co", 1, text.replace("|", "", 1)), text.index("|")


def judged(snapshot: Snapshot) -> Snapshot:
    """The same version with the verdicts of its credit flow, as the verdict process has it."""
    return snapshot.reported(with_flow(snapshot.report, TYPING_BUDGET, fixes=False))


def shown(snapshot: Snapshot, spans: Iterable[Span]) -> list[str]:
    """Each span as `line:text`, lines from 1."""
    text, source = snapshot.text, snapshot.source
    return [f"{source.line_column(span.start)[0]}:{text[span.start : span.end]}" for span in spans]
