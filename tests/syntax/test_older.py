"""Older forms: parsed like all others, listed with their places, and their votes for a dialect (2.14, chapter 0)."""

import pytest

from croqc.syntax import ast as t
from croqc.syntax.older import Evidence, dialect_evidence, older_forms
from tests.syntax.parsing import HEAD, findings, lines_in, nodes, tree_of

ROWS = [("O3", "tma.copy.async<meta[s]> m => ms; trigger meta[s]; tma.copy.async<full[s]> a => as; trigger full[s];")]
ROWS += [(row[0], row[1]) for row in lines_in("grammar_older.txt") if row[0] != "O3"]


@pytest.mark.parametrize(("row", "snippet"), ROWS, ids=[row for row, _ in ROWS])
def test_older_snippets_are_accepted(row: str, snippet: str) -> None:
    assert findings(snippet) == []


def test_all_ten_rows_are_there() -> None:
    assert sorted(row for row, _ in ROWS) == sorted(f"O{number}" for number in range(1, 11))


@pytest.mark.parametrize(
    ("snippet", "column", "name"),
    [
        ("parallel(s) p by 2 : block {}", 9, "parallel(s)"),  # I34
        ("launch_bounds(192);", 14, "launch_bounds"),  # I36
        ("t = tma.copy.async.evict_first src => shared;", 8, ".evict_first"),  # I43
        ("tma.copy.async<arrived> src => shared;", 15, ".async<e>"),  # I44
        ("tma.store src => dst;", 4, "tma.store"),  # I45
        ("mma.wait<2>;", 4, "mma.wait"),  # I59
        ("q = mma.desc tile;", 8, "mma.desc"),  # I60
        ("wait<1> ev;", 5, "wait<N>"),  # I63
        ("x = src.subspan(4, 4).stride(2, 2).at(0, 0);", 22, ".stride"),  # I83
        ("pos = stage<4>(n);", 7, "stage<N>"),  # I98
        ("mma.commit;", 4, "mma.commit"),
        ("r = mma.loadR tile;", 8, "mma.loadR"),
        ("mma.row.row.order<1, 0> acc, ta, tb;", 12, "mma.order"),
        ("t = dma.copy.swizzle(128) src => shared;", 13, ".swizzle(…)"),
        ("t = dma.copy swizzle(128) src => shared;", 14, ".swizzle(…)"),
        ("u = dma.copy.sp(2:4) src => local;", 13, ".sp(…)"),
        ("tma.copy.swiz<3> src => dst;", 9, ".swiz<level>"),
        ("tma.copy src.zfill => dst;", 13, ".zfill"),
        ("f = dma.copy_async src => shared;", 8, ".copy_async"),
        ("setreg.dec 40;", 1, "setreg"),
        ("fragment f32 [8, 8] acc;", 1, "fragment"),
    ],
)
def test_each_older_form_is_listed_at_its_place(snippet: str, column: int, name: str) -> None:
    assert findings(snippet) == []
    found = older_forms(tree_of(snippet))
    assert [(form.span.start - len(HEAD) + 1, form.name) for form in found] == [(column, name)]
    assert found[0].replacement


def test_current_forms_are_not_listed() -> None:
    current = (
        "h = tma.load.async.evict_last.swiz<64> a => as[s]; trigger full.at(i) after h; wait full.at(i);"
        "x = n % 4; t = dma.copy.swizzle<128>.zfill src => shared; v = src.subspan(2, 2).step(4, 4).at(1, 0);"
    )
    assert findings(current) == []
    assert older_forms(tree_of(current)) == ()


@pytest.mark.parametrize(
    ("snippet", "votes", "dialect"),
    [
        ("tma.copy.async<full[s]> a => as[s]; trigger full[s]; mma.commit;", Evidence(classic=1), "classic"),
        ("dma.copy a => as[s]; dma.copy b => bs[s]; trigger full[s];", Evidence(course=1), "course"),
        ("tma.copy.swiz<3> a => b; mma.commit;", Evidence(course=2), "course"),
        ("ld = tma.load.async a => as[s]; trigger full.at(i) after ld;", Evidence(current=3), "current"),
        ("shared event e[2] = ready; wait e.at(n);", Evidence(current=2), "current"),
        ("f = mma.row.row.async c, a, b; wait f;", Evidence(current=1), "current"),
        ("[[schedule(k_tiles(1, 0))]] mma.row.row c, a, b;", Evidence(current=1), "current"),
        ("r = mma.load tile; mma.row.row c, r, r; f = dma.copy.async a => b; wait f;", Evidence(), "any"),
    ],
)
def test_votes_for_a_dialect(snippet: str, votes: Evidence, dialect: str) -> None:
    assert dialect_evidence(tree_of(snippet)) == votes
    assert votes.dialect == dialect


def test_stage_is_a_plain_name() -> None:
    snippet = "stage = n % 4; if (stage < 4) x = stage; y = stage < n; z = stage < n > (m);"
    assert findings(snippet) == []
    assert nodes(snippet, t.Builtin) == []


def test_the_older_nodes_keep_their_data() -> None:
    snippet = (
        "mma.wait<1>; wait<0> full[n], done; slot = stage<4>(n) + 1; setreg.dec 40; setreg 96; launch_bounds(128, 2);"
    )
    tree = tree_of(snippet)
    commit, wait, assign, dec, plain, bounds = tree.body.stmts
    assert isinstance(commit, t.MmaCommit) and commit.keep == 1
    assert isinstance(wait, t.Wait) and isinstance(wait.phase, t.IntLit) and len(wait.refs) == 2
    assert isinstance(assign, t.Assign) and isinstance(assign.parts[0].value, t.Binary)
    assert isinstance(dec, t.SetReg) and dec.direction == "dec"
    assert isinstance(plain, t.SetReg) and plain.direction == ""
    assert isinstance(bounds, t.LaunchBounds) and len(bounds.args) == 2
