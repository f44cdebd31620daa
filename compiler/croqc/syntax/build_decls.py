"""Functions, types and declarations: actions of the grammar (reference, 2.2 and 2.3). Must not judge meaning."""

from __future__ import annotations

from typing import Any

from croqc.syntax import ast as t
from croqc.syntax import c_shapes
from croqc.syntax.build import Builder, Kids, action, replace_fix, word_of, word_span
from croqc.syntax.c_shapes import SHAPED, Bracket, Declared, Init
from croqc.syntax.casts import TYPES_OF_C
from croqc.syntax.keywords import ELEMENT_TYPES, canonical_type
from croqc.syntax.tokens import Token
from croqc.syntax.visit import walk
from croqc.text.near import nearest
from croqc.text.span import Span

# --- functions and types (2.2) -------------------------------------------------------------------


@action("function")
def function(b: Builder, at: Span, kids: Kids) -> t.Function:
    result, name, params, body = kids
    at = Span(0, at.end)
    if result is None:
        where = name.span
        b.report(
            "missing return type", where, "write 'void' for a function that returns nothing",
            replace_fix("Insert 'void'", Span(where.start, where.start), "void "),
        )  # fmt: skip
        result = t.TypeRef(Span(where.start, where.start), "void")
    return t.Function(at, result, name, tuple(p for p in params or () if p is not None), body)


@action("broken_function")
def broken_function(b: Builder, at: Span, kids: Kids) -> t.Function:
    nowhere = Span(kids[0].start, kids[0].start)
    return t.Function(Span(0, at.end), t.TypeRef(nowhere, "void"), t.Name(nowhere, ""), (), kids[1])


@action("param")
def param(b: Builder, at: Span, kids: Kids) -> t.Param:
    storage, kind, amp, declared = kids
    if storage is not None and storage.text != "global":
        b.report(f"'{storage.text}' data cannot be a parameter", storage.span, "remove the word, or write 'global'")
    if declared is not None and declared.brackets:
        kind = c_shapes.parameter(b, kind, declared)
    elif declared is not None and declared.init is not None:
        b.report("parameters have no default values", declared.init.span, "remove the value")
    name = declared.name if declared is not None else None
    is_global = storage is not None and storage.text == "global"
    return t.Param(at, kind, name, is_global, amp is not None)


@action("broken_param")
def broken_param(b: Builder, at: Span, kids: Kids) -> None:
    return None


@action("type")
def type_ref(b: Builder, at: Span, kids: Kids) -> t.TypeRef:
    word, shape = kids
    elem, dims, rank = word.text, None, None
    if shape is not None:
        dims, rank = shape
    if word.type == "NAME":
        _unknown_type(b, word)
    elif word.type == "ELEM":
        elem = ELEMENT_TYPES[elem]
    elif dims is not None:
        _no_shape(b, word, Span(b.after(word.end).start, at.end))
    return t.TypeRef(at, elem, dims, rank)


def _unknown_type(b: Builder, word: Token) -> None:
    if word.text == "const":
        b.report("there is no 'const' here", word.span, "leave it out")
        return
    meant = TYPES_OF_C.get(word.text) or nearest(word.text, (*ELEMENT_TYPES, "int", "bool"))
    alone = b.source(b.after(word.end)) not in ("int", "long", "short", "char")  # `unsigned int n`
    fix = replace_fix(f"Write '{meant}'", word.span, meant, safe=False) if meant and alone else None
    b.report(f"unknown element type '{word.text}'", word.span, f"did you mean '{meant}'?" if meant else "", fix)


def _no_shape(b: Builder, word: Token, where: Span) -> None:
    instead = SHAPED.get(word.text)
    fix = replace_fix(f"Write '{instead}'", word.span, instead, safe=False) if instead else None
    b.report(f"'{word.text}' takes no shape", where, f"use '{instead} {b.source(where)}'" if instead else "", fix)


@action("shape", "mdspan_shape")
def shape(b: Builder, at: Span, kids: Kids) -> tuple[tuple[Any, ...], None]:
    dims: tuple[Any, ...] = next(kid for kid in kids if isinstance(kid, tuple))
    more = [kid for kid in kids if isinstance(kid, Bracket)]
    if more:
        c_shapes.split_shape(b, Span(at.start, _closing(b, at, more[0])), more)
        dims += tuple(extent for bracket in more for extent in bracket.extents)
    for dim in dims:
        bad = _symbolic_operator(b, dim)
        if bad is not None:
            b.report("an extent is a name or a constant", bad, "compute with symbols in the body")
            break
    return dims, None


def _closing(b: Builder, at: Span, behind: Bracket) -> int:
    """The end of the bracket in front of another."""
    return b.tokens[b.index_after(behind.span.start) - 1].end


def _symbolic_operator(b: Builder, dim: Any) -> Span | None:
    """Where the first operator next to a name stands, or a sign; None for a legal extent."""
    if isinstance(dim, t.Name):
        return None
    if isinstance(dim, t.Unary):
        return dim.span
    inside = list(walk(dim))
    if not any(isinstance(node, t.Name) and node.id for node in inside):
        return next((node.span for node in inside if isinstance(node, t.Unary)), None)
    named = [node for node in inside if isinstance(node, t.Binary) and _names(node)]
    ends = [node.left.span.end for node in named]
    return b.after(min(ends)) if ends else None


