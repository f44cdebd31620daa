"""Compare the product's symbolic integers with SymEngine on the work that analysis gives them.

Run by hand: `PYTHONPATH=. python tests/perf/bench_symbolic.py`. SymEngine is no dependency; without it only our own
numbers are printed. The work: extents of tiles, ring slots, flattened indices, equality of two extents.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from croqc.sema.symbolic import Int, same
from tests.perf.timing import best

ROUNDS = 2000


def own_work() -> None:
    m, n, k, i, j = (Int.of(name) for name in ("M", "N", "K", "i", "j"))
    tile, stages = Int.of(64), Int.of(4)
    tiles = m.cdiv(tile) * n.cdiv(tile)
    row = i * tile + j
    slot = (i + Int.of(1)).mod(stages)
    chunk = k.floordiv(k.cdiv(tile))
    same(tiles, n.cdiv(tile) * m.cdiv(tile))
    same(row + Int.of(1), row)
    same(m * n - n * m, Int.of(0))
    row.substitute({"i": m - Int.of(1), "j": Int.of(63)})
    row.evaluate({"i": 3, "j": 5})
    str(tiles + slot + chunk)


def symengine_work(se: Any) -> Callable[[], None]:
    m, n, k, i, j = se.symbols("M N K i j", integer=True)

    def floordiv(a: Any, b: Any) -> Any:
        return se.floor(a / b)

    def cdiv(a: Any, b: Any) -> Any:
        return se.ceiling(a / b)

    def work() -> None:
        tiles = cdiv(m, 64) * cdiv(n, 64)
        row = i * 64 + j
        slot = (i + 1) - 4 * floordiv(i + 1, 4)
        chunk = floordiv(k, cdiv(k, 64))
        _ = se.expand(tiles - cdiv(n, 64) * cdiv(m, 64)) == 0
        _ = se.expand(row + 1 - row) == 0
        _ = se.expand(m * n - n * m) == 0
        row.subs({i: m - 1, j: 63})
        int(row.subs({i: 3, j: 5}))
        str(tiles + slot + chunk)

    return work


def micros(work: Callable[[], None]) -> float:
    """Microseconds a round of the fastest of five runs."""

    def run() -> None:
        for _ in range(ROUNDS):
            work()

    return best(run, 5) / ROUNDS * 1e6


def main() -> None:
    own = micros(own_work)
    print(f"own normal form   {own:8.1f} us a round of 16 operations")
    try:
        se = importlib.import_module("symengine")
    except ImportError:
        print("symengine is not installed")
        return
    other = micros(symengine_work(se))
    print(f"symengine         {other:8.1f} us a round; own / symengine = {own / other:.2f}")


if __name__ == "__main__":
    main()
