"""Fixes of older forms that only differ in spelling from the current one (reference, chapter 0 and 2.13).

What has no replacement of the same meaning in place gets no fix here. Must not word messages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from croqc.rules.base import Subject
from croqc.rules.rewrites import node_at, remove_statement, replace
from croqc.syntax import ast
from croqc.syntax.older import OlderForm
from croqc.text.diagnostics import Fix
from croqc.text.edits import Edit
from croqc.text.span import Span

# Form: what stands there, and the text that replaces it ("" for the one that the form names).
_WORDS: Final[Mapping[str, tuple[str, str]]] = {
    "tma.store": (r"\.\s*store\b", ".copy"),
    ".copy_async": (r"\.\s*copy_async\b", ".copy.async"),
    "mma.loadS": (r"\.\s*loadS\b", ".load"),
    "mma.loadR": (r"\.\s*loadR\b", ".load.frag"),
    "fragment": (r"fragment\b", "frag"),
    ".stride": (r"\.\s*stride\b", ".step"),
    ".swizzle(…)": (r"\s*\.?\s*swizzle\s*\(\s*\d+\s*\)", ""),
    ".sp(…)": (r"\s*\.?\s*sp\s*\(\s*\d+\s*:\s*\d+\s*\)", ""),
    ".swiz<level>": (r"\.\s*swiz(?:zle)?\s*<\s*\d\s*>", ""),
}


def respell(subject: Subject, form: OlderForm) -> tuple[Fix, ...]:
    """The fix of an older form, if it is a pure respelling."""
    new = re.match("'([^']*)'", form.replacement)
    title = f"Change to {new.group() if new else 'the current form'}"
    rest = Span(form.span.start, len(subject.text))
    if form.name in _WORDS:
        pattern, text = _WORDS[form.name]
        start = rest.start
        while not text and not pattern.startswith(r"\.") and subject.text[start - 1] == " ":
            start -= 1
        written = text or (new.group(1) if new else "")
        return replace(subject, title, Span(start, rest.end), pattern, written, safe=True)
    match form.name:
        case "parallel(s)":
            name = re.compile(r"\(\s*(\w+)\s*\)").match(subject.text, rest.start)
            return replace(subject, title, rest, r"\(\s*\w+\s*\)", f"<{name.group(1)}>", safe=True) if name else ()
        case ".evict_first" | ".evict_last":
            return replace(subject, title, rest, r"\.\s*copy\b", ".load")
        case "mma.order":
            return _schedule(subject, title, form)
        case "launch_bounds":
            return _launch_bounds(subject, title, form)
        case ".zfill":
            return _zero_fill(subject, form)
        case "stage<N>":
            return _stage(subject, form)
    return ()


def _schedule(subject: Subject, title: str, form: OlderForm) -> tuple[Fix, ...]:
    multiply = node_at(subject, form.span, ast.Mma)
    order = re.compile(r"\.\s*order\s*<([\s\d,]*)>").match(subject.text, form.span.start)
    if multiply is None or order is None:
        return ()
    start = Span(multiply.span.start, multiply.span.start)
    edits = Edit(start, f"[[schedule(k_tiles({order.group(1)}))]] "), Edit(Span(*order.span()), "")
    return (Fix(title, edits),)


def _launch_bounds(subject: Subject, title: str, form: OlderForm) -> tuple[Fix, ...]:
    """Move the statement in front of the kernel that it stands in."""
    statement = node_at(subject, form.span, ast.LaunchBounds)
    kernels = [one.node for one in subject.analysis.model.kernels if one.node.span.start <= form.span.start]
    removed = remove_statement(subject, title, statement.span) if statement else ()
    if statement is None or not kernels or not removed:
        return ()
    start = kernels[-1].span.start
    attribute = f"[[{subject.slice(statement.span).rstrip(' ;')}]]{subject.newline}{subject.indent(start)}"
    return (Fix(title, (Edit(Span(start, start), attribute), *removed[0].edits)),)


def _zero_fill(subject: Subject, form: OlderForm) -> tuple[Fix, ...]:
    """Move `.zfill` from behind the source to the operation."""
    copies = [copy for copy in subject.analysis.model.copies if copy.source.span.end == form.span.start]
    if not copies or subject.slice(form.span) != ".zfill":
        return ()
    head = len(subject.text[: copies[0].source.span.start].rstrip())
    edits = Edit(Span(head, head), ".zfill"), Edit(form.span, "")
    return (Fix("Move '.zfill' behind the operation", edits),)


def _stage(subject: Subject, form: OlderForm) -> tuple[Fix, ...]:
    call = node_at(subject, form.span, ast.Builtin)
    slots = re.compile(r"stage\s*<([^>]*)>").match(subject.text, form.span.start)
    if call is None or slots is None or not call.args:
        return ()
    operand = call.args[-1]
    counted = subject.slice(operand.span)
    if not isinstance(operand, ast.Name | ast.IntLit | ast.Paren):
        counted = f"({counted})"
    text = f"({counted} % {slots.group(1).strip()})"
    return (Fix(f"Change to '{text}'", (Edit(call.span, text),), safe=False),)
