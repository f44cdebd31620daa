"""Rule `named-barrier-mismatch`: the users of a named barrier do not make up its count (credit-flow, section 4)."""

from __future__ import annotations

from collections.abc import Iterator

from croqc.flow.paths import Path, comes_to, kernel_paths
from croqc.refactor.base import Code
from croqc.rules.base import Rule, Subject, Words
from croqc.rules.credit_sites import code_of
from croqc.rules.credit_words import Args, fix
from croqc.rules.flow_places import nodes_at
from croqc.sema.model import Finding
from croqc.syntax import ast
from croqc.text.diagnostics import Fix, Severity
from croqc.text.edits import Edit

_IDS = range(1, 15)  # 0 is the block's barrier, 15 that of a warpgroup (reference, 7.7)


def _message(args: Args) -> str:
    path = args["path"]
    match args["why"]:
        case "counts":
            return f"{path} uses this barrier with {args['count']} threads, others use it with {args['expected']}"
        case "threads":
            return f"{args['threads']} threads come to this barrier, which counts to {args['count']}"
        case "number":
            return f"this is barrier {args['number']} here; a block has 0 to 15"
        case "waits":
            return f"{path} waits at this barrier for threads that never come"
        case _:
            return f"{path} can come to this barrier before all have left its round before"


_HINTS = {
    "counts": "write the number of all threads that arrive or wait",
    "threads": "write the number of all threads that arrive or wait",
    "number": "use 1 to 14",
    "waits": "the count is that of all threads that arrive or wait",
    "mixed": "give each handoff a barrier of its own, and wait for the way back",
}


def _render(finding: Finding, subject: Subject) -> Words:
    code, why = code_of(subject), str(finding.args["why"])
    call = next((node.call for node in nodes_at(code, finding.span) if isinstance(node, ast.CallStmt)), None)
    fixes = () if call is None or why == "number" else _parted(code, call) if why == "mixed" else _counted(code, call)
    return Words(_message(finding.args), _HINTS[why], fixes=fixes)


def _users(code: Code, call: ast.Call) -> list[ast.CallStmt]:
    """The statements that use the barrier with the id of this one."""
    number = _value(code, call, 0)
    calls = [node for node in code.around if isinstance(node, ast.CallStmt) and node.call.kind == "barrier"]
    return [node for node in calls if number is not None and _value(code, node.call, 0) == number]


def _value(code: Code, call: ast.Call, index: int) -> int | None:
    if len(call.args) != 2:
        return None
    value = code.model.values.get(call.args[index])
    return None if value is None else value.const


def _counted(code: Code, call: ast.Call) -> tuple[Fix, ...]:
    """Let every use count the threads of all paths that come to one."""
    calls = [node.call for node in code.around if isinstance(node, ast.CallStmt) and node.call.kind == "barrier"]
    for other in (call, *calls):  # who waits may be the victim of another barrier
        found = _corrected(code, _users(code, other))
        if found:
            return found
    return ()


def _corrected(code: Code, users: list[ast.CallStmt]) -> tuple[Fix, ...]:
    threads = _threads(code, users)
    if not threads or threads % 32:
        return ()
    edits = []
    for user in users:
        count = user.call.args[1]
        if not isinstance(count, ast.IntLit) or not code.of(count).isdigit():
            return ()
        if count.value != threads:
            edits.append(Edit(count.span, str(threads)))
    return fix(f"Count {threads} threads", tuple(edits))


def _threads(code: Code, users: list[ast.CallStmt]) -> int | None:
    """The threads of the paths that reach a use; None where a condition decides."""
    for kernel in code.model.kernels:
        paths = kernel_paths(code.model, kernel)
        if not all(kernel.node in code.around[user].chain for user in users):
            continue
        comers: set[Path] = set()
        for user in users:
            chain = code.around[user].chain
            if any(isinstance(node, ast.If | ast.While) for node in chain):
                return None
            around = code.around[user]
            entering = (path for path in paths if all(path.regions.get(one) for one in around.regions))
            comers.update(path for path in entering if comes_to(path, around.parallels))
        return sum(path.thread_count for path in comers)
    return None


def _parted(code: Code, call: ast.Call) -> tuple[Fix, ...]:
    """Two handoffs, there and back, share an id: the second one gets its own."""
    users = _users(code, call)
    taken = {_value(code, node.call, 0) for node in code.around if isinstance(node, ast.CallStmt)}
    free = next((number for number in _IDS if number not in taken), None)
    back = list(_back(code, users))
    if free is None or len(back) != 2 or len(users) != 4:
        return ()
    numbers = [user.call.args[0] for user in back]
    if not all(isinstance(number, ast.IntLit) and code.of(number).isdigit() for number in numbers):
        return ()
    return fix(f"Use barrier {free} for the way back", tuple(Edit(number.span, str(free)) for number in numbers))


def _back(code: Code, users: list[ast.CallStmt]) -> Iterator[ast.CallStmt]:
    """Of an arrival and a wait in each of two roles: the wait of the role that arrives first, and its arrival."""
    first = next((user for user in users if user.call.callee == "__bar_arrive"), None)
    if first is None:
        return
    role = code.around[first].regions[-1:]
    for user in users:
        arrives, here = user.call.callee == "__bar_arrive", code.around[user].regions[-1:] == role
        if arrives is not here:
            yield user


RULE = Rule(
    name="named-barrier-mismatch",
    severity=Severity.ERROR,
    summary="The users of a named barrier do not make up its count.",
    rows=(),
    render=_render,
)
