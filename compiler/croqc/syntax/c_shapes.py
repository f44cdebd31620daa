"""Shapes as C writes them, `f32 x[M, N]` and `f32 [M][N] x`: what is said, its one fix, and the shape that was meant.

Must not build nodes: what a declaration becomes is for `build_decls`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any, Final

from croqc.syntax import ast as t
from croqc.syntax.build import CODE, Builder, replace_fix
from croqc.syntax.tokens import Token
from croqc.text.diagnostics import Diagnostic, Fix, Severity
from croqc.text.edits import Edit
from croqc.text.record import record
from croqc.text.span import Span

SHAPED: Final = {"int": "s32", "bool": "u1"}  # the element type to write where a scalar type has a shape
_MESSAGE: Final = "the shape goes between type and name"
_TITLE: Final = "Move the shape in front of the name"


@record
class Bracket:
    """`[a, b]` behind a name or another bracket."""

    span: Span
    extents: tuple[t.Expr, ...]


@record
class Init:
    """`= value` or `{value}`."""

    span: Span
    value: Any
    braced: bool


@record
class Declared:
    """`name bracket* [init]`, before the kind of the declaration is known."""

    span: Span
    name: t.Name
    brackets: tuple[Bracket, ...]
    init: Init | None

    @property
    def array(self) -> tuple[t.Expr, ...]:
        return tuple(extent for bracket in self.brackets for extent in bracket.extents)

    @property
    def array_span(self) -> Span | None:
        return Span(self.brackets[0].span.start, self.brackets[-1].span.end) if self.brackets else None


def joined(b: Builder, brackets: Sequence[Bracket]) -> str:
    """`16, 64` for `[16][64]`, as the source spells the extents."""
    return ", ".join(b.source(Span(item.span.start + 1, item.span.end - 1)).strip() for item in brackets)


def _report(b: Builder, where: Span, better: str, fix: Fix, kept: Sequence[Span]) -> None:
    """The finding. Unlike elsewhere the fix may hold uses of macros, for it writes them again as they stand; but none
    may have made what it reads, `kept`."""
    source = "".join(b.source(edit.span) for edit in fix.edits)
    lost = "//" in source or "/*" in source or any(b.is_made(span) for span in kept)
    fixes = () if lost else (fix,)
    b.findings.append(Diagnostic(CODE, Severity.ERROR, _MESSAGE, where, f"write '{better}'", (), fixes))


def _signs(item: Declared) -> list[Span]:
    """The name and the brackets, without what stands in them."""
    found = [item.name.span]
    for bracket in item.brackets:
        found += [Span(bracket.span.start, bracket.span.start + 1), Span(bracket.span.end - 1, bracket.span.end)]
    return found


def _has_extents(item: Declared) -> bool:
    return not any(isinstance(extent, t.Missing) for extent in item.array)


def parameter(b: Builder, kind: t.TypeRef, item: Declared) -> t.TypeRef:
    """Report the shape behind a parameter's name. Returns the type that was meant."""
    where = item.array_span
    assert where is not None
    if kind.dims is not None:
        b.report("a parameter is no array of buffers", where, "give all extents in front of the name")
        return kind
    if not _has_extents(item):
        b.report(_MESSAGE, where, f"write '{SHAPED.get(kind.elem, kind.elem)} [N] {item.name.id}', with the extents")
        return kind
    elem, shape, place = SHAPED.get(kind.elem, kind.elem), joined(b, item.brackets), item.name.span
    edits = [Edit(Span(place.start, place.start), f"[{shape}] "), Edit(where, "")]
    if kind.elem in SHAPED:
        edits.insert(0, Edit(kind.span, elem))
    _report(b, where, f"{elem} [{shape}] {item.name.id}", Fix(_TITLE, tuple(edits)), _signs(item))
    return t.TypeRef(kind.span, elem, item.array)


def local(b: Builder, words: tuple[Token | None, Token | None, Token | None], names: tuple[Declared, ...]) -> None:
    """Report the shapes behind the names of one declaration, once. `words`: storage, `mutable` and type."""
    storage, mutable, word = words
    first = next(item for item in names if item.brackets)
    where = first.array_span
    assert where is not None
    kept = [span for item in names for span in _signs(item)]
    if word is None or not all(_has_extents(item) for item in names) or any(b.is_made(span) for span in kept):
        kind = "f32" if word is None else SHAPED.get(word.text, word.text)
        b.report(_MESSAGE, where, f"write '{kind} [{joined(b, first.brackets) or 'N'}] {first.name.id}'")
        return
    elem = SHAPED.get(word.text) or b.source(word.span)
    place = f"{storage.text} " if storage is not None else ""
    groups = [(shape, list(items)) for shape, items in groupby(names, lambda item: joined(b, item.brackets))]
    spelled = [
        f"{elem} {f'[{shape}] ' if shape else ''}{', '.join(_spelled(b, item) for item in items)}"
        for shape, items in groups
    ]
    better = next(f"{elem} [{shape}] {items[0].name.id}" for shape, items in groups if shape)
    start = mutable.start if mutable is not None else word.start
    fix = replace_fix(_TITLE, Span(start, names[-1].span.end), f"; {place}".join(spelled))
    several = [item for item in names if item.init is not None and item.brackets and "," in _value(b, item.init)]
    if several or (mutable is not None and not all(item.brackets for item in names)):
        b.report(_MESSAGE, where, f"write '{better}'" + (", and '{v}' to fill it with one value" if several else ""))
    else:
        _report(b, where, better, fix, kept)


def _value(b: Builder, init: Init) -> str:
    """The text of a value, without the braces of C around it."""
    text = b.source(init.value.span).strip()
    return text[1:-1].strip() if text.startswith("{") and text.endswith("}") else text


def _spelled(b: Builder, item: Declared) -> str:
    """A name and its value, `{0}` for a buffer's `= {0}`; of `{}`, which fills with 0 in C, too."""
    name = b.source(item.name.span)
    if item.init is None:
        return name
    if item.brackets:
        return f"{name}{{{_value(b, item.init) or '0'}}}"
    return b.source(item.span)


def flat_array(b: Builder, item: Declared) -> None:
    """Report `ring[2, 3]`: an array of buffers or events has one count a bracket."""
    for bracket in item.brackets:
        if len(bracket.extents) > 1:
            better = "".join(f"[{b.source(extent.span)}]" for extent in bracket.extents)
            fix = replace_fix(f"Write '{better}'", bracket.span, better)
            b.report("an array has one count a bracket", bracket.span, f"write '{better}'", fix)


def split_shape(b: Builder, first: Span, more: Sequence[Bracket]) -> None:
    """Report `[M][N]` for `[M, N]`, in front of the name; `first` is the span of the first bracket."""
    if not more:
        return
    inner = b.source(Span(first.start + 1, first.end - 1)).strip()
    better = f"[{inner}, {joined(b, more)}]"
    whole = Span(first.start, more[-1].span.end)
    b.report("a shape has one pair of brackets", whole, f"write '{better}'",
             replace_fix(f"Write '{better}'", whole, better))  # fmt: skip
