"""Clusters: blocks inside a `parallel : cluster`, copies into every block, what of them is not simulated."""

from __future__ import annotations

import numpy as np
import pytest

from tests.sim.kernels import ran, run

RING = """__co__ void f(global s32 [8, 16] x, global s32 [2, 8, 16] y) {
  parallel c by 2 : cluster {
    parallel b by 1 : block {
      shared event full[2], empty[2];
      shared s32 [16] ring[2];
      parallel w by 2 : group-4 {
        inthreads.async (w == 0) {
          foreach {k} in [8] {
            wait empty.at(k);
            if (k % 2 == c) {
              tma.copy.async<full[k % 2]>.multicast x.subspan(1, 16).at(k, 0).span_as(16) => ring[k % 2];
            }
            trigger.cluster full[k % 2];
          }
        }
        inthreads.async (w == 1) {
          trigger.cluster empty;
          foreach {k} in [8] {
            wait full.at(k);
            dma.copy ring[k % 2] => y.subspan(1, 1, 16).at(c, k, 0).span_as(16);
            trigger.cluster empty.at(k);
          }
        }
      }
    }
  }
}
"""


def data() -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.int32]]]:
    return {"x": np.arange(128, dtype=np.int32).reshape(8, 16), "y": np.zeros((2, 8, 16), np.int32)}


@pytest.mark.parametrize("seed", range(8))
def test_a_multicast_copy_lands_in_every_block_and_counts_on_their_barriers(seed: int) -> None:
    """Each block loads every second tile; both consume all of them."""
    result = ran(RING, data(), seed=seed)
    for block in result.outputs["y"]:
        assert block.tolist() == data()["x"].tolist()


@pytest.mark.parametrize("seed", range(8))
def test_a_trigger_of_an_event_that_multicasts_land_on_reaches_every_block(seed: int) -> None:
    """Else a block's generation completes before the other block has said what it sends."""
    result = ran(RING.replace("trigger.cluster full", "trigger full"), data(), seed=seed)
    assert [block.tolist() for block in result.outputs["y"]] == [data()["x"].tolist()] * 2


def test_the_plain_order_of_a_multicast() -> None:
    assert ran(RING, data(), schedule="ordered", exact=True).outputs["y"][1].tolist() == data()["x"].tolist()


def test_without_multicast_the_other_block_has_nothing() -> None:
    results = [run(RING.replace(".multicast", ""), data(), seed=seed) for seed in range(3)]
    want = data()["x"].tolist()
    assert all(any(block.tolist() != want for block in result.outputs["y"]) for result in results)


@pytest.mark.parametrize(
    "text",
    [
        "parallel c by 2 : cluster { parallel b by 3 : block { parallel t by 32 : thread y.at(c, b) = c * 3 + b; } }",
        "parallel c by 2 : cluster, b by 3 : block { parallel t by 32 : thread y.at(c, b) = c * 3 + b; }",
    ],
)
def test_blocks_in_a_cluster_have_both_indices(text: str) -> None:
    result = ran(f"__co__ void f(global s32 [2, 3] y) {{ {text} }}", {"y": np.zeros((2, 3), np.int32)})
    assert result.outputs["y"].tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize(
    ("body", "message", "place"),
    [
        (
            "c by n : cluster, b by 2 : block { }",
            "a cluster whose size is known at the launch alone is not simulated; write its size as a number",
            "c by n",
        ),
        (
            "c by 2 : cluster { parallel b by 2 : block { } parallel d by 3 : block { } }",
            "several grids in one launch are not simulated",
            "parallel d",
        ),
    ],
)
def test_what_is_not_simulated(body: str, message: str, place: str) -> None:
    text = f"__co__ void f(global s32 [2] y, int n) {{ parallel {body} }}"
    result = run(text, {"y": np.zeros(2, np.int32)}, {"n": 2})
    assert result.error is not None
    assert result.error.unsupported
    assert result.error.message == message
    assert text[result.error.span.start :].startswith(place)


@pytest.mark.parametrize("index", ["k % 2", "{k} % 2"])
def test_a_copy_goes_to_a_selected_buffer(index: str) -> None:
    name, index = ("{k}", "k % 2") if "{" in index else ("k", index)
    text = f"""__co__ void f(global s32 [5, 32] a, global s32 [5, 32] o) {{
      parallel b by 1 : block {{
        shared s32 [1, 32] x0, x1;
        foreach {name} in [5] {{
          dma.copy a.subspan(1, 32).at(k, 0) => select({index}, x0, x1);
          now = select({index}, x0, x1);
          dma.copy now => o.subspan(1, 32).at(k, 0);
        }}
      }}
    }}"""
    a = np.arange(160, dtype=np.int32).reshape(5, 32)
    assert ran(text, {"a": a, "o": np.zeros_like(a)}).outputs["o"].tolist() == a.tolist()
