"""`parallel`, `with`, `foreach`: actions of the grammar (reference, 2.4.3 to 2.4.5). Must not judge meaning."""

from __future__ import annotations

from typing import Any, Final

from croqc.syntax import ast as t
from croqc.syntax.build import Builder, Kids, action, replace_fix
from croqc.syntax.build_body import only_async
from croqc.syntax.tokens import Token
from croqc.text.diagnostics import Fix
from croqc.text.edits import Edit
from croqc.text.near import nearest
from croqc.text.record import record
from croqc.text.span import NOWHERE, Span

_LEVEL_WORDS: Final = ("block", "group", "group-4", "thread", "cluster", "device", "term")
_LEVELS: Final = f"{', '.join(_LEVEL_WORDS[:-1])} or {_LEVEL_WORDS[-1]}"
_EXTENT_OPS: Final = frozenset("+-*/%")


@record
class AxisNames:
    span: Span
    tuple_name: t.Name | None
    names: tuple[t.Name, ...]
    braced: bool


@record
class Annotation:
    level: str
    start: int
    arg: t.Name | None
    cooperative: bool


# --- parallel ------------------------------------------------------------------------------------


@action("parallel", "paren_parallel")
def parallel(b: Builder, at: Span, kids: Kids) -> t.Parallel:
    word, dotted, stream, axes, body = kids
    opening = b.after((dotted or word).end) if stream is not None else NOWHERE
    paren = stream is not None and b.tokens[b.index_after(opening.start)].text == "("
    seen: set[str] = set()
    for name in (name for axis in axes for name in (*axis.names, axis.tuple_name) if name is not None):
        if name.id in seen and name.id:
            b.report(f"parallel index '{name.id}' is already used in this statement", name.span)
            break
        seen.add(name.id)
    return t.Parallel(at, (), only_async(b, dotted, "parallel"), stream, axes, body, paren, opening)


@action("axis_single")
def axis_single(b: Builder, at: Span, kids: Kids) -> AxisNames:
    return AxisNames(at, None, (kids[0],) if kids[0] is not None else (), False)


@action("axis_named")
def axis_named(b: Builder, at: Span, kids: Kids) -> AxisNames:
    return AxisNames(at, kids[0], kids[-1][1], True)


@action("axis_braced")
def axis_braced(b: Builder, at: Span, kids: Kids) -> AxisNames:
    bracketed, names = kids[0]
    if bracketed:
        b.report("expected an index name, '{' or 'by'", Span(at.start, at.start + 1), *_braces(b, at))
    return AxisNames(at, None, names, True)


def _braces(b: Builder, at: Span) -> tuple[str, Fix]:
    better = "{" + b.source(at)[1:-1] + "}"
    edits = (Edit(Span(at.start, at.start + 1), "{"), Edit(Span(at.end - 1, at.end), "}"))
    return f"write '{better}'", Fix(f"Write '{better}'", edits)


@action("braced")
def braced(b: Builder, at: Span, kids: Kids) -> tuple[bool, tuple[t.Name, ...]]:
    return False, kids[0]


@action("bracketed_names")
def bracketed_names(b: Builder, at: Span, kids: Kids) -> tuple[bool, tuple[t.Name, ...]]:
    return True, kids[0]


@action("axis")
def axis(b: Builder, at: Span, kids: Kids) -> t.Axis:
    index, _, bound, note = kids
    bracketed = isinstance(bound, t.ShapeLit)
    bounds = bound.items if bracketed else (bound,)
    if index.braced and not bracketed and not isinstance(bound, t.Missing):
        written = b.source(bound.span)
        text = f"[{written[1:-1]}]" if isinstance(bound, t.TupleLit) else f"[{written}]"
        b.report(
            "bounds of a braced index go in brackets", bound.span, f"write '{text}'",
            replace_fix(f"Write '{text}'", bound.span, text),
        )  # fmt: skip
    elif not index.braced and len(index.names) == 1 and len(bounds) > 1:
        names = ", ".join([index.names[0].id, *(f"{index.names[0].id}{n}" for n in range(1, len(bounds)))])
        b.report("one index needs one bound", index.names[0].span, f"write '{{{names}}} by {b.source(bound.span)}'")
    if note is None:
        note = Annotation("", -1, None, False)
    return t.Axis(
        at, index.tuple_name, index.names, index.braced, bounds, bracketed,
        note.level or None, note.start, note.arg, note.cooperative,
    )  # fmt: skip


