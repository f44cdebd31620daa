"""Hovers on events, waits, triggers and stage buffers of the course's ring, against tables worked out by hand."""

from __future__ import annotations

import pytest

from croqc.service.check import check_text
from croqc.syntax.tokens import Token
from croqls.ide.hover import hover, needs_flow
from croqls.ide.hover_flow import flow_text
from croqls.ide.links import Places
from croqls.ide.snapshot import Snapshot, token_at
from tests.cli.seeds import EXAMPLES, PIPELINE
from tests.flow.rings import placed, ring

REPORT = check_text(PIPELINE)
FUNCTION = REPORT.functions[0]
assert FUNCTION.analysis is not None
MODEL = FUNCTION.analysis.model
FLOW = placed(ring(MODEL, 2, 5), FUNCTION.parsed.source.text)
PLACES = Places("file:///k.co", REPORT.source, FUNCTION.base)
EMPTY = """| iteration | slot | generation | waits for parity | parity after | phase bit after | credits left |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
| iv_k = 0 | 0 | 0 | 0 | 1 | 0 | 1 |
| iv_k = 1 | 1 | 0 | 0 | 1 | 1 | 0 |
| iv_k = 2 | 0 | 1 | 1 | 0 | 1 | 0 |
| iv_k = 3 | 1 | 1 | 1 | 0 | 0 | 0 |"""
FULL = EMPTY.replace("| iv_k = 0 | 0 | 0 | 0 | 1 | 0 | 1 |", "| iv_k = 0 | 0 | 0 | 0 | 1 | 0 | 0 |")


def said(where: str, after: int = 0) -> str:
    token = token_at(FUNCTION, PIPELINE.index(where) + after)
    assert isinstance(token, Token)
    symbol = next((one for name, one in MODEL.uses.items() if name.span == token.span), None)
    return flow_text([FLOW], MODEL, token, symbol, PLACES)


def test_an_event_tells_counts_credits_and_its_table() -> None:
    text = said("empty[MATMUL_STAGES]")
    assert "**Credit flow proved for every K.**" in text
    assert "`empty`: 2 mbarriers. 1 arrival completes a generation, one a path: path `p1 == 1` " in text
    assert "2 credits at start (" in text
    assert "Path `p1 == 0` can run 2 rounds ahead of the credits that come back." in text
    assert f"Path `p1 == 0`:\n\n{EMPTY}" in text
    assert "`mbarrier.try_wait.parity`" in text


def test_an_event_without_credits_at_start_says_so() -> None:
    text = said("full[MATMUL_STAGES]")
    assert "No credits at start." in text
    assert f"Path `p1 == 1`:\n\n{FULL}" in text
    assert "ahead" not in text


def test_a_wait_shows_the_rows_of_its_own_path() -> None:
    assert EMPTY in said("wait empty[stage]")
    assert FULL not in said("wait empty[stage]")
    assert FULL in said("wait full[stage]")


def test_a_trigger_tells_who_reports_and_the_bytes_of_its_copies() -> None:
    text = said("trigger full[stage]")
    assert "Path `p1 == 0` reports that its part of a generation is done." in text
    assert "`mbarrier.arrive.expect_tx` with 32,768 bytes" in text
    assert "Path `p1 == 1` gives the credits at start." in said("trigger empty[s]")
    assert "Lowered to `mbarrier.arrive`, by one" in said("trigger empty[stage]")


def test_a_stage_buffer_shows_who_fills_and_who_reads_each_slot() -> None:
    lines = said("lhs_load_s[MATMUL_STAGES]").splitlines()
    assert lines[2] == "| iteration | slot | generation | filled by | read by |"
    fills = "path `p1 == 0`, after `wait empty[{0}]`, then `trigger full[{0}]`"
    reads = "path `p1 == 1`, after `wait full[{0}]`, then `trigger empty[{0}]`"
    assert lines[4:] == [
        f"| iv_k = {turn} | {turn % 2} | {turn // 2} | {fills.format(turn % 2)} | {reads.format(turn % 2)} |"
        for turn in range(4)
    ]


@pytest.mark.parametrize("word", ["block_m, block_n}", "output_s;", "stage = ", "mma.commit", "foreach"])
def test_other_words_have_nothing_to_say(word: str) -> None:
    assert said(word) == ""


def test_a_future_shows_which_buffer_its_name_stands_for() -> None:
    # Worked out by hand: buffer 0 and 1 are the first pair (lf0, rf0), 2 and 3 the second; each swap exchanges 0 and 2.
    text = (EXAMPLES / "swap_f16.co").read_text(encoding="utf-8")
    snapshot = Snapshot("file:///s.co", 1, text)
    told = hover(snapshot, text.index("lf0 = ") + 1)
    assert told is not None
    table = [line for line in told.markdown.splitlines() if line.startswith("|")]
    assert table[:6] == [
        "| iteration | copy into | waits for | names at the end |",
        "| --- | --- | --- | --- |",
        "| outside the loops | buffer 0 |  | buffer 0 |",
        "| tile_k = 1 |  | buffer 0 | buffer 2 |",
        "| tile_k = 2 |  | buffer 2 | buffer 0 |",
        "| tile_k = 3 |  | buffer 0 | buffer 2 |",
    ]
    other = hover(snapshot, text.index("lf1 = dma.copy") + 1)
    assert other is not None
    assert "| tile_k = 1 | buffer 2 |  | buffer 0 |" in other.markdown


def test_functions_with_mistakes_have_no_credit_flow() -> None:
    text = PIPELINE.replace("wait full[stage];", "wait fulll[stage];")
    told = hover(Snapshot("file:///s.co", 1, text), text.index("empty[MATMUL") + 1)
    assert told is not None
    assert "redit flow" not in told.markdown


@pytest.mark.parametrize(
    ("where", "after", "needed"),
    [
        ("wait full", 1, True),
        ("full[MATMUL", 1, True),
        ("lhs_load_s[MATMUL", 1, True),
        ("foreach", 1, False),
        ("lhs.subspan", 1, False),
        ("MATMUL_STAGES", 1, False),
    ],
)
def test_where_a_hover_needs_the_verifier(where: str, after: int, needed: bool) -> None:
    """On events, waits, triggers, stage buffers and futures; not on other names, words and macros."""
    snapshot = Snapshot("file:///k.co", 1, PIPELINE)
    offset = PIPELINE.index(where) + after
    assert needs_flow(snapshot, offset) == needed
    bare = hover(snapshot, offset, with_flow=False)
    assert bare is None or "redit flow" not in bare.markdown
    if not needed:
        assert bare == hover(snapshot, offset)
    late = hover(snapshot, offset, with_flow=False, instead="Later.")
    assert late is None or late.markdown.endswith("Later.") or not needed


def test_a_broken_function_needs_no_verifier() -> None:
    text = PIPELINE.replace("wait full[stage];", "wait fulll[stage];")
    assert not needs_flow(Snapshot("file:///s.co", 1, text), text.index("empty[MATMUL") + 1)
