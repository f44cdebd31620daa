"""What may stand at the cursor (LSP `textDocument/completion`), best first. Must not know LSP types.

The parser's tables say which kinds of words fit behind what is written; the tables of words, the model's names and the
macros fill them. A client filters by what is typed so far.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from croqc.builtins import lookup
from croqc.sema.model import Symbol
from croqc.service.check import FunctionReport
from croqc.service.explain import row_text
from croqc.syntax.acceptable import Acceptable, acceptable_at, head_of
from croqc.syntax.tokens import Kind, Macro, RegionKind
from croqc.text.span import Span
from croqls.ide.completion_macros import fitting_macros, macros_before
from croqls.ide.completion_names import (
    EXTENTS,
    Context,
    base_of,
    bound_names,
    context_of,
    detail_of,
    fits,
    item_kind,
    members,
    required,
    starts_event,
    takes_names,
    takes_whole,
    with_source,
)
from croqls.ide.completion_words import operand_types, operations, words_of
from croqls.ide.device_functions import device_functions
from croqls.ide.directives import directive_items
from croqls.ide.items import Item, ItemKind
from croqls.ide.patterns import CURRENT, patterns
from croqls.ide.scopes import visible_at
from croqls.ide.signature import in_comment
from croqls.ide.snapshot import Snapshot

_WORD_BEFORE = re.compile(r"\w*\Z", re.ASCII)
_WORD_AFTER = re.compile(r"\w*", re.ASCII)
_DUE = frozenset({"WAIT", "TRIGGER", "AFTER", "ARROW", "CALL", "ROTATE"})
# Ranks: the best first.
_FITTING, _NAMES, _OPERATIONS, _MACROS, _TYPES, _WORDS, _FUNCTIONS = range(7)
_RANKS = {ItemKind.TYPE: _TYPES, ItemKind.FUNCTION: _FUNCTIONS, ItemKind.OPERATION: _OPERATIONS}


def completion(snapshot: Snapshot, offset: int, asked_by: str = "") -> tuple[Item, ...]:
    """The items at an absolute offset, in the order to show, each once.

    `asked_by`: the character that made the editor ask by itself, empty where a person asked; behind a blank, a comma or
    `=` it is answered only where a certain word is due.
    """
    found = directive_items(snapshot, offset)
    if found:
        return found
    line = snapshot.source.line_starts[snapshot.source.line_of(offset)]
    function = snapshot.function_at(offset)
    items = (
        _inside(snapshot, function, offset, asked_by)
        if function is not None and offset > function.base
        else _outside(snapshot, line, offset)
    )
    unique: dict[str, Item] = {}
    for item in sorted(items, key=lambda one: one.rank):
        unique.setdefault(item.label, item)
    return tuple(unique.values())


def documentation(about: str) -> str:
    """The Markdown of an item's word; empty where there is none."""
    row = lookup(about) if about else None
    return row_text(row) if row is not None else ""


def _word(text: str, offset: int) -> Span:
    """The identifier around an offset."""
    before, after = _WORD_BEFORE.search(text, max(0, offset - 200), offset), _WORD_AFTER.match(text, offset)
    return Span(before.start() if before else offset, after.end() if after else offset)


def _outside(snapshot: Snapshot, line: int, offset: int) -> Iterator[Item]:
    """Whole kernels, where a line of host text begins."""
    span = _word(snapshot.text, offset)
    regions = (region for region in snapshot.report.tree.pre.regions if region.span.touches(span.start))
    fresh = span.start == line and any(region.kind is RegionKind.HOST for region in regions)
    if not fresh and snapshot.text.strip():
        return
    for number, one in enumerate(patterns(snapshot.report.dialect, snapshot.report.target)):
        code = f"```croqtile\n{one.plain}\n```"
        current = one.dialect == CURRENT
        yield Item(one.label, span, one.detail, code, ItemKind.PATTERN, number, pattern=one.text, current=current)


def _inside(snapshot: Snapshot, function: FunctionReport, offset: int, asked_by: str) -> Iterator[Item]:
    span = _word(snapshot.text, offset)
    place = span.start - function.base
    if _unread(function, offset - function.base):
        return
    if any(token.span.touches(offset - function.base) for token in function.parsed.source.directives):
        yield from (_macro(one, span) for one in macros_before(snapshot, offset))
        return
    dotted = snapshot.text[span.start - 1 : span.start] == "."
    known = acceptable_at(function.parsed.source, place - dotted)
    if dotted:
        yield from _dotted(snapshot, function, known, span)
    elif asked_by not in (" ", ",", "=", ":") or _is_due(known):
        yield from _plain(snapshot, function, known, span)


