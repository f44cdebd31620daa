"""Renames a name everywhere in its document (LSP `prepareRename`, `rename`), or says why it cannot.

Whatever is renamed is checked afterwards: in the new text the name means the same thing at the same places, and nothing
else; so nothing is captured. Must not know LSP types.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from croqc.sema.model import SymbolKind
from croqc.service.check import FileReport
from croqc.syntax.expectation import RESULT
from croqc.syntax.keywords import FOREIGN, KEYWORDS, LIBRARY_PREFIX, REGION_MARKERS
from croqc.syntax.tokens import Kind
from croqc.text.diagnostics import Severity
from croqc.text.edits import Edit, apply_edits
from croqc.text.span import Span
from croqls.ide.device_functions import device_definition
from croqls.ide.expectation_names import meanings
from croqls.ide.names import Named, NameKind, Place, Use, macros_inside, named_at, places_of
from croqls.ide.scopes import region_of
from croqls.ide.snapshot import Snapshot
from croqls.ide.words import definitions, words

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Refused:
    """Why there is no rename, in one sentence."""

    reason: str


def renamable(snapshot: Snapshot, offset: int) -> Span | Refused:
    """The name that would be renamed there."""
    named = named_at(snapshot, offset)
    if named is None:
        return Refused("there is no name to rename here")
    reason = _fixed(snapshot, named, places_of(snapshot, named))
    return Refused(reason) if reason else named.span


def rename(snapshot: Snapshot, offset: int, new: str) -> tuple[Edit, ...] | Refused:
    """The edits that give the thing at the place another name."""
    named = named_at(snapshot, offset)
    if named is None:
        return Refused("there is no name to rename here")
    places = places_of(snapshot, named)
    reason = (
        _fixed(snapshot, named, places)
        or _illegal(new)
        or _foreign(named, new)
        or _taken(snapshot, named, new)
        or _shadows(snapshot, named, new)
    )
    if reason:
        return Refused(reason)
    if new == named.name:
        return ()
    edits = tuple(Edit(span, new) for span in sorted(_written(places)))
    reason = _changes_meaning(snapshot, named, edits, new)
    return Refused(reason) if reason else edits


def _written(places: Iterable[Place]) -> set[Span]:
    """The places where the name itself stands."""
    return {place.span for place in places if not place.macro}


def _line(snapshot: Snapshot, span: Span) -> int:
    return snapshot.source.line_column(span.start)[0]


def _fixed(snapshot: Snapshot, named: Named, places: Iterable[Place]) -> str:
    """What keeps the name as it is, whatever the new one; empty if nothing does."""
    places = tuple(places)
    declared = [place for place in places if place.use is Use.DECLARE]
    if named.kind is NameKind.MACRO and not declared:
        return f"'{named.name}' is defined in the settings or on the command line, not in this file"
    if named.kind is NameKind.DEVICE and device_definition(snapshot, named.name) is None:
        return f"'{named.name}' is not defined in this file"
    if not declared or named.symbol is None or named.function is None or named.function.analysis is None:
        return "" if declared else f"'{named.name}' is not declared in this file"
    written = _written(places)
    for place in places:
        if place.macro and not _in_body(snapshot, named.name, place.macro, written):
            line = _line(snapshot, place.span)
            return f"'{named.name}' in line {line} comes from the macro '{place.macro}', which means other things too"
    if named.symbol in named.function.analysis.model.mentioned:
        return f"'{named.name}' also stands in C++ text, which is not read; rename it by hand"
    return _unread(snapshot, named)


def _in_body(snapshot: Snapshot, name: str, macro: str, written: set[Span]) -> bool:
    """Whether all that the macro's text, and those of the macros inside it, hold of the name is renamed too."""
    chain = macros_inside(snapshot, macro)
    bodies = [span for one in definitions(snapshot) if one.name in chain for word, span in one.body if word == name]
    return all(span in written for span in bodies)


def _unread(snapshot: Snapshot, named: Named) -> str:
    """A function with mistakes may hold the name where it could not be read."""
    assert named.function is not None
    function = named.function
    tree = function.parsed.tree
    if tree is None or tree.doubts is None or function.analysis is None:
        return ""
    known = {name.span for name in function.analysis.model.uses}
    for token in function.parsed.source.tokens:
        if token.kind is not Kind.WORD or token.text != named.name or token.macro is not None:
            continue
        if token.span not in known or any(span.contains(token.start) for span in tree.doubts.spans):
            line = _line(snapshot, token.span.shift(function.base))
            return f"line {line} holds '{named.name}' and could not be read; mend the syntax error first"
    return ""


