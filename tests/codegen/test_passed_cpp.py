"""C++ of the file on the card: what stands around device functions, what islands name, what the compiler refuses."""

from __future__ import annotations

import pytest

from croqc.engines import nvrtc
from croqc.service.check import check_text
from croqc.service.cuda import cuda_of
from croqc.service.machine_code import NoCompilerError
from croqc.service.settings import Settings
from croqc.text.diagnostics import Severity
from tests.codegen.compiling import log_of

CALLS = """
// croq: run N=64
__co__ void k(global s32 [N] y) {{
  parallel b by 1 : block, t by 64 : thread {{ int q = call {call}(t); y.at(t) = q; }}
}}
"""
AROUND = {
    "template, own line": ("template <int K>\n__device__ int plus(int v) { return v + K; }", "plus<5>"),
    "template, same line": ("template <int K> __device__ int plus(int v) { return v + K; }", "plus<5>"),
    "template, two": (
        "template <int A, typename T = int>\n__device__ __forceinline__ T plus(T v) { return v + A; }",
        "plus<5>",
    ),
    "template, type": ("template <typename T> __device__ T same(T v) { return v; }", "same<int>"),
    "choreo": ("__device__ int one(int v) { choreo::f32 x = 1.0f; return (int)choreo::to_f32(x); }", "one"),
    "half": ("__device__ int one(int v) { half h = __float2half(1.0f); return (int)__half2float(h); }", "one"),
    "bf16": ("__device__ int one(int v) { __nv_bfloat16 h = __float2bfloat16(1.0f); return (int)float(h); }", "one"),
    "host include": (
        "#include <cuda_fp16.h>\n#include <vector>\n__device__ int one(int v) { __half h = v; return (int)float(h); }",
        "one",
    ),
    "stdint": ("__device__ int one(int v) { uint32_t q = 1; int64_t r = q; return r; }", "one"),
    "limits": ("__device__ int one(int v) { return v < INT_MAX && FLT_MAX > 1.0f; }", "one"),
    "constexpr": ("constexpr int kOne = 1;\n__device__ int one(int v) { return kOne; }", "one"),
    "constants in order": (
        "const int kTwo = 2;\nconstexpr int kRow[] = {kTwo, 3};\n__device__ int one(int v) { return kRow[0]; }",
        "one",
    ),
    "constexpr function": (
        "constexpr int twice(int v) { return 2 * v; }\n"
        "__device__ int one(int v) { constexpr int n = twice(2); return n; }",
        "one",
    ),
    "struct": ("struct P { int a; };\n__device__ int one(int v) { P p{1}; return p.a; }", "one"),
    "struct template": (
        "template <class T, int N = (3 > 2)>\nstruct alignas(16) V { T a[N]; };\n"
        "__device__ int one(int v) { V<int> p{{1}}; return p.a[0]; }",
        "one",
    ),
    "member functions": ("struct P { int a; __device__ int f() const { return a; } };\n"
                         "__device__ int one(int v) { return P{1}.f(); }", "one"),
    "enum": ("enum Mode { fast, slow };\n__device__ int one(int v) { return slow; }", "one"),
    "using": ("using Word = unsigned;\n__device__ int one(int v) { Word w = 1; return (int)w; }", "one"),
    "typedef": ("typedef unsigned int Word;\n__device__ int one(int v) { Word w = 1; return (int)w; }", "one"),
    "constant table": ("__constant__ int scale_[2] = {1, 2};\n__device__ int one(int v) { return scale_[0]; }", "one"),
    "device table": ("__device__ int scale_[2] = {1, 2};\n__device__ int one(int v) { return scale_[0]; }", "one"),
    "namespace": ("namespace lib { __device__ int one(int v) { return 1; } }", "lib::one"),
    "namespaces": (
        "namespace a { namespace b {\nstruct P { int x; };\n}\n__device__ int one(int v) { return b::P{1}.x; }\n}\n"
        "using namespace a;",
        "one",
    ),
    "dead branch": ("#if 0\n__device__ int one() { }}\n#else\n__device__ int one(int v) { return 1; }\n#endif", "one"),
    "host and device": ("static __host__ __device__ inline int one(int v) { return 1; }", "one"),
    "its own library": ("__device__ float to_f32(int v) { return v; }\n"
                        "__device__ int one(int v) { return to_f32(v); }", "one"),
    "lambda of the host": (
        "__device__ int one(int v) { return 1; }\n"
        "int main() { auto f = [] __device__ (int x) { return x; }; std::cout; }",
        "one",
    ),
    "block with an include": ("__cok__ {\n#include <cuda_fp16.h>\n__device__ int one(half v) { return 1; }\n}", "one"),
}  # fmt: skip


