"""Threads that satisfy a condition: `(tid / unit) % bound` by 4.4, against plain arithmetic over thread numbers."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from croqc.sema import divergence
from croqc.sema.masks import Masks, members, place_indices
from croqc.syntax import ast
from croqc.syntax.visit import walk
from tests.sema.device_study import Device, block

NEST = "parallel p by 2 : group-4, {{u, v}} by [8, 16] : thread {{ inthreads ({}) {{}} }}"


def masks(found: Device) -> Masks:
    kernel = found.kernel
    assert kernel.threads is not None
    return Masks(found.model, kernel.node, kernel.threads)


def selected(cond: str, nest: str = NEST) -> list[int] | None:
    found = block(nest.format(cond))
    (region,) = (node for node in walk(found.model.function) if isinstance(node, ast.InThreads))
    mask = masks(found).of(region.cond)
    return None if mask is None else list(members(mask))


@pytest.mark.parametrize(
    ("cond", "holds"),
    [
        ("p == 1", lambda t: t // 128 == 1),
        ("v == 3", lambda t: t % 16 == 3),
        ("u == 3", lambda t: t // 16 % 8 == 3),
        ("p == 0 && u < 2", lambda t: t // 128 == 0 and t // 16 % 8 < 2),
        ("p == 1 || v >= 15", lambda t: t // 128 == 1 or t % 16 >= 15),
        ("!(u != 7)", lambda t: t // 16 % 8 == 7),
        ("u * 16 + v < 40", lambda t: t % 128 < 40),
        ("v % 4 == 1", lambda t: t % 16 % 4 == 1),
        ("(v + 1) / 8 == 1", lambda t: (t % 16 + 1) // 8 == 1),
        ("b == 3", lambda t: True),
        ("b == 3 && p == 1", lambda t: t // 128 == 1),
        ("b == 3 || p == 1", lambda t: True),
    ],
)
def test_conditions(cond: str, holds: Callable[[int], bool]) -> None:
    assert selected(cond) == [thread for thread in range(256) if holds(thread)]


@pytest.mark.parametrize("cond", ["p == n", "p == 0 && v < n", "big.at(p, v) > 0.0f", "missing == p"])
def test_what_is_not_static(cond: str) -> None:
    assert selected(cond) is None


def test_one_side_can_decide_alone() -> None:
    assert selected("p > 5 && v < n") == []
    assert selected("p < 5 || v < n") == list(range(256))


def test_variables_stand_for_their_values() -> None:
    nest = "parallel p by 2 : group-4 {{ role = 1 - p; first = role == 0; inthreads ({}) {{}} }}"
    assert selected("role == 0", nest) == list(range(128, 256))
    assert selected("first", nest) == list(range(128, 256))


def test_nested_regions_intersect() -> None:
    found = block("parallel t by 64 : thread { inthreads (t < 32) { inthreads (t % 2 == 0) {} } }")
    chain = [node for node in walk(found.model.function) if isinstance(node, ast.InThreads)]
    mask = masks(found).of_regions(chain)
    assert mask is not None
    assert members(mask) == tuple(range(0, 32, 2))


def test_where_indices_sit() -> None:
    found = block("parallel {g, h} by [2, 3] : group, t by 32 : thread {}")
    indices = place_indices(found.model, found.kernel.node)
    placed = {item.symbol.name: (item.unit, item.bound) for item in indices if item.symbol}
    assert placed == {"g": (96, 2), "h": (32, 3), "t": (1, 32)}


def test_an_analysis_makes_the_masks_of_a_kernel_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five of its stages ask for them, at every key that is pressed."""
    made: list[ast.Parallel] = []
    begin = Masks.__init__

    def counted(self: Masks, facts: object, node: ast.Parallel, threads: int) -> None:
        made.append(node)
        begin(self, facts, node, threads)  # type: ignore[arg-type]

    monkeypatch.setattr(Masks, "__init__", counted)
    found = block(NEST.format("p == 1"))
    assert made == [found.kernel.node]


def test_what_parts_the_threads_before_a_statement_is_looked_for_once_for_all_beside_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[tuple[int, bool]] = []
    find = divergence._parted

    def counted(*args: object) -> object:
        found = find(*args)  # type: ignore[arg-type]
        asked.append((args[2].span.start, found is not None))  # type: ignore[attr-defined]
        return found

    monkeypatch.setattr(divergence, "_parted", counted)
    syncs = "sync.shared; " * 3
    found = block(f"parallel t by 128 : thread {{ {syncs} if (t < 8) {{ {syncs} }} else {{ {syncs} }} }}")
    assert len(found.told) == 1  # what parts them is told once
    assert [parted for _, parted in asked] == [False, True, True]
    early = block("parallel t by 128 : thread { foreach k in [4] { sync.shared; if (t > 5) continue; sync.shared; } }")
    assert len(early.told) == 1
