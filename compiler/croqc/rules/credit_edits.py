"""Edits that give, move and take away credits, in a file's own dialect and layout. Must not decide what is wrong.

None stands for "cannot be written here": the text was made by a macro, or the shape is not the usual one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from croqc.flow.arrivals import slot_arrivals
from croqc.flow.paths import enters, kernel_paths
from croqc.refactor.base import Code
from croqc.rules.credit_sites import (
    Grant,
    Loop,
    Site,
    event_type,
    first_turn,
    loops_around,
    prologue_end,
    statements_of,
    work_loop,
)
from croqc.sema.model import OperandKind, Symbol, SymbolKind
from croqc.sema.types import Future, Storage
from croqc.syntax import ast
from croqc.text.edits import Edit
from croqc.text.span import Span

Edits = tuple[Edit, ...]
_LINE_REST = re.compile(r"[ \t]*(?://[^\r\n]*)?(?=\r|\n)")


# --- layout ----------------------------------------------------------------------------------------


def behind(code: Code, node: ast.Node, lines: Sequence[str]) -> Edit:
    """Insert statements behind one: below its line, with a comment that ends it, where it stands alone there."""
    end = node.span.end
    rest = _LINE_REST.match(code.text, end) if code.opens_line(node.span.start) else None
    if rest is None:
        return Edit(Span(end, end), "".join(f" {line}" for line in lines))
    joint = code.newline + code.indent(node.span.start)
    return Edit(Span(rest.end(), rest.end()), "".join(joint + line for line in lines))


def unit_of(code: Code, region: ast.InThreads) -> str:
    """One step of indentation, as the body of a role shows it."""
    outer, inner = code.indent(region.span.start), code.indent(region.body.stmts[0].span.start)
    return inner.removeprefix(outer) if inner.startswith(outer) and inner != outer else "  "


def is_plain(code: Code, node: ast.Node, word: str) -> bool:
    """Whether a statement stands in the text as its first word says, and not inside a macro."""
    return re.match(rf"{word}\b", code.of(node)) is not None


# --- credits at start ------------------------------------------------------------------------------


def declared_ready(event: Symbol, code: Code) -> Edits | None:
    """` = ready` on the declaration."""
    node = event.decl
    if not isinstance(node, ast.EventName) or event_type(event).ready or not code.of(node).startswith(event.name):
        return None
    if event_type(event).storage is not Storage.SHARED:
        return None
    return (Edit(Span(node.span.end, node.span.end), " = ready"),)


def slots_text(code: Code, event: Symbol) -> str | None:
    """The length of an event's array as its declaration writes it; None if it is not one array of slots."""
    node = event.decl
    if not isinstance(node, ast.EventName) or len(node.array) != 1 or not code.of(node).startswith(event.name):
        return None
    return code.of(node.array[0])


def grant_lines(code: Code, event: Symbol, region: ast.InThreads) -> list[str] | None:
    """The statements with which a role gives one credit to every slot, once."""
    lines = [f"trigger {event.name};"]
    unit = unit_of(code, region)
    if len(event_type(event).array) == 1:
        length = slots_text(code, event)
        if length is None:
            return None
        index = _index(code, region)
        lines = [f"foreach {{{index}}} in [{length}] {{", f"{unit}trigger {event.name}[{index}];", "}"]
    tests = [first_turn(loop) for loop in loops_around(code.around[region].chain, event)]
    if None in tests:
        return None
    return guarded(lines, [test for test in tests if test], unit)


def _index(code: Code, region: ast.InThreads) -> str:
    """`s`, unless it means something else at the start of the role (`s2` would be a type)."""
    named = [symbol for symbol in code.model.symbols if symbol.name == "s"]
    free = (
        bool(named) and all(symbol.kind is SymbolKind.LOOP for symbol in named) and not _encloses(code, named, region)
    )
    return "s" if free or "s" not in code.words else code.fresh("slot")


def _encloses(code: Code, named: Sequence[Symbol], region: ast.InThreads) -> bool:
    """Whether the role stands in a loop over one of some indices."""
    return any(
        node.span.start <= symbol.name_span.start < node.body.span.start
        for node in code.around[region].chain
        if isinstance(node, ast.Foreach | ast.With)
        for symbol in named
    )


def guarded(lines: Sequence[str], tests: Sequence[str], unit: str) -> list[str]:
    if not tests:
        return list(lines)
    return [f"if ({' && '.join(tests)}) {{", *(unit + line for line in lines), "}"]