@action("level_word")
def level_word(b: Builder, at: Span, kids: Kids) -> tuple[str, Span]:
    word: Token = kids[0]
    if len(kids) == 3:
        b.report(
            "a level has no blanks", kids[1].span, "write 'group-4'", replace_fix("Write 'group-4'", at, "group-4")
        )
        return "group-4", word.span
    if word.type == "NAME":
        hint = {"warp": "group", "warpgroup": "group-4"}.get(word.text) or nearest(word.text, _LEVEL_WORDS)
        fix = replace_fix(f"Write '{hint}'", word.span, hint, safe=False) if hint else None
        near = f"did you mean '{hint}'? " if hint else ""
        b.report(
            f"unknown level '{word.text}'", word.span,
            f"{near}use {_LEVELS} (group is a warp, group-4 a warpgroup)", fix,
        )  # fmt: skip
        return "", word.span
    return word.text, word.span


@action("annotation")
def annotation(b: Builder, at: Span, kids: Kids) -> Annotation:
    (level, span), arg, cooperative = kids
    if arg is not None and level != "device" and level:
        b.report("only 'device' takes a name", span, f"write '{level}'")
    if cooperative is not None and cooperative.type == "NAME":
        b.report(f"unknown option '{cooperative.text}'", cooperative.span, "only 'cooperative' can stand here")
    return Annotation(level, span.start, arg, cooperative is not None)


# --- with and foreach ----------------------------------------------------------------------------


@action("with")
def with_stmt(b: Builder, at: Span, kids: Kids) -> t.With:
    _, bindings, _, equal, body = kids
    return t.With(at, bindings, equal or (), body)


@action("equal")
def equal(b: Builder, at: Span, kids: Kids) -> tuple[t.Name, t.Name]:
    return kids[0], kids[2]


@action("bind_one")
def bind_one(b: Builder, at: Span, kids: Kids) -> t.Binding:
    return t.Binding(at, None, (kids[0],), False, _extent(b, kids[2]))


@action("bind_braced")
def bind_braced(b: Builder, at: Span, kids: Kids) -> t.Binding:
    bracketed, names = kids[0]
    if bracketed:
        span = Span(at.start, b.tokens[b.index_after(names[-1].span.end)].end)
        b.report("index names go in braces", Span(at.start, at.start + 1), *_braces(b, span))
    return t.Binding(at, None, names, True, _extent(b, kids[2]))


@action("bind_named")
def bind_named(b: Builder, at: Span, kids: Kids) -> t.Binding:
    return t.Binding(at, kids[0], kids[2][1], True, _extent(b, kids[4]))


def _extent(b: Builder, node: Any) -> Any:
    """An extent is smaller than an expression (2.4.4); anything else goes into brackets."""
    if not _is_extent(node):
        text = _counted(b, node) or f"[{b.source(node.span)}]"
        first = b.after(node.span.start)
        if not text.startswith("["):
            b.report("there is no 'range'", first, f"write '{text}'", replace_fix(f"Write '{text}'", node.span, text))
            return node
        fix = replace_fix(f"Write '{text}'", node.span, text)
        b.report("an extent is a number, a name, '[…]' or '{…}'", first, f"put the extent in brackets: '{text}'", fix)
    return node


def _counted(b: Builder, node: Any) -> str:
    """The extent that `range(n)` and `range(0, n)` of Python mean; empty for anything else."""
    if not isinstance(node, t.Chain) or not isinstance(node.base, t.Name) or node.base.id != "range":
        return ""
    last = node.suffixes[-1]
    if len(node.suffixes) > 1 or not isinstance(last, t.Pick):
        return ""
    end: Any = last.arg
    if isinstance(end, t.TupleLit):
        first, *rest = end.items
        if len(rest) != 1 or not isinstance(first, t.IntLit) or first.value:
            return ""
        end = rest[0]
    return b.source(end.span) if _is_extent(end) else f"[{b.source(end.span)}]"


