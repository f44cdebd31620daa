"""Futures that are exchanged keep a buffer each (reference, 3.7), over tiles and with more names than copies."""

from __future__ import annotations

import pytest

from croqc.flow.report import Strength
from tests.flow.test_no_false_proof import flow_of

TEXT = """__co__ void f(global s32 [C, 16] src, global s32 [C, 16] dst, int J) {{
  assert(C >= {least}, "C");
  parallel b by 1 : block {{
    foreach q in [J] {{ with c in [C] {{
      {body}
    }} }}
  }}
}}
"""


def load(name: str, row: str) -> str:
    return f"{name} = dma.copy.async src.subspan(1, 16).at({row}, 0) => shared;"


def use(name: str, row: str) -> str:
    return f"wait {name}; dma.copy {name}.data => dst.subspan(1, 16).at({row}, 0);"


SWAP = f"""{load("f0", "0")} f1 = dma.any;
foreach c(1:) {{ {load("f1", "c")} {use("f0", "c - 1")} swap(f0, f1); }}
{use("f0", "C - 1")}"""


def rotated(names: str, loads: str, frees: str = "", order: str = "use load") -> str:
    steps = {"load": load("f2", "c"), "use": use("f0", "c - 2")}
    turn = " ".join(steps[each] for each in order.split())
    return f"""{loads} {frees}
foreach c(2:) {{ {turn} rotate({names}); }}
{use("f0", "C - 2")} {use("f1", "C - 1")}"""


FIRST = load("f0", "0") + load("f1", "1")
RIGHT = {
    "swap": (1, SWAP),
    "rotate, loaded first": (2, rotated("f0, f1, f2", FIRST, "f2 = dma.any;", "load use")),
    "a name to spare": (2, rotated("f0, f1, f2, f3", FIRST, "f2 = dma.any; f3 = dma.any;", "load use")),
    "two names to spare": (2, rotated("f0, f1, f2, f3, f4", FIRST, "f2 = dma.any; f3 = dma.any; f4 = dma.any;")),
}


@pytest.mark.parametrize("name", RIGHT)
def test_each_name_has_a_buffer(name: str) -> None:
    least, body = RIGHT[name]
    flow = flow_of(TEXT.format(least=least, body=body))
    assert (flow.strength, flow.findings) == (Strength.PROVED, ())


def test_a_forgotten_exchange_is_found_all_the_same() -> None:
    flow = flow_of(TEXT.format(least=1, body=SWAP.replace("swap(f0, f1);", "")))
    assert flow.strength is Strength.FAILS


def test_a_buffer_that_is_filled_while_it_is_copied_out_is_found() -> None:
    """The copy out is asynchronous, and the next tile's first copy comes before anybody has waited for it."""
    last = "wait f0; g = dma.copy.async f0.data => dst.subspan(1, 16).at(C - 1, 0);"
    flow = flow_of(TEXT.format(least=1, body=SWAP.replace(use("f0", "C - 1"), last)))
    assert [finding.rule for finding in flow.findings] == ["stage-race"]


def test_a_name_to_spare_has_a_buffer_that_is_shown() -> None:
    least, body = RIGHT["a name to spare"]
    flow = flow_of(TEXT.format(least=least, body=body))
    names = [buffer.name for buffer in flow.buffers]
    assert len(names) == len(set(names)) == 4


MIXED = SWAP.replace("=> shared;", "=> a;", 1)


@pytest.mark.parametrize(
    "body",
    [
        MIXED,
        SWAP.replace("foreach", f"{use('f0', '0')} {load('f0', '0').replace('=> shared', '=> a')} foreach"),
        MIXED.replace("f1 = dma.any;", "f1 = dma.any; f2 = dma.any; swap(f0, f2); swap(f0, f2);")
        .replace("f1 = dma.copy", "f2 = dma.copy")
        .replace("swap(f0, f1)", "swap(f1, f2); swap(f1, f0)"),
    ],
)
def test_a_buffer_that_only_some_copies_name_is_not_followed(body: str) -> None:
    """Behind an odd number of exchanges another future keeps `a`, which the next tile's first copy writes."""
    text = TEXT.format(least=3, body=body).replace("foreach q", "shared s32 [1, 16] a; foreach q")
    flow = flow_of(text)
    assert (flow.strength, flow.findings) == (Strength.UNKNOWN, ())
    assert flow.reason is not None and "name their buffer, others do not" in flow.reason
    assert flow.place is not None and text[flow.place.start : flow.place.end].endswith("=> a;")


def test_futures_that_are_not_exchanged_may_name_a_buffer_or_none() -> None:
    body = f"{SWAP} g = dma.copy.async src.subspan(1, 16).at(0, 0) => a; {use('g', '0')}"
    text = TEXT.format(least=1, body=body).replace("foreach q", "shared s32 [1, 16] a; foreach q")
    assert flow_of(text).strength is Strength.PROVED
