"""A glance at a long text after an edit: the functions here are read, all others are what they were, where they are."""

from __future__ import annotations

import pytest

from croqc.service import check
from croqc.service.check import FileReport
from croqc.syntax import parser
from croqc.text.span import Span
from croqls.ide.hover import hover
from croqls.ide.snapshot import Snapshot

FUNCTION = "__co__ void f{}(global s32 [N] x) {{\n  parallel p by N : thread {{ x.at(p) = N; }}\n}}\n"
HEAD = "#define N {}\n"
BODIES = "".join(FUNCTION.format(number) for number in range(4))


def edited(head: str, bodies: str = BODIES) -> tuple[FileReport, Snapshot]:
    """The report of a version, and the next one."""
    first = Snapshot("file:///k.co", 1, HEAD.format(8) + BODIES)
    return first.report, first.edited(2, head + bodies)


def bounds(report: FileReport) -> list[str]:
    """What each function takes its macro for."""
    found = []
    for function in report.functions:
        assert function.analysis is not None
        found.append(str(next(symbol.type for symbol in function.analysis.model.symbols if symbol.name == "p")))
    return found


def test_the_function_at_the_place_is_read_and_the_others_stand_where_they_are_now() -> None:
    before, snapshot = edited("// a line more\n" + HEAD.format(1024))
    at = snapshot.text.index("void f2")
    report = snapshot.glance(Span(at, at))
    own = [one.analysis is old.analysis for one, old in zip(report.functions, before.functions, strict=True)]
    assert own == [True, True, False, True]
    assert [snapshot.text[one.base :].split("(")[0] for one in report.functions] == [
        f"__co__ void f{n}" for n in range(4)
    ]
    assert bounds(report)[2] == bounds(snapshot.read())[2] != bounds(before)[2]
    assert bounds(report)[0] == bounds(before)[0]
    assert [one.body for one in report.tree.pre.macros if one.name == "N"] == ["1024"]
    assert not snapshot.is_read


def test_what_one_glance_has_read_the_next_one_knows() -> None:
    _, snapshot = edited(HEAD.format(1024))
    for number in (1, 3):
        at = snapshot.text.index(f"void f{number}")
        snapshot.keep(snapshot.glance(Span(at, at)), lent=True)
        assert (snapshot.is_lent, snapshot.is_read) == (True, False)
    whole = bounds(snapshot.read())
    assert [here == there for here, there in zip(bounds(snapshot.report), whole, strict=True)] == [
        False,
        True,
        False,
        True,
    ]
    said = hover(snapshot, snapshot.text.index("N; }", snapshot.text.index("void f1")), with_flow=False)
    assert said is not None
    assert "1024" in said.markdown


def test_all_is_read_from_what_a_glance_left() -> None:
    """Also functions that it took for what they were; the version after takes nothing of that over."""
    _, snapshot = edited(HEAD.format(1024))
    snapshot.keep(snapshot.glance(None), lent=True)
    fresh = bounds(Snapshot("file:///k.co", 1, snapshot.text).report)
    assert bounds(snapshot.edited(3, snapshot.text + "\n").report) == fresh
    snapshot.keep(snapshot.read())
    assert (snapshot.is_lent, snapshot.is_read) == (False, True)
    assert bounds(snapshot.report) == fresh


def test_what_is_written_otherwise_is_read() -> None:
    """An edited function, a new one, and one that stands elsewhere than before."""
    changed = BODIES.replace("x.at(p) = N; }\n}\n__co__ void f2", "x.at(p) = zz; }\n}\n__co__ void f2")
    _, snapshot = edited(HEAD.format(16), FUNCTION.format(9) + changed)
    report = snapshot.glance(None)
    assert [one.name for one in report.functions] == ["f9", "f0", "f1", "f2", "f3"]
    assert [item.code for item in report.found if item.code == "undeclared-name"] == ["undeclared-name"]


def test_functions_without_a_tree_are_no_others() -> None:
    broken = HEAD.format(8) + "__co__ void (\n__co__ int ]\n" + BODIES
    first = Snapshot("file:///k.co", 1, broken)
    first.report  # noqa: B018 (reads it)
    second = first.edited(2, broken.replace("N 8", "N 16"))
    assert [item.message for item in second.glance(None).found] == [item.message for item in second.read().found]


def test_a_glance_costs_one_function(monkeypatch: pytest.MonkeyPatch) -> None:
    _, snapshot = edited(HEAD.format(4096))
    read: list[str] = []
    parse, analyze = parser.parse_function, check.analyze
    monkeypatch.setattr(parser, "parse_function", lambda source: (read.append("parsed"), parse(source))[1])
    monkeypatch.setattr(check, "analyze", lambda *args: (read.append("analysed"), analyze(*args))[1])
    at = snapshot.text.index("void f2")
    snapshot.glance(Span(at, at))
    assert read == ["parsed", "analysed"]
    snapshot.read()
    assert len(read) == 10
