"""Which narrow types the values behind an output were rounded to between two operations.

Where the first of them may round otherwise (`rounded`), a value that lies near the middle between two of the narrow
type is rounded to the one or the other: from there on two legal executions compute with values that are a step apart.
Must not run anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from croqc.runs.elements import eps
from croqc.runs.rounded import Tracer, Types, by_name
from croqc.sema.elements import canonical
from croqc.sema.model import Model, Symbol
from croqc.syntax import ast
from croqc.syntax.visit import walk

_NONE: Types = frozenset()


def narrowed_in(model: Model) -> Mapping[str, Types]:
    """By the name of what is written, `result` for what is returned: the narrow types of such values behind it."""
    tracer = Tracer(model)
    tracer.settle(list(tracer.steps()))
    found = _Narrowed(tracer)
    while found.step():
        pass
    return by_name(model, tracer, found.between)


class _Narrowed:
    """`to`: what a symbol's values were rounded to last, `between`: what they were computed from since."""

    def __init__(self, tracer: Tracer) -> None:
        self.tracer = tracer
        self.to: dict[Symbol, Types] = {}
        self.between: dict[Symbol, Types] = {}
        self.stmts = [(stmt, tracer.written(stmt), self._read(stmt)) for stmt in tracer.statements()]

    def step(self) -> bool:
        """Pass on once through every statement; whether that told anything new."""
        size = self._size()
        for stmt, into, read in self.stmts:
            behind = self.tracer.types(stmt).union(*map(self.tracer.of, read))
            to, between = _union(self.to, read), _union(self.between, read)
            computing = [node for node in walk(stmt) if self._computes(node)]
            if computing:
                between |= to.union(*(_narrower(_casts(node), behind) for node in computing))
            to |= _narrower(_casts(stmt), behind)
            for symbol in into:
                elem = self.tracer.elem_of(symbol)
                finer = {one for one in to if elem and eps(one) > eps(elem)}  # the step is one of the output's, or more
                self.to[symbol] = self.to.get(symbol, _NONE) | to | _narrower([elem], behind)
                self.between[symbol] = self.between.get(symbol, _NONE) | between | finer
        return self._size() > size

    def _size(self) -> int:
        return sum(map(len, (*self.to.values(), *self.between.values())))

    def _read(self, stmt: ast.Node) -> set[Symbol]:
        """Without what is given a new value."""
        match stmt:
            case ast.Assign(parts=parts):
                return self.tracer.symbols(*(part.value if part.op == "=" else part for part in parts))
            case ast.ScalarDecl(inits=inits):
                return self.tracer.symbols(*(init.value for init in inits))
        return self.tracer.symbols(stmt)

    def _computes(self, node: ast.Node) -> bool:
        match node:
            case ast.Mma():
                return node in self.tracer.model.multiplies
            case ast.Binary():
                return eps(self.tracer.elem(node) or "s32") > 0
            case ast.AssignPart(op=op, target=target):
                return op != "=" and eps(self.tracer.elem(target) or "s32") > 0
            case ast.Builtin(name=name):
                return name != "__to"
        return isinstance(node, ast.Call | ast.FragOp | ast.Cpp)


def _union(found: Mapping[Symbol, Types], symbols: Iterable[Symbol]) -> Types:
    return _NONE.union(*(found.get(symbol, _NONE) for symbol in symbols))


def _narrower(elems: Iterable[str], behind: Types) -> Types:
    """Those that have fewer digits than what the values were computed in."""
    return frozenset(elem for elem in elems if elem and any(eps(elem) > eps(one) for one in behind))


def _casts(node: ast.Node) -> list[str]:
    """What values inside a node, or its own, are cast to."""
    casts = (inner.type_arg for inner in walk(node) if isinstance(inner, ast.Builtin))
    return [canonical(elem) for elem in casts if isinstance(elem, str)]
