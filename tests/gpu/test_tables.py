"""The tables that are written from a visit's figures."""

from __future__ import annotations

from tests.gpu.tables import racy, sanitizer, stuck, text
from tests.meta.tree import ROOT


def run(mutant: str, rule: str, wrong: int, runs: int = 200, trouble: str = "") -> dict[str, object]:
    return {"mutant": mutant, "rule": rule, "wrong": wrong, "runs": runs, "hangs": False, "trouble": trouble}


def test_stuck_ones_by_operator() -> None:
    rows = [{"mutant": f"a.co: drop-wait, line {line}", "agree": line > 1} for line in (1, 2, 3)]
    rows.append({"mutant": "b.co: mask, line 3, 2", "agree": True})
    assert stuck(rows)[2:] == ["| drop-wait | 3 | 2 |", "| mask | 1 | 1 |", "| all | 4 | 3 |"]


def test_racy_ones_with_their_share() -> None:
    rows = [
        run("a.co", "", 0),
        run("a.co: drop-wait, line 2", "stage-race", 50),
        run("b.co: x, line 3", "stage-race", 0),
    ]
    rows.append(run("c.co: x, line 4", "early-publish", 0, 0, "not through within 60 s"))
    rows.append(run("d.co: x, line 5", "stage-race", 3, 4) | {"hangs": True})
    assert racy(rows)[2:] == [
        "| early-publish | 1 | 0 | none |",
        "| stage-race | 3 | 2 | 13.1 % |",
        "| unchanged kernels | 1 | 0 | 0.0 % |",
        "",
        "| racy mutant | rule | wrong of the runs |",
        "|---|---|---:|",
        "| a.co: drop-wait, line 2 | stage-race | 50 of 200 (25.0 %) |",
        "| b.co: x, line 3 | stage-race | 0 of 200 (0.0 %) |",
        "| d.co: x, line 5 | stage-race | 3 of 4 (75.0 %), then hangs |",
        "| c.co: x, line 4 | early-publish | not through within 60 s |",
    ]


def test_refusals_stand_beside_the_totals() -> None:
    total = {"runs": 2, "refused": 2, "errors": 0, "warnings": 0, "verified": 0}
    rows = [{"tool": "racecheck", "refusal": "not supported", "errors": None}] * 2
    found = {"version": "Version 1", "options": "--x", "rows": rows, "totals": {"racecheck": total}}
    assert sanitizer(found)[2:] == [
        "| racecheck | 2 | 2 | 0 | 0 | 0 |",
        "",
        "Version 1, with `--x`.",
        "racecheck refuses 2: not supported",
    ]


def test_a_part_that_failed_is_left_out() -> None:
    assert text({"card": "H", "stuck": {"error": "x"}, "racy": []}).startswith("One H.\n\n| racy, by rule")


def test_the_document_has_their_place() -> None:
    said = (ROOT / "docs" / "verification.md").read_text(encoding="utf-8")
    assert "<!-- card -->" in said and "<!-- /card -->" in said
