"""Prints one table of what reading, checking and simulating cost (`make bench`). Asserts nothing.

Run: PYTHONPATH=. python tests/perf/bench.py
"""

from __future__ import annotations

from tests.perf import bench_check, bench_sim, bench_syntax
from tests.perf.timing import table


def main() -> None:
    figures = [*bench_check.figures(), *bench_syntax.figures(), *bench_sim.figures()]
    print(table(figures))


if __name__ == "__main__":
    main()
