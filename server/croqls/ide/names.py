"""What a place names and where else that name stands: symbols, macros and functions of one document.

Symbols come from the model, macros from the preprocessor; text that is not read as Croqtile (C++, dead branches) counts
by its words. Everything is absolute. Must not know LSP types or look at other files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from croqc.sema.model import Symbol, SymbolKind
from croqc.service.check import FunctionReport
from croqc.syntax import ast
from croqc.syntax.visit import nodes_of_kind
from croqc.text.span import Span
from croqls.ide.device_functions import device_definition, device_words
from croqls.ide.directive_names import directive_name_at, directive_places, model_places
from croqls.ide.expectation_names import result_names
from croqls.ide.name_uses import writes
from croqls.ide.snapshot import Snapshot
from croqls.ide.words import definitions, directive_lines, is_member, outer_words, words


class Use(Enum):
    """What happens to the thing at a place. DECLARE is where it comes into being."""

    DECLARE = "declare"
    READ = "read"
    WRITE = "write"


class NameKind(Enum):
    SYMBOL = "symbol"  # of one function: `Named.symbol`, `Named.function`
    MACRO = "macro"
    FUNCTION = "function"  # a `__co__` function
    DEVICE = "device function"


@dataclass(frozen=True, slots=True)
class Place:
    """One place of a name; where `macro` is set the name itself stands in the text of that macro, used here."""

    span: Span
    use: Use
    macro: str = ""


@dataclass(frozen=True, slots=True)
class Named:
    """A thing with a name; `span` is the place that was asked about."""

    name: str
    kind: NameKind
    span: Span
    symbol: Symbol | None = None
    function: FunctionReport | None = None


def named_at(snapshot: Snapshot, offset: int) -> Named | None:
    """What is named at an absolute offset; None for other text."""
    found = directive_name_at(snapshot, offset)
    if found is not None:
        return _in_directive(snapshot, *found)
    function = snapshot.function_at(offset)
    if function is not None and not _apart(function, offset):
        return _in_function(snapshot, function, offset)
    return _outside(snapshot, offset)


def _in_directive(snapshot: Snapshot, word: str, span: Span, function: FunctionReport | None) -> Named | None:
    if function is None:
        return Named(word, NameKind.DEVICE, span) if device_definition(snapshot, word) else None
    symbol = named_in_directives(function, word)
    return Named(word, NameKind.SYMBOL, span, symbol, function) if symbol else None


def named_in_directives(function: FunctionReport, word: str) -> Symbol | None:
    """What a name in a run or expect line means: a dimension, a parameter, or what the function returns."""
    if function.analysis is None:
        return None
    model = function.analysis.model
    values = [node.value for node in nodes_of_kind(model.function, ast.Return)]
    returned = [model.uses[value] for value in values if isinstance(value, ast.Name) and value in model.uses]
    outer = [symbol for symbol in model.symbols if symbol.kind in (SymbolKind.DIMENSION, SymbolKind.PARAM)]
    if word in result_names(model):
        outer.clear()  # the returned value goes before what has one of its names
    return next((symbol for symbol in (*outer, *returned) if symbol.name == word), None)


def _apart(function: FunctionReport, offset: int) -> bool:
    """Whether a place inside a function is not read as Croqtile: a directive line, a dead branch."""
    spans = [*function.parsed.source.dead, *(token.span for token in function.parsed.source.directives)]
    return any(span.touches(offset - function.base) for span in spans)


def _in_function(snapshot: Snapshot, function: FunctionReport, offset: int) -> Named | None:
    place = offset - function.base
    for span, macro in function.parsed.source.macro_uses:
        if span.touches(place):
            return Named(macro, NameKind.MACRO, span.shift(function.base))
    tree = function.parsed.tree
    if tree is not None and tree.name.span.touches(place) and tree.name.id:
        return Named(tree.name.id, NameKind.FUNCTION, tree.name.span.shift(function.base))
    for call in calls(function):
        if call.callee_span.touches(place):
            return _callee(snapshot, call, function)
    if function.analysis is None:
        return None
    for name, symbol in function.analysis.model.uses.items():
        if not name.span.touches(place):
            continue
        spans = [name.span] if name.macro is None else _arguments(function, name)
        for span in spans:
            if span.touches(place):
                return Named(symbol.name, NameKind.SYMBOL, span.shift(function.base), symbol, function)
    return None


def calls(function: FunctionReport) -> Iterator[ast.Call]:
    """The calls of functions that are written as such, not made by a macro."""
    tree = function.parsed.tree
    for node in nodes_of_kind(tree, ast.Call) if tree else ():
        text = function.parsed.source.text[node.callee_span.start : node.callee_span.end]
        if node.kind in ("call", "intrinsic") and text == node.callee:
            yield node


def _callee(snapshot: Snapshot, call: ast.Call, function: FunctionReport) -> Named:
    known = snapshot.report.function_named(call.callee) is not None
    kind = NameKind.FUNCTION if known else NameKind.DEVICE
    return Named(call.callee, kind, call.callee_span.shift(function.base))


def _arguments(function: FunctionReport, name: ast.Name) -> list[Span]:
    """Where the name stands in the arguments of the macro use that made it."""
    text, start, end = function.parsed.source.text, name.span.start, name.span.end
    first = next(words(text, start, end), None)
    return [
        span
        for word, span in words(text, first[1].end if first else start, end)
        if word == name.id and not is_member(text, span)
    ]


def _outside(snapshot: Snapshot, offset: int) -> Named | None:
    found = _word_around(snapshot.text, offset)
    if found is None:
        return None
    word, span = found
    if any(macro.name == word for macro in snapshot.report.tree.pre.macros):
        return Named(word, NameKind.MACRO, span)
    function = snapshot.function_at(offset)
    if function is not None or any(line.contains(offset) for line in directive_lines(snapshot)):
        return _of_macro_body(snapshot, word, span)
    if is_member(snapshot.text, span):
        return None
    if snapshot.report.function_named(word) is not None:
        return Named(word, NameKind.FUNCTION, span)
    return Named(word, NameKind.DEVICE, span) if device_definition(snapshot, word) else None


def _word_around(text: str, offset: int) -> tuple[str, Span] | None:
    """The identifier that an offset touches; its line is read from the start, so that comments are none."""
    start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    end = text.find("\n", offset)
    line = words(text, start, end if end >= 0 else len(text))
    return next((pair for pair in line if pair[1].touches(offset)), None)


def _of_macro_body(snapshot: Snapshot, word: str, span: Span) -> Named | None:
    """The one symbol that a word of a replacement text, or of a dead branch, means wherever it is used."""
    dead = snapshot.function_at(span.start)
    reports = (dead,) if dead is not None else snapshot.report.functions
    found = {
        symbol: report
        for report in reports
        if report.analysis is not None
        for symbol in report.analysis.model.symbols
        if symbol.name == word
        for place in _symbol_places(snapshot, symbol, report)
        if place.span == span
    }
    if len(found) != 1:
        return None
    symbol, report = next(iter(found.items()))
    return Named(word, NameKind.SYMBOL, span, symbol, report)


# --- places --------------------------------------------------------------------------------------


def places_of(snapshot: Snapshot, named: Named) -> tuple[Place, ...]:
    """Every place of the name, in order; one that declares comes before another of the same span."""
    match named.kind:
        case NameKind.SYMBOL if named.symbol is not None and named.function is not None:
            found = _symbol_places(snapshot, named.symbol, named.function)
        case NameKind.MACRO:
            found = _macro_places(snapshot, named.name)
        case NameKind.FUNCTION:
            found = _function_places(snapshot, named.name)
        case _:
            found = _device_places(snapshot, named.name)
    order = list(Use)
    unique: dict[tuple[Span, str], Place] = {}
    for place in sorted(found, key=lambda one: (one.span, order.index(one.use))):
        unique.setdefault((place.span, place.macro), place)
    return tuple(unique.values())


def _symbol_places(snapshot: Snapshot, symbol: Symbol, function: FunctionReport) -> Iterator[Place]:
    assert function.analysis is not None
    model, base = function.analysis.model, function.base
    written = writes(model.function)
    bodies: dict[str, Use] = {}
    for name, meant in model.uses.items():
        if meant is not symbol:
            continue
        use = Use.WRITE if name in written else Use.READ
        if name.macro is None:
            declares = name.span == symbol.name_span
            yield Place(name.span.shift(base), Use.DECLARE if declares else use)
            continue
        yield from (Place(span.shift(base), use) for span in _arguments(function, name))
        if _comes_from_body(snapshot, name.macro, name.id):
            yield Place(name.span.shift(base), use, name.macro)
            bodies[name.macro] = use
    yield from (Place(span, Use.READ) for span in _body_places(snapshot, symbol, bodies))
    if len([one for one in model.symbols if one.name == symbol.name]) == 1:
        yield from (Place(span, Use.READ) for span in _dead_places(snapshot, function, symbol.name))
    if named_in_directives(function, symbol.name) is symbol:
        yield from (Place(span, Use.READ) for span in directive_places(snapshot, function, symbol.name))


def macros_inside(snapshot: Snapshot, macro: str) -> frozenset[str]:
    """The macro and those that stand in its replacement text, at any depth."""
    known, new = set[str](), {macro}
    lines = definitions(snapshot)
    while new:
        known |= new
        new = {word for one in lines if one.name in new for word, _ in one.body} - known
        new &= {one.name for one in lines}
    return frozenset(known)


def _comes_from_body(snapshot: Snapshot, macro: str, name: str) -> bool:
    chain = macros_inside(snapshot, macro)
    return any(word == name for one in definitions(snapshot) if one.name in chain for word, _ in one.body)


def _body_places(snapshot: Snapshot, symbol: Symbol, used: Iterable[str]) -> Iterator[Span]:
    """The symbol's name in replacement texts that mean nothing else anywhere in the file."""
    for macro in used:
        chain = macros_inside(snapshot, macro)
        for one in definitions(snapshot):
            if one.name in chain and _means_only(snapshot, one.name, symbol):
                yield from (span for word, span in one.body if word == symbol.name)


