"""The order of suffixes behind a name: views, elements, picks (reference, 2.5.3, 2.6, 2.7 item 15).

Refuses what no view or element can be; whether a name is a buffer, a future or a shape is not asked here.
"""

from __future__ import annotations

from typing import Final

from croqc.syntax import ast as t
from croqc.syntax import borrowed, launch_words
from croqc.syntax.build import Builder, replace_fix
from croqc.syntax.casts import TYPES_OF_C
from croqc.syntax.keywords import MEMBERS, VIEW_OPERATIONS
from croqc.text.near import is_certain, nearest
from croqc.text.span import Span

_PLACED: Final = frozenset({"subspan", "modspan", "step", "stride", "chunk"})  # `.at` behind these places a tile
_FORWARD: Final = frozenset({"subspan", "modspan"})
_MEANT: Final = {
    "dim": "span(0)", "shape": "span", "size": "span", "sub": "subspan", "stage": "at", "get": "at", "item": "at",
}  # fmt: skip

# Functions of Triton, as members of its module.
_TRITON: Final = {
    "program_id": "the index of the block is that of 'parallel b by n : block'",
    "arange": "an index of 'parallel … t by 128 : thread' counts over the elements",
    "load": "an element is read as 'x.at(i)', a tile copied by 'dma.copy x.subspan(…).at(…) => tile;'",
    "store": "an element is written as 'y.at(i) = v;', a tile copied by 'dma.copy tile => y.subspan(…).at(…);'",
    "zeros": "an accumulator is made by 'acc = mma.fill.f32 0.0f;'",
    "dot": "tiles are multiplied by 'mma.row.row acc, a, b;'",
}


def is_view(chain: t.Chain) -> bool:
    """Whether the chain ends as a view: it has a view operation and no element access behind it."""
    members = [suffix.name for suffix in chain.suffixes if isinstance(suffix, t.Member)]
    if not any(name in VIEW_OPERATIONS for name in members) or members[-1] in ("span", "data", "mdata"):
        return False
    return members[-1] != "at" or (len(members) > 1 and members[-2] in _PLACED)


def checked_chain(b: Builder, chain: t.Chain) -> t.Chain:
    """The chain itself, at most one finding made about it."""
    before, viewed, element = "", False, False
    named = isinstance(chain.base, t.Name)
    if isinstance(chain.base, t.Paren) and isinstance(chain.base.inner, t.Name) and chain.base.inner.id in TYPES_OF_C:
        b.report("there are no casts as in C", chain.base.span, "write '__to<T>(…)'")
        return chain
    for at, suffix in enumerate(chain.suffixes):
        if isinstance(suffix, t.Pick):
            if _bad_pick(b, chain, suffix):
                return chain
            continue
        if not named and not isinstance(chain.base, t.Missing):
            b.report("only a name can have members and indices", suffix.span, "store the value in a variable first")
            return chain
        if isinstance(suffix, t.Index):
            b.suspicious = b.suspicious or before == "span"
            before = before if before == "span" else "[]"
            continue
        if not at and launch_words.is_word(chain):
            b.suspicious = True  # told by `launch_words`, which knows the indices around it
            return chain
        following = chain.suffixes[at + 1] if at + 1 < len(chain.suffixes) else None
        if _bad_member(b, suffix, before, viewed, element, following, chain.span.end):
            return chain
        viewed = viewed or suffix.name in VIEW_OPERATIONS
        element = suffix.name == "at" and before not in _PLACED
        before = suffix.name
    return chain


def arguments(pick: t.Pick) -> tuple[t.Expr, ...]:
    """What stands in the parentheses of a pick that looks like a call."""
    several = isinstance(pick.arg, t.TupleLit) and pick.arg.span == pick.span
    return pick.arg.items if several and isinstance(pick.arg, t.TupleLit) else (pick.arg,)


def _bad_pick(b: Builder, chain: t.Chain, pick: t.Pick) -> bool:
    """`(i)` takes one literal or name (2.5.2); anything else looks like a call."""
    arg = pick.arg
    if isinstance(arg, t.Unary) and arg.op == "-":
        arg = arg.operand
    if isinstance(arg, t.IntLit | t.Name | t.Missing):
        return False
    plain = isinstance(chain.base, t.Name) and chain.suffixes[0] is pick
    if isinstance(arg, t.TupleLit) and arg.span == pick.span:
        where = b.after(arg.items[0].span.end)
    elif isinstance(arg, t.Binary):
        where = b.after(arg.left.span.end)
    else:
        where = arg.span
    if plain and isinstance(chain.base, t.Name):
        if told := borrowed.function(b, chain.base, arguments(pick), chain.span):
            b.report(told.message, chain.base.span, told.hint, told.fix)
        else:
            b.report(f"'{chain.base.id}' is not callable here", where, f"use 'call {b.source(chain.span)}'")
    else:
        b.report("the dimension must be a literal or a name", where, "store it in a variable first")
    return True


def _bad_member(
    b: Builder, member: t.Member, before: str, viewed: bool, element: bool, following: t.Suffix | None, end: int
) -> bool:
    name = member.name
    dot = Span(member.span.start, member.name_span.end)
    fix = None
    if name not in MEMBERS:
        _unknown(b, member, dot)
        return True
    match name:
        case "step" | "stride" if before == "at":
            message, hint = f"'.{name}' must precede '.at'", ""
        case "step" | "stride" if before not in _FORWARD:
            message, hint = f"'.{name}' follows '.subspan' or '.modspan' only", ""
        case "from" if before != "view":
            message, hint = "'.from' follows '.view' only", ""
        case "at" if before == "view":
            message, hint = "'.view' is placed with '.from'", "write '.from'"
            fix = replace_fix("Write '.from'", member.name_span, "from")
        case "sqz" if not viewed:
            message, hint = "'.sqz' needs an earlier view operation", ""
        case "zfill" if following is not None:
            message, hint = "'.zfill' ends the source of a copy", ""
        case "chunk" if not (isinstance(following, t.Member) and following.name == "at"):
            dot = b.after(member.span.end)
            message, hint = "expected '.at(…)' after '.chunk(…)'", ""
        case _ if element and name != "zfill":
            message, hint = f"'.{name}' cannot follow an element", "read the element with a single '.at(…)'"
        case "map" | "remap":
            message, hint = f"'.{name}' must be the whole right-hand side", ""
        case _:
            return False
    b.report(message, dot, hint, fix)
    return True


def _unknown(b: Builder, member: t.Member, dot: Span) -> None:
    name = member.name
    if not name:
        b.report("expected a member after '.'", dot)
        return
    if name in _TRITON:
        b.report(f"there is no '{name}'", dot, _TRITON[name])
        return
    meant = _MEANT.get(name) or nearest(name, MEMBERS)
    hint = f"did you mean '.{meant}'?" if meant else ""
    fix = None
    if meant and "(" not in meant:
        safe = name in _MEANT or is_certain(name, meant, MEMBERS)
        fix = replace_fix(f"Write '.{meant}'", member.name_span, meant, safe, guess=True)
    b.report(f"unknown member '.{name}'", dot, hint, fix)
