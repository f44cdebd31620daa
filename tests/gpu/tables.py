"""The tables of docs/verification.md that a visit fills: `python -m tests.gpu.tables FIGURES --write FILE`. Must not
judge; `test_card` does.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from tests.truth.document import write_section


def stuck(rows: list[dict[str, Any]]) -> list[str]:
    """How many stuck mutants of each operator ended with the report that verifier and simulator give."""
    total = Counter(_operator(row) for row in rows)
    agree = Counter(_operator(row) for row in rows if row["agree"])
    lines = ["| stuck, by operator | mutants | same report |", "|---|---:|---:|"]
    lines += [f"| {name} | {total[name]} | {agree[name]} |" for name in total]
    return [*lines, f"| all | {total.total()} | {agree.total()} |"]


def racy(rows: list[dict[str, Any]]) -> list[str]:
    """The share of runs with wrong data: of each racy mutant, by rule, and of the unchanged kernels."""
    by_rule: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        by_rule[row["rule"]].append(row)
    sound = by_rule.pop("", [])
    lines = ["| racy, by rule | mutants | show it | wrong runs |", "|---|---:|---:|---:|"]
    lines += [_rule(name, own) for name, own in sorted(by_rule.items())]
    lines += [_rule("unchanged kernels", sound), "", "| racy mutant | rule | wrong of the runs |", "|---|---|---:|"]
    for row in (row for own in by_rule.values() for row in own):
        share = row["trouble"] or f"{row['wrong']} of {row['runs']} ({_share(row['wrong'], row['runs'])})"
        hangs = ", then hangs" if row["hangs"] else ""
        lines.append(f"| {row['mutant']} | {row['rule']} | {share}{hangs} |")
    return lines


def _rule(name: str, rows: list[dict[str, Any]]) -> str:
    wrong, runs = sum(row["wrong"] for row in rows), sum(row["runs"] for row in rows)
    return f"| {name} | {len(rows)} | {sum(row['wrong'] > 0 for row in rows)} | {_share(wrong, runs)} |"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "none"


def sanitizer(found: dict[str, Any]) -> list[str]:
    """What each tool of compute-sanitizer says, and what it refuses."""
    lines = [
        "| compute-sanitizer | runs | refused | errors | warnings | verified under it |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    keys = ("runs", "refused", "errors", "warnings", "verified")
    lines += [
        f"| {tool} | " + " | ".join(str(row[key]) for key in keys) + " |" for tool, row in found["totals"].items()
    ]
    refused = Counter((row["tool"], row["refusal"]) for row in found["rows"] if row["errors"] is None)
    told = [f"{tool} refuses {count}: {reason}" for (tool, reason), count in sorted(refused.items())]
    return [*lines, "", f"{found['version']}, with `{found['options']}`.", *told]


def _operator(row: dict[str, Any]) -> str:
    return str(row["mutant"].partition(": ")[2].partition(",")[0])


def text(figures: dict[str, Any]) -> str:
    """All tables, those whose part failed left out."""
    parts = (("stuck", stuck), ("racy", racy), ("sanitizer", sanitizer))
    made = [
        "\n".join(table(figures[name]))
        for name, table in parts
        if name in figures and not (isinstance(figures[name], dict) and "error" in figures[name])
    ]
    return "\n\n".join([f"One {figures['card']}.", *made])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("figures", type=Path)
    parser.add_argument("--write", type=Path, help="document whose section 'card' is renewed")
    options = parser.parse_args()
    made = text(json.loads(options.figures.read_text(encoding="utf-8")))
    print(made)
    if options.write:
        write_section(options.write, "card", made)


if __name__ == "__main__":
    main()