def _means_only(snapshot: Snapshot, macro: str, symbol: Symbol) -> bool:
    for report in snapshot.report.functions:
        uses = report.analysis.model.uses if report.analysis else {}
        for name, meant in uses.items():
            if name.macro is None or name.id != symbol.name or meant is symbol:
                continue
            if macro in macros_inside(snapshot, name.macro):
                return False
    return True


def _dead_places(snapshot: Snapshot, function: FunctionReport, name: str) -> Iterator[Span]:
    for dead in function.parsed.source.dead:
        span = dead.shift(function.base)
        for word, place in words(snapshot.text, span.start, span.end):
            if word == name and not is_member(snapshot.text, place):
                yield place


def _macro_places(snapshot: Snapshot, name: str) -> Iterator[Place]:
    for one in definitions(snapshot):
        if one.name == name:
            yield Place(one.name_span, Use.DECLARE)
    defined = {(one.line, name) for one in definitions(snapshot) if name in one.params}
    for span in outer_words(snapshot, name):
        if not any(line.contains(span.start) for line, _ in defined):
            yield Place(span, Use.READ)
    for report in snapshot.report.functions:
        for span, used in report.parsed.source.macro_uses:
            if used == name:
                dotted = report.parsed.source.text[span.start : span.start + 1] == "."
                yield Place(Span(span.start + dotted, span.end).shift(report.base), Use.READ)
        apart = [*report.parsed.source.dead, *(token.span for token in report.parsed.source.directives)]
        for stretch in apart:
            place = stretch.shift(report.base)
            for word, span in words(snapshot.text, place.start, place.end):
                if word == name and not any(line.contains(span.start) for line, _ in defined):
                    yield Place(span, Use.READ)
        yield from (Place(span.shift(report.base), Use.READ) for span in _inner_uses(report, name))


