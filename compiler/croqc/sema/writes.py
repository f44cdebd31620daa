"""What a node of a function writes, as the language has it. What C++ and PTX may write besides is another matter:
`foreign_writes`. Must not resolve names.
"""

from __future__ import annotations

from collections.abc import Iterator

from croqc.syntax import ast

Given = tuple[ast.Name, str, ast.Node | None]


def given(node: ast.Node) -> Given | None:
    """The variable that a node itself gives a value: its name, the operator ("=", "+=", "++"), and what it takes: None
    for the 1 of `++` and `--`, and where a declaration says nothing."""
    match node:
        case ast.ScalarInit(name=name, value=value):
            return name, "=", value
        case ast.AssignPart(target=ast.Name() as name, op=op, value=value):
            return name, op, value
        case ast.IncDec(name=name, op=op):
            return name, op, None
    return None


def renamed(node: ast.Node) -> tuple[ast.Name, ...]:
    """The names to which a node itself gives another meaning: variables behind their declaration, and futures."""
    match node:
        case ast.AssignPart(target=ast.Name() as name) | ast.IncDec(name=name):
            return (name,)
        case ast.Rotate(names=names):
            return tuple(names)
        case ast.Copy(target=target) | ast.AnyFuture(target=target) | ast.Mma(target=target) if target is not None:
            return (target,)
    return ()


def filled(node: ast.Node) -> tuple[ast.Node, ...]:
    """The data that a node itself writes: elements, views, buffers and accumulators, each by what names it there. A
    `select` stands for each of its options."""
    found: tuple[ast.Node, ...] = ()
    match node:
        case ast.AssignPart(target=target) | ast.MmaStore(dest=target) | ast.MmaLoad(target=target):
            found = (target,)
        case ast.Copy(dest=dest):
            found = dest.options if isinstance(dest, ast.Select) else (dest,)
        case ast.MapBuffer(target=ast.Node() as target):
            found = (target,)
        case ast.MmaFill(acc=acc) | ast.MmaScale(acc=acc) | ast.Mma(acc=acc):
            found = (acc,)
        case ast.FragOp(args=args) | ast.Call(kind="atomic", args=args):
            found = args[:1]
    return found


def targets(node: ast.Node) -> Iterator[ast.Node]:
    """All that a node itself writes, data or names, each once."""
    yield from dict.fromkeys((*renamed(node), *filled(node)))
