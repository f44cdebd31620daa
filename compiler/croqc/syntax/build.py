"""What the builders of the tree share: the registry of actions, findings, and tokens by place.

The actions (`build_*.py`) run while the machine parses, one a production; they make the nodes and refuse what
the grammar accepts too much. Must not steer the parse.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Final

from croqc.syntax import ast as t
from croqc.syntax.lalr import Action
from croqc.syntax.tokens import Token
from croqc.text.diagnostics import Diagnostic, Fix, Severity
from croqc.text.edits import Edit
from croqc.text.span import Span

CODE: Final = "syntax-error"
ACTIONS: Final[dict[str, Action]] = {}
Kids = list[Any]  # the values of a production's symbols: tokens, nodes, tuples, None


def action(*names: str) -> Callable[[Action], Action]:
    """Register a function as what the productions of these names do."""

    def register(function: Action) -> Action:
        for name in names:
            ACTIONS[name] = function
        return function

    return register


class Builder:
    """One parse of one function: its tokens, its text, and what was found wrong so far."""

    def __init__(self, tokens: Sequence[Token], text: str) -> None:
        self.tokens = tokens
        self.text = text
        self.findings: list[Diagnostic] = []
        self.suspicious = False  # something that only the finished tree can judge

    def save(self) -> tuple[int, bool]:
        """What was found wrong up to here, for `restore`."""
        return len(self.findings), self.suspicious

    def restore(self, saved: tuple[int, bool]) -> None:
        count, self.suspicious = saved
        del self.findings[count:]

    @cached_property
    def _starts(self) -> list[int]:
        return [token.start for token in self.tokens]

    def index_after(self, offset: int) -> int:
        """The index of the first token that starts at or behind `offset`."""
        return bisect_left(self._starts, offset)

    def after(self, offset: int) -> Span:
        """The span of the first token that starts at or behind `offset`; the end of the text if none does."""
        index = self.index_after(offset)
        return self.tokens[index].span if index < len(self.tokens) else Span(len(self.text), len(self.text))

    def source(self, span: Span) -> str:
        return self.text[span.start : span.end]

    def is_made(self, span: Span) -> bool:
        """Whether a macro made a token at a place: the text there is the macro's use, which no fix may write over."""
        index = self.index_after(span.start)
        while index < len(self.tokens) and self.tokens[index].start < span.end:
            if self.tokens[index].macro is not None:
                return True
            index += 1
        return False

    def report(self, message: str, span: Span, hint: str = "", fix: Fix | None = None) -> None:
        fixes = (fix,) if fix and not any(self.is_made(edit.span) for edit in fix.edits) else ()
        self.findings.append(Diagnostic(CODE, Severity.ERROR, message, span, hint, (), fixes))


def replace_fix(title: str, span: Span, text: str, safe: bool = True, guess: bool = False) -> Fix:
    return Fix(title, (Edit(span, text),), safe, guess=guess)


def word_of(token: Token) -> str:
    """The word of a dotted token, without dot and blanks."""
    return token.text.lstrip(".")


def word_span(token: Token) -> Span:
    """Where the word behind the dot stands; the whole token if a macro made it."""
    return token.span if token.macro is not None else Span(token.end - len(word_of(token)), token.end)


def name_of(b: Builder, node: Any, what: str = "a plain name is due here") -> t.Name:
    """A reference that must be a bare name: its base, with a finding at the first suffix if it has any."""
    if isinstance(node, t.Chain) and isinstance(node.base, t.Name):
        b.report(what, node.suffixes[0].span)
        return node.base
    assert isinstance(node, t.Name)
    return node


# --- productions without a node of their own -----------------------------------------------------


@action("group")
def group(b: Builder, at: Span, kids: Kids) -> tuple[Any, ...]:
    return tuple(kids)


@action("empty")
def nothing(b: Builder, at: Span, kids: Kids) -> None:
    return None