def _names(node: t.Binary) -> bool:
    """Whether an operand is a name."""
    return any(isinstance(side, t.Name) for side in (node.left, node.right))


@action("rank_shape")
def rank_shape(b: Builder, at: Span, kids: Kids) -> tuple[tuple[Any, ...], int]:
    return (), _rank(b, kids[1]) or 0


def _rank(b: Builder, node: Any) -> int | None:
    if node is None:
        return None
    if isinstance(node, t.IntLit):
        return node.value
    b.report("the rank must be an integer literal", node.span)
    return None


@action("dyn")
def dyn(b: Builder, at: Span, kids: Kids) -> t.Dyn:
    return t.Dyn(at, kids[0].text == "??")


# --- declarations (2.3) --------------------------------------------------------------------------


@action("param_name")
def param_name(b: Builder, at: Span, kids: Kids) -> Declared:
    *front, equal, value = kids
    init = Init(Span(equal.start, at.end), value, False) if equal is not None else None
    return _declared(at, front, init)


@action("decl_name")
def decl_name(b: Builder, at: Span, kids: Kids) -> Declared:
    return _declared(at, kids[:-1], kids[-1])


def _declared(at: Span, front: Kids, init: Init | None) -> Declared:
    name, *brackets = front
    return Declared(at, name, tuple(brackets), init)


@action("array")
def array(b: Builder, at: Span, kids: Kids) -> Bracket:
    return Bracket(at, tuple(kids))


@action("init_equal", "init_brace")
def init(b: Builder, at: Span, kids: Kids) -> Init:
    return Init(at, kids[-1], len(kids) == 1)


@action("elem_type")
def elem_type(b: Builder, at: Span, kids: Kids) -> Token:
    word: Token = kids[0]
    return word


@action("decl_shape")
def decl_shape(b: Builder, at: Span, kids: Kids) -> tuple[Span, tuple[Any, ...] | None]:
    inner, *more = kids
    if isinstance(inner, Token):
        return at, None
    if more:
        c_shapes.split_shape(b, Span(at.start, _closing(b, at, more[0])), more)
    return at, (*inner, *(extent for bracket in more for extent in bracket.extents))


@action("declaration")
def declaration(b: Builder, at: Span, kids: Kids) -> t.Stmt:
    storage, mutable, word, shaped, names = kids
    if word.type == "AUTO":
        return _auto(b, at, word, names)
    if word.type in ("VOID", "STREAM"):
        b.report(f"'{word.text}' cannot be declared here", word.span, "a stream is a parameter only")
    if shaped is not None and word.type == "ELEM":
        if mutable is not None:
            fix = replace_fix("Remove 'mutable'", Span(mutable.start, word.start), "")
            b.report("buffers are not declared 'mutable'", shaped[0], "remove 'mutable'", fix)
        place = storage.text if storage is not None else None
        buffers = tuple(_buffer(b, item) for item in names)
        return t.BufferDecl(at, place, ELEMENT_TYPES[word.text], shaped[1], buffers)
    if shaped is not None:
        _no_shape(b, word, shaped[0])
    return _scalars(b, at, (storage, mutable, word), names)


def _auto(b: Builder, at: Span, word: Token, names: tuple[Declared, ...]) -> t.Stmt:
    """`auto k = 3;` is meant as the assignment `k = 3;`."""
    first = names[0]
    rest = b.source(Span(first.span.start, at.end))
    fix = replace_fix("Remove 'auto'", Span(word.start, first.span.start), "")
    b.report("'auto' is only a function result", word.span, f"write '{rest}'", fix)
    parts = tuple(
        t.AssignPart(item.span, item.name, "=", item.init.value if item.init else t.Missing(item.span))
        for item in names
    )
    return t.Assign(at, parts)


def _scalars(
    b: Builder, at: Span, words: tuple[Token | None, Token | None, Token | None], names: tuple[Declared, ...]
) -> t.Stmt:
    storage, mutable, word = words
    if any(item.brackets for item in names):
        c_shapes.local(b, words, names)
        return _meant_buffers(b, at, words, names)
    inits = []
    for item in names:
        value, braced = (item.init.value, item.init.braced) if item.init else (None, False)
        if isinstance(value, t.Select | t.Derive):
            what = "'select'" if isinstance(value, t.Select) else "a derived tuple"
            where = value.span if isinstance(value, t.Select) else b.after(value.base.span.end)
            b.report(f"{what} cannot initialise a scalar", where, f"write '{item.name.id} = …' without a type")
            value = t.Missing(value.span)
        inits.append(t.ScalarInit(item.span, item.name, value, braced))
    elem = None if word is None else canonical_type(word.text) or word.text
    return t.ScalarDecl(at, storage.text if storage else None, mutable is not None, elem, tuple(inits))


