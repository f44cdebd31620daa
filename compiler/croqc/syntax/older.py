"""Forms of older dialects in a tree, and what a function's forms say about its dialect (chapter 0, 2.13, 2.14).

Older forms are no errors: a rule warns about them under `dialect = current`. Syntax alone decides here;
`mma.load` of a tile that is *shared*, which speaks for the course, needs names and is left to `sema`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from croqc.syntax import ast as t
from croqc.syntax.visit import nodes_of_kind
from croqc.text.record import record
from croqc.text.span import Span

_LEVELS: Final = {0: ".swiz", 1: ".swiz<32>", 2: ".swiz<64>", 3: ".swiz<128>"}
_OLDER: Final = (
    t.Copy, t.Mma, t.MmaLoad, t.MmaCommit, t.Wait, t.Builtin, t.Member, t.Parallel, t.LaunchBounds, t.SetReg,
    t.FragDecl,
)  # fmt: skip
"""What can be an older form; most of a large tree is something else."""
_VOTING: Final = (t.Copy, t.Trigger, t.Wait, t.EventName, t.Mma, t.MmaCommit, t.MmaLoad)
_HINTS: Final = frozenset({"evict_first", "evict_last"})


@record
class OlderForm:
    """One older form: its name, the place that made it obsolete, and what to write instead."""

    name: str
    span: Span
    replacement: str


@record
class Evidence:
    """How many forms of a function vote for each dialect."""

    classic: int = 0
    course: int = 0
    current: int = 0

    @property
    def dialect(self) -> str:
        """The dialect with most votes, "any" without a vote; of equals the older one."""
        best = max(self.classic, self.course, self.current)
        if best == 0:
            return "any"
        if self.classic == best:
            return "classic"
        return "course" if self.course == best else "current"


def older_forms(tree: t.Function) -> tuple[OlderForm, ...]:
    """Every older form of the function in source order; places relative to it."""
    found = [form for kind in _OLDER for node in nodes_of_kind(tree, kind) for form in _forms(node)]
    return tuple(sorted(found, key=lambda form: (form.span.start, form.name)))


def _forms(node: t.Node) -> Iterator[OlderForm]:
    match node:
        case t.Copy():
            yield from _copy(node)
        case t.Mma(order=(_, *_)):
            yield OlderForm("mma.order", node.op_span, "'[[schedule(k_tiles(…))]]' in front of the statement")
        case t.MmaLoad():
            yield from _load(node)
        case t.MmaCommit(keep=None):
            yield OlderForm("mma.commit", node.op_span, "assign '.async' multiplies to a future and 'wait' for it")
        case t.MmaCommit():
            yield OlderForm("mma.wait", node.op_span, "assign '.async' multiplies to a future and 'wait' for it")
        case t.Wait(phase=t.Node()):
            yield OlderForm("wait<N>", node.op_span, "'wait e.at(order)'")
        case t.Builtin(name="stage"):
            yield OlderForm("stage<N>", node.name_span, "'x % N' for the slot and '.at(x)' on the event")
        case t.Member(name="stride", called=True):
            yield OlderForm(".stride", Span(node.span.start, node.name_span.end), "'.step(…)'")
        case _:
            yield from _statements(node)


def _statements(node: t.Node) -> Iterator[OlderForm]:
    """Statements that as a whole, or by their first word, are of an older dialect."""
    match node:
        case t.Parallel(paren_stream=True):
            yield OlderForm("parallel(s)", node.op_span, "'parallel<s>'")
        case t.LaunchBounds():
            yield OlderForm("launch_bounds", node.op_span, "'[[launch_bounds(…)]]' before 'parallel'")
        case t.SetReg():
            span = Span(node.span.start, node.span.start + len("setreg"))
            yield OlderForm("setreg", span, "'[[maxnreg(N)]]' before 'parallel', or a 'call' that sets registers")
        case t.FragDecl(old=True):
            yield OlderForm("fragment", Span(node.span.start, node.span.start + len("fragment")), "'frag'")


def _copy(node: t.Copy) -> Iterator[OlderForm]:
    if node.event is not None:
        yield OlderForm(".async<e>", node.event_span, f"'h = {node.engine}.{node.op}.async …; trigger e after h;'")
    if node.op == "store":
        yield OlderForm("tma.store", node.op_span, "'tma.copy'")
    if node.old_async:
        yield OlderForm(".copy_async", node.op_span, "'.copy.async'")
    for modifier in node.modifiers:
        if modifier.name in _HINTS and node.op != "load":
            yield OlderForm(f".{modifier.name}", node.op_span, "'tma.load'")
        yield from _modifier(modifier)
    if node.source_zfill:
        end = node.source.span.end
        yield OlderForm(".zfill", Span(end, end + len(".zfill")), "'.zfill' behind the operation")


def _load(node: t.MmaLoad) -> Iterator[OlderForm]:
    if node.op == "desc":
        yield OlderForm("mma.desc", node.op_span, "the shared buffer itself as operand")
    elif node.op != "load":
        yield OlderForm(f"mma.{node.op}", node.op_span, "'mma.load'")
    if node.swizzle is not None:
        yield from _modifier(node.swizzle)


def _modifier(modifier: t.Modifier) -> Iterator[OlderForm]:
    """`.swizzle(N)`, `.sp(n:m)` and level numbers; the place is the dotted word."""
    numbers = modifier.args
    span = Span(modifier.span.start, modifier.span.start + len(modifier.name) + 1)
    if modifier.old:
        new = (
            f".sp<{':'.join(map(str, numbers))}>"
            if modifier.name == "sp"
            else f".swiz<{numbers[0] if numbers else ''}>"
        )
        yield OlderForm(f".{modifier.name}(…)", span, f"'{new}'")
    elif modifier.name in ("swiz", "swizzle") and numbers and numbers[0] in _LEVELS:
        yield OlderForm(".swiz<level>", span, f"'{_LEVELS[numbers[0]]}'")


# --- dialects (chapter 0, "Recognising the dialect") ---------------------------------------------


def dialect_evidence(tree: t.Function) -> Evidence:
    """Votes of the forms that tell dialects apart. Course forms do not count beside classic ones, which use
    them as well; synchronous copies with triggers count for the course if nothing else votes."""
    classic = course = current = triggers = plain = 0
    for node in (one for kind in _VOTING for one in nodes_of_kind(tree, kind)):
        match node:
            case t.Copy():
                classic += node.event is not None
                current += node.engine == "tma" and node.op == "load"
                course += node.source_zfill + any(_is_level(item) for item in node.modifiers)
                plain += not node.is_async
            case t.Trigger():
                current += bool(node.after) + sum(_has_order(ref) for ref in node.refs)
                triggers += 1
            case t.Wait():
                current += sum(_has_order(ref) for ref in node.refs)
            case t.EventName():
                current += node.ready
            case t.Mma():
                current += (node.form == "async") + (node.schedule is not None)
            case t.MmaCommit(keep=None):
                course += 1
            case t.MmaLoad(swizzle=t.Modifier() as swizzle):
                course += _is_level(swizzle)
    if classic:
        course = 0
    elif not course and not current and plain:
        course = triggers
    return Evidence(classic, course, current)


def _is_level(modifier: t.Modifier) -> bool:
    return modifier.name in ("swiz", "swizzle") and bool(modifier.args) and modifier.args[0] in _LEVELS


def _has_order(ref: t.Expr) -> bool:
    return isinstance(ref, t.Chain) and any(isinstance(item, t.Member) and item.name == "at" for item in ref.suffixes)
