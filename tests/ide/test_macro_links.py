"""Findings at the use of a macro lead to its definition; others are left as they are."""

from __future__ import annotations

from croqc.service.check import check_text
from croqc.service.settings import Settings
from croqls.ide.macro_links import with_definitions

KERNEL = """#define BAD zz
__co__ void f(global s32 [8] x) {
  x.at(0) = yy;
#undef BAD
#define BAD zzz
  x.at(1) = BAD;
}
"""


def test_the_last_definition_before_the_use_is_linked() -> None:
    found = with_definitions(check_text(KERNEL))
    places = {
        KERNEL[item.span.start : item.span.end]: [
            (one.message, KERNEL.count("\n", 0, one.span.start)) for one in item.related
        ]
        for item in found
        if item.code == "undeclared-name"
    }
    assert places == {"yy": [], "BAD": [("'BAD' is defined here", 4)]}


def test_a_macro_of_the_settings_has_no_place() -> None:
    text = "__co__ void f(global s32 [8] x) {\n  x.at(1) = BAD;\n}\n"
    found = with_definitions(check_text(text, below=Settings(defines={"BAD": "zz"})))
    assert [item.related for item in found if item.code == "undeclared-name"] == [()]
