"""Setting the architecture of a file where what is wrong at a place is right on another one. Must not know LSP.

Each is tried out: what it does not mend, or what has another error there, is not offered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from croqc.service.check import FileReport, check_text
from croqc.targets import TARGETS
from croqc.text.diagnostics import Diagnostic, Severity
from croqc.text.edits import Edit, apply_edits
from croqc.text.span import Span
from croqls.ide.snapshot import Snapshot

OF_TARGETS = frozenset(
    {"level-unavailable", "unsupported-type", "no-such-multiply", "tma-limit", "shared-memory-limit", "multiply-unit"}
)
"""The rules whose errors may hang on the architecture: others are not tried out."""
_LONGEST = 1 << 15  # characters: a text is analysed once for each architecture


def settings_for(snapshot: Snapshot, item: Diagnostic) -> Iterator[tuple[str, Edit]]:
    """A title and an edit for each architecture on which an error is gone and none has come, in the tables' order."""
    report = snapshot.report
    if item.code not in OF_TARGETS or item.severity is not Severity.ERROR or len(snapshot.text) > _LONGEST:
        return
    before = _errors(report)
    for name in TARGETS:
        if name == report.target.name:
            continue
        edit = _edit(report, name)
        text = apply_edits(snapshot.text, [edit])
        after = _errors(check_text(text, below=snapshot.below, path=snapshot.path, previous=report))
        if after < before and after[item.code] < before[item.code]:
            yield f"Set the architecture to {name}", edit


def _errors(report: FileReport) -> Counter[str]:
    return Counter(one.code for one in report.diagnostics if one.severity is Severity.ERROR)


def _edit(report: FileReport, name: str) -> Edit:
    """The file's own line says it, which overrules all settings; a new one stands in front."""
    written = report.directives.arch
    if written is not None:
        return Edit(written.value_span, name)
    return Edit(Span(0, 0), f"// croq: arch {name}{report.source.newline}")
