"""The signature of what is being called or operated, and the parameter at the cursor (LSP `signatureHelp`).

The texts are those of the tables of builtins; functions and macros of the file show their own. Must not know LSP types.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from croqc.builtins import ROWS
from croqc.builtins import lookup as row_of
from croqc.builtins.row import Row
from croqc.sema.types import Event
from croqc.service.check import FunctionReport
from croqc.syntax.macros import body_of
from croqc.syntax.scanner import FIRST
from croqc.syntax.tokens import Kind, Token
from croqls.ide.device_functions import device_definition, signature_at
from croqls.ide.scopes import visible_at
from croqls.ide.snapshot import Snapshot

_LONGEST = 4000  # characters of a statement that are looked at
_OPERATORS = ("dma", "tma", "mma", "wait", "trigger")


@dataclass(frozen=True, slots=True)
class Signature:
    """A label, the places of its parameters in it, the word whose documentation belongs to it."""

    label: str
    parameters: tuple[tuple[int, int], ...]
    about: str = ""


@dataclass(frozen=True, slots=True)
class Help:
    """The signatures, which of them is meant, and the number of the parameter at the cursor."""

    signatures: tuple[Signature, ...]
    active: int
    parameter: int


def signature_help(snapshot: Snapshot, offset: int) -> Help | None:
    """What is called around an absolute offset; None where nothing is."""
    function = snapshot.function_at(offset)
    if function is None or in_comment(function, offset - function.base):
        return None
    tokens = _statement(snapshot, function, offset)
    depth, commas = 0, 0
    for index in range(len(tokens) - 1, -1, -1):
        text = tokens[index].text if tokens[index].kind is Kind.OP else ""
        if text in (")", "]", "}"):
            depth += 1
        elif text in ("(", "[", "{"):
            if depth == 0:
                found = _called(snapshot, function, tokens[:index], offset) if text == "(" else None
                if found is not None:
                    signatures, active = found
                    return _help(signatures, active, commas)
                commas = 0
            depth = max(0, depth - 1)
        elif text == "," and depth == 0:
            commas += 1
        elif depth == 0 and tokens[index].text in _OPERATORS and tokens[index].kind is Kind.WORD:
            return _operated(tokens[index:])
    return None


def in_comment(function: FunctionReport, place: int) -> bool:
    """Whether what is typed there belongs to a comment: also at the end of a line comment or of one without an end."""
    for token in function.parsed.source.comments:
        closed = token.text.startswith("/*") and len(token.text) > 3 and token.text.endswith("*/")
        if token.start < place < token.end or (place == token.end and not closed):
            return True
    return False


def _statement(snapshot: Snapshot, function: FunctionReport, offset: int) -> Sequence[Token]:
    """The tokens of the statement in front of a place, macros as they are written."""
    place = offset - function.base
    ends = [t.end for t in function.parsed.source.tokens if t.text == ";" and t.macro is None and t.end <= place]
    start = function.base + max(ends[-1] if ends else FIRST, place - _LONGEST)
    return body_of(snapshot.text[start:offset]).tokens


def _help(signatures: tuple[Signature, ...], active: int, commas: int) -> Help | None:
    """The last parameter stands for all that follow, where it says so."""
    if not signatures:
        return None
    shown = signatures[min(active, len(signatures) - 1)]
    return Help(signatures, signatures.index(shown), min(commas, max(len(shown.parameters) - 1, 0)))


# --- what is called with parentheses -------------------------------------------------------------


def _called(
    snapshot: Snapshot, function: FunctionReport, before: Sequence[Token], offset: int
) -> tuple[tuple[Signature, ...], int] | None:
    """The signatures of what stands in front of a parenthesis, and the number of the one that is meant."""
    before = _without_template(before)
    if not before or before[-1].kind not in (Kind.WORD, Kind.DOTTED):
        return None
    name = before[-1].text
    if before[-1].kind is Kind.DOTTED:
        row = ROWS.get(name)
        signatures = tuple(_of_row(row, f"{name}(")) if row is not None else ()
        return signatures, _meant(function, before, offset - function.base)
    own = tuple(_own_signatures(snapshot, name, called=len(before) > 1 and before[-2].text == "call"))
    if own:
        return own, 0
    row = row_of(name)
    if row is None:
        return None
    return tuple(_of_row(row, f"{name}(")) or tuple(_of_row(row, f"{name}<T>(")), 0


def _without_template(before: Sequence[Token]) -> Sequence[Token]:
    """Without the `<…>` of `__to<f16>(` and of calls."""
    if before and before[-1].text == ">":
        starts = [number for number, token in enumerate(before) if token.text == "<"]
        return before[: starts[-1]] if starts else before
    return before


def _meant(function: FunctionReport, before: Sequence[Token], place: int) -> int:
    """Of the meanings of `.at` that of an event is the last, that of a tile of a view the second."""
    if before[-1].text != ".at" or function.analysis is None:
        return 0
    owner = _owner(before[:-1])
    if owner in (".subspan", ".modspan", ".chunk", ".step"):
        return 1
    symbol = next((one for one in visible_at(function.analysis.model, place) if one.name == owner), None)
    return 2 if symbol is not None and isinstance(symbol.type, Event) else 0


def _owner(before: Sequence[Token]) -> str:
    """The word in front of a dot, arguments and subscripts passed over."""
    depth = 0
    for token in reversed(before):
        depth += {")": 1, "]": 1, "(": -1, "[": -1}.get(token.text, 0)
        if depth == 0 and token.kind is not Kind.OP:
            return token.text
    return ""


def _own_signatures(snapshot: Snapshot, name: str, called: bool) -> Iterator[Signature]:
    """Of a macro or function of the file; of several functions of the name each."""
    macro = next((one for one in reversed(snapshot.report.tree.pre.macros) if one.name == name), None)
    if macro is not None and macro.params is not None:
        yield _labelled(f"{name}({', '.join(macro.params)})", f"{name}(")
        return
    found = [one.parsed for one in snapshot.report.functions if one.name == name]
    for parsed in found:
        if parsed.tree is not None:
            tree, text = parsed.tree, parsed.source.text
            label = " ".join(text[tree.name.span.start : tree.body.span.start].split())
            yield _labelled(label, f"{name}(", shapes=True)
    place = device_definition(snapshot, name) if called and not found else None
    if place is not None:
        yield _labelled(signature_at(snapshot, place), f"{name}(")


def _of_row(row: Row, opening: str) -> Iterator[Signature]:
    """One signature a meaning: the alternatives of a row stand between dots."""
    for label in row.signature.replace(";", "").split(" · "):
        if opening in label:
            yield _labelled(label.strip(), opening, row.word)


def _labelled(label: str, opening: str, about: str = "", shapes: bool = False) -> Signature:
    """The parameters are what stands between commas in the parentheses behind `opening`.

    Square brackets hold `shapes`, else what may be left out.
    """
    at = label.find(opening)
    start = at + len(opening)
    depth, end = 1, start
    while end < len(label) and depth:
        depth += {"(": 1, ")": -1}.get(label[end], 0)
        end += 1
    return Signature(label, tuple(_parts(label, start, end - (depth == 0), ",", shapes)), about)


def _parts(label: str, start: int, end: int, separator: str, shapes: bool = False) -> Iterator[tuple[int, int]]:
    """The places of the parts of a list; separators in square brackets count too where these hold no `shapes`."""
    opening, closing = ("({<[", ")}>]") if shapes else ("({<", ")}>")
    depth, first = 0, start
    for found in re.finditer(rf"[({{\[<]|[)}}\]>]|{separator}", label[:end]):
        at, text = found.start(), found[0]
        if at < start:
            continue
        if text in opening:
            depth += 1
        elif text in closing:
            depth -= 1
        elif text not in ("[", "]") and depth == 0:
            yield _trimmed(label, first, at)
            first = found.end()
    if label[first:end].strip(" []"):
        yield _trimmed(label, first, end)


def _trimmed(label: str, start: int, end: int) -> tuple[int, int]:
    """Without blanks, and without brackets that open or close outside the part."""
    while start < end and label[start] in " [":
        start += 1
    while end > start and (
        label[end - 1] in " ["
        or (label[end - 1] == "]" and label.count("]", start, end) > label.count("[", start, end))
    ):
        end -= 1
    return start, end


# --- operations without parentheses --------------------------------------------------------------


def _operated(tokens: Sequence[Token]) -> Help | None:
    """Copies, multiplies, `wait` and `trigger`: operands follow the dotted words."""
    count = 1
    while count < len(tokens) and (tokens[count].kind is Kind.DOTTED or _in_brackets(tokens, count)):
        count += 1
    words = [tokens[0].text, *(token.text for token in tokens[1:count] if token.kind is Kind.DOTTED)]
    row = _row_of_operation(words)
    if row is None:
        return None
    separators = {",", "=>", "after"}
    given, depth = 0, 0
    for token in tokens[count:]:
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(token.text, 0)
        given += depth == 0 and token.text in separators
    signatures = tuple(_of_operation(row, words[0]))
    joined = any(token.text == "after" for token in tokens[count:])
    active = next((number for number, one in enumerate(signatures) if joined and " after " in one.label), 0)
    return _help(signatures, active, given)


def _in_brackets(tokens: Sequence[Token], index: int) -> bool:
    """Whether a token belongs to the `<…>` of a modifier."""
    opened = 0
    for token in tokens[1 : index + 1]:
        opened += {"<": 1, ">": -1}.get(token.text, 0)
    return opened > 0 or tokens[index].text == ">"


def _row_of_operation(words: Sequence[str]) -> Row | None:
    """Of a multiply the row that shows its operands: that of its last suffix, or of `mma` itself."""
    if words[0] == "mma" and len(words) > 1 and words[1] in (".row", ".col"):
        suffix = words[3] if len(words) > 3 else ""
        return ROWS.get(suffix) if suffix == ".scale" else ROWS["mma"]
    return ROWS.get("".join(words[:2])) or ROWS.get(words[0])


def _of_operation(row: Row, head: str) -> Iterator[Signature]:
    for label in row.signature.split(" · "):
        text = label.replace(";", "").strip()
        found = re.search(rf"\b{head}(?:\.[\w.]+|\[[^\]]*\]|<[^>]*>)* ", text)
        if found is not None:
            separator = r",|=>|\[?\bafter(?= )"
            yield Signature(text, tuple(_parts(text, found.end(), len(text), separator)), row.word)
