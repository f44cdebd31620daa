"""Bodies, assignments and control: actions of the grammar (reference, 2.4.1 to 2.4.7). Must not judge meaning."""

from __future__ import annotations

import re
from typing import Any, Final

from croqc.syntax import ast as t
from croqc.syntax import borrowed
from croqc.syntax.build import Builder, Kids, action, replace_fix
from croqc.syntax.build_chains import arguments
from croqc.syntax.keywords import ATTRIBUTES, FOREIGN
from croqc.syntax.tokens import Token
from croqc.text.diagnostics import Fix
from croqc.text.edits import Edit
from croqc.text.record import record, replace
from croqc.text.span import Span

_OTHER_GUARDS: Final = {
    "unless": "if (!(…))", "when": "if (…)", "until": "while (!(…))",
    "forall": "foreach i in n", "repeat": "foreach i in n",
}  # fmt: skip
_COUNTING: Final = re.compile(
    r"for\(\s*\w+\s+(\w+)\s*=\s*([^;=?:,]+?)\s*;\s*\1\s*(<=?)\s*([^;&|<>=!]+?)\s*;"
    r"\s*(?:\1\s*\+\+|\+\+\s*\1|\1\s*\+=\s*(\d+))\s*\)"
)
_ATOM: Final = re.compile(r"[\w.]+")


@record
class Loose:
    """Statements without the block or header that they stood in; the enclosing list takes them."""

    stmts: tuple[Any, ...]


def _flat(items: Kids) -> tuple[Any, ...]:
    stmts: list[Any] = []
    for item in items:
        if isinstance(item, Loose):
            stmts += item.stmts
        elif item is not None:
            stmts.append(item)
    return tuple(stmts)


# --- bodies --------------------------------------------------------------------------------------


@action("block")
def block(b: Builder, at: Span, kids: Kids) -> t.Block:
    return t.Block(at, _flat(kids))


@action("single")
def single(b: Builder, at: Span, kids: Kids) -> t.Block:
    return t.Block(at, _flat(kids), False)


@action("no_body")
def no_body(b: Builder, at: Span, kids: Kids) -> t.Block:
    return t.Block(at, (), False)


@action("loose_block")
def loose_block(b: Builder, at: Span, kids: Kids) -> Loose:
    before = b.index_after(at.start) - 1
    if before < 0 or b.tokens[before].type in ("_SEMI", "_LBRACE", "_RBRACE"):
        b.report("a block needs a header such as 'if' or 'foreach'", Span(at.start, at.start + 1))
    return Loose(_flat(kids))


@action("stray_else")
def stray_else(b: Builder, at: Span, kids: Kids) -> Loose:
    b.report("'else' without a matching 'if'", kids[0].span)
    return Loose(kids[1].stmts)


@action("error_stmt")
def error_stmt(b: Builder, at: Span, kids: Kids) -> t.ErrorStmt:
    return t.ErrorStmt(at)


@action("qualified")
def qualified(b: Builder, at: Span, kids: Kids) -> Any:
    word, stmt = kids
    start = b.after(word.end)
    fix = replace_fix(f"Remove '{word.text}'", Span(word.start, start.start), "")
    b.report(f"'{word.text}' is not a keyword", start, "names are constant unless 'mutable'", fix)
    return stmt


@action("for_loop")
def for_loop(b: Builder, at: Span, kids: Kids) -> Any:
    word, body = kids
    header = b.source(word.span)
    opening = Span(word.start + header.find("("), word.start + header.find("(") + 1)
    found = _COUNTING.fullmatch("for" + header[3:].strip())
    loop = _foreach(found) if found else "foreach i in n"
    fix = replace_fix(f"Write '{loop}'", word.span, loop, safe=False) if found else None
    b.report("there is no 'for'", opening, f"use '{loop}'", fix)
    if found is None:
        return Loose(body.stmts)
    first = word.start + header.rfind(found[1], 0, header.index("="))
    name = Span(first, first + len(found[1]))
    init = t.ScalarInit(name, t.Name(name, found[1]), t.IntLit(name, 0, "0"))
    return t.Block(at, (t.ScalarDecl(name, None, True, "int", (init,)), *body.stmts))  # its body may name the index


def _foreach(found: re.Match[str]) -> str:
    """The header of a loop that counts up. One that does not begin at 0 takes a part of its index (2.4.5)."""
    name, first, sign, last, step = found.groups()
    bound = last if sign == "<" else str(int(last) + 1) if last.isdecimal() else f"{last} + 1"
    bound = bound if _ATOM.fullmatch(bound) else f"[{bound}]"
    start, by = "" if first == "0" else first, "" if step in (None, "1") else f":{step}"
    if not start and not by:
        return f"foreach {name} in {bound}"
    part = f"{start}:{by}"
    return f"with {name} in {bound if bound.startswith('[') else f'[{bound}]'} foreach {name}({part})"


