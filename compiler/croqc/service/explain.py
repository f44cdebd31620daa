"""What a rule means: its page and its place in the catalogue. Must not check anything."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from pathlib import Path

from croqc.builtins import ROWS, lookup
from croqc.builtins.directives import DIRECTIVES, PREFIX
from croqc.builtins.row import Row
from croqc.rules.base import Rule
from croqc.rules.page import page_text
from croqc.rules.table import BY_NAME, all_rules
from croqc.service.explain_page import for_terminal
from croqc.service.explain_words import foreign_text
from croqc.syntax.borrowed import here_called
from croqc.text.near import nearest

_LAYOUTS = re.compile(r"mma\.(row|col)\.(row|col)")


class UnknownRuleError(Exception):
    """No rule has that name; the text names the near ones."""


def find_rule(name: str) -> Rule:
    """The rule of a public name or of a catalogue row ("T01"). Raises UnknownRuleError."""
    rule = BY_NAME.get(name) or next((item for item in all_rules() if name.upper() in item.rows), None)
    if rule is None:
        close = nearest(name, BY_NAME)
        hint = f"did you mean '{close}'?" if close else "'croq explain' lists all rules"
        raise UnknownRuleError(f"there is no rule '{name}'; {hint}")
    return rule


def word_text(word: str) -> str | None:
    """What a word of the language ("wait", "dma.copy", "chunkat") or a directive ("croq: run") means, as the editors'
    hover tells it; else None. A function of C's mathematics ("max", "expf") is told as the built-in that is meant."""
    if word.startswith(PREFIX):
        row = DIRECTIVES.get(word.removeprefix(PREFIX).strip())
        return None if row is None else f"# {PREFIX} {row.word}\n\n{row_text(row)}\n"
    if _LAYOUTS.fullmatch(word):  # `mma.row.row`: the row of A tells of both
        word = word.rpartition(".")[0]
    head, _, tail = word.rpartition(".")
    row = lookup(tail, head) or lookup(here_called(word) or "")
    if row is None or (head and row.word != word):
        return None
    return f"# {row.word.lstrip('.')}\n\n{row_text(row)}\n"


def explained(name: str) -> str:
    """What a word, a directive, a rule, a verdict or a word of CUDA means, Markdown for a terminal.

    Raises UnknownRuleError."""
    told = word_text(name) or foreign_text(name)
    if told is not None:
        return told
    try:
        return for_terminal(explanation(find_rule(name)))
    except UnknownRuleError:
        close = nearest(name, {*BY_NAME, *ROWS})
        hint = f"did you mean '{close}'?" if close else "'croq explain' lists both"
        raise UnknownRuleError(f"there is no rule and no word '{name}'; {hint}") from None


def row_text(row: Row) -> str:
    """A row as Markdown: signature, documentation, example, needed features."""
    parts = [f"```croqtile\n{row.signature}\n```", row.doc]
    if row.example:
        parts.append(f"```croqtile\n{row.example}\n```")
    if row.needs:
        parts.append("Needs " + ", ".join(sorted(feature.value for feature in row.needs)) + ".")
    return "\n\n".join(parts)


def explanation(rule: Rule) -> str:
    """The rule's page, Markdown; its summary where the page is missing."""
    return page_text(rule.name) or f"# {rule.name}\n\n{rule.summary}\n"


@cache  # every list of diagnostics names them anew
def page_uri(name: str) -> str:
    """The `file:` address of a rule's page, for `codeDescription` (LSP 3.17, `Diagnostic`)."""
    return Path(str(files("croqc.rules").joinpath("pages", f"{name}.md"))).absolute().as_uri()