def _inner_uses(report: FunctionReport, name: str) -> Iterator[Span]:
    """Uses of a macro in the arguments of another one."""
    text = report.parsed.source.text
    spans = {token.span for token in report.parsed.source.tokens if token.macro is not None and token.macro != name}
    for span in spans:
        yield from (place for word, place in words(text, span.start, span.end) if word == name)


def _function_places(snapshot: Snapshot, name: str) -> Iterator[Place]:
    for report in snapshot.report.functions:
        tree = report.parsed.tree
        if tree is not None and tree.name.id == name:
            yield Place(tree.name.span.shift(report.base), Use.DECLARE)
    yield from _called(snapshot, name)
    for span in outer_words(snapshot, name):
        if not is_member(snapshot.text, span):
            yield Place(span, Use.READ)


def _called(snapshot: Snapshot, name: str) -> Iterator[Place]:
    for report in snapshot.report.functions:
        for call in calls(report):
            if call.callee == name:
                yield Place(call.callee_span.shift(report.base), Use.READ)


def _device_places(snapshot: Snapshot, name: str) -> Iterator[Place]:
    defined = device_definition(snapshot, name)
    if defined is not None:
        yield Place(defined, Use.DECLARE)
    yield from _called(snapshot, name)
    yield from (Place(span, Use.READ) for span in device_words(snapshot, name))
    yield from (Place(span, Use.READ) for span in model_places(snapshot, name))
