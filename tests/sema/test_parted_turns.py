"""A loop whose turns or jumps follow an index of threads parts a block: a barrier in it hangs."""

from __future__ import annotations

import pytest

from croqc.sema import rulenames_device as rules
from tests.sema.device_study import device

SPLIT = [(rules.DIVERGENT_COLLECTIVE, "sync.shared;")]


def told(body: str) -> list[tuple[str, str]]:
    found = device(f"parallel b by 4 : block, {{w, t}} by [4, 32] : thread {{ {body} }}").told
    return [each for each in found if each[0] == rules.DIVERGENT_COLLECTIVE]


@pytest.mark.parametrize(
    "body",
    [
        "foreach i in [1 + w / 2] { sync.shared; }",
        "foreach {i} in [t + 1] { sync.shared; }",
        "foreach {i, j} in [4, w + 1] { sync.shared; }",
        "foreach i in [4] { if (t > 7) break; sync.shared; }",
        "foreach i in [4] { sync.shared; if (t > 7) break; }",
        "foreach i in [4] { if (w == 1) { continue; } sync.shared; }",
        "foreach i in [4] { if (w == 1) { x = 1; } else { continue; } sync.shared; }",
        "foreach i in [4] { if (t == i) continue; sync.shared; }",
        "foreach i in [4] { if (i + 1 > w) { continue; } sync.shared; }",
        "foreach {i} in [4] { if (w == i) break; sync.shared; }",
        "foreach i in [M] { if (w == i && b == 0) continue; sync.shared; }",
        "foreach i in [4] { if (i < w) { sync.shared; } }",
        "foreach i in [4] { if (w + i > 5) { sync.shared; } }",  # in its last turn
        "mutable int i = 0; while (i < w) { sync.shared; i += 1; }",
        "mutable int i = 0; while (4 + t > i) { sync.shared; i += 2; }",
        "mutable int i = 9; while (i >= w) { i -= 1; sync.shared; }",
    ],
)
def test_a_part_of_the_block_is_told(body: str) -> None:
    assert told(body) == SPLIT


@pytest.mark.parametrize(
    "body",
    [
        "foreach i in [4] { sync.shared; }",
        "foreach i in [b + 1] { sync.shared; }",  # the same for all of a block
        "foreach i in [n] { sync.shared; }",
        "foreach i in [n + w] { sync.shared; }",  # nobody knows n
        "foreach i in [4] { sync.shared; if (t > 7) continue; x = 1; }",
        "foreach i in [1] { sync.shared; if (t > 7) break; }",
        "foreach i in [4] { if (b > 1) break; sync.shared; }",
        "foreach i in [4] { if (n > 1) break; sync.shared; }",
        "foreach i in [4] { if (t > 7 && n > 1) break; sync.shared; }",
        "foreach i in [4] { foreach j in [4] { if (t > 7) break; } sync.shared; }",
        "foreach i in [w + 1] { x = i; } sync.shared;",
        "foreach i in [w / 4 + 1] { sync.shared; }",  # w is below 4
        "foreach i in [4] { if (i < 2) continue; sync.shared; }",
        "foreach i in [4] { if (i == w + 4) continue; sync.shared; }",  # never
        "foreach i in [4] { if (i > w) break; sync.shared; if (i == 0) break; }",  # one turn
        "foreach i in [4] { if (i == w && n > 1) continue; sync.shared; }",
        "foreach i in [4] { if (i < w) { x = 1; } sync.shared; }",
        "foreach i in [4] { if (i < w / 4) { sync.shared; } }",
        "mutable int i = 0; while (i < n) { sync.shared; i += 1; }",
        "mutable int i = 0; while (i < w / 4 + 2) { sync.shared; i += 1; }",
        "mutable int i = 0; while (i < w) { sync.shared; if (n > 1) { i += 1; } }",  # by what nobody knows
        "mutable int i = 0; while (i < w) { i += 1; } sync.shared;",
        "mutable int i = 0; i = w; while (i < w) { sync.shared; i += 1; }",  # none
    ],
)
def test_all_come_or_nobody_knows(body: str) -> None:
    assert told(body) == []
