"""Mutation operators inside statements: events, slots, moduli, counts, bounds, guards, dialect words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from croqc.syntax import ast
from croqc.syntax.visit import walk
from tests.truth.mutate import Edit, Place, Subject, operator

Edits = Iterator[tuple[Edit, ...]]


def _replaced(node: ast.Node, text: str) -> tuple[Edit, ...]:
    return ((node.span.start, node.span.end, text),)


def _numbers(node: ast.Node) -> Iterator[ast.IntLit]:
    """Literals, and macros that stand for one."""
    return (each for each in walk(node) if isinstance(each, ast.IntLit))


def _one_off(number: ast.IntLit, text: str) -> Edits:
    yield _replaced(number, f"({text} + 1)")
    if number.value > 1:
        yield _replaced(number, f"({text} - 1)")


def _events(subject: Subject) -> list[str]:
    return [name.name.id for node in subject.nodes(ast.EventDecl) for name in node.names]  # type: ignore[attr-defined]


def _base(ref: ast.Node) -> ast.Name | None:
    base = ref.base if isinstance(ref, ast.Chain) else ref
    return base if isinstance(base, ast.Name) else None


@operator("other-event")
def other_event(subject: Subject) -> Edits:
    """A wait or trigger of another event."""
    names = _events(subject)
    for place in subject.all(ast.Wait, ast.Trigger):
        for ref in place.stmt.refs:  # type: ignore[attr-defined]
            base = _base(ref)
            if base is not None and base.id in names:
                yield from (_replaced(base, name) for name in names if name != base.id)


@operator("other-slot")
def other_slot(subject: Subject) -> Edits:
    """The slot of a wait or a trigger is the next one."""
    for place in subject.all(ast.Wait, ast.Trigger):
        for ref in place.stmt.refs:  # type: ignore[attr-defined]
            index = next((each for each in getattr(ref, "suffixes", ()) if isinstance(each, ast.Index)), None)
            total = _slots(subject, ref)
            if index is not None and total > 1:
                yield _replaced(index.args[0], f"(({subject.of(index.args[0])}) + 1) % {total}")


def _slots(subject: Subject, ref: ast.Node) -> int:
    base = _base(ref)
    symbol = None if base is None else subject.model.uses.get(base)
    array = getattr(getattr(symbol, "type", None), "array", ())
    return int(array[0]) if array else 0


@operator("other-stage")
def other_stage(subject: Subject) -> Edits:
    """One access of a stage buffer goes to the next slot."""
    for chain in subject.nodes(ast.Chain):
        assert isinstance(chain, ast.Chain)
        view = subject.model.views.get(chain)
        total = _slots(subject, chain)
        if view is not None and view.slots and total > 1:
            yield _replaced(view.slots[0], f"(({subject.of(view.slots[0])}) + 1) % {total}")


@operator("modulus")
def modulus(subject: Subject) -> Edits:
    for node in subject.nodes(ast.Binary):
        assert isinstance(node, ast.Binary)
        if node.op == "%" and isinstance(node.right, ast.IntLit):
            yield from _one_off(node.right, subject.of(node.right))


@operator("first-slot-only")
def first_slot_only(subject: Subject) -> Edits:
    for node in subject.nodes(ast.Binary):
        assert isinstance(node, ast.Binary)
        if node.op == "%":
            yield _replaced(node, "0")


@operator("order-shift")
def order_shift(subject: Subject) -> Edits:
    """An order one ahead, reduced, or restarted."""
    for place in subject.all(ast.Wait, ast.Trigger):
        for ref in place.stmt.refs:  # type: ignore[attr-defined]
            for suffix in getattr(ref, "suffixes", ()):
                if isinstance(suffix, ast.Member) and suffix.name == "at":
                    order, total = subject.of(suffix.args[0]), _slots(subject, ref)
                    yield _replaced(suffix.args[0], f"{order} + 1")
                    yield _replaced(suffix.args[0], f"({order}) % {total}")
                    yield _replaced(suffix.args[0], f"({order}) % {3 * total}")


@operator("event-length")
def event_length(subject: Subject) -> Edits:
    for name in subject.nodes(ast.EventName):
        for extent in name.array:  # type: ignore[attr-defined]
            for number in _numbers(extent):
                yield from _one_off(number, subject.of(number))


@operator("buffer-length")
def buffer_length(subject: Subject) -> Edits:
    for name in subject.nodes(ast.BufferName):
        for extent in name.array:  # type: ignore[attr-defined]
            for number in _numbers(extent):
                yield from _one_off(number, subject.of(number))


@operator("event-count")
def event_count(subject: Subject) -> Edits:
    for node in subject.nodes(ast.EventDecl):
        assert isinstance(node, ast.EventDecl)
        text = subject.of(node)
        if node.count is not None:
            yield _replaced(node, re.sub(r"event\s*<[^>]*>", "event", text, count=1))
        for count in (1, 2, 3):
            yield _replaced(node, re.sub(r"event(\s*<[^>]*>)?", f"event<{count}>", text, count=1))


@operator("ready")
def ready(subject: Subject) -> Edits:
    """`= ready` given or taken."""
    for name in subject.nodes(ast.EventName):
        text = subject.of(name)
        bare = re.sub(r"\s*=\s*ready", "", text)
        yield _replaced(name, bare if bare != text else f"{text} = ready")


def _turning(subject: Subject) -> Iterator[Place]:
    """Loops that turn a ring or handles; not those around all roles, and not those over the elements of a tile."""
    for place in subject.all(ast.Foreach):
        inside = list(walk(place.stmt))
        moves = any(isinstance(node, ast.Wait | ast.Trigger | ast.Copy | ast.Rotate) for node in inside)
        if moves and not any(isinstance(node, ast.InThreads) for node in inside):
            yield place


@operator("loop-bound")
def loop_bound(subject: Subject) -> Edits:
    """One turn more or less of a loop."""
    for place in _turning(subject):
        for binding in place.stmt.bindings:  # type: ignore[attr-defined]
            extent = binding.extent
            items = extent.items if isinstance(extent, ast.ShapeLit) else (extent,)
            for item in items:
                yield _replaced(item, f"{subject.of(item)} + 1")
                yield _replaced(item, f"{subject.of(item)} - 1")


@operator("slice-bound")
def slice_bound(subject: Subject) -> Edits:
    for node in subject.nodes(ast.Range):
        for bound in (node.lo, node.hi):  # type: ignore[attr-defined]
            if bound is not None:
                yield _replaced(bound, f"{subject.of(bound)} + 1")
                yield _replaced(bound, f"{subject.of(bound)} - 1")


@operator("floor")
def floor(subject: Subject) -> Edits:
    """A floor instead of a ceiling in the extent of a role's loop."""
    for place in _turning(subject):
        for node in (each for binding in place.stmt.bindings for each in walk(binding)):  # type: ignore[attr-defined]
            if isinstance(node, ast.Builtin) and node.name == "cdiv" and place.around:
                yield _replaced(node, f"({subject.of(node.args[0])} / {subject.of(node.args[1])})")


