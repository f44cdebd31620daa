"""Completion: what the parser takes, ranked by type and use. `|` is the cursor."""

from __future__ import annotations

from pathlib import Path

import pytest

from croqc.builtins import lookup
from croqc.service.settings import Settings
from croqls.ide.completion import completion, documentation
from croqls.ide.items import Item, ItemKind
from croqls.ide.snapshot import Snapshot
from tests.effort import effort
from tests.ide.marked import marked

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.co"))
KERNEL = """#define TILE 64
#define SLOT(k) ((k) % 2)
__device__ float twice(float x) { if (x > 0) { return x; } return x + x; }
__co__ void other(global f16 [M, K] lhs) {}
__co__ void f(global f16 [M, K] lhs, global f16 [M, K] output, f32 factor) {
  parallel b by [M / TILE] : block {
    shared event full[2], empty[2];
    shared f16 [TILE, TILE] lhs_s[2], rhs_s[2];
    parallel w by 2 : group-4 {
      inthreads.async (w == 0) {
        foreach {k} in [K / TILE] {
          wait empty[k % 2];
          load = tma.copy.async lhs.subspan(TILE, TILE).at(b, k) => lhs_s[k % 2];
          trigger full[k % 2] after load;
          HERE
        }
      }
      inthreads.async (w == 1) {
        acc = mma.fill.f32 0.0f;
      }
    }
  }
}
"""


def items(code: str, below: Settings | None = None) -> tuple[Item, ...]:
    """What is offered where the code with the mark stands in the loader's loop."""
    snapshot, offset = marked(KERNEL.replace("HERE", code))
    return completion(snapshot.under(below) if below else snapshot, offset)


def labels(code: str) -> list[str]:
    return [item.label for item in items(code)]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("wait |", ["load", "full", "empty"]),
        ("wait fu|", ["load", "full", "empty"]),
        ("wait full[0], |", ["full", "load", "empty"]),
        ("trigger |", ["full", "empty"]),
        ("trigger full[0] after |", ["load"]),
        ("swap(|", ["load"]),
        ("trigger full.|", ["at"]),
        ("dma.|", ["copy", "transp", "pad", "any"]),
        ("tma.|", ["copy", "load", "any"]),
        ("x = tma.copy.|", ["async", "swiz", "zfill", "sp", "multicast", "promote"]),
        ("x = dma.copy.async.swiz<128>.|", ["zfill", "sp"]),
        ("tma.load.async.|", ["evict_first", "evict_last", "swiz", "zfill", "sp", "multicast", "promote"]),
        ("mma.|", ["fill", "load", "row", "col", "store", "scale", "commit"]),
        ("mma.row.|", ["row", "col"]),
        ("mma.row.col.|", ["sp", "scale", "async"]),
        ("c = mma.fill.|", ["f16", "f32", "s32", "f64"]),
        ("sync.|", ["shared", "global", "local", "barrier", "fence"]),
        ("trigger.|", ["cluster"]),
        ("parallel t by 128 : |", ["group-4", "block", "term", "device", "cluster", "group", "thread"]),
        ("shared f16 [8, 8] |", []),
        ("foreach {|", []),
        ("x = lhs.subspan(8, 8).|", ["at", "step"]),
        ("x = lhs.view(8, 8).|", ["from"]),
        ("x = load.|", ["data", "span", "mdata"]),
        ("// a comment |", []),
        ("x = 1.|", []),
        ('print("wait |', []),
    ],
)
def test_all_that_fits_and_nothing_else(code: str, expected: list[str]) -> None:
    assert labels(code) == expected


@pytest.mark.parametrize(
    ("code", "first"),
    [
        ("tma.copy lhs.subspan(8, 8).at(b, k) => |", ["lhs_s", "rhs_s"]),
        ("tma.copy lhs_s[0] => |", ["lhs", "output"]),
        ("lhs_s[0].at(|", ["k", "b"]),
        ("x = lhs.subspan(|", ["TILE", "SLOT"]),
        ("x = call |", ["twice"]),
        ("shared |", ["f16", "f32"]),
        ("wait full[|", ["k"]),
    ],
)
def test_the_best_come_first(code: str, first: list[str]) -> None:
    found = labels(code)
    assert sorted(found[: len(first)]) == sorted(first) if "call" in code else found[: len(first)] == first


