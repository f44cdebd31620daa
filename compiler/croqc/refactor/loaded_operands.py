"""Shared operands of multiplies get their `mma.load`, and the reads end at `mma.commit` (current to course).

    foreach {i} in [4] {
      mma.row.row acc, a_s[s].chunkat(_, i), w_s[s].chunkat(_, i);
    }
    trigger empty[s];

becomes

    foreach {i} in [4] {
      ma = mma.load a_s[s].chunkat(_, i);
      mb = mma.load w_s[s].chunkat(_, i);
      mma.row.row acc, ma, mb;
    }
    mma.commit;
    trigger empty[s];

The commit stands behind the loop that holds nothing but the multiplies, so in front of every release. A function
goes as a whole. Asynchronous multiplies keep their futures.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from croqc.refactor.base import Code, Outcome, Refusal
from croqc.sema.model import OperandKind, Symbol
from croqc.syntax import ast
from croqc.text.edits import Edit
from croqc.text.span import Span

TITLE = "Load the operands with 'mma.load' and end their reads with 'mma.commit'"
_BREAK = re.compile(r",[ \t]*(?:\r\n|\r|\n)\s*\Z")
_QUIET = (ast.Mma, ast.MmaLoad, ast.Assign)


def applies(code: Code) -> bool:
    return code.model.ends_at_statement and any(True for _ in _multiplies(code))


def edits(code: Code) -> Outcome:
    made: list[Edit] = []
    behind: dict[ast.Node, None] = {}
    names: list[str] = []
    for multiply in _multiplies(code):
        if not code.written(multiply):
            return Refusal("a macro makes the multiply", multiply.span)
        made += _load(code, multiply, names)
        behind[_last(code, _outermost(code, multiply))] = None
    made += [code.after(stmt, "mma.commit;") for stmt in behind]
    return tuple(made)


def _multiplies(code: Code) -> Iterator[ast.Mma]:
    """Multiplies that read a shared tile and whose statement ends that."""
    for node in code.around:
        if isinstance(node, ast.Mma) and node.form in ("", "sp") and any(_shared(code, node)):
            yield node


def _shared(code: Code, multiply: ast.Mma) -> Iterator[tuple[ast.Expr, str]]:
    """The operands read from shared memory, with the first letters of their names."""
    info = code.model.multiplies.get(multiply)
    if info is None:
        return
    for operand, kind, stem in ((multiply.a, info.a, "ma"), (multiply.b, info.b, "mb")):
        loaded = isinstance(operand, ast.Name) and code.model.uses.get(operand) in _loaded(code)
        if kind is OperandKind.SHARED and not loaded:
            yield operand, stem


def _loaded(code: Code) -> set[Symbol | None]:
    return {code.model.uses.get(load.target) for load in code.model.loads if isinstance(load.target, ast.Name)}


def _load(code: Code, multiply: ast.Mma, names: list[str]) -> Iterator[Edit]:
    lines = []
    for operand, stem in _shared(code, multiply):
        names.append(code.fresh(stem, names))
        lines.append(f"{names[-1]} = mma.load{_swizzle(code, operand)} {code.of(operand)};")
        yield _named(code, operand, names[-1])
    block = code.blocks[multiply]
    if block.braced:
        yield code.before(multiply, *lines)
    else:
        start, end = multiply.span.start, multiply.span.end
        yield Edit(Span(start, start), "{ " + " ".join(lines) + " ")
        yield Edit(Span(end, end), " }")


def _named(code: Code, operand: ast.Expr, name: str) -> Edit:
    """The name for an operand; one that stood on a line of its own, since it was long, comes back to the comma."""
    broken = _BREAK.search(code.text, 0, operand.span.start)
    if broken is None:
        return Edit(operand.span, name)
    return Edit(Span(broken.start() + 1, operand.span.end), f" {name}")


def _swizzle(code: Code, operand: ast.Expr) -> str:
    """The swizzle of the operand's buffer, which a load repeats."""
    symbols = code.roots.of_node(operand)
    found = max((info.swizzle for info in code.model.buffers if info.symbol in symbols), default=0)
    return f".swiz<{found}>" if found else ""


def _outermost(code: Code, multiply: ast.Mma) -> ast.Node:
    """The largest loop around the multiply in which nothing else happens."""
    node: ast.Node = multiply
    for outer in reversed(code.around[multiply].chain):
        if not isinstance(outer, ast.Foreach) or not _quiet(outer):
            break
        node = outer
    return node


def _quiet(node: ast.Node) -> bool:
    if isinstance(node, ast.Foreach):
        return all(_quiet(stmt) for stmt in node.body.stmts)
    return isinstance(node, _QUIET)


def _last(code: Code, node: ast.Node) -> ast.Node:
    """The last of the multiplies that follow each other directly."""
    block = code.blocks[node]
    for stmt in block.stmts[block.stmts.index(node) + 1 :]:
        if not _quiet(stmt) or isinstance(stmt, ast.Assign):
            break
        node = stmt
    return node
