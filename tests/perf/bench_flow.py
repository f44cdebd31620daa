"""What a verdict costs while one types, and a hover that explains it (`make bench-flow`). Asserts nothing."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from time import process_time

from croqc.flow.analysis import CHECK_BUDGET, TYPING_BUDGET, analyze_flow
from croqc.service.check import check_text
from croqc.service.flow_check import with_flow
from croqc.service.memory import collect_seldom, collect_young
from croqls.ide.hover import hover
from croqls.ide.snapshot import Snapshot
from tests.perf.kernels import EXAMPLES, two_hundred_lines
from tests.perf.timing import Figure, table


def p95(run: Callable[[], object], rounds: int = 40) -> float:
    """Processor seconds that 95 of 100 calls stay within. Behind each is done what the server does behind an answer."""
    times = []
    for _ in range(rounds):
        start = process_time()
        run()
        times.append(process_time() - start)
        collect_young()
    return sorted(times)[int(rounds * 0.95) - 1]


def _verdict(text: str, budget: int) -> Callable[[], object]:
    (function,) = check_text(text).functions
    assert function.analysis is not None
    model = function.analysis.model
    return lambda: analyze_flow(model, budget)


def _edit_to_verdict(text: str) -> Callable[[], object]:
    """Each call checks the text with a blank more somewhere in the kernel."""
    at, turn = text.index("wait full"), count(1)
    state = {"report": with_flow(check_text(text), TYPING_BUDGET)}

    def edit() -> None:
        changed = text[:at] + " " * next(turn) + text[at:]
        report = check_text(changed, previous=state["report"])
        state["report"] = with_flow(report, TYPING_BUDGET, state["report"])

    return edit


def _hover(text: str) -> Callable[[], object]:
    snapshot = Snapshot("file:///k.co", 1, text)
    at = text.index("wait full") + 6
    hover(snapshot, at)
    return lambda: hover(snapshot, at)


def figures() -> list[Figure]:
    large = two_hundred_lines()
    course = (EXAMPLES / "pipeline_course.co").read_text(encoding="utf-8")
    persistent = (EXAMPLES / "persistent_1p2c.co").read_text(encoding="utf-8")
    return [
        Figure("verdict, kernel of 200 lines, p95", p95(_verdict(large, TYPING_BUDGET)), 0.040),
        Figure("verdict, course pipeline, p95", p95(_verdict(course, TYPING_BUDGET)), 0.040),
        Figure("verdict, persistent 1P2C, p95", p95(_verdict(persistent, TYPING_BUDGET)), 0.040),
        Figure("verdict in full, persistent 1P2C", p95(_verdict(persistent, CHECK_BUDGET), 5)),
        Figure("edit to verdict, kernel of 200 lines, p95", p95(_edit_to_verdict(large), 20)),
        Figure("hover on an event, course pipeline, p95", p95(_hover(course)), 0.005),
    ]


if __name__ == "__main__":
    collect_seldom()  # as the processes do in which verdicts are found
    print(table(figures()))
