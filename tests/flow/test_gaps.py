"""Parts of a slot that nothing ever writes: found where they go out for certain, doubted where something else reads."""

from __future__ import annotations

import pytest

from tests.flow.pipes import check

UPPER = "dma.copy src.subspan(8, 16).at(b * 2, k) => a[k % 2].subspan(8, 16).at(0, 0);"
LOWER = "dma.copy src.subspan(8, 16).at(b * 2 + 1, k) => a[k % 2].subspan(8, 16).at(1, 0);"
OUT = "dma.copy a[k % 2] => dst.subspan(16, 16).at(b, k);"


def ring(
    put: str = UPPER, out: str = OUT, buffers: str = "shared f16 [16, 16] a[2];", rows: str = "M", turns: str = "K / 16"
) -> str:
    return f"""__co__ void f(global f16 [M, K] src, global f16 [{rows}, K] dst, global f16 [8, K] rhs) {{
  parallel b by cdiv({rows}, 16) : block {{
    shared event full[2], empty[2] = ready;
    {buffers}
    parallel w by 2 : group-4, t by 128 : thread {{
      inthreads.async (w == 0) {{
        foreach k in [{turns}] {{ wait empty[k % 2]; {put} trigger full[k % 2]; }}
      }}
      inthreads.async (w == 1) {{
        acc = mma.fill.f32 0.0f;
        foreach k in [{turns}] {{ wait full[k % 2]; {out} trigger empty[k % 2]; }}
      }}
    }}
  }}
}}
"""


def test_the_half_that_nothing_writes() -> None:
    text = ring()
    verdict = check(text)
    assert verdict.places == [("unwritten-read", "a[k % 2]")]
    finding = verdict.flow.findings[0]
    assert finding.args["part"] == "rows 8 to 15 of 'a', slot 0"
    assert (finding.args["event"], finding.args["iteration"]) == ("full", "k = 0")
    told = [(item.message, text[item.span.start : item.span.end]) for item in finding.related]
    assert told == [("path w == 0 writes rows 0 to 7 here (k = 0, slot = 0)", UPPER)]


CERTAIN = {
    "the upper half": (ring(LOWER), "rows 0 to 7 of 'a', slot 0"),
    "a band of columns": (
        ring("dma.copy src.subspan(16, 8).at(b, k) => a[k % 2].subspan(16, 8).at(0, 0);"),
        "columns 8 to 15 of 'a', slot 0",
    ),
    "one buffer in bands": (
        ring(
            "dma.copy src.subspan(8, 16).at(b * 2, k) => a.subspan(16, 16).at(k % 2, 0).subspan(8, 16).at(0, 0);",
            "dma.copy a.subspan(16, 16).at(k % 2, 0) => dst.subspan(16, 16).at(b, k);",
            "shared f16 [32, 16] a;",
        ),
        "rows 8 to 15 of 'a'",
    ),
    "a row too few": (
        ring("foreach i in 15 { dma.copy src.subspan(1, 16).at(b * 16 + i, k) => a[k % 2].subspan(1, 16).at(i, 0); }"),
        "row 15 of 'a', slot 0",
    ),
    "whatever row data takes, it is one column": (
        ring(UPPER + " mutable int r = 0; r = call row(k); a[k % 2].at(r, 0) = 1.0f;"),
        "columns 1 to 15 of rows 8 to 15 of 'a', slot 0",
    ),
    "one slot of two": (
        ring(f"if (k % 2 == 0) {{ {UPPER} }} else {{ {UPPER} {LOWER} }}"),
        "rows 8 to 15 of 'a', slot 0",
    ),
}


@pytest.mark.parametrize("name", CERTAIN)
def test_what_goes_out_for_certain(name: str) -> None:
    text, part = CERTAIN[name]
    verdict = check(text)
    assert verdict.rules == ["unwritten-read"]
    assert verdict.flow.findings[0].args["part"] == part


def test_a_size_that_shows_it() -> None:
    """One tile has one row at the size that is tried; with more rows, which make the same run, it shows."""
    put = UPPER.replace("b * 2", "b * 2 + 0")
    text = ring(put, "if (b < cdiv(M, 16)) { " + OUT + " }")
    verdict = check(text)
    assert verdict.rules == ["unwritten-read"]
    assert verdict.flow.findings[0].sizes["M"] > 8


RIGHT = {
    "both halves": ring(UPPER + LOWER),
    "rows beyond the tensor": ring(rows="8"),
    "padding that is not read": ring(
        "dma.copy src.subspan(16, 16).at(b, k) => a[k % 2].subspan(16, 16).at(0, 0);",
        "dma.copy a[k % 2].subspan(16, 16).at(0, 0) => dst.subspan(16, 16).at(b, k);",
        "shared f16 [16, 24] a[2];",
    ),
    "one element a thread": ring("foreach i in 2 { a[k % 2].at(i * 8 + t / 16, t % 16) = 1.0f; }"),
    "a band each turn of a long loop": ring(
        "foreach i in 16 { dma.copy src.subspan(1, 16).at(b * 16 + i, k) => a[k % 2].subspan(1, 16).at(i, 0); }",
        turns="4096",
    ),
    "a place that depends on data, of what is written": ring(
        UPPER + LOWER + " mutable int r = 0; r = call row(k); a[k % 2].at(r, 0) = 1.0f;",
    ),
    "filled beforehand": ring(buffers="shared f16 [16, 16] a[2] {0.0f};"),
}


@pytest.mark.parametrize("name", RIGHT)
def test_nothing_is_said(name: str) -> None:
    verdict = check(RIGHT[name])
    assert verdict.places == []
    assert verdict.strength == "proved"


DOUBTED = {
    "a multiply": ring(
        "dma.copy src.subspan(32, 16).at(b, k) => a[k % 2].subspan(32, 16).at(0, 0); "
        "dma.copy rhs.subspan(8, 16).at(0, k) => r[k % 2];",
        "mma.row.row acc, a[k % 2], r[k % 2]; mma.commit;",
        "shared f16 [64, 16] a[2]; shared f16 [8, 16] r[2];",
    ),
    "a copy inside the chip": ring(out="dma.copy a[k % 2] => c;", buffers="shared f16 [16, 16] a[2], c;"),
    "an element": ring(out="mutable f16 x = 0.0f; x = a[k % 2].at(9, 0);"),
}


@pytest.mark.parametrize("name", DOUBTED)
def test_what_is_not_answered_for(name: str) -> None:
    verdict = check(DOUBTED[name])
    assert verdict.places == []
    assert verdict.strength == "checked"
    assert "never written" in verdict.flow.reason