def _meant_buffers(
    b: Builder, at: Span, words: tuple[Token | None, Token | None, Token | None], names: tuple[Declared, ...]
) -> t.Stmt:
    """The buffers that `f32 a[16][64];` means. Several shapes have no one node: a scalar would give followers."""
    storage, _, word = words
    elem = None if word is None else SHAPED.get(word.text) or canonical_type(word.text)
    if elem is None or len({c_shapes.joined(b, item.brackets) for item in names}) != 1:
        return t.ErrorStmt(at)
    buffers = tuple(t.BufferName(item.span, item.name, (), None) for item in names)
    return t.BufferDecl(at, storage.text if storage is not None else None, elem, names[0].array, buffers)


@action("untyped_decl")
def untyped_decl(b: Builder, at: Span, kids: Kids) -> t.Stmt:
    storage, mutable, names = kids
    return _scalars(b, at, (storage, mutable, None), names)


def _buffer(b: Builder, item: Declared) -> t.BufferName:
    init = item.init
    c_shapes.flat_array(b, item)
    if init is not None and not init.braced:
        value = b.source(init.value.span)
        behind = (item.array_span or item.name.span).end
        fix = replace_fix(f"Write '{{{value}}}'", Span(behind, init.span.end), f"{{{value}}}")
        b.report("a buffer is not initialised with '='", Span(init.span.start, init.span.start + 1),
                 f"use '{{{value}}}' to initialise it", fix)  # fmt: skip
    fill = init.value if init is not None else None
    if isinstance(fill, t.Call | t.Select):
        fill = t.Missing(fill.span)
    return t.BufferName(item.span, item.name, item.array, fill)


@action("event_decl")
def event_decl(b: Builder, at: Span, kids: Kids) -> t.EventDecl:
    storage, _, count, names = kids
    return t.EventDecl(at, storage.text if storage else None, count, tuple(_event(b, item) for item in names))


def _event(b: Builder, item: Declared) -> t.EventName:
    ready = False
    c_shapes.flat_array(b, item)
    if item.init is not None:
        ready = isinstance(item.init.value, t.Name) and item.init.value.id == "ready" and not item.init.braced
        if not ready:
            span = item.init.value.span
            b.report("an event can only start as 'ready'", span, "", replace_fix("Write 'ready'", span, "ready", False))
    return t.EventName(item.span, item.name, item.array, ready)


@action("frag_decl")
def frag_decl(b: Builder, at: Span, kids: Kids) -> t.FragDecl:
    word, dotted, elem, shaped, names = kids
    old = word.text == "fragment"
    kind = elem.text if elem is not None else None
    if dotted is not None:
        kind = word_of(dotted)
        if kind not in ELEMENT_TYPES:
            b.report(f"unknown element type '{kind}'", word_span(dotted))
    shape_items = None
    if shaped is not None:
        shape_items = shaped[1] or ()
    elif elem is not None:
        b.report("expected '[' and the shape of the fragment", b.after(elem.end))
    buffers = tuple(_buffer(b, item) for item in names)
    if shaped is None and elem is None and any(item.fill is None for item in buffers):
        where = next(item for item in buffers if item.fill is None)
        b.report("a fragment without a shape needs a value", b.after(where.span.end), "write 'frag name {value}'")
    return t.FragDecl(at, canonical_type(kind) or kind if kind else None, shape_items, buffers, old)


@action("shape_decl")
def shape_decl(b: Builder, at: Span, kids: Kids) -> t.ShapeDecl:
    target, value = kids
    name = target
    if isinstance(target, t.Chain):
        b.report("a shape is declared by a plain name", target.suffixes[0].span)
        name = target.base if isinstance(target.base, t.Name) else t.Name(target.span, "")
    return t.ShapeDecl(at, name, value, False, None)


@action("shape_word")
def shape_word(b: Builder, at: Span, kids: Kids) -> t.Stmt:
    """`mdspan x : e;` and `ituple x = e;`, and what people write instead."""
    word, rank_node, item, colon_value = kids
    tuple_kind = word.type == "ITUPLE"
    rank, init = _rank(b, rank_node), item.init
    value: Any = colon_value if colon_value is not None else init.value if init else None
    if item.array_span is not None:
        b.report(f"arrays of {'ituples' if tuple_kind else 'shapes'} do not exist", item.name.span)
    elif tuple_kind:
        if colon_value is not None:
            _wrong_sign(b, b.after(item.span.end), "an ituple is initialised with '='", "=")
        elif init is None:
            b.report("an ituple must be initialised", item.name.span, "write '= {…}'")
    elif init is not None:
        _wrong_sign(b, Span(init.span.start, init.span.start + 1), "an mdspan is initialised with ':'", ":")
    elif colon_value is None:
        b.report("an mdspan must be initialised", b.after(item.span.end), "write ': […]'")
    if value is None or isinstance(value, t.Call | t.Select):
        value = t.Missing(Span(at.end, at.end))
    if tuple_kind:
        return t.TupleDecl(at, item.name, value, rank)
    return t.ShapeDecl(at, item.name, value, True, rank)


def _wrong_sign(b: Builder, where: Span, message: str, sign: str) -> None:
    b.report(message, where, "", replace_fix(f"Write '{sign}'", where, sign))
