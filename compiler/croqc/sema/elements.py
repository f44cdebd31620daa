"""Element types: what values each can hold, and what arithmetic and conversion make of two of them (3.1)."""

from __future__ import annotations

from typing import Final

from croqc.text.record import record


@record
class Elem:
    """`bits` of storage; for floats `digits` of the significand (hidden one included) and `exponent` bits."""

    name: str
    kind: str  # "float", "signed", "unsigned" or "bool"
    bits: int
    digits: int = 0
    exponent: int = 0


def _table() -> dict[str, Elem]:
    floats = {
        "f64": (64, 53, 11),
        "f32": (32, 24, 8),
        "tf32": (32, 11, 8),
        "f16": (16, 11, 5),
        "bf16": (16, 8, 8),
        "f8_e4m3": (8, 4, 4),
        "f8_e5m2": (8, 3, 5),
        "f8_ue4m3": (8, 4, 4),
        "f8_ue8m0": (8, 1, 8),
        "f6_e3m2": (6, 3, 3),
        "f6_e2m3": (6, 4, 2),
        "f4_e2m1": (4, 2, 2),
    }
    rows = [Elem(name, "float", *row) for name, row in floats.items()]
    rows += [Elem(f"s{bits}", "signed", bits) for bits in (64, 32, 16, 8, 6, 4, 2)]
    rows += [Elem(f"u{bits}", "unsigned", bits) for bits in (64, 32, 16, 8, 6, 4, 2, 1)]
    rows += [Elem("bool", "bool", 8), Elem("bin1", "unsigned", 1)]
    return {row.name: row for row in rows}


ELEMENTS: Final = _table()
NARROW: Final = frozenset({"f8_ue8m0", "f8_ue4m3", "f6_e3m2", "f6_e2m3", "f4_e2m1"})
INTEGERS: Final = frozenset(name for name, row in ELEMENTS.items() if row.kind in ("signed", "unsigned"))
FLOATS: Final = frozenset(name for name, row in ELEMENTS.items() if row.kind == "float")


def canonical(word: str) -> str:
    """`int` is an alias of `s32` (3.1, [R])."""
    return "s32" if word == "int" else word


def is_known(word: str) -> bool:
    """Whether a word that stands where a type is due is one; recovery may have left another."""
    return canonical(word) in ELEMENTS


def limits(elem: str) -> tuple[int, int]:
    """The least and greatest integer up to which `elem` holds every integer."""
    row = ELEMENTS[elem]
    if row.kind == "signed":
        return -(1 << (row.bits - 1)), (1 << (row.bits - 1)) - 1
    if row.kind == "float":
        top = 1 << min(row.digits, (1 << (row.exponent - 1)) - 1)
        return (0 if "_ue" in elem else -top), top
    return 0, (1 << row.bits) - 1


def common(a: str, b: str) -> str | None:
    """The type of arithmetic on two types that are not bool; None if there is none (table of 3.1)."""
    if a == b:
        return a
    left, right = ELEMENTS[a], ELEMENTS[b]
    if left.kind == "float" and right.kind == "float":
        return a if _covers(left, right) else b if _covers(right, left) else None
    if left.kind == "float" or right.kind == "float":
        return a if left.kind == "float" else b
    if left.kind == right.kind:
        return a if left.bits >= right.bits else b
    signed, unsigned = (left, right) if left.kind == "signed" else (right, left)
    if signed.bits > unsigned.bits:
        return signed.name
    return unsigned.name if unsigned.bits > signed.bits else f"u{signed.bits}"


def of_arms(a: str, b: str) -> str | None:
    """The type of a choice between two: integers that differ are s32 where that holds both (3.1, rule 7)."""
    small = all(elem in INTEGERS and ELEMENTS[elem].bits - (ELEMENTS[elem].kind == "signed") < 32 for elem in (a, b))
    return "s32" if small and a != b else common(a, b)


def _covers(wide: Elem, narrow: Elem) -> bool:
    return wide.digits >= narrow.digits and wide.exponent >= narrow.exponent


def conversion(source: str, target: str) -> str:
    """What an implicit conversion risks: "" nothing, "lossy", or "sign" (negative values change)."""
    if source == target or "bool" in (source, target):
        return ""
    have, want = ELEMENTS[source], ELEMENTS[target]
    if have.kind == "float":
        return "" if want.kind == "float" and _covers(want, have) else "lossy"
    low, high = limits(source)
    least, greatest = limits(target)
    if least <= low and high <= greatest:
        return ""
    if want.kind == "float":
        return "lossy"
    return "sign" if want.bits >= have.bits and want.kind != have.kind else "lossy"
