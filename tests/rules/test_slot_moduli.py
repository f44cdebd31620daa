"""Only a modulus that numbers a slot may be named or rewritten as one of the ring."""

from __future__ import annotations

import pytest

from tests.rules.mending import instead, report_of, shown
from tests.rules.pumps import RING


def titles(text: str) -> list[str]:
    return [fix.title for item in report_of(text).diagnostics for fix in item.fixes]


@pytest.mark.parametrize("guard", ["if (k % 61 == 60) { break; }", "if (K % 7 == 3) { if (k == 2) { break; } }"])
def test_a_modulus_in_a_condition_is_left_alone(guard: str) -> None:
    """The break is a fault, but 61 and 7 are none of the ring of two: with `% 2` the break could never be reached."""
    broken = instead(RING, "wait empty[k % 2];", f"{guard} wait empty[k % 2];")
    (item,) = shown(broken)
    assert item.code == "credit-deadlock"
    assert not any("modulus" in title for title in titles(broken))


def test_only_the_modulus_of_the_slot_is_mended() -> None:
    """Both moduli are 3, and the ring has two slots: the one in the condition means every third turn."""
    broken = instead(RING, "wait empty[k % 2];", "if (k % 3 == 2) { int z = 0; } wait empty[k % 3];")
    edits = [edit for item in shown(broken) for fix in item.fixes for edit in fix.edits if "modulus" in fix.title]
    assert edits
    assert all(broken[: edit.span.start].endswith("empty[k % ") for edit in edits)


def test_a_modulus_that_comes_to_the_slot_by_a_variable_is_mended() -> None:
    """`s` is the slot, so that its modulus is the ring's, too."""
    broken = instead(RING, "wait empty[k % 2];", "int s = k % 3; wait empty[s];")
    (item,) = shown(broken)
    assert item.code == "ring-mismatch"
    assert any("modulus" in title for title in titles(broken))


def test_a_negative_index_is_named_as_such() -> None:
    """In the first turn `(0 - 5) % 2` is -1, as in C; nobody uses the ring modulo 3."""
    (item,) = shown(RING.replace("k % 2", "(k - 5) % 2"))
    assert item.code == "ring-mismatch"
    assert "the index is -1 here (k = 0)" in item.message
    assert "modulo" not in item.message


def test_an_index_without_a_modulus_is_named_as_such() -> None:
    """The third turn names slot 2 of two: no modulus is written that could be the ring's."""
    (item,) = shown(RING.replace("[k % 2]", "[k]"))
    assert item.code == "ring-mismatch"
    assert "the index is 2 here (k = 2)" in item.message
