"""Rule `block-sync-in-role`: a barrier of the whole block stands where not all paths come (credit-flow, 4)."""

from __future__ import annotations

from croqc.flow.paths import comes_to, enters, kernel_paths
from croqc.refactor.base import Code
from croqc.rules.base import Rule, Subject, Words, listed
from croqc.rules.credit_edits import is_plain
from croqc.rules.credit_sites import code_of
from croqc.rules.credit_words import fix
from croqc.rules.flow_places import node_of
from croqc.sema.model import Finding
from croqc.syntax import ast
from croqc.text.diagnostics import Fix, Severity
from croqc.text.edits import Edit
from croqc.text.span import Span

_GROUPS = ("group-4", "group")


def _render(finding: Finding, subject: Subject) -> Words:
    code = code_of(subject)
    node = node_of(code, finding.span, ast.Sync)
    absent = listed(finding.args["paths"], " and ")
    what = "this barrier" if node is not None else "this statement of the whole block"
    message = f"{what} waits for every thread of the block, but {absent} does not come here"
    hint = "let only the threads of the role wait for each other, or move it out of the role"
    return Words(message, hint, fixes=() if node is None else _fixes(code, node))


def _fixes(code: Code, node: ast.Sync) -> tuple[Fix, ...]:
    """A barrier of the group; none at all where one thread is alone."""
    if not is_plain(code, node, "sync"):
        return ()
    group = next((axis.level for axis in code.around[node].axes if axis.level in _GROUPS), None)
    safe = _is_only_one(code, node)
    if _is_one_thread(code, node):
        return fix("Remove it", (code.removal(node),), safe)
    if group is None:
        return ()
    text = f"sync.barrier : {group}"
    end = node.span.end - code.of(node).endswith(";")
    return fix(f"Wait for the {group} only", (Edit(Span(node.span.start, end), text),), safe)


def _is_one_thread(code: Code, node: ast.Sync) -> bool:
    """Whether each path that comes here is a single thread."""
    around = code.around[node]
    for kernel in code.model.kernels:
        if kernel.node in around.chain:
            paths = [path for path in kernel_paths(code.model, kernel) if comes_to(path, around.parallels)]
            comers = [path for path in paths if all(enters(path, one) for one in around.regions)]
            return bool(comers) and all(path.thread_count == 1 for path in comers)
    return False


def _is_only_one(code: Code, node: ast.Sync) -> bool:
    """Whether no other role of the kernel has a barrier: then this one can never have ordered anything."""
    role = code.around[node].regions[-1:]
    others = [other for other in code.around if isinstance(other, ast.Sync) and other is not node]
    return all(code.around[other].regions[-1:] in ((), role) for other in others)


RULE = Rule(
    name="block-sync-in-role",
    severity=Severity.ERROR,
    summary="A barrier of the whole block stands inside a role.",
    rows=(),
    render=_render,
)
