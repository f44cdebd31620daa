"""Which global tensors pass something from one path of a kernel to another: written, and used by others too, or by
another statement where several paths run both. Must not place barriers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from croqc.pipe import ir
from croqc.pipe.published import touched
from croqc.pipe.tiles import handed_on
from croqc.pipe.walk import Body, bodies
from croqc.pipe.written import stored

_EVERY = ""  # stands for paths of which any may run a statement


def passed_between(kernel: ir.Kernel) -> frozenset[str]:
    """An arrival after ordinary accesses to these stands for all threads of its path."""
    written: set[str] = set()
    users: defaultdict[str, list[str]] = defaultdict(list)
    known = {tensor.name for tensor in kernel.tensors}
    for stmt, path in _run(kernel.body, _EVERY):
        handed = {tensor.name for tensor in handed_on(stmt)}
        written |= handed | {tensor.name for tensor in stored(stmt)}
        for name in (touched(stmt) | handed) & known:
            users[name].append(path)
    return frozenset(name for name in written & known if _by_others(users[name], bool(kernel.cluster)))


def _by_others(paths: list[str], in_cluster: bool) -> bool:
    """A path of one block of a cluster has its like in the others."""
    return len(set(paths)) > 1 or ((in_cluster or _EVERY in paths) and len(paths) > 1)


def _run(body: Body, path: str) -> Iterator[tuple[ir.Stmt, str]]:
    """Every statement with the path that runs it."""
    for stmt in body:
        yield stmt, path
        inside = path
        if isinstance(stmt, ir.Role):
            inside = _EVERY if stmt.several else stmt.path
        for inner in bodies(stmt):
            yield from _run(inner, inside)
