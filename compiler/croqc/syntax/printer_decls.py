"""Text of types, parameters and declarations (reference, 2.2 and 2.3). Must not know other statements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from croqc.syntax import decls as d
from croqc.syntax.exprs import Call, Expr, Node
from croqc.syntax.printer_exprs import comma_list, print_expr


def print_type(node: d.TypeRef) -> str:
    """A type as it stands in a header: `f16 [M, K]`, `f32 mdspan<2>`, `int`."""
    if node.rank is not None:
        return f"{node.elem} mdspan<{node.rank}>"
    if node.dims is None:
        return node.elem
    return f"{node.elem} [{', '.join(map(_dim, node.dims))}]"


def _dim(node: Expr | d.Dyn) -> str:
    if isinstance(node, d.Dyn):
        return "??" if node.unbounded else "?"
    return print_expr(node)


def _words(*words: str | None) -> str:
    return " ".join(word for word in words if word)


def _array(items: Iterable[Expr]) -> str:
    return "".join(f"[{print_expr(item)}]" for item in items)


def _init(node: d.ScalarInit) -> str:
    value: Expr | Call | None = node.value
    if value is None:
        return node.name.id
    if node.braced:
        return f"{node.name.id}{{{print_expr(value)}}}"
    return f"{node.name.id} = {print_expr(value)}"


def _scalar(node: d.ScalarDecl) -> str:
    mutable = "mutable" if node.mutable else None
    return _words(node.storage, mutable, node.elem, ", ".join(map(_init, node.inits)))


def _buffer_name(node: d.BufferName) -> str:
    fill = "" if node.fill is None else f"{{{print_expr(node.fill)}}}"
    return node.name.id + _array(node.array) + fill


def _buffer(node: d.BufferDecl) -> str:
    shape = "[auto]" if node.shape is None else f"[{comma_list(node.shape)}]"
    return _words(node.storage, node.elem, shape, ", ".join(map(_buffer_name, node.names)))


def _ranked(word: str, rank: int | None) -> str:
    return word if rank is None else f"{word}<{rank}>"


def _shape(node: d.ShapeDecl) -> str:
    keyword = _ranked("mdspan", node.rank) if node.keyword else None
    return _words(keyword, node.name.id, ":", print_expr(node.value))


def _tuple(node: d.TupleDecl) -> str:
    return _words(_ranked("ituple", node.rank), node.name.id, "=", print_expr(node.value))


def _event_name(node: d.EventName) -> str:
    return node.name.id + _array(node.array) + (" = ready" if node.ready else "")


def _event(node: d.EventDecl) -> str:
    count = "" if node.count is None else f"<{print_expr(node.count)}>"
    return _words(node.storage, "event" + count, ", ".join(map(_event_name, node.names)))


def _frag(node: d.FragDecl) -> str:
    word, names = "fragment" if node.old else "frag", ", ".join(map(_buffer_name, node.names))
    if node.shape is None:
        return _words(word if node.elem is None else f"{word}.{node.elem}", names)
    return _words(word, node.elem, f"[{comma_list(node.shape)}]", names)


DECLARATIONS: Final[Mapping[type[Node], Callable[[Any], str]]] = {
    d.ScalarDecl: _scalar,
    d.BufferDecl: _buffer,
    d.ShapeDecl: _shape,
    d.TupleDecl: _tuple,
    d.EventDecl: _event,
    d.FragDecl: _frag,
}
