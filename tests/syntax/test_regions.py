"""Regions of a file (reference, 1.1): where functions, device code and dead functions begin and end."""

from __future__ import annotations

import pytest

from croqc.syntax.preprocess import preprocess
from tests.syntax.preprocessing import body_of, in_function, only_function, regions_of, reported

SMALL = "__co__ void f() { x = 1; }"


def kinds(text: str) -> list[str]:
    return [kind for kind, _ in regions_of(text)]


def functions_in(text: str) -> list[str]:
    return [part for kind, part in regions_of(text) if kind == "function"]


def test_all_region_kinds_of_v64_and_v65() -> None:
    text = (
        "template <typename T> __device__ T twice(T x) { return x + x; }\n"
        "__device__ int table[2] = {1, 2};\n"
        "__co__ void usesdev(s32 [4] v) { parallel p by 4 { call twice<s32>(v); } }\n"
        '__cok__ {\n  extern "C" void dev_fn(int v) {}\n}\n'
        "int main() { return 0; }\n"
    )
    assert regions_of(text) == [
        ("host", "template <typename T> "),
        ("device", "__device__ T twice(T x) { return x + x; }"),
        ("host", "\n"),
        ("device", "__device__ int table[2] = {1, 2}"),
        ("host", ";\n"),
        ("function", "__co__ void usesdev(s32 [4] v) { parallel p by 4 { call twice<s32>(v); } }"),
        ("host", "\n"),
        ("device-block", '__cok__ {\n  extern "C" void dev_fn(int v) {}\n}'),
        ("host", "\nint main() { return 0; }\n"),
    ]
    assert reported(text) == []


@pytest.mark.parametrize(
    "host",
    [
        "// __co__ void no() {}\n",
        "/* __co__ void no() {} */",
        'const char *s = "__co__ void no() {}";',
        'auto s = R"(" __co__ void no() {)";',
        'auto s = u8R"x()" __co__ void no() { )x";',
        "int run__co__now = 1; int __co__x = 2; int x__co__ = 3;",
        "int big = 1'000'000; char c = '\"';",
        "int hex = 0xFF'FF; auto w = L'\"'; auto u = u8'\"';",
        "char q = '\\''; char d = '\"';",
        'const char *open = "a stray quote;\n',
        "char stray = ';\n",
        'const char *joined = "one \\\n __co__ two";',
        "#error can't\n",
        "#define QUOTE '\"'\n",
        "#define LONG one \\\n  __co__ two\n",
        "\ufeffint 变量 = 0; // пример\n",
    ],
)
def test_host_text_hides_and_opens_nothing(host: str) -> None:
    text = host.replace("#error", "#if 0\n#error").replace("can't\n", "can't\n#endif\n") + SMALL + " int tail;"
    assert functions_in(text) == [SMALL]
    assert regions_of(text)[-1] == ("host", " int tail;")


def test_a_function_may_start_and_end_within_a_line() -> None:
    assert regions_of(f"int a; /* c */ {SMALL}; int b;") == [
        ("host", "int a; /* c */ "),
        ("function", SMALL),
        ("host", "; int b;"),
    ]


@pytest.mark.parametrize("blank", [" ", "\t", "\n", "\r\n"])
def test_white_space_behind_the_marker(blank: str) -> None:
    assert reported(f"__co__{blank}void f() {{}}") == []


def test_white_space_behind_the_marker_is_missing() -> None:
    assert reported("__co__(void f) {}") == [(1, 7, "error", "expected white space after '__co__'")]


def test_i101_prototype() -> None:
    text = "__co__ void f(int n);"
    assert reported(text) == [(1, 21, "error", "expected '{'; prototypes are not supported")]
    assert preprocess(text).functions == ()


def test_a_prototype_keeps_the_functions_behind_it() -> None:
    text = f"__co__ void g(int n);\n{SMALL}\n"
    assert functions_in(text) == [SMALL]
    assert [row[:2] for row in reported(text)] == [(1, 21)]