def _illegal(new: str) -> str:
    if not _IDENTIFIER.fullmatch(new):
        return f"'{new}' is not a name: letters, digits and '_', no digit first"
    if new == "_":
        return "'_' is a placeholder and names nothing"
    if new in KEYWORDS or new in FOREIGN or new in REGION_MARKERS:
        return f"'{new}' is a word of the language"
    if new.startswith(LIBRARY_PREFIX):
        return f"names that begin with '{LIBRARY_PREFIX}' are library calls"
    return ""


def _foreign(named: Named, new: str) -> str:
    """What the name would mean in C++ or to the preprocessor, where it gets there; symbols of a function do not: they
    get names of their own in generated code."""
    if named.kind is NameKind.SYMBOL or new == named.name:
        return ""
    from croqc.pipe.build.names import CPP_WORDS, is_owned  # here, since the server starts without generating code

    if new == "defined" or new.startswith("__"):
        return f"'{new}' belongs to the preprocessor or the compiler of C++, where this name stands, too"
    if new in CPP_WORDS:
        return f"'{new}' belongs to C++, where this name stands, too"
    if is_owned(new):
        return f"'{new}' is a name of the headers of C++, CUDA or generated code, where this name stands, too"
    return ""


def _taken(snapshot: Snapshot, named: Named, new: str) -> str:
    """A name for the whole file must not stand in it yet; one of a function must not be a macro's."""
    if new == named.name:
        return ""
    macro = next((one for one in snapshot.report.tree.pre.macros if one.name == new), None)
    if macro is not None:
        where = f", line {_line(snapshot, macro.span)}" if macro.span else " of the settings"
        return f"'{new}' is a macro{where}: it would stand in the place of the name"
    if named.kind is NameKind.SYMBOL:
        return ""
    for word, span in words(snapshot.text):
        if word == new:
            return f"'{new}' already stands in line {_line(snapshot, span)}"
    return ""


def _shadows(snapshot: Snapshot, named: Named, new: str) -> str:
    """The symbol of that name that the renamed one would hide, or be hidden by, where both can be seen."""
    if named.symbol is None or named.function is None or named.function.analysis is None or new == named.name:
        return ""
    model = named.function.analysis.model
    own = region_of(model, named.symbol)
    for other in model.symbols:
        theirs = region_of(model, other) if other.name == new else None
        if theirs is not None and own.start < theirs.end and theirs.start < own.end:
            line = _line(snapshot, other.name_span.shift(named.function.base))
            return f"'{new}' is already the {other.kind.value} of line {line}: one would hide the other"
    return ""


def _changes_meaning(snapshot: Snapshot, named: Named, edits: tuple[Edit, ...], new: str) -> str:
    """What would mean something else in the new text; empty if all stays as it was."""
    after = snapshot.edited(snapshot.version + 1, apply_edits(snapshot.text, edits))
    moved = {
        edit.span: Span(edit.span.start + shift, edit.span.start + shift + len(new)) for edit, shift in _shifts(edits)
    }
    if named.symbol is not None and _expected(after) != _expected(snapshot, named, new):
        return f"with this name a '// croq: expect' line would mean something else: '{RESULT}' is the returned value"
    there = named_at(after, moved.get(named.span, named.span).start)
    places = set(moved.values())
    if there is None or there.name != new or there.kind is not named.kind:
        return f"the name would mean something else in line {_line(snapshot, named.span)}"
    found = _written(places_of(after, there))
    back = {span: old for old, span in moved.items()}
    lost = sorted(places - found)
    if lost:
        return f"another '{new}' would capture the name in line {_line(snapshot, back[lost[0]])}"
    gained = sorted(found - places)
    if gained:
        line = after.source.line_column(gained[0].start)[0]
        return f"the new name would capture the '{new}' of line {line}"
    worse = _errors(after.report) - _errors(snapshot.report)
    if worse:
        kind = named.symbol.kind if named.symbol is not None else SymbolKind.VARIABLE
        return f"with this name the {kind.value} gives the error '{next(iter(worse))}'"
    return ""


def _expected(snapshot: Snapshot, named: Named | None = None, new: str = "") -> list[tuple[str | None, ...]]:
    """What each function's expectations are about; with what has another name by now under that."""
    found = []
    for function, own in zip(snapshot.report.functions, snapshot.report.directives.functions, strict=True):
        names = meanings(function, own)
        if named is not None and named.function is function:
            names = tuple(new if name == named.name else name for name in names)
        found.append(names)
    return found


def _shifts(edits: tuple[Edit, ...]) -> list[tuple[Edit, int]]:
    """Each edit with how far the edits in front of it move its place."""
    found, shift = [], 0
    for edit in edits:
        found.append((edit, shift))
        shift += len(edit.new_text) - edit.span.length
    return found


def _errors(report: FileReport) -> Counter[str]:
    return Counter(item.code for item in report.found if item.severity in (Severity.ERROR, Severity.WARNING))
