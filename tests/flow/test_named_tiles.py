"""`mma.load` of a shared tile is a name for it: what it names is settled there, and a multiply reads it."""

from __future__ import annotations

import pytest

from tests.flow.pipes import check

PUT = "lf = dma.copy.async lhs.subspan(64, 16).at(b, 0) => shared;"
BOTH = PUT + " rf = dma.copy.async rhs.subspan(8, 16).at(0, 0) => shared;"


def kernel(body: str) -> str:
    return f"""__co__ void one(global f16 [M, 64] lhs, global f16 [8, 64] rhs, global f32 [M, 8] out) {{
  parallel b by cdiv(M, 64) : block {{
    parallel w by 1 : group-4 {{
      acc = mma.fill.f32 0.0f;
      {body}
      mma.store acc, out.subspan(64, 8).at(b, 0);
    }}
  }}
}}
"""


RIGHT = {
    "a wait behind the load": f"{BOTH} ma = mma.load lf.data; wait lf, rf; mb = mma.load rf.data; "
    "mma.row.row acc, ma, mb;",
    "both loads in front of the wait": f"{BOTH} ma = mma.load lf.data; mb = mma.load rf.data; wait rf, lf; "
    "mma.row.row acc, ma, mb;",
    "a name that outlives an exchange": f"{BOTH} lg = dma.copy.async lhs.subspan(64, 16).at(b, 1) => shared; "
    "ma = mma.load lf.data; swap(lf, lg); wait lf, lg, rf; mb = mma.load rf.data; mc = mma.load lf.data; "
    "mma.row.row acc, ma, mb; mma.row.row acc, mc, mb;",
}


@pytest.mark.parametrize("name", RIGHT)
def test_nothing_is_read_where_a_tile_gets_its_name(name: str) -> None:
    verdict = check(kernel(RIGHT[name]))
    assert (verdict.strength, verdict.places) == ("proved", [])


def test_the_multiply_reads() -> None:
    body = f"{BOTH} ma = mma.load lf.data; mb = mma.load rf.data; wait rf; mma.row.row acc, ma, mb; wait lf;"
    text = kernel(body)
    verdict = check(text)
    assert verdict.places == [("future-not-waited", "ma")]
    finding = verdict.flow.findings[0]
    assert finding.span.start == text.index("acc, ma") + len("acc, ")
    told = [(item.message, text[item.span.start : item.span.end]) for item in finding.related]
    assert told == [
        ("the copy starts here", PUT),
        ("'ma' is only a name for it: the multiply reads", "ma = mma.load lf.data;"),
    ]


def test_registers_are_loaded_at_the_statement() -> None:
    verdict = check(
        kernel(f"{BOTH} ma = mma.load.frag lf.data; wait lf, rf; mb = mma.load rf.data; mma.row.row acc, ma, mb;")
    )
    assert verdict.places == [("future-not-waited", "lf.data")]


def test_the_name_keeps_its_tile_when_the_handle_is_exchanged() -> None:
    """The wait behind the exchange is for the other copy."""
    body = (
        f"{BOTH} lg = dma.copy.async lhs.subspan(64, 16).at(b, 1) => shared; ma = mma.load lf.data; swap(lf, lg); "
        "wait lf, rf; mb = mma.load rf.data; mma.row.row acc, ma, mb; wait lg;"
    )
    assert check(kernel(body)).places == [("future-not-waited", "ma")]


def test_the_buffer_is_filled_again_behind_the_name() -> None:
    """The multiply reads what the second copy is still writing into the buffer of the same handle."""
    body = (
        f"{BOTH} wait lf, rf; ma = mma.load lf.data; "
        "lf = dma.copy.async lhs.subspan(64, 16).at(b, 1) => shared; mb = mma.load rf.data; "
        "mma.row.row acc, ma, mb; wait lf;"
    )
    assert check(kernel(body)).places == [("future-not-waited", "ma")]
