"""Setting the architecture of a file: offered where that mends what stands at a place, and nowhere else."""

from __future__ import annotations

import pytest

from croqc.rules.table import all_rules
from croqc.service.check import check_text
from croqc.service.settings import Settings
from croqc.text.edits import apply_edits
from croqls.assists.targets import OF_TARGETS, settings_for
from croqls.ide.snapshot import Snapshot

TMA = """__co__ void f(global f16 [64, 64] x, global f16 [64, 64] y) {
  parallel b by 1 : block {
    shared f16 [64, 64] s;
    tma.copy x => s;
    tma.copy s => y;
  }
}
"""
CLUSTER = """__co__ void f(global s32 [64] x) {
  parallel c by 2 : cluster {
    parallel b by 2 : block {
      parallel p by 8 : thread { x.at(c * 16 + b * 8 + p) = 1; }
    }
  }
}
"""
WITH_TMA = ["Set the architecture to sm_90a", "Set the architecture to sm_100a"]


def offered(text: str, below: Settings | None = None) -> dict[str, list[tuple[str, str]]]:
    """By rule: titles, and the texts that come of them."""
    snapshot = Snapshot("file:///k.co", 1, text, below=below or Settings())
    found: dict[str, list[tuple[str, str]]] = {}
    for item in snapshot.report.diagnostics:
        made = [(title, apply_edits(text, [edit])) for title, edit in settings_for(snapshot, item)]
        if made:
            found.setdefault(item.code, []).extend(made)
    return found


@pytest.mark.parametrize(("text", "rule"), [(TMA, "tma-limit"), (CLUSTER, "level-unavailable")])
def test_a_line_that_names_another_architecture_is_changed(text: str, rule: str) -> None:
    """TMA and clusters came with sm_90 (PTX ISA): sm_80, sm_86 and sm_89 have neither."""
    made = offered(f"// for an older card\n// croq: arch sm_80\n{text}")[rule][:2]
    assert [title for title, _ in made] == WITH_TMA
    assert made[0][1] == f"// for an older card\n// croq: arch sm_90a\n{text}"
    assert [one.code for one in check_text(made[0][1]).diagnostics if one.severity.value == "error"] == []


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_without_a_line_one_is_put_in_front(newline: str) -> None:
    """It overrules the setting of the editor, and has the line ends of the file."""
    text = CLUSTER.replace("\n", newline)
    made = offered(text, Settings(arch="sm_80"))["level-unavailable"]
    assert made[0] == (WITH_TMA[0], f"// croq: arch sm_90a{newline}{text}")


def test_what_another_architecture_does_not_mend_is_left_alone() -> None:
    """A tile that no card has room for, a mistyped name, and two mistakes of which one would stay: that is offered."""
    large = CLUSTER.replace("    parallel b", "    parallel b", 1).replace(
        "parallel p by 8", "shared f32 [512, 512] s;\n      parallel p by 8"
    )
    assert offered(large) == {}
    assert offered(CLUSTER.replace("= 1;", "= zz;")) == {}
    both = offered("// croq: arch sm_80\n" + CLUSTER.replace("= 1;", "= zz;"))
    assert [title for title, _ in both["level-unavailable"]] == WITH_TMA


def test_long_files_and_other_rules_are_not_tried() -> None:
    assert offered(f"// croq: arch sm_80\n{CLUSTER}" + "// more\n" * 5000) == {}
    assert offered(CLUSTER.replace("x.at", "y.at")) == {}


def test_each_rule_that_may_hang_on_the_architecture_is_one() -> None:
    assert {rule.name for rule in all_rules()} >= OF_TARGETS
