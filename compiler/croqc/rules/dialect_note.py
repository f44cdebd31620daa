"""Rule `dialect-note`: the dialect of a file and how much of it is older (reference, chapter 0, policy item 2).

It concerns a whole file, so the service raises it, once a file; here are only its words.
"""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Diagnostic, Severity
from croqc.text.span import Span

_HINT = (
    "it is read as it stands; 'croq migrate FILE', in an editor the action 'Migrate this file', moves it to the current"
    " dialect, and '--dialect current' warns about each form"
)


def words(dialect: str, count: int) -> Words | None:
    """What is said of a file in a dialect with `count` older forms; None where nothing is to be said."""
    if dialect == "any" or (dialect == "current" and count == 0):
        return None
    written = f"written in the {dialect} dialect"
    if count == 0:
        return Words(written)
    return Words(f"{written}; the current compiler rejects {count} form{'' if count == 1 else 's'} here", _HINT)


def note(dialect: str, count: int, span: Span) -> Diagnostic | None:
    """The note itself, at a place that the service chooses."""
    told = words(dialect, count)
    return None if told is None else Diagnostic(RULE.name, RULE.severity, told.message, span, told.hint)


def _render(finding: Finding, _: Subject) -> Words:
    told = words(str(finding.args["dialect"]), int(str(finding.args["count"])))
    return told or Words("written in no particular dialect")


RULE = Rule(
    name="dialect-note",
    severity=Severity.INFORMATION,
    summary="The dialect of the file, and how many of its forms the current compiler rejects.",
    rows=(),
    render=_render,
)
