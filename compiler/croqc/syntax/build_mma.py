"""Tensor-core and fragment statements: actions of the grammar (reference, 1.4.2, 2.4.13, 2.14)."""

from __future__ import annotations

from typing import Any, Final

from croqc.syntax import ast as t
from croqc.syntax.build import Builder, Kids, action, name_of, replace_fix, word_of, word_span
from croqc.syntax.build_moves import Mod, modifier, numbers, region
from croqc.syntax.joined import dotted
from croqc.syntax.keywords import ELEMENT_TYPES
from croqc.text.span import NOWHERE, Span

_OPS: Final = ("fill", "load", "row", "col", "store", "scale", "commit")
_LOADS: Final = ("load", "desc", "loadR", "loadS")
_REDUCTIONS: Final = {"reduce_max": 3, "reduce_sum": 3, "all_reduce_sum": 1, "copy": 2}


class _Parts:
    """The pieces of one `mma` statement, and its findings."""

    def __init__(self, b: Builder, at: Span, kids: Kids) -> None:
        self.b, self.at = b, at
        self.target, _, self.word, mods, operands, self.arrow, last = kids
        self.op: Mod = mods[0]
        self.mods: list[Mod] = list(mods[1:])
        self.operands: list[Any] = [*(operands or ()), *((last,) if last is not None else ())]
        if self.arrow is not None:
            known = [b.source(item.span) for item in self.operands]
            text = f"mma.{self.op.word} {', '.join(known)}"
            b.report(
                "operands of 'mma' are separated by ','", self.arrow.span, f"write '{text}'",
                replace_fix("Write ','", Span(self.operands[0].span.end, self.arrow.end), ","),
            )  # fmt: skip

    def behind(self, offset: int) -> Span:
        return self.b.after(offset)

    def take(self, least: int, most: int, names: tuple[str, ...]) -> list[Any]:
        """Exactly the operands that the statement needs; Missing ones for those that lack."""
        items, b = self.operands, self.b
        if len(items) < least:
            end = items[-1].span.end if items else self.end_of_name()
            due = names[min(len(items), len(names) - 1)]
            b.report(f"expected {'a ' if not items else ''}{due}" if not items else f"expected ',' and {due}",
                     self.behind(end))  # fmt: skip
            gap = Span(end, end)
            items = [*items, *(t.Missing(gap) for _ in range(least - len(items)))]
        elif len(items) > most:
            b.report(f"'mma.{self.op.word}' takes {most} operands here", self.behind(items[most - 1].span.end))
        return items[:most]

    def end_of_name(self) -> int:
        last = self.mods[-1] if self.mods else self.op
        return last.span.end

    def no_more(self, mods: list[Mod]) -> None:
        """Everything behind the known parts of the name is unknown."""
        if mods:
            self.b.report(f"'.{mods[0].word}' cannot stand here", mods[0].token.span)

    def no_target(self) -> None:
        if self.target is not None:
            self.b.report(f"'mma.{self.op.word}' has no result", self.op.token.span, "write it without 'name ='")

    def name(self) -> t.Name | None:
        return None if self.target is None else name_of(self.b, self.target, "the result has a plain name")


@action("mma")
def mma(b: Builder, at: Span, kids: Kids) -> t.Stmt:
    parts = _Parts(b, at, kids)
    match parts.op.word:
        case "fill":
            return _fill(parts)
        case "row" | "col":
            return _multiply(parts)
        case "store":
            return _store(parts)
        case "scale":
            parts.no_target()
            parts.no_more(parts.mods)
            acc, left, right = parts.take(3, 3, ("accumulator", "the first scale", "the second scale"))
            return t.MmaScale(at, acc, left, right)
        case "commit" | "wait":
            return _commit(parts)
        case word if word in _LOADS:
            return _load(parts)
    return _unknown(parts)