def test_a_statement_may_begin_with_any_of_these() -> None:
    found = labels("|")
    assert {"wait", "foreach", "dma", "tma", "mma", "f32", "shared", "lhs_s", "parallel", "if"} <= set(found)
    assert found.index("lhs_s") < found.index("foreach")
    assert not {"TILE", "by", "after", "thread", "else if", "copy_async", "half", "goto", "barrier"} & set(found)


def test_names_of_the_place_are_in_scope() -> None:
    assert "acc" not in labels("|")
    inner = KERNEL.replace("acc = mma", "| acc = mma").replace("HERE", "")
    snapshot, offset = marked(inner)
    found = [item.label for item in completion(snapshot, offset)]
    assert "load" not in found and "k" not in found
    assert {"lhs_s", "w", "M", "factor"} <= set(found)


def test_a_target_offers_what_it_has() -> None:
    old = Settings(arch="sm_80")
    assert "tma" not in [item.label for item in items("|", old)]
    assert [item.label for item in items("c = mma.fill.|", old)] == ["f16", "f32", "s32", "f64"]
    assert [item.label for item in items("x = dma.copy.|", old)] == ["async", "swiz", "zfill", "sp"]


def test_an_item_replaces_the_word_that_is_begun() -> None:
    snapshot, offset = marked(KERNEL.replace("HERE", "wait fu|xx[0];"))
    item = next(one for one in completion(snapshot, offset) if one.label == "full")
    assert snapshot.text[item.span.start : item.span.end] == "fuxx"
    assert (item.label, item.kind, item.detail) == ("full", ItemKind.EVENT, "event, shared event[2]")


def test_documentation_is_of_the_word_in_its_place() -> None:
    copy = next(item for item in items("tma.|") if item.label == "copy")
    row = lookup("copy", "tma")
    assert row is not None and row.doc in documentation(copy.about)
    assert copy.markdown == ""
    assert documentation("") == documentation("no such word") == ""


def test_blanks_ask_only_where_a_word_is_due() -> None:
    for code, asked in (("wait |", True), ("x = |", False), ("trigger full[0] |", False), ("tma.copy lhs => |", True)):
        snapshot, offset = marked(KERNEL.replace("HERE", code))
        assert bool(completion(snapshot, offset, " ")) is asked, code
        assert completion(snapshot, offset)


def test_an_event_can_only_start_as_ready() -> None:
    """The blank and the `=` in front of it ask for that, too."""
    for code in ("shared event e[3] = |", "shared event d, e = re|", "shared event<2> e = |"):
        assert labels(code) == ["ready"], code
        assert items(code)[0].detail == "shared event e[N] = ready;"
    snapshot, offset = marked(KERNEL.replace("HERE", "shared event e[3] = |"))
    assert [one.label for one in completion(snapshot, offset, " ")] == ["ready"]
    assert "ready" not in labels("x = |") + labels("shared event e[|") + labels("shared event |")


def test_a_whole_extent_is_offered_where_a_view_takes_it() -> None:
    for view in ("chunkat", "subspan", "modspan"):
        assert "_" in labels(f"tma.copy lhs.{view}(|"), view
        assert "_" in labels(f"tma.copy lhs.{view}(k, |"), view
    assert "_" not in labels("tma.copy lhs.subspan(32, 16).at(|") + labels("tma.copy |") + labels("x = |")


def test_a_comment_ends_where_it_is_closed() -> None:
    assert labels("wait /*a*/|") == labels("wait |") != []
    for code in ("wait /*a|*/", "wait /*a*|/", "wait // a|", "wait // a */|", "wait /*/|"):
        assert labels(code) == [], code


