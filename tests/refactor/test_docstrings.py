"""What the docstring of a refactoring shows, before and after, is what it does."""

from collections.abc import Callable
from types import ModuleType

import pytest

from croqc.refactor import (
    async_event,
    bootstrap,
    direct_operands,
    event_order,
    joined_copies,
    loaded_operands,
    registers,
    ring,
    rotate,
    stages,
    wait_phase,
)
from croqc.refactor.base import Code, Outcome, Refusal
from tests.refactor.rewriting import BLOCK, CONSUMER, PRODUCER, ROLE, code, example, framed, text_of

BUFFERED = """\
__co__ void f(global f16 [64, 512] src, global f16 [64, 512] out) {
  parallel b by 1 : block {
    with k in 8 {
      BODY
    }
  }
}
"""
SPLIT = """\
__co__ void f(global f16 [M, K] a, global f16 [64, 64] b0, global f16 [M, 64] out, global f16 [N, K] x) {
  parallel b by cdiv(M, 64) : block {
    shared f16 [64, 64] c, w, x_s;
    shared event go[1] = ready;
    dma.copy b0 => w;
    BODY
  }
}
"""


def every(sites: Callable[[Code], object], edits: Callable[[Code, object], Outcome]) -> Callable[[Code], Outcome]:
    """The edits of all sites together."""

    def made(before: Code) -> Outcome:
        together: list[object] = []
        for site in sites(before):  # type: ignore[attr-defined]
            outcome = edits(before, site)
            if isinstance(outcome, Refusal):
                return outcome
            together += outcome
        return tuple(dict.fromkeys(together))  # type: ignore[arg-type]

    return made


CASES = {
    "async_event": (async_event, PRODUCER, every(async_event.sites, async_event.edits), False),
    "joined_copies": (joined_copies, PRODUCER, every(joined_copies.sites, joined_copies.edits), False),
    "bootstrap": (bootstrap, BLOCK, every(bootstrap.sites, bootstrap.edits), False),
    "direct_operands": (direct_operands, CONSUMER, direct_operands.edits, False),
    "loaded_operands": (loaded_operands, CONSUMER.replace(".swiz<128>", ""), loaded_operands.edits, False),
    "event_order": (event_order, ROLE, every(event_order.sites, event_order.edits), False),
    "registers": (registers, ROLE, every(registers.sites, registers.edits), False),
    "wait_phase": (wait_phase, ROLE, every(wait_phase.sites, wait_phase.edits), False),
    "rotate": (rotate, BUFFERED, every(rotate.sites, rotate.edits), True),
    "ring": (ring, SPLIT, every(ring.sites, ring.edits), True),
    "stages": (stages, BLOCK, lambda before: stages.edits(before, next(iter(stages.sites(before))), 3), True),
}


@pytest.mark.parametrize("name", CASES)
def test_the_example_holds(name: str) -> None:
    module, frame, edits, deeper = CASES[name]
    assert isinstance(module, ModuleType)
    before, after = example(module)
    assert text_of(code(framed(frame, before)), edits(code(framed(frame, before))), deeper) == framed(frame, after)


@pytest.mark.parametrize("name", CASES)
def test_line_ends_and_what_stands_around_stay(name: str) -> None:
    """With the line ends of Windows, a comment in front and text behind, everything else is the same."""
    module, frame, edits, deeper = CASES[name]
    before, after = (f"// ä\n{framed(frame, part)}// end".replace("\n", "\r\n") for part in example(module))
    assert text_of(code(before), edits(code(before)), deeper) == after
