"""Hover and completion inside `// croq: …` comments (LSP `hover`, `completion`). Must not know LSP types.

What is told comes from one table, `croqc.builtins.directives`; the words that may follow from the tables of rules,
targets and dialects.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from croqc.builtins.directives import DIRECTIVES, PREFIX
from croqc.rules.table import BY_NAME
from croqc.service.explain import page_uri, row_text
from croqc.service.run_values import is_size
from croqc.service.settings import DIALECTS
from croqc.service.suppress import NEVER
from croqc.syntax.comment_directives import Written, directive_at
from croqc.syntax.directive_clauses import RUN_OPTIONS
from croqc.targets import TARGETS
from croqc.text.span import Span
from croqls.ide.items import Item
from croqls.ide.snapshot import Snapshot

_WORD = re.compile(r"[^\s,=]*")


def _at(snapshot: Snapshot, offset: int) -> Written | None:
    """The directive at a place; the line is looked at first, so that other lines cost nothing."""
    line = snapshot.source.line_text(snapshot.source.line_of(offset))
    return directive_at(snapshot.report.tree, offset) if PREFIX in line else None


def directive_hover(snapshot: Snapshot, offset: int) -> tuple[str, Span] | None:
    """The Markdown for a directive, or for the rule named in an `allow`, and the span that it is about."""
    written = _at(snapshot, offset)
    if written is None:
        return None
    word = _word_at(written, offset)
    name = snapshot.text[word.start : word.end]
    if written.word == "allow" and name in BY_NAME:
        return f"**{name}**\n\n{BY_NAME[name].summary}\n\n[What it means]({page_uri(name)})", word
    row = DIRECTIVES.get(written.word)
    whole = Span(written.word_span.start, written.rest_span.start + len(written.rest.rstrip()))
    return None if row is None else (row_text(row), whole)


def directive_items(snapshot: Snapshot, offset: int) -> tuple[Item, ...]:
    """What may stand at a place of a directive, in the order to show."""
    written = _at(snapshot, offset)
    if written is None:
        return ()
    span = _word_at(written, offset)
    if span.start <= written.word_span.start:
        return tuple(
            Item(row.word, written.word_span, row.signature.split("\n")[0], row.doc) for row in DIRECTIVES.values()
        )
    before = snapshot.text[written.rest_span.start : span.start]
    match written.word:
        case "allow":
            return tuple(_rules(written, span))
        case "arch" if not before.strip():
            return tuple(_targets(span))
        case "dialect" if not before.strip():
            return tuple(Item(name, span, "dialect") for name in DIALECTS)
        case "run" if before.rstrip().endswith("="):
            return tuple(_targets(span)) if before.rstrip().endswith("arch=") else ()
        case "run":
            return tuple(_sizes(snapshot, written, span))
        case "expect" if not before.strip():
            return (Item("auto", span, "compare with the plainest order of the same program"),)
    return ()


def _word_at(written: Written, offset: int) -> Span:
    """The word that an offset touches: the directive's own, else one behind it; empty between words."""
    if offset <= written.word_span.end:
        return written.word_span
    place = offset - written.rest_span.start
    start = max(written.rest.rfind(sign, 0, place) for sign in " \t,=") + 1
    found = _WORD.match(written.rest, start)
    end = found.end() if found else start
    return Span(start, end).shift(written.rest_span.start)


def _rules(written: Written, span: Span) -> Iterator[Item]:
    """The rules that can be allowed and are not yet named."""
    here = span.shift(-written.rest_span.start)
    others = set(re.split(r"[\s,]+", written.rest[: here.start] + " " + written.rest[here.end :]))
    for name in sorted(BY_NAME):
        if name not in NEVER and name not in others:
            yield Item(name, span, BY_NAME[name].summary)


def _targets(span: Span) -> Iterator[Item]:
    return (Item(name, span, "architecture") for name in TARGETS)


def _sizes(snapshot: Snapshot, written: Written, span: Span) -> Iterator[Item]:
    """Sizes of the function that the line belongs to, then the options; what is given is left out."""
    given = set(re.findall(r"(\w+)\s*=", written.rest))
    function = next(
        (one for one in snapshot.report.functions if span.start < one.base + len(one.parsed.source.text)), None
    )
    if function is not None and function.analysis is not None:
        for symbol in function.analysis.model.symbols:
            if is_size(symbol) and symbol.name not in given:
                yield Item(f"{symbol.name}=", span, symbol.kind.value)
                given.add(symbol.name)
    yield from (Item(f"{name}=", span, "option of the run") for name in RUN_OPTIONS if name not in given)
