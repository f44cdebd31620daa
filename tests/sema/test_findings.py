"""Each finding of the core: a snippet whose marked part gets it, and one beside it that is right."""

from __future__ import annotations

import pytest

from croqc.sema import rulenames as rules
from tests.sema.study import PARAMS, Study, device, host, marked, study

# rule, where ("host", "device", or "file" for a whole function), wrong code with « » around the place, right code
ROWS = [
    (rules.UNDECLARED_NAME, "host", "x = «q» + 1;", "q = 1; x = q + 1;"),
    (rules.UNDECLARED_NAME, "host", "f32 [«Q», 4] t;", "f32 [M, 4] t;"),
    (rules.REDECLARED_NAME, "host", "int x = 1; int «x» = 2;", "int x = 1; if (n > 1) { int x = 2; }"),
    (rules.REDECLARED_NAME, "host", "f32 [4] «n»;", "f32 [4] nn;"),
    (rules.REDECLARED_NAME, "device", "int «t» = 2;", "int tt = 2;"),
    (
        rules.SHADOWED_ASSIGNMENT,
        "host",
        "x = 0; foreach i in 4 { «x» = x + i; }",
        "mutable int x = 0; foreach i in 4 { x = x + i; }",
    ),
    (
        rules.SHADOWED_ASSIGNMENT,
        "device",
        "s = 0.0f; foreach {k} in [4] { «s» = s + a.at(k, 0); }",
        "mutable s = 0.0f; foreach {k} in [4] { s = s + a.at(k, 0); }",
    ),
    (
        rules.SHADOWED_ASSIGNMENT,
        "host",
        "bool all = true; if (n > 1) { «all» = all && n < 9; }",
        "all = true; if (n > 1) { more = all && n < 9; }",
    ),
    (
        rules.SHADOWED_ASSIGNMENT,
        "device",
        "x = 0.0f; if (n > 1) { «x» = 1.0f - x; }",
        "f32 x = 0.0f; if (n > 1) { x = 1.0f - x; }",
    ),
    (rules.SHADOWED_ASSIGNMENT, "host", "x = 0; if (n > 1) { «x» = x + 1; }", "x = 0; if (n > 1) { x = 2; }"),
    (rules.IMMUTABLE_ASSIGNMENT, "host", "x = 0; «x» = 1;", "mutable int x = 0; x = 1;"),
    (rules.IMMUTABLE_ASSIGNMENT, "host", "int x = 0; «x» += 1;", "s32 x = 0; x += 1;"),
    (rules.IMMUTABLE_ASSIGNMENT, "host", "foreach i in 4 { «i» = 1; }", "foreach i in 4 { j = 1; }"),
    (rules.MISSING_INITIALISER, "host", "int «x»;", "s32 x;"),
    (rules.INITIALISER_TYPE, "host", "int x = «1.5f»;", "f32 x = 1.5f;"),
    (rules.INITIALISER_TYPE, "host", "bool x = «3»;", "bool x = 3 > 2;"),
    (rules.INITIALISER_TYPE, "host", "s32 x = «{1, 2}»;", "s32 x = 1;"),
    (rules.UNSTORABLE_VALUE, "host", 'x = «"text"»;', "x = 1;"),
    (rules.UNSTORABLE_VALUE, "device", "x = «&a.at(t, 0)»;", "x = a.at(t, 0);"),
    (rules.UNSTORABLE_VALUE, "device", "f = dma.any; x = «f»;", "f = dma.any; f = dma.copy w => shared; x = f.data;"),
    (rules.MUTABLE_NON_SCALAR, "host", "mutable «x» = {1, 2};", "mutable x = 1;"),
    (rules.OPERAND_TYPES, "host", "x = «true + 1»;", "x = 2 + 1;"),
    (rules.OPERAND_TYPES, "host", "x = «n && true»;", "x = n > 1 && true;"),
    (rules.OPERAND_TYPES, "host", "x = «!n»;", "x = !(n > 1);"),
    (rules.SHIFT_COUNT, "host", "mutable int m = 1; x = n << «m»;", "m = 1; x = n << m;"),
    (rules.NON_BOOL_CONDITION, "host", "if («n») { x = 1; }", "if (n > 0) { x = 1; }"),
    (rules.NON_BOOL_CONDITION, "host", "x = «n» ? 1 : 2;", "x = n > 0 ? 1 : 2;"),
    (rules.CONDITIONAL_ARMS, "host", "x = «n > 0 ? 1 : 2.0f»;", "x = n > 0 ? 1.0f : 2.0f;"),
    (rules.LOSSY_CONVERSION, "device", "h.at(t, 0) = «a.at(t, 0)»;", "h.at(t, 0) = __to<f16>(a.at(t, 0));"),
    (rules.LOSSY_CONVERSION, "device", "a.at(t, 0) = «w.at(1, 1)»;", "a.at(t, 0) = t;"),
    (rules.LOSSY_CONVERSION, "host", "s8 x = «n»;", "s8 x = 127;"),
    (rules.SIGN_CONVERSION, "host", "u32 x = «n»;", "u32 x = M;"),
    (rules.SIGN_CONVERSION, "host", "u32 x = «0 - 1»;", "u32 x = 1;"),
    (rules.NO_COMMON_TYPE, "host", "f16 x = 0.0f; bf16 y = 0.0f; z = «x + y»;", "f16 x = 0.0f; z = x + x;"),
    (rules.INCREMENT_TARGET, "host", "x = 1; y = «x++»;", "mutable int x = 1; y = x++;"),
    (rules.NOT_A_VALUE, "device", "shared event e; x = «e» + 1;", "shared event e; wait e;"),
    (
        rules.NOT_A_VALUE,
        "device",
        "f = dma.copy a.chunkat(p, _) => shared; x = «f» + 1;",
        "f = dma.copy a.chunkat(p, _) => shared; x = f.data.at(0, 0) + 1;",
    ),
    (rules.BAD_EXTENT, "host", "x : [4, «0»];", "x : [4, 1];"),
    (rules.BAD_EXTENT, "host", "f32 [4, «2 - 3»] x;", "f32 [4, 3 - 2] x;"),
    (rules.SHAPE_MEMBER, "host", "mutable int m = 2; x : [4, «m»];", "m = 2; x : [4, m];"),
    (rules.SHAPE_MEMBER, "host", "x : [4, «1.0f»];", "x : [4, 1];"),
    (rules.SHAPE_MEMBER, "host", "x = {4, «true»};", "x = {4, 0};"),
    (rules.DECLARED_RANK, "host", "mdspan<3> «x» : [4, 2];", "mdspan<2> x : [4, 2];"),
    (rules.DECLARED_RANK, "host", "ituple<1> «x» = {4, 2};", "ituple<2> x = {4, 2};"),
    (rules.SHAPE_BRACKETS, "host", "x = «[4, 2]»;", "x : [4, 2];"),
    (rules.SHAPE_BRACKETS, "host", "x : «{4, 2}»;", "x = {4, 2};"),
    (rules.RANK_MISMATCH, "host", "x : [4, 2]; y = «x / [2]»;", "x : [4, 2]; y = x / [2, 2];"),
    (
        rules.RANK_MISMATCH,
        "host",
        "x : [4, 2]; foreach v in [2] { y : «x / #v»; }",
        "x : [4, 2]; foreach v in 2 { y : x / #v; }",
    ),
    (rules.SHAPE_OPERANDS, "host", "x : [4, 2]; y : «x + x»;", "x : [4, 2]; y : x + 1;"),
    (rules.SHAPE_OPERANDS, "host", "x = {4, 2}; y = «x * x»;", "x = {4, 2}; y = x * 2;"),
    (rules.DIMENSION_INDEX, "host", "x : [4, 2]; y = x(«2»);", "x : [4, 2]; y = x(1);"),
    (rules.DIMENSION_INDEX, "host", "x : [4, 2]; y : x[(«2»)];", "x : [4, 2]; y : x[(1)];"),
    (rules.DIVISION_BY_ZERO, "host", "x = n / «0»;", "x = n / 2;"),
    (rules.DIVISION_BY_ZERO, "host", "x = cdiv(n, «0»);", "x = cdiv(n, 2);"),
    (rules.ARRAY_SIZE, "device", "shared f32 [4] x[«n»];", "shared f32 [4] x[2];"),
    (rules.ARRAY_SIZE, "device", "shared event x[«0»];", "shared event x[1];"),
    (rules.DYNAMIC_DEVICE_BUFFER, "device", "shared f32 [«n»] x;", "shared f32 [8] x;"),
    (rules.FILL_VALUE, "device", "shared f32 [4] x {«{1}»};", "shared f32 [4] x {1.0f};"),
    (rules.BOUNDED_EXTENT, "device", "x : [«t», 4];", "x : [#t, 4];"),
    (rules.NO_BOUND, "host", "x = #«n»;", "foreach i in n { x = #i; }"),
    (rules.COMPOSE_OPERANDS, "host", "foreach i in 4 { x = «i # n»; }", "foreach i in 4, j in 4 { x = i # j; }"),
    (
        rules.BINDING_COUNT,
        "host",
        "foreach {«i, j, k»} in [4, 2] { x = i; }",
        "foreach {i, j} in [4, 2] { x = i; }",
    ),
    (rules.PLACEHOLDER_NAME, "host", "«_» = 1;", "u = 1;"),
    (
        rules.DATA_ELEMENT_TYPES,
        "host",
        "f32 [4] x; f16 [4] y; z = «x + y»;",
        "f32 [4] x; f32 [4] y; z = x + y;",
    ),
    (rules.DATA_EXTENTS, "host", "f32 [4] x; f32 [5] y; z = «x + y»;", "f32 [M] x; f32 [K] y; z = x + y;"),
    (rules.NO_SHAPE, "host", "x = |«n»|;", "x = |a|;"),
    (rules.NO_SHAPE, "host", "x = «n.span»;", "x : a.span;"),
    (rules.VIEW_OF_NON_DATA, "host", "x = n«.chunkat(1)»;", "foreach i in 4 { x = a.chunkat(i, _); }"),
    (rules.VIEW_ITEM_COUNT, "device", "x = a«.chunkat(p)»;", "x = a.chunkat(p, _);"),
    (rules.VIEW_ITEM_COUNT, "device", "x = a.subspan(8, 8)«.at(p)»;", "x = a.subspan(8, 8).at(p, 0);"),
    (rules.ZERO_TILE, "device", "x = a.subspan(8, «0»);", "x = a.subspan(8, 1);"),
    (rules.TOO_MANY_CHUNKS, "device", "x = w.chunkat(«t», _);", "x = w.chunkat(p, _);"),
    (rules.TILE_TOO_LARGE, "device", "x = w.subspan(«9», 6);", "x = w.subspan(8, 6);"),
    (rules.INDEX_OUT_OF_RANGE, "device", "x = w.subspan(4, 6).at(«2», 0);", "x = w.subspan(4, 6).at(1, 0);"),
    (rules.INDEX_OUT_OF_RANGE, "device", "x = w.subspan(3, 6).at(«p», 0);", "x = w.subspan(2, 6).at(p, 0);"),
    (
        rules.INDEX_OUT_OF_RANGE,
        "device",
        "x = w.subspan(4, 6).step(2, 6).at(«4», 0);",
        "x = w.subspan(4, 6).step(2, 6).at(3, 0);",
    ),
    (rules.INDEX_OUT_OF_RANGE, "device", "x = w.at(«8», 0);", "x = w.at(7, 5);"),
    (rules.INDEX_OUT_OF_RANGE, "device", "x = w.at(p, «t»);", "x = w.at(p, t % 6);"),
    (rules.INDEX_OUT_OF_RANGE, "device", "x = w.at(«p - 1», 0);", "if (p > 0) x = w.at(p - 1, 0);"),
    (
        rules.INDEX_OUT_OF_RANGE,
        "device",
        "shared f32 [4] x[2]; y = x[«2»].at(0);",
        "shared f32 [4] x[2]; y = x[1].at(0);",
    ),
    (rules.INDEX_OUT_OF_RANGE, "device", "shared event e[2]; wait e[«p»];", "shared event e[2]; wait e[p % 2];"),
    (
        rules.INDEX_OUT_OF_RANGE,
        "device",
        "shared f32 [4] x[2]; y = x«.at(0)»;",
        "shared f32 [4] x[2]; y = x[0].at(0);",
    ),
    (rules.WINDOW_START, "device", "x = w.view(2, 6).from(«8», 0);", "x = w.view(2, 6).from(6, 0);"),
    (rules.CHUNK_REMAINDER, "device", "foreach i in 3 { x = w.chunkat(«i», _); }", "x = w.chunkat(p, _);"),
    (rules.RESHAPE_COUNT, "device", "x = w«.span_as(47)»;", "x = w.span_as(48);"),
    (rules.RESHAPE_UNPROVEN, "device", "x = a«.span_as(4096)»;", "x = b.span_as([K, M]);"),
    (rules.RESHAPE_GAPS, "device", "x = w.subspan(8, 3)«.span_as(24)»;", "x = w.subspan(4, 6).span_as(24);"),
    (rules.CALL_GAPS, "device", "call g(«w.subspan(8, 3)»);", "call g(w.subspan(4, 6));"),
    (rules.SQUEEZE_PLACE, "device", "x = w.chunkat(p, _)«.sqz()»;", "x = w.subspan(1, 6).sqz();"),
    (
        rules.ZERO_STEP,
        "device",
        "x = w.subspan(4, 6).step(«0», 6).at(p, 0);",
        "x = w.subspan(4, 6).step(1, 6).at(p, 0);",
    ),
    (rules.ZERO_STEP, "device", "x = w.view(4, 6 : «0», 1);", "x = w.view(4, 6 : 6, 1);"),
    (rules.INDEX_COUNT, "device", "x = w«.at(1)»;", "x = w.at(1, 1);"),
    (rules.INDEX_TYPE, "device", "x = w.at(«1.0f», 0);", "x = w.at(1, 0);"),
    (rules.STORAGE_AT_HOST, "host", "shared f32 [4] «x»;", "f32 [4] x;"),
    (rules.STORAGE_AT_HOST, "host", "x = dma.copy w => «shared»;", "x = dma.copy w => global;"),
    (rules.STORAGE_AT_DEVICE, "device", "f32 [4] «x»;", "local f32 [4] x;"),
    (rules.STORAGE_AT_DEVICE, "device", "global f32 [4] «x»;", "shared f32 [4] x;"),
    (rules.SHARED_SCALAR_INIT, "device", "shared s32 «x = 1»;", "shared s32 x;"),
    (rules.PARAMETER_FORM, "file", "__co__ void f(«int& x») { }", "__co__ void f(f32 [4]& x) { }"),
    (rules.PARAMETER_FORM, "file", "__co__ void f(«global int x») { }", "__co__ void f(global s32 [1] x) { }"),
    (rules.PARAMETER_FORM, "file", "__co__ void f(«f32 [4]&») { }", "__co__ void f(f32 [4]) { }"),
    (rules.PARAMETER_FORM, "file", "__co__ void f(«global f32 [4]& x») { }", "__co__ void f(global f32 [4] x) { }"),
    (rules.RETURN_VALUE, "file", "__co__ int «f»(int n) { x = n; }", "__co__ int f(int n) { return n; }"),
    (rules.RETURN_VALUE, "file", "__co__ void f(int n) { return «n»; }", "__co__ auto f(int n) { return n; }"),
    (rules.RETURN_IN_PARALLEL, "device", "«return;»", "yield;"),
    (rules.RETURN_KIND, "file", "__co__ auto f(int n) { return «{n, 1}»; }", "__co__ auto f(int n) { return n; }"),
    (
        rules.RETURN_KIND,
        "file",
        "__co__ auto f(f32 [4, 4] a) { return «a.subspan(2, 4)»; }",
        "__co__ auto f(f32 [4, 4] a) { f32 [2, 4] r; return r; }",
    ),
    (
        rules.RETURN_TYPES,
        "file",
        "__co__ f32 [4] f(f32 [5] a) { return «a»; }",
        "__co__ f32 [N] f(f32 [M] a) { return a; }",
    ),
    (
        rules.RETURN_TYPES,
        "file",
        "__co__ auto f(f32 [4] a, f16 [4] b, int n) { if (n > 1) return a; return «b»; }",
        "__co__ auto f(f32 [4] a, f32 [4] b, int n) { if (n > 1) return a; return b; }",
    ),
    (rules.CALL_AT_HOST, "host", "call «g»(a);", "print(n);"),
    (rules.CALL_ARGUMENT, "device", "call g(«{1, 2}»);", "call g(1, 2);"),
    (
        rules.CALL_ARGUMENT,
        "device",
        "q = dma.copy w => shared; call g(«q»);",
        "q = dma.copy w => shared; call g(q.data);",
    ),
    (rules.TEMPLATE_ARGUMENT, "device", "call g<«n»>(w);", "call g<4>(w);"),
    (rules.UNKNOWN_FUNCTION, "device", "call «reduse»(w);", "call reduce(w);"),
    (rules.FAILED_ASSERTION, "host", 'assert(«64 % 48 == 0», "no");', 'assert(M % 64 == 0, "no");'),
    (rules.FAILED_ASSERTION, "host", 'assert(«n», "no");', 'assert(n > 0, "no");'),
    (rules.PRINT_AT_COMPILE_TIME, "host", "print!(«n»);", "print!(4);"),
    (rules.ATOMIC_OPERANDS, "device", "__atomic_add(«t», 1);", "__atomic_add(w.at(0, 0), 1);"),
    (rules.ATOMIC_OPERANDS, "device", "__atomic_sub(«a.at(0, 0)», 1.0f);", "__atomic_sub(w.at(0, 0), 1);"),
    (
        rules.ATOMIC_OPERANDS,
        "device",
        "local s32 [4] x; __atomic_add(«x.at(0)», 1);",
        "shared s32 [4] x; __atomic_add(x.at(0), 1);",
    ),
    (rules.MATHS_OPERANDS, "host", "x = __exp(«true»);", "x = __exp(1.0f);"),
    (rules.MATHS_OPERANDS, "host", "x = __alignup(«1.0f», 4);", "x = __alignup(n, 4);"),
    (rules.LOOP_VARIABLE, "device", "foreach «t» { x = 1; }", "foreach t in 4 { x = 1; }"),
    (rules.LOOP_VARIABLE, "host", "foreach «n» { x = 1; }", "with i in n { foreach i { x = 1; } }"),
    (rules.LOOP_RANGE, "host", "with i in 4 { foreach i(::«0») x = 1; }", "with i in 4 { foreach i(::1) x = 1; }"),
    (
        rules.LOOP_RANGE,
        "host",
        "with v in [4, 2] { foreach «v(1:)» x = 1; }",
        "with v in [4, 2] { foreach v x = 1; }",
    ),
    (rules.ZERO_LOOP, "host", "foreach i in [«0»] { x = 1; }", "foreach i in [1] { x = 1; }"),
]  # fmt: skip

