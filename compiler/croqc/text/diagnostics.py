"""What a finding looks like once it has words: diagnostics, fixes, related places. Must not know rules."""

from __future__ import annotations

from enum import Enum

from croqc.text.edits import Edit
from croqc.text.record import record, replace
from croqc.text.span import Span


class Severity(Enum):
    """The four severities of LSP, by the names that `--json` prints."""

    ERROR = "error"
    WARNING = "warning"
    INFORMATION = "information"
    HINT = "hint"


@record
class Related:
    """A second place that explains a diagnostic; `path` only where it is another file."""

    message: str
    span: Span
    path: str | None = None

    def shift(self, by: int) -> Related:
        return self if self.path else replace(self, span=self.span.shift(by))


@record
class Fix:
    """An edit that mends a diagnostic.

    `safe`: the finding goes, no other comes, and the text outside the edits is unchanged.
    `guess`: it takes a word for another one, beside which a third may have been meant.
    `kind` is the LSP code-action kind.
    """

    title: str
    edits: tuple[Edit, ...]
    safe: bool = True
    kind: str = "quickfix"
    guess: bool = False

    def shift(self, by: int) -> Fix:
        return replace(self, edits=tuple(edit.shift(by) for edit in self.edits))


@record
class Diagnostic:
    """One message at one place. `hint` says the way out in one short phrase."""

    code: str
    severity: Severity
    message: str
    span: Span
    hint: str = ""
    related: tuple[Related, ...] = ()
    fixes: tuple[Fix, ...] = ()
    tags: tuple[str, ...] = ()

    def shift(self, by: int) -> Diagnostic:
        return replace(
            self,
            span=self.span.shift(by),
            related=tuple(item.shift(by) for item in self.related),
            fixes=tuple(fix.shift(by) for fix in self.fixes),
        )

    def with_fixes(self, fixes: tuple[Fix, ...]) -> Diagnostic:
        return replace(self, fixes=fixes)