def compiled(text: str, arch: str = "sm_90a") -> str:
    """The unit of a text without errors, which NVRTC takes."""
    report = check_text(text, Settings(arch=arch))
    assert [item.message for item in report.diagnostics if item.severity is Severity.ERROR] == []
    made = cuda_of(report, None, {})
    assert [item.message for item in made.problems] == []
    log_of(made.result.text, arch)
    return made.result.text


def refused(text: str, form: str = "cuda", arch: str = "sm_90a") -> tuple[str, str]:
    """Message and place of the one problem of a text."""
    report = check_text(text, Settings(arch=arch))
    (problem,) = cuda_of(report, None, {}, form).problems
    return problem.message, report.source.slice(problem.span)


@pytest.mark.parametrize(("cpp", "call"), AROUND.values(), ids=AROUND)
def test_device_functions_come_with_what_stands_around_them(cpp: str, call: str) -> None:
    assert compiled(f"{cpp}\n{CALLS.format(call=call)}")


def test_what_no_code_of_the_card_uses_stays_away() -> None:
    text = "struct Unused { int a; };\nconstexpr int kUnused = 3;\nint main() { return kUnused; }\n" + AROUND["half"][0]
    made = compiled(text + CALLS.format(call="one"))
    assert "nused" not in made
    assert "main" not in made


def test_half_is_the_languages_f16() -> None:
    """A pointer to f16 data is what a device function with `half*` takes (reference, 9.3)."""
    text = """__device__ float first(half* p, choreo::bf16* q, __nv_fp8_e4m3* e) {
  return __half2float(p[0]) + choreo::to_f32(q[0]) + float(e[0]);
}
// croq: run N=64
__co__ void k(global f16 [N] x, global bf16 [N] z, global f8_e4m3 [N] e, global f32 [N] y) {
  parallel t by 64 : thread { f32 q = call first(x, z, e); y.at(t) = q; x.at(t) = __to<f16>(q); }
}
"""
    assert "using f16 = __half;" in compiled(text)


def test_code_without_cudas_floats_includes_nothing() -> None:
    assert "#include <" not in compiled("__device__ int one(int v) { return 1; }" + CALLS.format(call="one"))


def test_missing_headers_are_named_with_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvrtc, "headers", lambda: None)
    report = check_text(AROUND["half"][0] + CALLS.format(call="one"))
    with pytest.raises(NoCompilerError, match=r"<cuda_bf16\.h>.*not found here: .*install.*CUDA_HOME"):
        cuda_of(report, None, {}, "ptx")


# --- the user's own mistakes -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cpp", "call", "message", "place"),
    [
        ("__device__ int one(int v) { return nowhere; }", "one", 'identifier "nowhere" is undefined', "nowhere"),
        ("struct Q { std::string s; };\n__device__ int one(Q v);\n__device__ int one(int v) { return 1; }", "one",
         'namespace "std" has no member "string"', "std::string"),
        ("template <int K> __device__ int one(int v) { return K; }", "one", "no instance of function template", "call"),
    ],
)  # fmt: skip
def test_an_error_in_the_users_c_plus_plus_is_told_there(cpp: str, call: str, message: str, place: str) -> None:
    said, where = refused(f"{cpp}\n{CALLS.format(call=call)}", "ptx")
    assert said.startswith("the C++ compiler does not take this")
    assert message in said
    assert place in where


# --- islands -----------------------------------------------------------------------------------

ISLAND = """// croq: run N=64
__co__ void k(global s32 [N] x, global s32 [N] y) {{
{before}  parallel {indices} {{ {body} }}
}}
"""
PLAIN = "b by 1 : block, t by 64 : thread"