@action("do_loop")
def do_loop(b: Builder, at: Span, kids: Kids) -> Loose:
    b.report("there is no 'do' loop", b.after(kids[0].end), "use 'while (…)' in front of the block")
    return Loose(kids[1].stmts)


# --- attributes ----------------------------------------------------------------------------------


@action("attribute")
def attribute(b: Builder, at: Span, kids: Kids) -> t.Attribute:
    _, word, args = kids
    if word.text not in ATTRIBUTES:
        b.report(f"unknown attribute '{word.text}'", word.span, f"known attributes: {', '.join(sorted(ATTRIBUTES))}")
    elif args is None:
        b.report(f"expected '(' after '{word.text}'", b.after(word.end))
    return t.Attribute(at, word.text, args or ())


@action("schedule")
def schedule(b: Builder, at: Span, kids: Kids) -> t.Attribute:
    _, word, inner, tiles = kids
    if inner.id != "k_tiles":
        b.report("'schedule' takes 'k_tiles(…)'", inner.span, "", replace_fix("Write 'k_tiles'", inner.span, "k_tiles"))
    return t.Attribute(at, word.text, tiles)


@action("attributed")
def attributed(b: Builder, at: Span, kids: Kids) -> Any:
    attr, stmt = kids
    first = stmt.stmts[0] if isinstance(stmt, Loose) and stmt.stmts else stmt
    if isinstance(first, t.Parallel) and attr.name != "schedule":
        return replace(first, span=at, attributes=(attr, *first.attributes))
    if isinstance(first, t.Mma) and attr.name == "schedule":
        return replace(first, span=at, schedule=attr)
    if attr.name in ATTRIBUTES and not isinstance(first, t.ErrorStmt):
        wants = "a multiply" if attr.name == "schedule" else "'parallel'"
        which = "'schedule' applies" if attr.name == "schedule" else "attributes apply"
        where = b.after(attr.span.end)
        b.report(f"{which} only to {wants}", where, "", replace_fix("Remove the attribute", attr.span, "", False))
    return stmt


# --- assignment ----------------------------------------------------------------------------------


@action("assign")
def assign(b: Builder, at: Span, kids: Kids) -> t.Assign:
    return t.Assign(at, tuple(kids))


@action("assign_part")
def assign_part(b: Builder, at: Span, kids: Kids) -> t.AssignPart:
    target, op, value = kids
    text: str = op.text
    if op.type == "BADASSIGN":
        left = b.source(target.span)
        better = f"{left} = {left} {text[:-1]} {b.source(value.span)}"
        b.report(
            f"'{text}' does not exist", op.span, f"write '{better};'", replace_fix(f"Write '{better}'", at, better)
        )
        text = "="
    elif text != "=" and isinstance(value, t.Call | t.Select):
        word = "select" if isinstance(value, t.Select) else "call"
        b.report(f"'{word}' cannot be combined with '{text}'", value.span, "store the result in a variable first")
        value = t.Missing(value.span)
    return t.AssignPart(at, _target(b, target), text, value)


def _target(b: Builder, target: Any) -> Any:
    """The target of an assignment; `a[i]` counts as the element that it was meant to be, so that only one is said."""
    if not isinstance(target, t.Chain):
        return target
    last = target.suffixes[-1]
    if isinstance(last, t.Member) and last.name == "at":
        return target
    subscripts = [suffix for suffix in target.suffixes if isinstance(suffix, t.Index)]
    if len(subscripts) == len(target.suffixes):
        args = tuple(arg for suffix in subscripts for arg in suffix.args)
        places = ", ".join(b.source(arg.span) for arg in args)
        where = Span(target.suffixes[0].span.start, target.suffixes[0].span.start + 1)
        span = Span(target.suffixes[0].span.start, last.span.end)
        fix = replace_fix(f"Write '.at({places})'", span, f".at({places})")
        b.report("an element is not written with brackets", where, f"use '.at({places})' to write an element", fix)
        return t.Chain(target.span, target.base, (t.Member(span, "at", args, called=True, name_span=where),))
    b.report("only a name or an element can be assigned", b.after(target.span.end), "write an element with '.at(…)'")
    return target


@action("derive")
def derive(b: Builder, at: Span, kids: Kids) -> t.Derive:
    return t.Derive(at, kids[0], kids[1])


