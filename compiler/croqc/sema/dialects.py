"""Which dialect a function's own forms vote for (reference, chapter 0, "Recognising the dialect"). Must not report."""

from __future__ import annotations

from croqc.sema.builder import Builder
from croqc.sema.model import OperandKind
from croqc.syntax.older import dialect_evidence
from croqc.text.record import replace


def resolve_dialect(builder: Builder) -> None:
    """Set `dialect`: "classic", "course", "current", or "any" without evidence. Needs `loads`.

    Syntax counts what it can; a load of a tile that is shared is one more vote for the course, but beside
    classic forms, which use it as well.
    """
    evidence = dialect_evidence(builder.function)
    if not evidence.classic:
        shared = sum(kind is OperandKind.SHARED for kind in builder.loads.values())
        evidence = replace(evidence, course=evidence.course + shared)
    builder.dialect = evidence.dialect
