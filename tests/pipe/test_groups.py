"""How many groups of cp.async a wait leaves in flight: those that were issued behind what it waits for, for certain."""

from __future__ import annotations

import pytest

from croqc.pipe import ir
from croqc.pipe.exprs import Lit, Op, Var
from croqc.pipe.passes.groups import groups
from croqc.sema.model import Unit
from croqc.text.span import NOWHERE
from tests.gpu.cases import COVERAGE
from tests.pipe.kernels import kernel, load, role, slot
from tests.pipe.lowering import EXAMPLES, after, env_of, only

ROTATED = (EXAMPLES / "rotate_triple.co").read_text(encoding="utf-8")
SWAPPED = (EXAMPLES / "swap_f16.co").read_text(encoding="utf-8")
CP_ASYNC = ir.Mechanism.CP_ASYNC


def issue(handle: str, unit: Unit = Unit.BLOCK) -> ir.Copy:
    return load(unit, mechanism=CP_ASYNC, vector=16, is_async=True, handle=handle)


def wait(*handles: str, among: bool = False) -> ir.Await:
    return ir.Await(NOWHERE, handles, Unit.BLOCK, among)


def when(then: tuple[ir.Stmt, ...], other: tuple[ir.Stmt, ...] = ()) -> ir.If:
    return ir.If(NOWHERE, Op("<", (Var("k"), Var("K")), "bool"), then, other)


def turns(*body: ir.Stmt) -> ir.Loop:
    return ir.Loop(NOWHERE, "k", Lit(0), Var("K"), Lit(1), body)


def kept(*body: ir.Stmt) -> list[int]:
    done = groups(kernel(*body), env_of({"M": 128, "K": 128}))
    return [stmt.keep for stmt in only(done, ir.Await)]


def empty(*body: ir.Stmt) -> int:
    return len(only(groups(kernel(*body), env_of({"M": 128, "K": 128})), ir.EmptyGroup))


SWAP = ir.Rotate(NOWHERE, ("f", "g"))
LEAVE = ir.Jump(NOWHERE, "break")
OTHER_PATH = role(issue("h", Unit.GROUP4))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param((issue("f"), wait("f")), [0], id="nothing behind it"),
        pytest.param((issue("f"), issue("g"), wait("f"), wait("g")), [1, 0], id="one behind the other"),
        pytest.param((issue("f"), issue("g"), wait("f", "g")), [0], id="the last of several decides"),
        pytest.param((issue("f"), issue("g"), issue("h"), wait("f", "g", among=True)), [1], id="any of several"),
        pytest.param((issue("f"), issue("g"), issue("f"), wait("f"), wait("g")), [0, 1], id="issued anew"),
        pytest.param((issue("g"), wait("f")), [0], id="a copy that nobody has seen"),
        pytest.param((issue("f"), issue("g"), SWAP, wait("g"), wait("f")), [1, 0], id="a wait by the other name"),
        pytest.param((issue("f"), turns(issue("g"), wait("f"), SWAP), wait("f")), [1, 0], id="two buffers in turn"),
        pytest.param((issue("f"), turns(wait("f"), issue("f")), wait("f")), [0, 0], id="one buffer"),
        pytest.param((issue("f"), turns(issue("g")), wait("f")), [0], id="a loop may have no turn"),
        pytest.param((issue("f"), when((issue("g"),), (issue("h"),)), wait("f")), [1], id="on every way one"),
        pytest.param((issue("f"), OTHER_PATH, wait("f")), [0], id="other threads count for themselves"),
        pytest.param((issue("f"), turns(when((LEAVE,)), issue("g")), wait("f")), [0], id="a turn that is left"),
    ],
)
def test_what_was_issued_behind_the_awaited_stays_in_flight(body: tuple[ir.Stmt, ...], expected: list[int]) -> None:
    assert kept(*body) == expected
    assert empty(*body) == 0


def test_a_copy_that_a_barrier_counts_is_no_group() -> None:
    """Its bytes go with the next group; alone it adds none."""
    counted = load(Unit.BLOCK, mechanism=CP_ASYNC, vector=16, completes=slot())
    assert kept(issue("f"), counted, wait("f")) == [0]


def test_a_loop_that_loads_ahead_under_a_condition_ends_empty_groups_where_there_is_nothing_to_load() -> None:
    body = (issue("f"), turns(when((issue("g"), issue("h"))), wait("f"), ir.Rotate(NOWHERE, ("f", "g", "h"))))
    assert kept(*body) == [
        2
    ]  # both of the turn behind the first f; g, that is f in the next, has h and those behind it
    assert empty(*body) == 2


@pytest.mark.parametrize(
    "body",
    [
        pytest.param((issue("f"), when((issue("g"),)), wait("g")), id="no wait would leave more"),
        pytest.param((issue("f"), when((issue("g"), LEAVE)), wait("f")), id="an arm that is left"),
        pytest.param((issue("f"), when((turns(issue("g")),)), wait("f")), id="an arm of unknown length"),
    ],
)
def test_elsewhere_no_group_is_empty(body: tuple[ir.Stmt, ...]) -> None:
    assert (kept(*body), empty(*body)) == ([0], 0)


@pytest.mark.parametrize("arch", ["sm_80", "sm_86", "sm_89", "sm_90a"])
@pytest.mark.parametrize(("text", "expected"), [(ROTATED, [2, 1, 0]), (SWAPPED, [2, 0])], ids=["triple", "double"])
def test_examples_keep_the_next_tiles_in_flight(text: str, expected: list[int], arch: str) -> None:
    """Three buffers: two tiles behind the one in use, then one, then none. Two of two operands: both of the next."""
    kernel_of = {ROTATED: {"R": 64, "C": 320}, SWAPPED: {"M": 64, "N": 64, "K": 256}}
    made = after("dependents", text, kernel_of[text], arch)
    assert [stmt.keep for stmt in only(made, ir.Await)] == expected


def test_a_load_ahead_under_a_condition_of_the_text_keeps_its_group() -> None:
    text = (COVERAGE / "groups.co").read_text(encoding="utf-8")
    made = after("dependents", text, {"M": 100, "K": 352}, "sm_80")
    assert [stmt.keep for stmt in only(made, ir.Await)] == [1]
    assert len(only(made, ir.EmptyGroup)) == 1
