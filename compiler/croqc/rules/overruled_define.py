"""Rule `overruled-define`: a `#define` of the file replaces a macro given from outside (reference, 1.2.11).

It concerns a whole file, so the service raises it; here are only its words.
"""

from __future__ import annotations

from croqc.rules.base import Rule
from croqc.text.diagnostics import Diagnostic, Severity
from croqc.text.span import Span

_LONGEST = 40  # characters of a replacement text


def _shown(body: str) -> str:
    text = " ".join(body.split())
    return f"'{text if len(text) <= _LONGEST else text[:_LONGEST] + '…'}'" if text else "empty"


def note(name: str, given: str, written: str, span: Span) -> Diagnostic:
    """The note at the name in the `#define`. `given`: the replacement text of `-D` or the settings, `written`: that of
    the file."""
    return Diagnostic(
        RULE.name,
        RULE.severity,
        f"'{name}' is {_shown(written)} from here on, not {_shown(given)} as '-D' or the settings say:"
        " a '#define' in the file wins",
        span,
        f"put '#ifndef {name}' in front of it and '#endif' behind it, so that it can be set from outside",
    )


RULE = Rule(
    name="overruled-define",
    severity=Severity.INFORMATION,
    summary="A '#define' in the file wins over a macro from '-D' or the settings.",
    rows=(),
)