_FUNCTIONS = frozenset({"reduce"})


def _place(where: str, body: str) -> Study:
    if where == "file":
        return study(body, functions=_FUNCTIONS)
    if where == "device":
        body = f"parallel p by 4 : block {{ parallel t by 32 : thread {{\n{body}\n}} }}"
    return study(f"__co__ void f({PARAMS}) {{\n{body}\n}}\n", functions=_FUNCTIONS)


@pytest.mark.parametrize(("rule", "where", "wrong", "right"), ROWS)
def test_wrong_code_is_found_and_right_code_is_not(rule: str, where: str, wrong: str, right: str) -> None:
    code, places = marked(wrong)
    assert _place(where, code).told == [(rule, places[0])]
    assert _place(where, right).told == []


def test_type_unsupported_on_a_target() -> None:
    text = "__co__ void f(global f6_e3m2 [4] x) { }"
    assert [item.rule for item in study(text, "sm_80").findings] == [rules.UNSUPPORTED_TYPE]
    assert study(text, "sm_100a").told == []


def test_every_rule_of_the_table_is_raised_by_some_test() -> None:
    raised = {row[0] for row in ROWS} | {rules.UNSUPPORTED_TYPE, rules.NOT_UNDERSTOOD, rules.CO_CALL}
    assert {value for name, value in vars(rules).items() if name.isupper()} - raised == set()


def test_a_mapped_buffer_is_not_understood_and_silences_its_followers() -> None:
    case = device("m = a.map<local>(0, 64); x = m.at(0) + q.at(1);")
    assert [rule for rule, _ in case.told] == [rules.NOT_UNDERSTOOD, rules.UNDECLARED_NAME]


def test_one_error_a_name_and_no_followers() -> None:
    case = device("shared f32 [TILE, TILE] x[STAGES]; y = x[0].subspan(TILE, 4).at(TILE, STAGES); z = y.at(0, 0) + 1;")
    assert case.told == [(rules.UNDECLARED_NAME, "TILE"), (rules.UNDECLARED_NAME, "STAGES")]
    assert [item.args["macro"] for item in case.findings] == [True, True]


def test_a_near_name_is_offered() -> None:
    finding = host("stages = 2; x = stagse + 1;").findings[0]
    assert finding.args["near"] == "stages"
