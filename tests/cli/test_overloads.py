"""Functions of one name (reference, 2.2): every run line is one of the function in which it stands."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Croq

TEXT = """// croq: run N=7
// croq: expect y == x * 5
__co__ void scaled(global s32 [N] x, global s32 [N] y) {
  parallel b by N : block { y.at(b) = x.at(b) * 5; }
}
// croq: run N=9
// croq: expect y == x * 2
__co__ void scaled(global s32 [N] x, global f32 [N] y) {
  parallel b by N : block { y.at(b) = __to<f32>(x.at(b) * 2); }
}
"""


def test_each_is_run_with_its_own_sizes(croq: Croq) -> None:
    Path("k.co").write_text(TEXT, encoding="utf-8")
    outcome = croq("run", "k.co")
    assert (outcome.status, outcome.out.count("verified (sim")) == (0, 2), outcome.out
    assert "N=7" in outcome.out
    assert "N=9" in outcome.out


def test_a_mistake_in_the_second_is_found(croq: Croq) -> None:
    Path("k.co").write_text(TEXT.replace("* 2);", "* 5);"), encoding="utf-8")
    outcome = croq("run", "k.co")
    assert (outcome.status, outcome.out.count("verified (sim"), outcome.out.count("wrong (sim")) == (1, 1, 1)


def test_code_is_made_for_the_sizes_of_each(croq: Croq) -> None:
    Path("k.co").write_text(TEXT, encoding="utf-8")
    made = json.loads(croq("cuda", "--json", "k.co").out)
    assert [kernel["name"] for kernel in made["kernels"]] == ["scaled", "scaled_2"]
