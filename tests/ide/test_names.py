"""All places of a name: symbols, dimensions, macros, functions; navigation and highlights on top. `|` is the cursor."""

from __future__ import annotations

from pathlib import Path

import pytest

from croqls.ide.highlights import flow_highlights, highlights, needs_flow
from croqls.ide.names import named_at, places_of
from croqls.ide.navigation import declarations_at, definitions_at, references_at, type_definitions_at
from croqls.ide.snapshot import Snapshot
from tests.ide.marked import judged, marked, shown

PIPELINE = (Path(__file__).parents[2] / "examples" / "pipeline_course.co").read_text(encoding="utf-8")
KERNEL = """#define TILE 16
#define ROW(i) TILE * (i)
#if TILE > 8
#define BIG
#endif
__device__ float twice(float x) { return x + TILE; }
// croq: run M=64
// croq: expect dst ~= src * M
// croq: model twice(x) = x + x
__co__ void scale(global f32 [M, 64] src, global f32 [M, 64] dst) {
  foreach {m} in [M] {
    f32 t = call twice(src.at(m, 0));
    dst.at(m, 0) = t + ROW(m);
    // m and TILE in words
#ifdef NEVER
    dst.at(0, 1) = t;
#endif
  }
}
__co__ void both(global f32 [N, 64] src) {
  call scale(src, src);
  foreach {m} in [TILE]
    src.at(m, 0) = 1.0f;
}
int main() { scale(a, b); x.scale = TILE; puts("scale TILE"); }
"""


def at(word: str, after: int = 0, text: str = KERNEL) -> tuple[Snapshot, int]:
    return Snapshot("file:///k.co", 1, text), text.index(word) + after


def places(word: str, after: int = 0, text: str = KERNEL) -> list[str]:
    snapshot, offset = at(word, after, text)
    named = named_at(snapshot, offset)
    assert named is not None
    return [
        f"{line}:{place.use.value}"
        for place in places_of(snapshot, named)
        for line in [shown(snapshot, [place.span])[0].partition(":")[0]]
    ]


@pytest.mark.parametrize(
    ("word", "after", "expected"),
    [
        ("src, global", 0, ["8:read", "10:declare", "12:read"]),
        ("dst)", 0, ["8:read", "10:declare", "13:write", "16:read"]),
        ("M, 64] src", 0, ["7:read", "8:read", "10:declare", "10:read", "11:read"]),
        ("M=64", 0, ["7:read", "8:read", "10:declare", "10:read", "11:read"]),
        ("m} in [M]", 0, ["11:declare", "12:read", "13:read", "13:read"]),
        ("t = call", 0, ["12:declare", "13:read", "16:read"]),
        ("TILE * ", 0, ["1:declare", "2:read", "3:read", "6:read", "22:read", "25:read"]),
        ("scale(src", 0, ["10:declare", "21:read", "25:read"]),
        ("twice(src", 0, ["6:declare", "9:read", "12:read"]),
    ],
)
def test_places_of_a_name(word: str, after: int, expected: list[str]) -> None:
    assert places(word, after) == expected


def test_every_place_of_a_name_finds_all_the_others() -> None:
    for word in ("src, global", "M, 64] src", "m} in [M]", "t = call", "TILE * ", "scale(src", "twice(src"):
        snapshot, offset = at(word)
        named = named_at(snapshot, offset)
        assert named is not None
        known = places_of(snapshot, named)
        for place in known:
            other = named_at(snapshot, place.span.start)
            assert other is not None and places_of(snapshot, other) == known, (word, place)
            assert KERNEL[place.span.start : place.span.end] == named.name


def test_names_of_two_functions_are_two_things() -> None:
    assert places("src) {") == ["20:declare", "21:read", "21:read", "23:write"]


@pytest.mark.parametrize("word", ["words", "puts(", "x.scale", "64", "foreach", '"scale TILE'])
def test_other_text_names_nothing(word: str) -> None:
    snapshot, offset = at(word, word.find(".") + 1)
    named = named_at(snapshot, offset)
    assert named is None or named.name not in word


MACROS = """#define WAIT wait full[stage]
#define LOAD(buffer) dma.copy src.subspan(8, 8).at(k, 0) => buffer
__co__ void f(global f16 [K, 8] src) {
  parallel b by 1 : block {
    shared event full[2], empty[2];
    shared f16 [8, 8] tile[2];
    parallel p by 2 : group-4 {
      inthreads.async (p == 0) {
        foreach {k} in [K / 8] {
          stage = k % 2;
          LOAD(tile[stage]);
          trigger full[stage];
        }
      }
      inthreads.async (p == 1)
        foreach {k} in [K / 8] {
          stage = k % 2;
          WAIT;
        }
    }
  }
}
"""