def granted_by(code: Code, event: Symbol, regions: Iterable[ast.InThreads]) -> Edits | None:
    """Each of the roles gives its credits before it does anything else."""
    made = []
    for region in regions:
        place, lines = prologue_end(region), grant_lines(code, event, region) if region.body.stmts else None
        if place is None or lines is None:
            return None
        made.append(code.before(place, *lines))
    return tuple(made) or None


def counts_agree(code: Code, event: Symbol, regions: Iterable[ast.InThreads]) -> bool:
    """Whether one arrival of each path of the roles completes a generation of every slot."""
    for kernel in code.model.kernels:
        paths = kernel_paths(code.model, kernel)
        found = [arrivals for (one, _), arrivals in slot_arrivals(code.model, paths).items() if one is event]
        if found:
            entered = sum(enters(path, region) is True for path in paths for region in regions)
            return all(arrivals.count == entered * arrivals.blocks for arrivals in found)
    return False


def regranted(code: Code, grant: Grant) -> Edits | None:
    """Move credits at start to the front of their role."""
    region = grant.site.region
    place = prologue_end(region) if region is not None else None
    whole = grant.unguarded
    if region is None or place is None or not is_plain(code, whole, "foreach|trigger") or place is grant.whole:
        return None
    tests = [first_turn(loop) for loop in loops_around(code.around[region].chain, grant.site.event)]
    if None in tests:
        return None
    lines = re.split(r"\r\n|\r|\n", code.of(whole))
    here = code.indent(whole.span.start)
    lines = [lines[0], *(line.removeprefix(here) for line in lines[1:])]
    lines = guarded(lines, [test for test in tests if test], unit_of(code, region))
    return (code.before(place, *lines), code.removal(grant.whole))


def only_first(code: Code, grant: Grant) -> Edits | None:
    """Put credits at start under `if (tile == 0)`, or set the condition that they stand under to it."""
    whole = grant.unguarded
    loops = loops_around(grant.site.chain[: len(grant.site.chain) - (grant.loop is not None)], grant.site.event)
    tests = [first_turn(loop) for loop in loops]
    if not tests or None in tests or not is_plain(code, whole, "foreach|trigger") or grant.site.region is None:
        return None
    test = " && ".join(one for one in tests if one)
    if grant.guards:
        cond = grant.guards[0].cond
        return (Edit(cond.span, test),) if is_plain(code, grant.guards[0], "if") else None
    if not code.opens_line(whole.span.start):
        return (
            Edit(Span(whole.span.start, whole.span.start), f"if ({test}) {{ "),
            Edit(Span(whole.span.end, whole.span.end), " }"),
        )
    indent, unit = code.indent(whole.span.start), unit_of(code, grant.site.region)
    made = [Edit(Span(whole.span.start, whole.span.start), f"if ({test}) {{{code.newline}{indent}{unit}")]
    for found in re.finditer(r"\r\n|\r|\n", code.of(whole)):
        at = whole.span.start + found.end()
        made.append(Edit(Span(at, at), unit))
    made.append(Edit(Span(whole.span.end, whole.span.end), f"{code.newline}{indent}}}"))
    return tuple(made)


# --- triggers --------------------------------------------------------------------------------------


def suffix_of(code: Code, ref: ast.Expr) -> str:
    """What stands behind the name: `[stage]`, `.at(k)` or nothing."""
    return code.slice(Span(ref.base.span.end, ref.span.end)) if isinstance(ref, ast.Chain) else ""


def slot_of(ref: ast.Expr) -> ast.Expr | None:
    """The i of `e[i]` or `e.at(i)`."""
    match ref:
        case (
            ast.Chain(suffixes=(ast.Index(args=(slot,)),)) | ast.Chain(suffixes=(ast.Member(name="at", args=(slot,)),))
        ):
            return slot
    return None


def given_back(code: Code, event: Symbol, region: ast.InThreads) -> Edits | None:
    """Trigger the event at the end of every turn in which a role works on a slot."""
    found = work_loop(code, region, event)
    if found is None or not found[0].body.braced:
        return None
    loop, site = found
    last = loop.body.stmts[-1]
    operand = operand_of(code, loop, site, event)
    if operand is None or isinstance(last, ast.Jump) or not code.written(last):
        return None
    futures = _in_flight(code, loop)
    if futures is None:
        return None
    after = f" after {', '.join(futures)}" if futures else ""
    commit = ["mma.commit;"] if _reads_on(code, loop) else []
    return (behind(code, last, [*commit, f"trigger {operand}{after};"]),)


