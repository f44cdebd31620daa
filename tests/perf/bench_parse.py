"""How long parsing takes: a cold start, microseconds a line, milliseconds an edit. Printed, not asserted.

Run: python tests/perf/bench_parse.py [FILE.co ...]; without files, the kernel of the recovery tests.
"""

import subprocess
import sys
from pathlib import Path
from time import perf_counter

from croqc.syntax.parser import parse_file, parse_function
from croqc.syntax.preprocess import preprocess

KERNEL = Path(__file__).parents[1] / "data" / "recovery.co"
ROUNDS = 20


def best(action: object, rounds: int = ROUNDS) -> float:
    """Seconds of the fastest of some runs."""
    times = []
    for _ in range(rounds):
        start = perf_counter()
        action()  # type: ignore[operator]
        times.append(perf_counter() - start)
    return min(times)


def measure(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    sources = preprocess(text).functions
    lines = sum(source.text.count("\n") + 1 for source in sources)
    tokens = sum(len(source.tokens) for source in sources)
    if not tokens:
        return
    parse = best(lambda: [parse_function(source) for source in sources])
    print(f"{path.name}: {lines} lines, {tokens} tokens")
    print(f"  tokens to tree  {parse / lines * 1e6:7.1f} us a line, {parse / tokens * 1e6:.2f} us a token")

    before, where = parse_file(text), text.rfind("}")
    count = iter(range(10**6))

    def edit() -> None:
        parse_file(f"{text[:where]}x{next(count)} = 1;\n{text[where:]}", previous=before)

    def mistake() -> None:
        parse_file(f"{text[:where]}x{next(count)} = \n{text[where:]}", previous=before)

    print(f"  good edit       {best(edit) * 1e3:7.2f} ms (text to tree, {best(edit) / lines * 1e6:.1f} us a line)")
    print(f"  edit with error {best(mistake) * 1e3:7.2f} ms")


def cold() -> None:
    code = "from croqc.syntax.parser import parse_file; parse_file('__co__ void f() { x = 1; }')"
    seconds = best(lambda: subprocess.run([sys.executable, "-c", code], check=True), 5)
    bare = best(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True), 5)
    print(f"cold start: {seconds * 1e3:.0f} ms, of which the interpreter {bare * 1e3:.0f} ms")


if __name__ == "__main__":
    for name in sys.argv[1:] or [str(KERNEL)]:
        measure(Path(name))
    cold()
