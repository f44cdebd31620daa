"""One visit to a machine with a card: `python -m tests.gpu.visit --out figures.json`. Must not need a test framework.

A driver: what it does stands in the table of parts, a file each in `parts`. Each part is kept as soon as it is done,
and one that fails leaves the others' figures.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from croqc.engines.gpu.lock import lock_path
from croqc.engines.gpu.parent import Parent, kernel_cache
from croqc.service.doctor import diagnose
from croqc.service.machine import examine
from tests.gpu.parts.agreement import coverage, examples
from tests.gpu.parts.click import click
from tests.gpu.parts.hangs import hangs
from tests.gpu.parts.large import large
from tests.gpu.parts.mutants import racy, stuck
from tests.gpu.parts.overlaps import overlaps
from tests.gpu.parts.profiles import profiles
from tests.gpu.parts.references import references
from tests.gpu.parts.repeats import repeats
from tests.gpu.parts.sanitizer import sanitizer
from tests.gpu.parts.starts import starts
from tests.gpu.parts.troubles import crash, too_large

PARTS: dict[str, Callable[[Parent], Any]] = {
    "crash": crash,
    "too_large": too_large,
    "hangs": hangs,
    "starts": starts,
    "click": click,
    "large": large,
    "profiles": profiles,
    "examples": examples,
    "coverage": coverage,
    "references": references,
    "repeats": repeats,
    "overlaps": overlaps,
    "stuck": stuck,
    "racy": racy,
    "sanitizer": sanitizer,
}


def visit(card: Parent, parts: list[str], out: Path) -> int:
    """Runs the parts and writes their figures. The number of those that failed."""
    figures: dict[str, Any] = {"machine": asdict(diagnose(examine())), "cache": str(kernel_cache())}
    figures["card"] = str(card.card())
    failed = 0
    for name in parts:
        start = time.perf_counter()
        try:
            figures[name] = PARTS[name](card)
        except Exception:  # a part that fails leaves the others' figures
            figures[name] = {"error": traceback.format_exc()}
            failed += 1
            traceback.print_exc()
        figures[f"{name}_seconds"] = round(time.perf_counter() - start, 1)
        out.write_text(json.dumps(figures, indent=1, default=str) + "\n", encoding="utf-8")
        print(f"== {name}: {figures[f'{name}_seconds']} s", flush=True)
    return failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("gpu-visit.json"))
    parser.add_argument("--only", action="append", choices=PARTS, help="this part only")
    args = parser.parse_args()
    with Parent(lock=lock_path()) as card:
        return int(bool(visit(card, [name for name in PARTS if not args.only or name in args.only], args.out)))


if __name__ == "__main__":
    sys.exit(main())