def test_p8_unterminated_function() -> None:
    text = "int a;\n  __co__ void f() {\n"
    assert reported(text) == [(2, 3, "error", "'__co__' function is not terminated")]
    assert [token.text for token in only_function(text).tokens] == ["void", "f", "(", ")", "{", "}"]


def test_a_missing_brace_costs_no_other_function() -> None:
    text = "__co__ void f() {\n  if (n) {\n    x = 1;\n}\n\nint main() { return 0; }\n\n__co__ void g() { y = 2; }\n"
    assert functions_in(text) == ["__co__ void f() {\n  if (n) {\n    x = 1;\n}", "__co__ void g() { y = 2; }"]
    assert [row[:2] for row in reported(text)] == [(1, 1)]
    first = preprocess(text).functions[0]
    assert [token.text for token in first.tokens][-3:] == [";", "}", "}"]


@pytest.mark.parametrize(
    "behind",
    ["int main() {\n  return 0;\n}\n", "#include <a>\n", "template <int N> struct S {};\n", "__device__ int a;\n"],
)
def test_cpp_behind_a_function_without_closing_brace(behind: str) -> None:
    text = f"__co__ void f() {{\n  x = 1;\n\n{behind}{SMALL}"
    assert functions_in(text) == ["__co__ void f() {\n  x = 1;\n\n", SMALL]
    assert [row[:2] for row in reported(text)] == [(1, 1)]


def test_a_missing_brace_in_indented_functions() -> None:
    text = "namespace a {\n  __co__ void f() {\n    if (n) {\n  }\n  __co__ void g() {}\n}\n"
    assert functions_in(text) == ["__co__ void f() {\n    if (n) {\n  }", "__co__ void g() {}"]


def test_braces_in_comments_and_strings_do_not_count() -> None:
    text = in_function('// }\n/* } */ println("}"); __cpp__(R"(})"); x = 1;')
    assert reported(text) == []
    assert regions_of(text)[0] == ("function", text[:-1])


def test_each_branch_may_carry_its_half_of_a_block() -> None:
    body = "#if A\nforeach x in 2 {\n#else\nforeach y in 3 {\n#endif\nz = 1; }"
    assert body_of(in_function(body, "#define A 0\n")) == "foreach y in 3 { z = 1 ; }"
    assert body_of(in_function(body, "#define A\n")) == "foreach x in 2 { z = 1 ; }"


def test_braces_of_macros_count() -> None:
    text = "#define OPEN foreach i in 2 {\n#define SHUT }\n__co__ void f() { OPEN x = 1; SHUT }\nint b;"
    assert body_of(text) == "foreach i in 2 { x = 1 ; }"
    assert regions_of(text)[-1] == ("host", "\nint b;")


def test_no_function_in_the_file() -> None:
    assert reported("int main() { return 0; }\n") == [(1, 1, "warning", "no '__co__' function in this file")]
    assert reported("") == [(1, 1, "warning", "no '__co__' function in this file")]
    assert regions_of("") == []


@pytest.mark.parametrize(
    ("specifier", "column"),
    [("static", 1), ("inline", 1), ('extern "C"', 1), ("template <int N, class T>", 1), ("int a; static", 8)],
)
def test_specifiers_in_front_of_a_function(specifier: str, column: int) -> None:
    word = specifier.removeprefix("int a; ")
    assert reported(f"{specifier} {SMALL}") == [
        (1, column, "warning", f"'{word}' has no effect on a '__co__' function")
    ]


def test_specifiers_elsewhere_are_host_text() -> None:
    assert reported(f"static int a;\nextern int b; {SMALL}") == []


