"""One mistake, one message: a syntax error has no followers, in its statement or further down."""

import pytest

from croqc.service.check import check_text

HEAD = "__co__ void f(global f16 [64, 64] hs, global f16 [64, 64] o, s32 n) {\n  parallel b by 2 : block {\n"
LINES = [
    "dma.copy hs < 3 => o;",
    "dma.copy hs => zz3 + 1;",
    "dma.copy hs => [3];",
    "foreach k im 4 { x = k; }",
    "shared f16 [if, 4] y; y.at(0, 0) = hs.at(0, 0);",
    "acc = mma.fil.f32 0.0f; x = acc;",
    "for (int q = 0; q < 3; q++) { x = q; }",
    "shared f16x2 [4] y; y.at(0) = 1.0f;",
    "float y[4]; y.at(0) = 1.0f;",
    "x = hs.at(0 0);",
    "x = hs.at[0, 0];",
    "hs.at(0, 0) == 3;",
    'x = "abc;',
    "parallel t by 4 thread { x = t; }",
    "forech k in 4 { x = k; }",
    "foreach i in range(4) {}",
    "x = 1'000;",
    "x = o.sqz();",
    "q := 3;",
    "x = F(1);",
    "x = [3\n  y = n;",
]


@pytest.mark.parametrize("line", LINES)
def test_one_message(line: str) -> None:
    found = check_text(f"#define F(a, b) a\n{HEAD}    {line}\n  }}\n}}\n").diagnostics
    assert len(found) == 1, found
    assert found[0].code in ("syntax-error", "preprocessor-error")


def test_what_does_not_follow_is_told() -> None:
    """A name that stood before the mistake, and one that the mistake cannot have declared."""
    text = f"{HEAD}    u = zz;\n    forech zz in 4 {{ x = zz; }}\n    v = qq;\n    w = zz;\n  }}\n}}\n"
    assert [(item.code, item.span.start) for item in check_text(text).diagnostics] == [
        ("undeclared-name", text.index("zz;")),
        ("syntax-error", text.index("forech")),
        ("undeclared-name", text.index("qq;")),
    ]


def test_a_statement_that_lacks_its_semicolon_is_checked() -> None:
    text = f"{HEAD}    u = zz\n    v = 1;\n  }}\n}}\n"
    assert [item.code for item in check_text(text).diagnostics] == ["undeclared-name", "syntax-error"]


def test_each_name_that_a_macro_stands_for() -> None:
    text = "#define OOPS zz + qq\n__co__ void f(s32 n) {\n  x = OOPS;\n  y = OOPS;\n}\n"
    found = check_text(text).diagnostics
    assert [item.message for item in found] == ["'qq' is not declared here", "'zz' is not declared here"]
    assert {item.span.start for item in found} == {text.index("OOPS;")}
