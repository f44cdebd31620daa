"""Credits at start that a loop gives, whose count is chosen by the tile."""

from __future__ import annotations

import pytest

from tests.flow.test_no_false_proof import flow_of

KERNEL = """__co__ void f(global f16 [M, K] src, global f16 [M, K] dst) {{
  int tiles = cdiv(M, 16);
  parallel b by 4 : block {{
    shared event full[2], empty[2];
    shared f16 [16, 64] buf[2];
    foreach {{ti}} in [cdiv(tiles, 4)] {{
      id = ti * 4 + b;
      if (id < tiles) {{
        parallel p by 2 : group-4 {{
          inthreads.async (p == 0) {{
            foreach {{k}} in [{turns}] {{
              s = k % 2;
              wait empty[s];
              tma.copy src.subspan(16, 64).at(id, k) => buf[s];
              trigger full[s];
            }}
          }}
          inthreads.async (p == 1) {{
            n = {count}; foreach {{s}} in [n] {{ trigger empty[s]; }}
            foreach {{k}} in [{turns}] {{
              s = k % 2;
              wait full[s];
              dma.copy buf[s] => dst.subspan(16, 64).at(id, k);
              trigger empty[s];
            }}
          }}
        }}
      }}
    }}
  }}
}}
"""
DIVIDED = "cdiv(K, 64)"


def text(count: str, turns: str = DIVIDED) -> str:
    return KERNEL.format(count=count, turns=turns)


@pytest.mark.parametrize("count", ["ti == 0 ? 2 : 0", "ti > 0 ? 0 : 2", "ti == 0 ? 2 : (ti > 4 ? 0 : 0)"])
def test_a_count_that_is_one_of_some_constants_is_proved(count: str) -> None:
    flow = flow_of(text(count))
    assert (flow.strength.value, flow.reason, flow.findings) == ("proved", "", ())


@pytest.mark.parametrize(
    ("count", "rule"),
    [
        ("ti == 0 ? 1 : 0", "credit-deadlock"),
        ("ti == 0 ? 2 : 1", "credit-overrun"),
        ("ti == 1 ? 2 : 0", "credit-deadlock"),
        ("ti == 7 ? 2 : (ti == 0 ? 2 : 0)", "credit-overrun"),
    ],
)
def test_another_count_is_found(count: str, rule: str) -> None:
    assert [item.rule for item in flow_of(text(count)).findings] == [rule]


def test_a_count_that_grows_is_no_constant() -> None:
    assert flow_of(text("ti == 0 ? 2 : ti - ti")).strength.value == "proved"
    assert flow_of(text("ti < 0 ? ti : 0")).strength.value == "fails"  # there is no credit at all


def test_a_function_of_sizes_is_not_called_data() -> None:
    flow = flow_of(text("ti == 0 ? 2 : 0", "__min(id + 1, cdiv(K, 64))"))
    assert (flow.strength.value, flow.reason) == (
        "unknown",
        "how often this runs hangs on '__min', which is not followed",
    )


def test_data_is_called_data() -> None:
    turns = "__min(id + 1, __to<s32>(src.at(0, 0)))"
    assert flow_of(text("ti == 0 ? 2 : 0", turns)).reason == "how often this runs depends on data"