@pytest.mark.parametrize(
    ("text", "device"),
    [
        ("__device__ float scale; int b;", "__device__ float scale;"),
        ("__device__ float f(int a, int b = 2); int c;", "__device__ float f(int a, int b = 2);"),
        ("__device__ T<int> v; int c;", "__device__ T<int> v;"),
        ("__device__ bool b = 1 < 2; int c;", "__device__ bool b = 1 < 2;"),
        ("__co_device__ void f() { if (1) { } } int c;", "__co_device__ void f() { if (1) { } }"),
        ('__device__ void f() { g("}"); /* } */ } int c;', '__device__ void f() { g("}"); /* } */ }'),
        ("__device__ void f(S s = S{}) { h(); } int c;", "__device__ void f(S s = S{}) { h(); }"),
        (
            "__device__ void f() {\n#if 0\n  {\n#endif\n} int c;",
            "__device__ void f() {\n#if 0\n  {\n#endif\n}",
        ),
    ],
)
def test_where_device_code_ends(text: str, device: str) -> None:
    assert [part for kind, part in regions_of(text) if kind == "device"] == [device]


def test_device_code_is_unterminated() -> None:
    text = f"int a;\n__device__ void f() {{\n{SMALL}\n"
    assert reported(text) == [(2, 1, "error", "missing '}' for device function")]
    assert functions_in(text) == [SMALL]


def test_definitions_in_device_code_are_seen() -> None:
    text = "__device__ void g() {\n#define K 7\n}\n__co__ void f() { x = K; }"
    assert body_of(text) == "x = 7 ;"


def test_p9_device_block_without_brace() -> None:
    assert reported(f"__cok__ x {{ }}\n{SMALL}") == [(1, 9, "error", "expected '{' after '__cok__'")]
    assert kinds(f"__cok__ // c\n /* d */ {{ int a; }}\n{SMALL}") == ["device-block", "host", "function"]
    assert [row[3] for row in reported(f"{SMALL}\n__cok__ {{ ")] == ["missing '}' for '__cok__' block"]


def test_functions_in_dead_host_branches() -> None:
    dead = "__co__ void g() {\n any 'thing @ \n { at } all ***; }"
    text = f"#if 0\n{dead}\n#endif\n{SMALL}\n"
    assert regions_of(text)[1] == ("dead", dead)
    assert functions_in(text) == [SMALL]
    assert reported(text) == []


def test_a_dead_function_ends_with_its_branch() -> None:
    text = f"#if 0\n__co__ void g() {{ {{\n#else\n{SMALL}\n#endif\n"
    assert kinds(text) == ["host", "dead", "host", "function", "host"]
    nested = f"#if 0\n__co__ void g() {{\n#if A\n if (a) {{\n#else\n if (b) {{\n#endif\n }} }}\n#endif\n{SMALL}\n"
    assert regions_of(nested)[1][1].endswith("#endif\n } }")
    assert functions_in(nested) == [SMALL]


def test_dead_host_branches_are_recorded() -> None:
    text = f"#if 0\nint a;\n  #if 1\nint b;\n#endif\n#elif 0\nint c;\n#else\nint d;\n#endif\n{SMALL}\n"
    assert [text[span.start : span.end] for span in preprocess(text).dead] == [
        "int a;\n  #if 1\nint b;\n#endif\n",
        "int c;\n",
    ]


def test_unterminated_comment_in_host_text() -> None:
    assert reported(f"{SMALL}\n /* open\n__co__ void g() {{}}\n") == [(2, 2, "error", "unterminated comment")]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_line_ends(ending: str) -> None:
    text = "#define K 8\n#if K > 4\n__co__ void f() {\n  // note\n  x = K;\n#if 0\n  dead\n#endif\n}\n#endif\n"
    text = text.replace("\n", ending)
    assert reported(text) == []
    assert body_of(text) == "x = 8 ;"


def test_a_byte_order_mark_is_host_text() -> None:
    text = "\ufeff#define K 8\n__co__ void f() { x = K; }"
    assert regions_of(text)[0] == ("host", "\ufeff#define K 8\n")
    assert body_of(text) == "x = 8 ;"
