"""Whether leaving a `parallel` joins its paths (credit-flow, section 1): the one answer for verifier, lowering
and simulator. Must not run paths."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator

from croqc.flow.touches import Touch, Touches
from croqc.sema.model import Kernel, Level, Model
from croqc.sema.nesting import statements
from croqc.syntax import ast
from croqc.syntax.visit import nodes_of

_ONCE = (ast.With, ast.InThreads)
_LOOPS = (ast.Foreach, ast.While)


def joins_on_exit(model: Model, node: ast.Parallel) -> bool:
    """True iff a statement outside every inner `parallel`, reached before the paths re-enter one, conflicts with
    an access of `node`'s paths. The kernel's own `parallel` never joins: its end is the kernel's end."""
    kernel = next((one for one in model.kernels if node in nodes_of(one.node)), None)
    if kernel is None or node is kernel.node or not _divides_block(model, node):
        return False
    touches = Touches(model)
    inside = Touch()
    for stmt, _ in statements(node.body):
        inside |= touches.of(stmt)
    if not inside:
        return False
    return any(inside.conflicts(touches.of(stmt)) for stmt in _reached_after(model, kernel, node))


def _reached_after(model: Model, kernel: Kernel, node: ast.Parallel) -> Iterator[ast.Node]:
    """The block-level statements that may run after `node` is left and before an inner `parallel` is entered."""
    chain = next((around.chain for stmt, around in statements(kernel.node.body) if stmt is node), ())
    here: ast.Node = node
    for outer in (*reversed(chain), kernel.node):
        body = _body_of(outer, here)
        behind = body[_position(body, here) + 1 :]
        if (yield from _until_parallel(model, behind)):
            return
        if isinstance(outer, _LOOPS):
            # The next iteration comes to `node` again, and the statements in front of it are outside, too.
            yield from _until_parallel(model, body[: _position(body, here)])
        here = outer


def _body_of(outer: ast.Node, inner: ast.Node) -> tuple[ast.Node, ...]:
    """The statements of the block of `outer` that holds `inner`."""
    blocks: Iterable[ast.Block] = (outer.then, outer.other or outer.then) if isinstance(outer, ast.If) else ()
    if isinstance(outer, ast.Parallel | ast.With | ast.Foreach | ast.While | ast.InThreads | ast.Apply):
        blocks = (outer.body,)
    for block in blocks:
        flat = _flat(block)
        if any(stmt is inner for stmt in flat):
            return flat
    return (inner,)


def _flat(block: ast.Block) -> tuple[ast.Node, ...]:
    found: list[ast.Node] = []
    for stmt in block.stmts:
        found += _flat(stmt) if isinstance(stmt, ast.Block) else [stmt]
    return tuple(found)


def _position(body: tuple[ast.Node, ...], inner: ast.Node) -> int:
    return next(at for at, stmt in enumerate(body) if stmt is inner)


def _until_parallel(model: Model, body: Iterable[ast.Node]) -> Generator[ast.Node, None, bool]:
    """The statements up to the first that surely enters an inner `parallel`; tells whether there was one."""
    for stmt in body:
        if isinstance(stmt, ast.Parallel):
            if _divides_block(model, stmt):
                return True
            continue
        yield stmt
        if isinstance(stmt, ast.If):
            entered = []
            for block in (stmt.then, stmt.other):
                entered.append(block is not None and (yield from _until_parallel(model, _flat(block))))
            if all(entered):
                return True
        elif isinstance(stmt, (*_ONCE, *_LOOPS)) and (yield from _until_parallel(model, _flat(stmt.body))):
            return True
    return False


def _divides_block(model: Model, node: ast.Parallel) -> bool:
    return any(model.levels.get(axis) in (Level.GROUP4, Level.GROUP, Level.THREAD) for axis in node.axes)