def test_names_inside_macros_are_found_in_arguments_and_in_bodies() -> None:
    assert places("tile[2]", text=MACROS) == ["6:declare", "11:write"]
    assert places("full[2]", text=MACROS) == ["1:read", "5:declare", "12:write", "18:read"]
    assert places("src)", text=MACROS) == ["2:read", "3:declare", "11:read"]
    snapshot, offset = at("tile[stage]", text=MACROS)
    assert shown(snapshot, definitions_at(snapshot, offset)) == ["6:tile"]
    snapshot, offset = at("full[stage]", text=MACROS)
    assert shown(snapshot, definitions_at(snapshot, offset)) == ["5:full"]


def test_definition_of_a_macro_is_the_one_in_force() -> None:
    text = "#define T 1\n__co__ void f() { x = T|; }\n#undef T\n#define T 2\n__co__ void g() { y = T; }\n"
    snapshot, offset = marked(text)
    assert shown(snapshot, definitions_at(snapshot, offset)) == ["1:T"]
    assert shown(snapshot, definitions_at(snapshot, snapshot.text.rindex("T"))) == ["4:T"]
    assert shown(snapshot, declarations_at(snapshot, offset)) == ["1:T", "4:T"]
    assert shown(snapshot, references_at(snapshot, offset, declaration=False)) == ["2:T", "3:T", "5:T"]


def test_type_definition_is_what_gives_a_name_its_type() -> None:
    text = """__co__ void f(global f16 [K, 8] src) {
  parallel b by K : block {
    shared f16 [8, 8] tile;
    load = dma.copy.async src.subspan(8, 8).at(b, 0) => tile;
    row = tile.subspan(1, 8).at(0, 0);
    wait load;
  }
}
"""
    for word, expected in (("load;", ["3:tile"]), ("row =", ["3:tile"]), ("b by", ["1:K"]), ("src)", [])):
        snapshot, offset = at(word, text=text)
        assert shown(snapshot, type_definitions_at(snapshot, offset)) == expected


def test_highlights_tell_reading_from_writing() -> None:
    snapshot, offset = at("full[", text=PIPELINE)
    assert [item.writes for item in highlights(snapshot, offset)] == [True, True, False]


def lit(word: str, after: int = 1, text: str = PIPELINE) -> list[tuple[str, bool]]:
    snapshot, offset = at(word, after, text)
    assert needs_flow(snapshot, offset)
    snapshot = judged(snapshot)
    found = flow_highlights(snapshot, offset)
    return [(snapshot.text[item.span.start : item.span.end].split("\n")[0], item.writes) for item in found]


def test_a_wait_lights_its_triggers_and_the_reverse() -> None:
    assert lit("wait empty") == [
        ("wait empty[stage];", False),
        ("trigger empty[s];", True),
        ("trigger empty[stage];", True),
    ]
    assert lit("trigger full") == [("trigger full[stage];", True), ("wait full[stage];", False)]


def test_only_slots_that_meet_belong_together() -> None:
    text = PIPELINE.replace("shared event full[MATMUL_STAGES]", "shared event go[2], full[MATMUL_STAGES]")
    text = text.replace(
        "      inthreads.async (p1 == 0) {", "      inthreads.async (p1 == 0) {\n  trigger go[0];\n  trigger go[1];"
    )
    text = text.replace(
        "      inthreads.async (p1 == 1) {", "      inthreads.async (p1 == 1) {\n  wait go[1];\n  wait go[0];"
    )
    assert lit("wait go[1]", text=text) == [("trigger go[1];", True), ("wait go[1];", False)]


def test_a_copy_lights_its_consumers_and_the_reverse() -> None:
    copies = lit("dma.copy lhs", 4)
    assert copies[0][1] and copies[0][0].startswith("dma.copy lhs.subspan")
    assert copies[1:] == [("mma.row.row mc, ma, mb;", False)]
    found = lit("mma.row.row", 5)
    assert [text.split(".")[1].split()[-1] for text, writes in found if writes] == ["lhs", "rhs"]


def test_names_and_broken_functions_ask_no_verifier() -> None:
    assert not needs_flow(*at("full[", text=PIPELINE))
    assert not needs_flow(*at("wait empty", 1, text=PIPELINE.replace("trigger full[stage];", "trigger full[;")))


@pytest.mark.parametrize("length", range(0, len(KERNEL), 11))
def test_a_text_that_is_being_typed_is_answered(length: int) -> None:
    snapshot = Snapshot("file:///k.co", 1, KERNEL[:length])
    for offset in range(max(0, length - 3), length + 1):
        spans = [
            *definitions_at(snapshot, offset),
            *type_definitions_at(snapshot, offset),
            *references_at(snapshot, offset, declaration=True),
            *(item.span for item in highlights(snapshot, offset)),
        ]
        assert all(0 <= span.start <= span.end <= length for span in spans)
