"""Mutation operators on whole statements: drop, double, move, exchange."""

from __future__ import annotations

from collections.abc import Iterator

from croqc.sema.types import Storage
from croqc.syntax import ast
from tests.truth.mutate import Edit, Place, Subject, operator

Edits = Iterator[tuple[Edit, ...]]
ROLES = (ast.InThreads,)


def _drop(subject: Subject, kind: type) -> Edits:
    for place in subject.all(kind):
        yield ((place.stmt.span.start, place.stmt.span.end, ""),)


def _double(subject: Subject, kind: type) -> Edits:
    for place in subject.all(kind):
        yield ((place.stmt.span.end, place.stmt.span.end, " " + subject.of(place.stmt)),)


def _exchanged(subject: Subject, first: ast.Node, second: ast.Node) -> tuple[Edit, ...]:
    return (
        (first.span.start, first.span.end, subject.of(second)),
        (second.span.start, second.span.end, subject.of(first)),
    )


def _earlier(subject: Subject, kind: type) -> Edits:
    for place in subject.all(kind):
        if place.index:
            yield _exchanged(subject, place.siblings[place.index - 1], place.stmt)


def _later(subject: Subject, kind: type) -> Edits:
    for place in subject.all(kind):
        if place.index + 1 < len(place.siblings):
            yield _exchanged(subject, place.stmt, place.siblings[place.index + 1])


def _loop(place: Place) -> ast.Node | None:
    return place.around[-1] if place.around and isinstance(place.around[-1], ast.Foreach) else None


def _before_loop(subject: Subject, kind: type) -> Edits:
    for place in subject.all(kind):
        loop = _loop(place)
        if loop is not None:
            yield (
                (loop.span.start, loop.span.start, subject.of(place.stmt) + "\n"),
                (place.stmt.span.start, place.stmt.span.end, ""),
            )


def _after_loop(subject: Subject, kind: type) -> Edits:
    for place in subject.all(kind):
        loop = _loop(place)
        if loop is not None:
            yield (
                (loop.span.end, loop.span.end, "\n" + subject.of(place.stmt)),
                (place.stmt.span.start, place.stmt.span.end, ""),
            )


def _to_other_role(subject: Subject, kind: type) -> Edits:
    """To the end of the innermost loop of each other role."""
    for place in subject.all(kind):
        mine = [node for node in place.around if isinstance(node, ROLES)]
        for other in subject.all(ast.InThreads):
            if mine and other.stmt is not mine[-1]:
                loops = [each.stmt for each in subject.all(ast.Foreach) if other.stmt in each.around]
                if loops:
                    end = loops[-1].span.end - 1
                    yield (
                        (end, end, subject.of(place.stmt) + " "),
                        (place.stmt.span.start, place.stmt.span.end, ""),
                    )


@operator("drop-wait")
def drop_wait(subject: Subject) -> Edits:
    return _drop(subject, ast.Wait)


@operator("drop-trigger")
def drop_trigger(subject: Subject) -> Edits:
    return _drop(subject, ast.Trigger)


@operator("drop-commit")
def drop_commit(subject: Subject) -> Edits:
    return _drop(subject, ast.MmaCommit)


@operator("drop-copy")
def drop_copy(subject: Subject) -> Edits:
    """Of copies that fill a buffer of the block; to leave out an output is another program, not a fault."""
    for place in subject.all(ast.Copy):
        info = subject.model.copies.get(place.stmt)  # type: ignore[call-overload]
        if info is not None and info.dest_storage is Storage.SHARED:
            yield ((place.stmt.span.start, place.stmt.span.end, ""),)


@operator("drop-swap")
def drop_swap(subject: Subject) -> Edits:
    return _drop(subject, ast.Rotate)


@operator("drop-bootstrap")
def drop_bootstrap(subject: Subject) -> Edits:
    """The loop, with its guard, that does nothing but trigger."""
    for place in subject.all(ast.Foreach):
        body = place.stmt.body  # type: ignore[attr-defined]
        if body.stmts and all(isinstance(stmt, ast.Trigger) for stmt in body.stmts):
            yield ((place.stmt.span.start, place.stmt.span.end, ""),)


@operator("double-wait")
def double_wait(subject: Subject) -> Edits:
    return _double(subject, ast.Wait)


@operator("double-trigger")
def double_trigger(subject: Subject) -> Edits:
    return _double(subject, ast.Trigger)


@operator("double-swap")
def double_swap(subject: Subject) -> Edits:
    return _double(subject, ast.Rotate)


@operator("double-commit")
def double_commit(subject: Subject) -> Edits:
    return _double(subject, ast.MmaCommit)


@operator("earlier-wait")
def earlier_wait(subject: Subject) -> Edits:
    return _earlier(subject, ast.Wait)


@operator("later-wait")
def later_wait(subject: Subject) -> Edits:
    return _later(subject, ast.Wait)


@operator("earlier-trigger")
def earlier_trigger(subject: Subject) -> Edits:
    return _earlier(subject, ast.Trigger)


@operator("trigger-first")
def trigger_first(subject: Subject) -> Edits:
    """In front of all statements of its block."""
    for place in subject.all(ast.Trigger):
        if place.index:
            start = place.siblings[0].span.start
            yield (
                (start, start, subject.of(place.stmt) + " "),
                (place.stmt.span.start, place.stmt.span.end, ""),
            )


@operator("wait-last")
def wait_last(subject: Subject) -> Edits:
    """Behind all statements of its block."""
    for place in subject.all(ast.Wait):
        if place.index + 1 < len(place.siblings):
            end = place.siblings[-1].span.end
            yield ((end, end, " " + subject.of(place.stmt)), (place.stmt.span.start, place.stmt.span.end, ""))


@operator("later-commit")
def later_commit(subject: Subject) -> Edits:
    return _later(subject, ast.MmaCommit)


@operator("earlier-commit")
def earlier_commit(subject: Subject) -> Edits:
    return _earlier(subject, ast.MmaCommit)


@operator("later-copy")
def later_copy(subject: Subject) -> Edits:
    return _later(subject, ast.Copy)


@operator("earlier-swap")
def earlier_swap(subject: Subject) -> Edits:
    return _earlier(subject, ast.Rotate)


@operator("wait-before-loop")
def wait_before_loop(subject: Subject) -> Edits:
    return _before_loop(subject, ast.Wait)


@operator("trigger-before-loop")
def trigger_before_loop(subject: Subject) -> Edits:
    return _before_loop(subject, ast.Trigger)


@operator("trigger-after-loop")
def trigger_after_loop(subject: Subject) -> Edits:
    return _after_loop(subject, ast.Trigger)


@operator("commit-after-loop")
def commit_after_loop(subject: Subject) -> Edits:
    return _after_loop(subject, ast.MmaCommit)


@operator("wait-to-other-role")
def wait_to_other_role(subject: Subject) -> Edits:
    return _to_other_role(subject, ast.Wait)


@operator("trigger-to-other-role")
def trigger_to_other_role(subject: Subject) -> Edits:
    return _to_other_role(subject, ast.Trigger)
