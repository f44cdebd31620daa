"""Rule `internal-error`: a part of the tools failed on a text; what the others say stays. Must not know who calls it.

A rule that fails while it words a finding has found something: its severity is kept, so that a kernel with an error is
never taken for a sound one. Only the message names the exception; no text of the user's goes into it.
"""

from __future__ import annotations

from types import TracebackType

from croqc.rules.base import Rule
from croqc.text.diagnostics import Diagnostic, Severity
from croqc.text.span import Span

_HINT = "this is a fault of the tools, not of your kernel; please report it with the kernel"
_LONGEST = 120  # characters of an exception's own words


def place_of(error: BaseException) -> str:
    """Where in the tools an exception was raised, as "lossy_conversion.py:14"; empty if it never was."""
    trace: TracebackType | None = error.__traceback__
    where = ""
    while trace is not None:
        where = f"{trace.tb_frame.f_code.co_filename.replace(chr(92), '/').rpartition('/')[2]}:{trace.tb_lineno}"
        trace = trace.tb_next
    return where


def described(error: BaseException) -> str:
    """An exception in one line: "ZeroDivisionError at words.py:14: division by zero"."""
    where, said = place_of(error), " ".join(str(error).split())[:_LONGEST]
    return type(error).__name__ + (f" at {where}" if where else "") + (f": {said}" if said else "")


def internal_error(who: str, error: BaseException, span: Span, severity: Severity) -> Diagnostic:
    """What is said in place of the work of `who`, such as "rule 'lossy-conversion'"."""
    return Diagnostic(RULE.name, severity, f"{who} failed here ({described(error)})", span, _HINT)


RULE = Rule(
    name="internal-error",
    severity=Severity.INFORMATION,
    summary="A part of the tools failed on this text; the other findings stand.",
    rows=(),
)
