"""Preprocessing of whole files: totality on any text, and the reuse of unchanged functions."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croqc.syntax.preprocess import preprocess
from croqc.syntax.tokens import FunctionText, Kind, Preprocessed
from tests.syntax.preprocessing import reported

KERNELS = """#define TILE 64
#define AT(x, i) x.at(i)
#if TILE != 64
#error "tile"
#endif
__device__ float twice(float x) { return x + x; } // device
__cok__ { void g() {} }
#pragma croq intrinsic prefix hw_
__co__ void first(f32 [TILE, K] lhs, f32 [TILE]& out) {
  parallel {p, q} by [TILE, 4] : block { /* note */
#if TILE > 32
    f = dma.copy.async.swiz<TILE> lhs.chunkat(p, _) => shared;
#else
    f = dma.any;
#endif
    wait f; out.at(p) = AT(lhs, p # q) * 1.5f; println("x = ", 'c', 08, R"(raw)");
  }
}
int main() { return '\\''; }
#if 0
__co__ void dead() { ... }
#endif
__co__ void second() { x = TILE \\
  + 1; }
"""
PIECES = st.sampled_from(
    [
        *("__co__ ", "__device__ ", "__cok__ ", "{", "}", "(", ")", ";", '"', "'", "/*", "*/", "//", "\n", "\r", " "),
        *("\\", "#if ", "#else\n", "#endif\n", "#elif ", "defined ", "#define M(a) a\n", "#define K ", "K", "M(", ","),
        *('R"(', ')"', ".", "1", "x", "\ufeff", "é", "\0", "#error x\n", "#pragma croq intrinsic ", "prefix ", "?"),
        *(":", "<<", "\t"),
    ]
)
UNITS = (
    *(
        'R"(\n',
        '"\n',
        "'",
        "1'",
        "/*",
        "__co__ ",
        "__co__ void f();\n",
        "__co__ void f() {\n",
        "__device__ ",
        "__cok__ {",
    ),
    *(
        "#if 1\n",
        "#if 0\n",
        "{",
        "}",
        "M(",
        "#define M(a) M a\n",
        "@ ",
        "\\\n",
        "#\n",
        "9",
        "é",
        "#/*",
        '#"',
        "x.",
        "a'",
    ),
)


def check(text: str) -> None:
    """What holds for any text."""
    read = preprocess(text)
    at = 0
    for region in read.regions:
        assert region.span.start == at < region.span.end
        at = region.span.end
    assert at == len(text)
    assert all(0 <= finding.span.start <= finding.span.end <= len(text) for finding in read.findings)
    assert all(0 <= span.start < span.end <= len(text) for span in read.dead)
    for function in read.functions:
        check_function(text, function)
    assert preprocess(text) == read or same(preprocess(text), read)


def check_function(text: str, function: FunctionText) -> None:
    assert text.startswith(function.text, function.base)
    size, at = len(function.text), 0
    for token in function.tokens:
        assert 0 < token.start <= token.end <= size
        assert token.start >= at
        if token.macro is None and token.start < token.end:
            at = token.end
            assert token.kind is not Kind.BAD
    for finding in function.findings:
        assert 0 <= finding.span.start <= finding.span.end <= size
    assert all(function.text[span.start : span.end] == name for span, name in function.macro_uses)


def same(one: Preprocessed, other: Preprocessed) -> bool:
    """Equality by content; tokens have none of their own."""
    return repr(one) == repr(other)


@given(st.text())
def test_any_text(text: str) -> None:
    check(text)


@given(st.text(alphabet=st.sampled_from("{}()#\"'/*\\\n\r\t ._aR1@;,<>é\x00")))
def test_any_body(body: str) -> None:
    check(f"#define a(R) R a\n__co__ void f() {{{body}}}\n__co__ void g() {{}}")


@given(st.lists(PIECES, max_size=40).map("".join))
def test_any_pieces(text: str) -> None:
    check(text)


@given(st.integers(0, len(KERNELS)))
def test_prefixes(length: int) -> None:
    check(KERNELS[:length])


@given(st.integers(0, len(KERNELS)), st.integers(0, 30), st.one_of(PIECES, st.text(max_size=4)))
def test_edits(start: int, removed: int, added: str) -> None:
    check(KERNELS[:start] + added + KERNELS[start + removed :])


@given(st.binary(max_size=300))
def test_binary_noise(noise: bytes) -> None:
    check("__co__ " + noise.decode("latin-1"))


def functions(text: str, **defines: str | None) -> dict[str, FunctionText]:
    return {function.tokens[1].text: function for function in preprocess(text, defines).functions}


def test_the_kernels_are_read() -> None:
    assert sorted(functions(KERNELS)) == ["first", "second"]
    assert [row[2:] for row in reported(KERNELS)] == [
        ("error", "unexpected character '''"),
        ("error", "invalid suffix '8' on number"),
    ]


def test_an_edit_elsewhere_keeps_a_function() -> None:
    before, moved = functions(KERNELS), functions("// moved\n" + KERNELS)
    for name, function in before.items():
        assert moved[name].key == function.key
        assert moved[name].tokens is function.tokens
        assert moved[name].base == function.base + 9


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("x = TILE", "y = TILE", ["second"]),
        ("#define TILE 64", "#define TILE 65 - 1", ["first", "second"]),
        ("x.at(i)", "x.at(i + 0)", ["first"]),
        ("prefix hw_", "prefix hx_", ["first", "second"]),
        ("#define TILE 64", "#define TILE 64 // note\n#define UNUSED 1", []),
        ("return x + x", "return 2 * x", []),
        ("#define AT(x, i)", "#define x y\n#define AT(x, i)", ["first", "second"]),
    ],
)
def test_the_key_changes_with_what_a_function_sees(old: str, new: str, changed: list[str]) -> None:
    before, after = functions(KERNELS), functions(KERNELS.replace(old, new, 1))
    assert [name for name in sorted(before) if before[name].key != after[name].key] == changed
    for name in before:
        assert (before[name].tokens is after[name].tokens) == (name not in changed)


def test_a_macro_behind_a_macro_is_part_of_the_key() -> None:
    text = "#define A B\n#define B {}\n__co__ void f() {{ x = A; }}"
    assert functions(text.format(1, ""))["f"].key != functions(text.format(2, ""))["f"].key
    assert (
        functions("#define A B\n__co__ void f() { x = A; }")["f"].key
        != functions("#define A B\n__co__ void f() { x = A; }", B="4")["f"].key
    )


def test_definitions_inside_a_reused_function_move_with_it() -> None:
    text = "__co__ void f() {\n#define INNER 3\n}\n"
    preprocess(text)
    (macro,) = preprocess("int a;\n" + text).macros
    assert macro.span is not None
    assert ("int a;\n" + text)[macro.span.start : macro.span.end] == "INNER"


@pytest.mark.parametrize("unit", UNITS)
def test_time_grows_with_the_text_and_not_faster(unit: str) -> None:
    text = unit * (60_000 // len(unit))
    start = time.perf_counter()
    preprocess(text)
    preprocess("#define M(a) a\n__co__ void f() { " + text)
    assert time.perf_counter() - start < 15  # far above what it takes: quadratic work would need minutes
