"""Parameters and the declared result: symbolic dimensions and their unification (2.2, 3.3, 3.6)."""

from __future__ import annotations

from croqc.sema import rulenames as rules
from croqc.sema.convert import check_supported
from croqc.sema.elements import canonical, is_known
from croqc.sema.model import SymbolKind
from croqc.sema.scopes import declared_here
from croqc.sema.shapes import check_positive
from croqc.sema.symbolic import Int
from croqc.sema.types import INT, UNKNOWN, Data, Scalar, Storage, Stream, Type, Void
from croqc.sema.walk import Walk
from croqc.syntax import ast


def declare_params(walk: Walk, function: ast.Function) -> None:
    """Enter parameters and dimensions, left to right. A dimension's first occurrence declares it."""
    for param in function.params:
        type_ = _param_type(walk, param)
        _check_form(walk, param, type_)
        if param.name is None:
            continue
        symbol = walk.scopes.declare(param.name, SymbolKind.PARAM, type_, param)
        walk.b.types[param] = type_
        if type_ == INT:
            walk.set_atom(symbol)


def _param_type(walk: Walk, param: ast.Param) -> Type:
    name = param.name.id if param.name else ""
    return type_of_ref(walk, param.type, name, Storage.GLOBAL if param.is_global else Storage.HOST)


def type_of_ref(walk: Walk, ref: ast.TypeRef, name: str, storage: Storage) -> Type:
    """The type that a parameter or result type spells. `name` prefixes the symbols of unnamed extents."""
    if ref.dims is None and ref.rank is None:
        if ref.elem in ("void", "stream"):
            return Void() if ref.elem == "void" else Stream()
        return Scalar(canonical(ref.elem)) if is_known(ref.elem) else UNKNOWN
    if not is_known(ref.elem):
        return UNKNOWN
    check_supported(walk, ref, canonical(ref.elem))
    if ref.rank is not None and not ref.dims:
        return Data(
            canonical(ref.elem), tuple(_anonymous(walk, name, dim) for dim in range(min(ref.rank, 32))), storage
        )
    nodes = ref.dims or ()
    dims = tuple(_dimension(walk, node, name, dim) for dim, node in enumerate(nodes))
    check_positive(walk, dims, nodes)
    return Data(canonical(ref.elem), dims, storage)


def _anonymous(walk: Walk, name: str, dim: int) -> Int:
    """`?` is a fresh symbol each time, printed as the extent it stands for."""
    atom = walk.scopes.atom(f"{name}.span({dim})" if name else "?")
    walk.b.intervals[atom] = walk.ranges.intervals[atom] = (1, None)
    return Int.of(atom)


def _dimension(walk: Walk, node: ast.Expr | ast.Dyn, name: str, dim: int) -> Int:
    if isinstance(node, ast.Dyn):
        return _anonymous(walk, name, dim)
    if not isinstance(node, ast.Name):
        value = walk.expr(node).int
        return _anonymous(walk, name, dim) if value is None else value
    symbol = walk.scopes.here(node.id)
    if symbol is None:
        symbol = walk.scopes.declare(node, SymbolKind.DIMENSION, INT, node)
        walk.set_atom(symbol)
        walk.b.intervals[symbol.atom] = walk.ranges.intervals[symbol.atom] = (1, None)
    elif symbol.kind is not SymbolKind.DIMENSION:
        walk.b.report(rules.REDECLARED_NAME, node.span, (declared_here(symbol),), name=node.id, kind=symbol.kind.value)
    walk.b.uses[node] = symbol
    walk.b.types[node] = INT
    value = walk.current.get(symbol)
    if value is None:
        return _anonymous(walk, name, dim)
    walk.b.values[node] = value
    return value


def _check_form(walk: Walk, param: ast.Param, type_: Type) -> None:
    """`global` and `&` belong to spanned parameters (P01)."""
    spanned = isinstance(type_, Data)
    name = param.name.id if param.name else ""
    problem = ""
    if param.is_global and not spanned:
        problem = "global-scalar"
    elif param.by_ref and not spanned:
        problem = "ref-scalar"
    elif param.by_ref and param.name is None:
        problem = "ref-unnamed"
    elif param.by_ref and param.is_global:
        problem = "ref-global"
    if problem:
        walk.b.report(rules.PARAMETER_FORM, param.span, what=problem, name=name)