def _unknown(parts: _Parts) -> t.ErrorStmt:
    word, b, span = parts.op.word, parts.b, parts.op.token.span
    if word in ("exec", "sync"):
        b.report(f"'mma.{word}' was removed", span, "write 'mma.row.row acc, a, b' and 'mma.commit'")
    else:
        meant, safe = dotted(word, _OPS) or (None, False)
        fix = replace_fix(f"Write '.{meant}'", span, f".{meant}", safe, guess=True) if meant else None
        message = f"unknown operation '.{word}'" if word else "expected an operation after 'mma.'"
        b.report(message, span, f"did you mean '.{meant}'?" if meant else "", fix)
    return t.ErrorStmt(parts.at)


def _fill(parts: _Parts) -> t.MmaFill:
    elem = None
    if parts.mods:
        first = parts.mods[0]
        elem = ELEMENT_TYPES.get(first.word)
        if elem is None:
            span = word_span(first.token)
            parts.b.report(f"unknown element type '{first.word}'", span, "write 'mma.fill.f32' or 'mma.fill.f16'")
        parts.no_more(parts.mods[1:])
    if parts.target is not None:
        items = parts.operands
        if not items:
            parts.b.report("expected a value after 'mma.fill'", parts.behind(parts.end_of_name()))
            end = parts.end_of_name()
            items = [t.Missing(Span(end, end))]
        elif len(items) > 1:
            parts.b.report("'mma.fill' takes one value here", parts.behind(items[0].span.end))
        return t.MmaFill(parts.at, _counted(parts, parts.target), elem, items[0], True)
    counted = next((mod for mod in (parts.op, *parts.mods) if mod.count is not None), None)
    if counted is not None:
        parts.b.report("only 'name = mma.fill' says how many accumulators there are", counted.count.span,
                       "leave '[…]' out, and name one of them")  # fmt: skip
    acc, value = parts.take(2, 2, ("accumulator", "the value"))
    return t.MmaFill(parts.at, acc, elem, value, False)


def _counted(parts: _Parts, name: t.Expr) -> t.Expr:
    """The accumulators that `name = mma.fill.T[n] v` declares: as in `name[n] = mma.fill.T v` (6.1)."""
    last = (parts.op, *parts.mods)[-1]
    if last.count is None:
        return name
    if isinstance(name, t.Chain):
        message = "the number of accumulators stands behind 'mma.fill' here"
        parts.b.report(message, last.count.span, "give the accumulators a plain name")
        return name
    return t.Chain(name.span, name, (t.Index(last.count.span, (last.count,)),))


def _load(parts: _Parts) -> t.MmaLoad:
    b, frag, is_async = parts.b, False, False
    swizzle: t.Modifier | None = None
    for part in parts.mods:
        if part.word == "frag" and swizzle is None and not is_async:
            frag = True
        elif part.word in ("swiz", "swizzle") and not is_async:
            swizzle = modifier(b, part)
        elif part.word == "async":
            is_async = True
        elif part.word in ("frag", "swiz", "swizzle"):
            b.report(f"'.{part.word}' stands before '.async'", part.token.span, "the order is .frag.swiz<N>.async")
        else:
            parts.no_more([part])
    op = parts.op.word
    if parts.target is not None:
        source = parts.take(1, 1, ("buffer or view to load",))[0]
        source = region(b, source, "expected a buffer, a future or a view")
        return t.MmaLoad(parts.at, parts.target, source, op, frag, swizzle, is_async, True, parts.op.token.span)
    source, target = parts.take(2, 2, ("buffer or view to load", "the register tile"))
    return t.MmaLoad(parts.at, target, source, op, frag, swizzle, is_async, False, parts.op.token.span)


_FORMS: Final = {"": (3, 3), "async": (3, 3), "sp": (3, 4), "scale": (5, 5)}
_OPERANDS: Final = ("accumulator", "the first operand", "the second operand", "the first scale", "the second scale")


