"""Signature help: what is called or operated around the cursor, and which parameter that is at. `|` is the cursor."""

from __future__ import annotations

import pytest

from croqc.builtins import GROUPS
from croqls.ide.signature import signature_help
from tests.ide.marked import marked
from tests.ide.test_completion import KERNEL


def told(code: str) -> tuple[str, str] | None:
    """The label and the active parameter at a place of the loader's loop."""
    found = signature_help(*marked(KERNEL.replace("HERE", code)))
    if found is None:
        return None
    shown = found.signatures[found.active]
    start, end = shown.parameters[found.parameter] if shown.parameters else (0, 0)
    return shown.label, shown.label[start:end]


@pytest.mark.parametrize(
    ("code", "label", "parameter"),
    [
        ("x = __max(|", "__max(a, b)", "a"),
        ("x = __max(1, |", "__max(a, b)", "b"),
        ("x = __max(lhs.at(0, 1), |)", "__max(a, b)", "b"),
        ("x = __fmaf(__max(1, 2), |", "__fmaf(a, b, c)", "b"),
        ("x = __fmaf(1, __max(1, |", "__max(a, b)", "b"),
        ("x = cdiv(K, |", "cdiv(a, b)", "b"),
        ("x = __to<f16>(|", "__to<T>(e)", "e"),
        ("x = lhs.subspan(8, |", "x.subspan(e, …)", "…"),
        ("x = lhs.subspan(8, 8, 8, |", "x.subspan(e, …)", "…"),
        ("x = lhs.at(|", "x.at(i, …)", "i"),
        ("x = lhs.at(/*i*/|", "x.at(i, …)", "i"),
        ("x = lhs.subspan(8, 8).at(|", "x.subspan(e, …).at(t, …)", "t"),
        ("wait full.at(|", "e.at(order)", "order"),
        ("__atomic_add(lhs.at(0), |", "__atomic_add(x.at(…), v)", "v"),
        ("x = call twice(|", "float twice(float x)", "float x"),
        ("x = call other(|", "other(global f16 [M, K] lhs)", "global f16 [M, K] lhs"),
        ("x = SLOT(|", "SLOT(k)", "k"),
        ("dma.copy |", "dma.copy", "source"),
        ("dma.copy.async lhs.subspan(8, 8).at(b, 2) => |", "dma.copy", "destination"),
        ("x = tma.copy.async.swiz<128> lhs => lhs_s[0] after |", "tma.copy", "destination"),
        ("dma.pad<{1}, {1}, {0}, 0> |", "dma.pad", "source"),
        ("mma.row.row acc, |", "mma.A.B acc, a, b", "a"),
        ("mma.row.row.scale acc, a, b, |", "mma.A.B.scale acc, a, b, sa, sb", "sa"),
        ("mma.store acc, |", "mma.store", "view"),
        ("trigger full[0] after |", "trigger e after f", "f"),
        ("swap(load, |", "swap(a, b)", "b"),
    ],
)
def test_what_is_called_and_the_active_parameter(code: str, label: str, parameter: str) -> None:
    found = told(code)
    assert found is not None
    assert label in found[0]
    assert found[1] == parameter


@pytest.mark.parametrize(
    "code",
    ["x = (1 + |", "x = y |", "foreach {k} in [|", "x = cdiv(K, 2) |", "// cdiv(|", "if (|", "x = cdiv(K, 2); |"],
)
def test_nothing_is_called_elsewhere(code: str) -> None:
    assert told(code) is None


def test_parameters_of_every_row_lie_in_their_label_in_order() -> None:
    for _, rows in GROUPS:
        for row in rows:
            found = signature_help(*marked(KERNEL.replace("HERE", f"x = {row.word}(|")))
            for one in found.signatures if found is not None else ():
                places = [0, *(at for place in one.parameters for at in place), len(one.label)]
                assert places == sorted(places), one
                assert all(one.label[start:end].strip() for start, end in one.parameters), one


def test_functions_of_one_name_are_each_shown() -> None:
    both = "__co__ void f(global s32 [8] x) {}\n__co__ void f(global f16 [4, 4] x, s32 n) {}\n"
    text = f"{both}__co__ void g() {{ call f(| }}\n"
    found = signature_help(*marked(text))
    assert found is not None
    assert [one.label for one in found.signatures] == ["f(global s32 [8] x)", "f(global f16 [4, 4] x, s32 n)"]