def island(body: str, indices: str = PLAIN, before: str = "") -> str:
    return ISLAND.format(body=body, indices=indices, before=before)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (island('__cpp__("y[blockIdx.x * 32 + threadIdx.x] = 1;");', "b by 2 : block, t by 32 : thread"), "y["),
        (island('__cpp__("if (t < N) y[t] = 1;");'), "if (t < N) y[t] = 1;"),
        (island('n = t * 1; v = n + 1 - n; __cpp__("y[n] = v;");'), "y[n] = v;"),
        (island('mutable int v = 0; __cpp__(R"(v = __ldg(x + t); uint4 q = make_uint4(1, 1, 1, 1); v = q.x;)"); '
                "y.at(t) = v;"), "v = q.x;"),
        (island('foreach {j} in [2] { __cpp__("if (__iv_j == 1) y[t] = 1;"); }'), "if (j == 1) y[t] = 1;"),
        (island('foreach j in [2] { __cpp__("if (__iv_j__elem__0 == 1) y[t] = 1;"); }'), "if (j == 1) y[t] = 1;"),
        (island('foreach j in [2, 3] { __cpp__("y[t] = __iv_j__elem__1;"); }'), "y[t] = j_2;"),
        (island('__cpp__("y[__choreo_vtid_x] = 1;");'), "y[t] = 1;"),
        (island('__cpp__("y[__choreo_vtid_x * 32 + __choreo_vtid_y] = 1;");',
                "b by 1 : block, {p, q} by [2, 32] : thread"),
         "y[p * 32 + q] = 1;"),
        (island('__cpp__("if (t < BM) y[t] = 1;");', before="#define BM 64\n"), "#define BM 64"),
        (island('__cpp__("choreo::f32 v = 1.0f; y[t] = (int)v;");'), "namespace choreo = croq;"),
        (island('__cpp__("warpgroup_commit_batch(); warpgroup_wait<0>();");', "w by 1 : group-4, t by 128 : thread"),
         "warpgroup_wait<0>();"),
        (island('foreach i in [2] { y.at(i) = 1; } foreach i in [2] { __cpp__("y[i] = p.i; // i"); }',
                before="").replace("p.i", "i"), "y[i_2] = i_2; // i"),
        (island('__cpp__("int i = 3; if (i > 2) {"); y.at(t) = 1; __cpp__("}");'), "int i = 3; if (i > 2) {"),
        (island('__cpp__("float s = INFINITY; auto f = [&](int a) { return a + t; }; y[t] = s > 0 ? f(3) : 0;");'),
         "f(3)"),
    ],
)  # fmt: skip
def test_names_of_the_program_exist_in_islands(text: str, found: str) -> None:
    assert found in compiled(text)


@pytest.mark.parametrize(
    ("text", "name", "arch"),
    [
        (island('__cpp__("y[t] = nosuchname;");'), "nosuchname", "sm_90a"),
        (island('v = y.chunkat(b); __cpp__("v[t] = 1;");'), "v", "sm_90a"),
        (island('__cpp__("y[__choreo_vgid_x] = 1;");'), "__choreo_vgid_x", "sm_90a"),
        (island('__cpp__("warpgroup_wait<0>();");'), "warpgroup_wait", "sm_80"),
    ],
)
def test_a_name_that_nothing_declares_is_told_at_the_island(text: str, name: str, arch: str) -> None:
    message, place = refused(text, arch=arch)
    assert message.startswith(f"this island uses '{name}', which this back end does not provide")
    assert place.startswith("__cpp__")


def test_what_only_the_compiler_can_tell_is_told_at_the_island() -> None:
    message, place = refused(island('__cpp__("y[t] = nosuchname(3);");'), "ptx")
    assert message == "this island uses 'nosuchname', which this back end does not provide"
    assert place.startswith("__cpp__")
    message, place = refused(island('__cpp__("asm volatile(\\"foo.bar;\\");");'), "sass")
    assert message.startswith("the assembler does not take this kernel, which has assembly of its own here")
    assert place.startswith("__cpp__")
