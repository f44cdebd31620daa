"""Rule `storage-at-device`: a buffer inside the kernel is neither shared nor local (reference, M02, 3.6)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.mends import around, insert
from croqc.rules.rewrites import node_at, replace
from croqc.sema.model import Finding, Level
from croqc.sema.types import ShapeType
from croqc.syntax import ast
from croqc.text.diagnostics import Fix, Severity
from croqc.text.span import Span

_HINT = "add 'shared' (one for each block) or 'local' (one for each thread), or move it out"


def _render(finding: Finding, subject: Subject) -> Words:
    name, storage = finding.args["name"], str(finding.args["s"])
    words = _order(subject, finding.span)
    if not name:
        message = "'global' memory cannot be made inside 'parallel'"
        return Words(message, "use 'shared' or 'local'", fixes=_change(subject, finding.span, words))
    node = node_at(subject, finding.span, ast.BufferDecl)
    message = f"'{name}' inside 'parallel' must be 'shared' or 'local'"
    if node is None or not _is_static(subject, node):
        return Words(message, "move it out: buffers of the kernel need constant shapes")
    if storage:
        return Words(message, _HINT, fixes=_change(subject, node.span, words))
    fixes = tuple(fix for word in words for fix in insert(f"Add '{word}'", node.span.start, f"{word} "))
    return Words(message, _HINT, fixes=fixes)


def _order(subject: Subject, place: Span) -> tuple[str, str]:
    """What is probably meant first: a thread's own memory where threads are told apart."""
    levels = subject.analysis.model.levels
    axes = [axis for node in around(subject, place) if isinstance(node, ast.Parallel) for axis in node.axes]
    return ("local", "shared") if axes and levels.get(axes[-1]) is Level.THREAD else ("shared", "local")


def _change(subject: Subject, place: Span, words: tuple[str, str]) -> tuple[Fix, ...]:
    return tuple(fix for word in words for fix in replace(subject, f"Make it '{word}'", place, r"global\b", word))


def _is_static(subject: Subject, node: ast.BufferDecl) -> bool:
    """Whether every extent is a constant, so that the kernel may have the buffer."""
    model = subject.analysis.model
    for item in node.shape or ():
        shape, value = model.types.get(item), model.values.get(item)
        dims = shape.dims if isinstance(shape, ShapeType) else (value,)
        if any(dim is None or dim.const is None for dim in dims):
            return False
    return True


RULE = Rule(
    name="storage-at-device",
    severity=Severity.ERROR,
    summary="A buffer inside the kernel is neither shared nor local.",
    rows=("M02",),
    render=_render,
)