def operand_of(code: Code, loop: Loop, site: Site, event: Symbol) -> str | None:
    """The slot that the turn works on: as its copies name it, else as its wait names that of the other event."""
    for copy in statements_of(loop):
        if isinstance(copy, ast.Copy) and copy.event is not None and code.event_of(copy.event) is event:
            return code.of(copy.event)
    suffix = suffix_of(code, site.ref)
    if event_type(site.event).array != event_type(event).array or "++" in suffix or "--" in suffix:
        return None
    return event.name + suffix if code.of(site.ref).startswith(site.event.name) else None


def _in_flight(code: Code, loop: Loop) -> list[str] | None:
    """The futures of the turn's copies that nothing waits for; None if one has no name."""
    inside = statements_of(loop)
    settled = {
        code.model.uses.get(name)
        for stmt in inside
        if isinstance(stmt, ast.Wait | ast.Trigger)
        for name in (*stmt.refs, *(stmt.after if isinstance(stmt, ast.Trigger) else ()))
        if isinstance(name, ast.Name)
    }
    names: list[str] = []
    for copy in inside:
        if not isinstance(copy, ast.Copy) or not copy.is_async or copy.event is not None:
            continue
        symbol = code.model.uses.get(copy.target) if copy.target is not None else None
        if symbol is None or not isinstance(symbol.type, Future):
            return None
        if symbol not in settled and symbol.name not in names:
            names.append(symbol.name)
    return names


def _reads_on(code: Code, loop: Loop) -> bool:
    """Whether a multiply of the turn still reads shared tiles at its end."""
    inside = statements_of(loop)
    if code.model.ends_at_statement or any(isinstance(stmt, ast.MmaCommit) for stmt in inside):
        return False
    infos = [code.model.multiplies.get(stmt) for stmt in inside if isinstance(stmt, ast.Mma) and stmt.form != "scale"]
    return any(info is not None and OperandKind.SHARED in (info.a, info.b) for info in infos)


def unwrapped(code: Code, guard: ast.If) -> Edit | None:
    """A statement that stands alone under a condition, without it."""
    if not is_plain(code, guard, "if") or len(guard.then.stmts) != 1 or guard.other is not None:
        return None
    inner = guard.then.stmts[0]
    here, there = code.indent(guard.span.start), code.indent(inner.span.start)
    return Edit(guard.span, code.of(inner).replace(code.newline + there, code.newline + here))


# --- declarations ----------------------------------------------------------------------------------


def declaration(code: Code, event: Symbol) -> ast.EventDecl | None:
    """The statement that declares an event, if the text shows it."""
    for node in code.around:
        if isinstance(node, ast.EventDecl) and any(name is event.decl for name in node.names):
            return node if is_plain(code, node, "shared|local|global|event") else None
    return None


def taken_out(code: Code, event: Symbol) -> Edit | None:
    """Remove an event from its declaration; the whole declaration if it declares nothing else."""
    node = declaration(code, event)
    if node is None:
        return None
    if len(node.names) == 1:
        return code.removal(node)
    at = next(number for number, name in enumerate(node.names) if name is event.decl)
    if at:
        return Edit(Span(node.names[at - 1].span.end, node.names[at].span.end), "")
    return Edit(Span(node.names[0].span.start, node.names[1].span.start), "")


def counted(code: Code, event: Symbol, count: str) -> Edits | None:
    """Declare an event with `<n>`, apart from others that it stands with; for an empty text, all without one."""
    node = declaration(code, event)
    if node is None or not isinstance(event.decl, ast.EventName):
        return None
    word = re.compile(r"(?:(?:shared|local|global)\s+)?event\s*(<[^>;]*>)?").match(code.text, node.span.start)
    if word is None or (node.count is not None and word.group(1) is None):
        return None
    if len(node.names) == 1 or not count:
        place = Span(*word.span(1)) if word.group(1) else Span(word.end(), word.end())
        place = place if word.group(1) else Span(len(word.group().rstrip()) + node.span.start, word.end())
        blank = "" if word.group(1) else " "
        return (Edit(place, f"{count}{blank}"),)
    storage = word.group().split("event")[0]
    removed = taken_out(code, event)
    line = f"{storage}event{count} {code.of(event.decl)};"
    return None if removed is None else (removed, behind(code, node, [line]))