MACROS = """#define ONE 1
#define MINUS -1
#define HALF 0.5f
#define OTHER ONE
#define SUM (1 + 2)
#define TWICE(x) x + x
#define KIND f16
#define WHERE shared
#define OUT o
#define EMPTY
__co__ void f(global f16 [8] o, global s32 [8] i) {
  @
}
"""
NUMBERS = {"ONE", "MINUS", "HALF", "OTHER"}
VALUES = {*NUMBERS, "SUM", "TWICE", "OUT", "EMPTY"}  # a macro without a text is 1


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("|", {"TWICE", "OUT", "KIND", "WHERE"}),
        ("shared |", {"KIND"}),
        ("x = |", VALUES),
        ("x = o.at(|", VALUES),
        ("foreach k in |", VALUES),
        ("int |", set()),
        ("wait |", set()),
        ("x = dma.copy o => |", {*VALUES, "WHERE"}),
    ],
)
def test_a_macro_is_offered_where_its_text_fits(code: str, expected: set[str]) -> None:
    snapshot, place = marked(MACROS.replace("@", code))
    found = {item.label for item in completion(snapshot, place) if item.kind is ItemKind.MACRO}
    assert found == expected


@pytest.mark.parametrize("head", ["__co__ void f(global f32 [T, T] |", "__co__ auto |"])
def test_a_number_does_not_stand_in_a_header_where_a_name_is_due(head: str) -> None:
    snapshot, place = marked(f"#define T 8\n{head}")
    assert "T" not in {item.label for item in completion(snapshot, place)}


def test_conditions_offer_macros() -> None:
    snapshot, offset = marked(KERNEL.replace("          HERE", "#if TI|\n#endif"))
    assert [item.label for item in completion(snapshot, offset)] == ["TILE", "SLOT"]


def test_whole_patterns_stand_at_the_beginning_of_a_line_in_the_files_dialect() -> None:
    classic = (Path(__file__).parents[2] / "examples" / "pipeline_classic.co").read_text(encoding="utf-8")
    found = completion(*marked(classic + "1p|"))
    names = ["1p1c (classic)", "1p2c (classic)", "persistent (classic)", "double", "triple"]
    assert [item.label for item in found] == names
    for end in ("\r", "\r\n"):
        other = completion(*marked((classic + "1p|").replace("\n", end)))
        assert [item.label for item in other] == names
    assert [item.current for item in found] == [False, False, False, True, True]
    assert ".async<full[stage]>" in found[0].pattern
    assert "trigger full.at(k) after a, b" in completion(Snapshot("file:///k.co", 1, ""), 0)[0].pattern
    for elsewhere in ("int x; |", "int main() {\n  |\n}\n", "// 1p|"):
        assert completion(*marked(KERNEL.replace("HERE", "") + elsewhere)) == ()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_prefix_of_an_example_is_answered_and_the_next_name_is_offered(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    report = Snapshot("file:///k.co", 1, text).report
    function = report.functions[0]
    assert function.analysis is not None
    names = [name for name in function.analysis.model.uses if name.macro is None]
    for name in names[:: max(1, len(names) // 12)]:
        at = function.base + name.span.start
        snapshot = Snapshot("file:///k.co", 1, text[:at])
        found = [item.label for item in completion(snapshot, at)]
        assert len(found) == len(set(found))
        symbol = function.analysis.model.uses[name]
        declares = symbol.name_span.start >= name.span.start or symbol.kind.value == "dimension"
        assert declares or name.id in found, (text[at - 30 : at], found)


def test_an_answer_takes_less_than_ten_milliseconds() -> None:
    """CPU time of an answer at the end of a file of 200 lines whose report is known."""
    body = "".join(f"  f32 t{n} = x.at({n}) * {n}.0f;\n" for n in range(45))
    text = "".join(f"__co__ void f{n}(global f32 [N] x) {{\n{body}}}\n" for n in range(4))
    text = text[: text.rindex("}")] + "  x.at(0) = \n}\n"
    snapshot = Snapshot("file:///k.co", 1, text)
    assert len(snapshot.report.functions) == 4
    offset = text.rindex("= ") + 2
    assert completion(snapshot, offset)
    assert effort(lambda: completion(snapshot, offset)) < 0.010