@operator("guard")
def guard(subject: Subject) -> Edits:
    """A guard that always holds, or holds for the next value."""
    for place in subject.all(ast.If):
        cond = place.stmt.cond  # type: ignore[attr-defined]
        yield _replaced(cond, "true")
        if isinstance(cond, ast.Binary) and cond.op in ("==", "<", "<=", ">", ">="):
            yield _replaced(cond.right, f"{subject.of(cond.right)} + 1")
            yield _replaced(cond.right, f"{subject.of(cond.right)} - 1")


@operator("skip-turn")
def skip_turn(subject: Subject) -> Edits:
    """A wait or trigger of a loop is left out in its first turn, or from its fifth turn on."""
    for place in subject.all(ast.Wait, ast.Trigger, ast.MmaCommit):
        loop = place.around[-1] if place.around else None
        if isinstance(loop, ast.Foreach) and loop.bindings and loop.bindings[-1].names:
            name, text = loop.bindings[-1].names[-1].id, subject.of(place.stmt)
            yield _replaced(place.stmt, f"if ({name} > 0) {text}")
            yield _replaced(place.stmt, f"if ({name} < 4) {text}")


@operator("drop-after")
def drop_after(subject: Subject) -> Edits:
    for place in subject.all(ast.Trigger):
        if place.stmt.after:  # type: ignore[attr-defined]
            text = subject.of(place.stmt)
            yield _replaced(place.stmt, re.sub(r"\s+after\b.*;", ";", text))
            if "," in text[text.index("after") :]:
                yield _replaced(place.stmt, re.sub(r",[^,]*;$", ";", text))


@operator("other-operand")
def other_operand(subject: Subject) -> Edits:
    """A classic copy completes on another event or slot."""
    names = _events(subject)
    for place in subject.all(ast.Copy):
        event = place.stmt.event  # type: ignore[attr-defined]
        base = None if event is None else _base(event)
        if base is not None:
            yield from (_replaced(base, name) for name in names if name != base.id)
            index = next((each for each in getattr(event, "suffixes", ()) if isinstance(each, ast.Index)), None)
            total = _slots(subject, event)
            if index is not None and total > 1:
                yield _replaced(index.args[0], f"(({subject.of(index.args[0])}) + 1) % {total}")


@operator("mask")
def mask(subject: Subject) -> Edits:
    """A role of other paths."""
    for place in subject.all(ast.InThreads):
        for node in walk(place.stmt.cond):  # type: ignore[attr-defined]
            if isinstance(node, ast.Binary) and isinstance(node.right, ast.IntLit) and node.op in ("==", ">", ">="):
                yield _replaced(node.right, str(node.right.value + 1))
                if node.op == "==":
                    yield _replaced(node, f"{subject.of(node.left)} >= {node.right.value}")
                else:
                    yield _replaced(node, f"{subject.of(node.left)} == {node.right.value + (node.op == '>')}")


@operator("turn-back")
def turn_back(subject: Subject) -> Edits:
    """`rotate` the other way round; `swap` of other handles."""
    for place in subject.all(ast.Rotate):
        names = [name.id for name in place.stmt.names]  # type: ignore[attr-defined]
        word = place.stmt.word  # type: ignore[attr-defined]
        yield _replaced(place.stmt, f"{word}({', '.join([names[0], *reversed(names[1:])])});")
        if len(names) > 2:
            yield _replaced(place.stmt, f"swap({names[0]}, {names[1]});")


@operator("other-handle")
def other_handle(subject: Subject) -> Edits:
    """A wait for another future of the function."""
    futures = sorted({place.stmt.target.id for place in subject.all(ast.Copy) if place.stmt.target})  # type: ignore[attr-defined]
    for place in subject.all(ast.Wait):
        for ref in place.stmt.refs:  # type: ignore[attr-defined]
            if isinstance(ref, ast.Name) and ref.id in futures:
                yield from (_replaced(ref, name) for name in futures if name != ref.id)