def _unread(function: FunctionReport, place: int) -> bool:
    """Whether the place is inside a comment, a literal or a dead branch."""
    source = function.parsed.source
    if any(span.contains(place) for span in source.dead):
        return True
    if in_comment(function, place):
        return True
    literals = (Kind.STRING, Kind.REAL, Kind.INT)
    return any(token.kind in literals and token.start < place <= token.end for token in source.tokens)


def _is_due(known: Acceptable) -> bool:
    """Whether only a word of a certain kind may come, as behind `wait`."""
    last = known.before[-1].type if known.before else ""
    return last in _DUE or starts_event(known.before) or (last == "_COLON" and "LEVEL" in known.terminals)


def _dotted(snapshot: Snapshot, function: FunctionReport, known: Acceptable, span: Span) -> Iterator[Item]:
    head = head_of(known.before)
    if head and known.terminals & {"MOD", "ANY"}:
        for number, (word, kind, about) in enumerate(operations(head, snapshot.report.target)):
            yield Item(word, span, _signature(about), kind=kind, rank=number, about=about)
    elif "METHOD" in known.terminals:
        base = base_of(known.before)
        symbols = visible_at(function.analysis.model, span.start - function.base) if function.analysis else ()
        symbol = next((one for one in symbols if base is not None and one.name == base[0]), None)
        if base is not None:
            for number, word in enumerate(members(symbol, base[1])):
                yield Item(word, span, _signature(f".{word}"), kind=ItemKind.MEMBER, rank=number, about=f".{word}")


def _plain(snapshot: Snapshot, function: FunctionReport, known: Acceptable, span: Span) -> Iterator[Item]:
    place, target = span.start - function.base, snapshot.report.target
    symbols = visible_at(function.analysis.model, place) if function.analysis is not None else ()
    context = context_of(known.before)._replace(begins="FOREACH" in known.terminals)
    context = with_source(context, known.before, symbols)
    if starts_event(known.before):
        yield Item("ready", span, _signature("ready"), kind=ItemKind.KEYWORD, rank=_FITTING, about="ready")
        return
    if takes_whole(context):
        yield Item("_", span, "the whole extent", kind=ItemKind.KEYWORD, rank=_WORDS * 1000)
    latest = {token.text: len(known.before) - number for number, token in enumerate(known.before)}
    if takes_names(known.terminals, context):
        yield from _names(symbols, context, latest, span)
        known_names = {symbol.name for symbol in symbols}
        for name in bound_names(known.before):
            if name not in known_names and not required(context):
                yield Item(name, span, "index", kind=ItemKind.VARIABLE, rank=_distance(latest, name))
    if not required(context):
        rank = _FITTING if context.nested and context.bracket in EXTENTS else _MACROS
        defined, names = macros_before(snapshot, span.start), takes_names(known.terminals, context)
        fitting = fitting_macros(defined, function.parsed.source, place, known, names)
        yield from (_macro(one, span, rank) for one in fitting)
    if "QNAME" in known.terminals:
        yield from _callees(snapshot, span)
    if required(context) and takes_names(known.terminals, context):
        return
    multiplied = operand_types(target)
    for word, kind, about in words_of(known.terminals, target):
        rank = _RANKS.get(kind, _WORDS)
        if kind is ItemKind.TYPE and word not in multiplied:
            rank = _WORDS
        source = context.source.value if context.source is not None else ""
        if context.head == "ARROW" and word in ("shared", "local") and word != source:
            rank = _FITTING
        distance = _distance(latest, word)
        yield Item(word, span, _signature(about), kind=kind, rank=rank * 1000 + distance, about=about)


def _distance(latest: Mapping[str, int], word: str) -> int:
    """How many tokens ago a word was used last."""
    return min(latest.get(word, 999), 999)


def _names(symbols: Sequence[Symbol], context: Context, latest: Mapping[str, int], span: Span) -> Iterator[Item]:
    """The names in scope: those of the fitting type first, of these the ones used last."""
    for symbol in symbols:
        fitting = fits(symbol, context)
        if required(context) and not fitting:
            continue
        rank = (_FITTING if fitting else _NAMES) * 1000 + _distance(latest, symbol.name)
        yield Item(symbol.name, span, detail_of(symbol), kind=item_kind(symbol), rank=rank)


def _macro(macro: Macro, span: Span, rank: int = _MACROS) -> Item:
    params = "" if macro.params is None else f"({', '.join(macro.params)})"
    detail = f"#define {macro.name}{params} {macro.body}".rstrip()
    return Item(macro.name, span, detail, kind=ItemKind.MACRO, rank=rank * 1000)


def _callees(snapshot: Snapshot, span: Span) -> Iterator[Item]:
    """What may be called: the device functions that the file defines. Another `__co__` function may not."""
    for name in sorted(device_functions(snapshot)):
        yield Item(name, span, "device function", kind=ItemKind.FUNCTION)


def _signature(about: str) -> str:
    row = lookup(about) if about else None
    return row.signature.split("\n")[0] if row is not None else ""