@action("expression_stmt")
def expression_stmt(b: Builder, at: Span, kids: Kids) -> t.ErrorStmt:
    """`f(3);`, `i++;`, `a.at(0);`: an expression is no statement (2.4.1)."""
    node = kids[0]
    text = b.source(node.span)
    end = b.after(node.span.end)
    if (told := _borrowed(b, node)) is not None:
        b.report(told.message, node.base.span if isinstance(node, t.Chain) else node.span, told.hint, told.fix)
        return t.ErrorStmt(at)
    if len(kids) > 1 and isinstance(kids[1], Token):
        better = f"{text} {kids[1].text[0]}= 1"
        fix = replace_fix(f"Write '{better};'", Span(node.span.start, kids[1].end), better)
        b.report(f"'{kids[1].text}' is not a statement", kids[1].span, f"write '{better};'", fix)
    elif isinstance(node, t.Chain) and isinstance(node.suffixes[-1], t.Pick) and len(node.suffixes) == 1:
        where = Span(node.suffixes[0].span.start, node.suffixes[0].span.start + 1)
        name = b.source(node.base.span)
        if name in FOREIGN:
            b.report(f"there is no '{name}'", where, "use 'if'")
            return t.ErrorStmt(at)
        if name in _OTHER_GUARDS:
            b.report(f"there is no '{name}'", where, f"write '{_OTHER_GUARDS[name]}'")
            return t.ErrorStmt(at)
        if not b.source(at).endswith(";"):
            # `unless (c) y = 1;`: without its condition the statement means another thing
            way = f"write 'if (…)' for a condition, 'call {text};' for a call"
            b.report(f"'{name}' is not callable here", where, way)
            return t.ErrorStmt(at)
        fix = replace_fix("Insert 'call'", Span(at.start, at.start), "call ")
        b.report(f"'{name}' is not callable here", where, f"use 'call {text}'", fix)
    elif end.length and at.end > node.span.end:
        b.report(f"expected '=' after '{text}'", end, "an expression is not a statement")
    return t.ErrorStmt(at)


def _borrowed(b: Builder, node: Any) -> borrowed.Told | None:
    """What is said of `f(3)` or `f` as a statement, where `f` is a function of CUDA C++."""
    if isinstance(node, t.Name):
        return borrowed.statement(b, node, (), node.span)
    if not isinstance(node.base, t.Name) or len(node.suffixes) != 1 or not isinstance(node.suffixes[0], t.Pick):
        return None
    args = tuple(arg for arg in arguments(node.suffixes[0]) if not isinstance(arg, t.Missing))
    return borrowed.statement(b, node.base, args, node.span)


@action("call_stmt")
def call_stmt(b: Builder, at: Span, kids: Kids) -> t.CallStmt:
    return t.CallStmt(at, kids[0])


# --- conditions and jumps (2.4.6, 2.4.7) ---------------------------------------------------------


@action("if")
def if_stmt(b: Builder, at: Span, kids: Kids) -> t.If:
    cond, then, other = kids[1], kids[2], kids[4]
    if isinstance(cond, t.Select):
        b.report("'select' cannot be a condition", cond.span, "store it in a variable first")
        cond = t.Missing(cond.span)
    return t.If(at, cond, then, other)


@action("while")
def while_stmt(b: Builder, at: Span, kids: Kids) -> t.While:
    return t.While(at, kids[1], kids[2])


@action("jump")
def jump(b: Builder, at: Span, kids: Kids) -> t.Jump:
    return t.Jump(at, kids[0].text)


@action("return")
def return_stmt(b: Builder, at: Span, kids: Kids) -> t.Return:
    values = kids[1]
    if values is not None and len(values) > 1:
        b.report("expected ';' after the returned value", b.after(values[0].span.end), "a function returns one value")
    return t.Return(at, values[0] if values else None)


@action("inthreads")
def inthreads(b: Builder, at: Span, kids: Kids) -> t.InThreads:
    _, dotted, cond, body = kids
    return t.InThreads(at, only_async(b, dotted, "inthreads"), cond, body)


def only_async(b: Builder, dotted: Token | None, word: str) -> bool:
    """Whether `.async` is written; any other word behind the dot is a finding."""
    if dotted is None:
        return False
    if dotted.text != ".async":
        b.report(f"only '.async' can follow '{word}'", dotted.span, "", Fix(
            "Write '.async'", (Edit(dotted.span, ".async"),), safe=False))  # fmt: skip
    return True


@action("apply")
def apply(b: Builder, at: Span, kids: Kids) -> t.Apply:
    _, names, _, source, body = kids
    frag = source
    if isinstance(source, t.Chain) and isinstance(source.base, t.Name):
        frag = source.base
    suffixes = source.suffixes if isinstance(source, t.Chain) else ()
    if not (len(suffixes) == 1 and isinstance(suffixes[0], t.Member) and suffixes[0].name == "span"):
        where = suffixes[0].span if suffixes else b.after(source.span.end)
        b.report("'apply' runs over the '.span' of a fragment", where, "write 'in x.span'")
    return t.Apply(at, names, frag, body)