def _is_extent(node: Any) -> bool:
    parts = [node]
    while parts:
        match parts.pop():
            case (
                t.IntLit() | t.Name() | t.ShapeLit() | t.TupleLit() | t.Missing() | t.Unary(op="-", operand=t.IntLit())
            ):
                continue
            case t.Binary(op=op, left=left, right=right) if op in _EXTENT_OPS:
                parts += [left, right]
            case t.Chain(base=t.Name(), suffixes=suffixes) if _is_derived(suffixes):
                continue
            case _:
                return False
    return True


def _is_derived(suffixes: tuple[t.Suffix, ...]) -> bool:
    """`x.span`, `s[…]` or `x.span[…]`, without the name."""
    first = suffixes[0]
    rest = suffixes[1:] if isinstance(first, t.Member) and first.name == "span" else suffixes
    return len(rest) <= 1 and all(isinstance(suffix, t.Index) for suffix in rest)


@action("range", "local_range")
def range_stmt(b: Builder, at: Span, kids: Kids) -> t.Range:
    *front, name, fields = kids
    lo, hi, step = fields or (None, None, None)
    return t.Range(at, front[0] if front else None, name, fields is not None, lo, hi, step)


@action("bounds")
def bounds(b: Builder, at: Span, kids: Kids) -> tuple[Any, Any, Any]:
    lo, hi, step = kids
    sign = step.operand if isinstance(step, t.Unary) and step.op == "-" else step
    if step is not None and not isinstance(sign, t.IntLit | t.Missing):
        b.report("the step must be an integer literal", step.span)
    return lo, hi, step


@action("foreach")
def foreach(b: Builder, at: Span, kids: Kids) -> t.Foreach:
    _, loops, hints, body = kids
    ranges = tuple(loop for loop in loops if isinstance(loop, t.Range))
    bindings = tuple(loop for loop in loops if isinstance(loop, t.Binding))
    if ranges and bindings:
        bindings, ranges = (_mixed(b, ranges, bindings),), ()
    return t.Foreach(at, bindings, ranges, hints or (), body)


def _mixed(b: Builder, ranges: tuple[t.Range, ...], bindings: tuple[t.Binding, ...]) -> t.Binding:
    """`foreach r, s in [7, 3]`: the names want braces."""
    last = bindings[-1]
    names = (*(item.local or item.name for item in ranges), *(name for item in bindings for name in item.names))
    start, first = min(ranges[0].span.start, bindings[0].span.start), bindings[0]
    behind = b.after(first.names[-1].span.end + (1 if first.braced else 0))
    listed = "{" + ", ".join(name.id for name in names) + "}"
    whole = Span(start, first.names[-1].span.end)
    simple = len(bindings) == 1 and not first.braced and not any(item.sliced or item.local for item in ranges)
    fix = replace_fix(f"Write '{listed}'", whole, listed) if simple else None
    b.report("unexpected 'in'", behind, f"write 'foreach {listed} in {b.source(last.extent.span)}'", fix)
    return t.Binding(Span(start, last.span.end), None, names, True, last.extent)


_NO_RANGE: Final = "; 'foreach i in n' counts from 0 to n - 1"


@action("hint")
def hint(b: Builder, at: Span, kids: Kids) -> t.LoopHint:
    word, args = kids
    values: tuple[Any, ...] = args or ()
    if word.text == "unroll" and values:
        _check_factor(b, values)
    elif word.text == "vectorize" and (len(values) != 2 or not isinstance(values[0], t.Name)):
        b.report("'vectorize' takes a loop name and a factor", values[0].span if values else b.after(word.end))
    elif word.text == "automap":
        b.report("'automap' was removed", word.span, "write the loop as 'apply'")
    elif word.type == "NAME":
        message = f"unknown loop hint '{word.text}'" if word.text else "expected a loop hint behind ':'"
        b.report(message, word.span, f"use unroll or vectorize{_NO_RANGE if word.text else ''}")
    return t.LoopHint(at, word.text, values)


def _check_factor(b: Builder, values: tuple[Any, ...]) -> None:
    factor = values[0]
    if isinstance(factor, t.Missing):
        return
    if not isinstance(factor, t.IntLit):
        b.report("unroll factor must be an integer literal", factor.span)
    elif factor.value == 0:
        b.report("unroll factor must be positive", factor.span)
    elif len(values) > 1:
        b.report("'unroll' takes one factor", values[1].span)
