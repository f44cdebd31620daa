"""Output, assertions, islands and older statements: actions of the grammar (reference, 2.4.14, 2.4.15, 2.14)."""

from __future__ import annotations

from typing import Any

from croqc.syntax import ast as t
from croqc.syntax.build import Builder, Kids, action, replace_fix, word_of
from croqc.text.span import Span

_SECTIONS = 3  # outputs, inputs, clobbers


@action("print")
def print_stmt(b: Builder, at: Span, kids: Kids) -> t.Print:
    word, mark, args = kids
    return t.Print(at, word.text, mark is not None, args)


def _str(b: Builder, node: Any, message: str = "a string literal is required") -> t.Str:
    if isinstance(node, t.Str):
        return node
    if not isinstance(node, t.Missing):
        b.report(message, Span(node.span.start, b.after(node.span.start).end))
    return t.Str(node.span, "", ())


@action("assert")
def assert_stmt(b: Builder, at: Span, kids: Kids) -> t.Assert:
    word, args = kids
    if word.text != "assert":
        opening = b.after(word.end)
        fix = replace_fix("Write 'assert'", word.span, "assert")
        b.report(f"'{word.text}' does not exist", opening, "use 'assert'; it is static when possible", fix)
    if len(args) == 1:
        where = b.after(args[0].span.end)
        b.report("assert needs a message string", where, "write 'assert(condition, \"message\")'")
        return t.Assert(at, args[0], t.Str(Span(where.start, where.start), "", ()))
    if len(args) > 2:
        b.report("assert takes a condition and a message", args[2].span)
    return t.Assert(at, args[0], _str(b, args[1]))


@action("cpp")
def cpp(b: Builder, at: Span, kids: Kids) -> t.Cpp:
    return t.Cpp(at, _str(b, kids[1]))


# --- inline assembly -----------------------------------------------------------------------------


@action("section")
def section(b: Builder, at: Span, kids: Kids) -> tuple[Span, tuple[Any, ...]]:
    return at, kids[0] or ()


@action("asm_item")
def asm_item(b: Builder, at: Span, kids: Kids) -> tuple[Span, t.Name | None, t.Str, Any]:
    label, constraint, value = kids
    text = t.Str(constraint.span, constraint.text[1:-1], (constraint.text,))
    return at, label, text, value


@action("asm")
def asm(b: Builder, at: Span, kids: Kids) -> t.Asm:
    word, mark, template, *sections = kids
    if mark is not None and mark.type == "GOTO":
        b.report("'asm goto' is not supported", mark.span)
    text = _str(b, template)
    if len(text.parts) > 1:
        b.report("the template of 'asm' is a single string literal", b.after(text.span.start + 1))
    if len(sections) > _SECTIONS:
        where = sections[_SECTIONS][0]
        b.report("too many ':' sections in asm", Span(where.start, where.start + 1))
    lists = [items for _, items in sections[:_SECTIONS]] + [()] * (_SECTIONS - len(sections))
    volatile = mark is not None and mark.type == "VOLATILE"
    outputs, inputs = (tuple(_operand(b, item) for item in items) for items in lists[:2])
    clobbers = tuple(_clobber(b, item) for item in lists[2])
    return t.Asm(at, text, volatile, outputs, inputs, clobbers, len(sections), word.text)


def _operand(b: Builder, item: Any) -> t.AsmOperand:
    span, label, constraint, value = item
    if value is None:
        b.report("expected '(' and the value of the operand", b.after(constraint.span.end))
        value = t.Missing(Span(span.end, span.end))
    return t.AsmOperand(span, label, constraint, value)


def _clobber(b: Builder, item: Any) -> t.Str:
    span, label, text, value = item
    if label is not None or value is not None:
        b.report("a clobber is a single string literal", span)
    result: t.Str = text
    return result


# --- older statements ----------------------------------------------------------------------------


@action("setreg")
def setreg(b: Builder, at: Span, kids: Kids) -> t.SetReg:
    _, dotted, value = kids
    direction = word_of(dotted) if dotted is not None else ""
    if direction not in ("", "inc", "dec"):
        b.report("only '.inc' or '.dec' can follow 'setreg'", dotted.span)
    return t.SetReg(at, direction, value)


@action("launch_bounds")
def launch_bounds(b: Builder, at: Span, kids: Kids) -> t.LaunchBounds:
    return t.LaunchBounds(at, kids[1], b.after(kids[0].end))