def _multiply(parts: _Parts) -> t.Mma:
    b, mods = parts.b, parts.mods
    layout_b = parts.op.word
    if mods and mods[0].word in ("row", "col"):
        layout_b, mods = mods[0].word, mods[1:]
    else:
        where = mods[0].token.span if mods else parts.behind(parts.op.span.end)
        b.report("expected '.row' or '.col' for the second operand", where, f"write 'mma.{layout_b}.row'")
    form, order, async_at, order_at = "", None, None, NOWHERE
    for part in mods:
        if part.word == "order" and part.args is not None:
            order = numbers(b, part.args, "the order must consist of integer literals")
            order_at = part.token.span
        elif part.word in _FORMS and not form:
            form, async_at = part.word, part.token.span if part.word == "async" else None
        else:
            parts.no_more([part])
    if async_at is not None and parts.target is None:
        b.report("the future of an '.async' multiply must be assigned", async_at,
                 f"assign the future: 'f = mma.{parts.op.word}.{layout_b}.async …'")  # fmt: skip
    elif async_at is None and parts.target is not None and parts.operands:
        b.report("only '.async' multiplies return a future", parts.operands[0].span, "write it without 'name ='")
    least, most = _FORMS[form]
    acc, left, right, *extra = parts.take(least, most, _OPERANDS)
    target = parts.name() if form == "async" else None
    return t.Mma(parts.at, parts.op.word, layout_b, form, acc, left, right, tuple(extra), target, None, order, order_at)


def _store(parts: _Parts) -> t.MmaStore:
    parts.no_target()
    form, mods = "", parts.mods
    if mods and mods[0].word in ("async", "transp", "mask"):
        form, mods = mods[0].word, mods[1:]
    parts.no_more(mods)
    most = 4 if form == "mask" else 2
    names = ("accumulator", "the destination", "the number of rows")
    acc, dest, *limits = parts.take(3 if form == "mask" else 2, most, names)
    return t.MmaStore(parts.at, form, acc, dest, tuple(limits))


def _commit(parts: _Parts) -> t.MmaCommit:
    """`mma.commit`, and the older `mma.wait<N>`."""
    parts.no_target()
    parts.no_more(parts.mods)
    b, op, keep = parts.b, parts.op, None
    if parts.operands:
        b.report(f"'mma.{op.word}' takes no operands", parts.operands[0].span)
    if op.word == "commit" and op.args is not None:
        b.report("'mma.commit' takes no argument", b.after(op.token.end))
    elif op.word == "wait":
        values = numbers(b, op.args or (), "the number of groups must be an integer literal")
        keep = values[0] if values else 0
        if op.args is None:
            b.report("expected '<' after 'mma.wait'", b.after(op.token.end))
    return t.MmaCommit(parts.at, keep, op.token.span)


# --- fragments -----------------------------------------------------------------------------------


@action("frag_op")
def frag_op(b: Builder, at: Span, kids: Kids) -> t.FragOp:
    word, args = kids
    due = _REDUCTIONS[word.text]
    if len(args) != due:
        where = args[due].span if len(args) > due else b.after(args[-1].span.end)
        b.report(f"'{word.text}' takes {due} argument{'s' * (due > 1)}", where)
    dim = None
    if due == 3 and len(args) > 2:
        dim = _dim(b, args[2])
    return t.FragOp(at, word.text, args[: 2 if due == 3 else due], dim)


def _dim(b: Builder, node: Any) -> int | None:
    negative = isinstance(node, t.Unary) and node.op == "-"
    literal = node.operand if negative else node
    if isinstance(literal, t.IntLit):
        return -literal.value if negative else literal.value
    if not isinstance(literal, t.Missing):
        b.report("the dimension must be an integer literal", node.span)
    return None


_NOW: Final = {
    "apply": "apply {i} in x.span …",
    "copy": "copy(destination, source);",
    "load": "copy(destination, source);",
    "store": "copy(destination, source);",
    "reduce_max": "reduce_max(destination, source, dim);",
    "reduce_sum": "reduce_sum(destination, source, dim);",
}


@action("old_frag")
def old_frag(b: Builder, at: Span, kids: Kids) -> t.ErrorStmt:
    """`frag.copy(…)` and its like: their operands cannot be carried over one for one (chapter 0)."""
    dotted = kids[1]
    word = word_of(dotted)
    now = _NOW.get(word)
    b.report(
        f"'frag.{word}' was removed" if now else f"unknown operation '.{word}'", dotted.span,
        f"write '{now}'" if now else "",
    )  # fmt: skip
    return t.ErrorStmt(at)
