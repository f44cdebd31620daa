"""What is rare in kernels lowers rightly or is refused at its place: never an exception, never an error of NVRTC."""

from __future__ import annotations

import pytest

from croqc.builtins.functions import MATHS
from croqc.codegen.words import OWN_MATHS
from croqc.pipe.errors import LoweringError
from croqc.service.check import FileReport, check_text
from croqc.service.lowering import lower_function
from croqc.service.settings import Settings
from croqc.text.diagnostics import Severity
from tests.codegen.compiling import complaints, log_of, lowered
from tests.truth.fuzz import program_of

THREADS = """__co__ void f(global {elem} [N] x, global {elem} [N] y) {{
  parallel p by 32 : thread {{
    {body}
  }}
}}
"""
STORED = [
    "s8",
    "u8",
    "s16",
    "u16",
    "s32",
    "u32",
    "s64",
    "u64",
    "f16",
    "bf16",
    "f32",
    "f64",
    "tf32",
    "f8_e4m3",
    "f8_e5m2",
]
NARROW = ("f8_ue8m0", "f8_ue4m3", "f6_e2m3", "f6_e3m2", "f4_e2m1", "s4", "u1", "s6")


def unit(text: str) -> str:
    """The unit of a text, which NVRTC takes and ptxas has nothing against."""
    report = check_text(text)
    assert [item.message for item in report.diagnostics if item.severity is Severity.ERROR] == []
    item = lowered(report, report.functions[0])
    assert item.program is not None, item.problem
    assert complaints(log_of(item.program.unit.text, "sm_90a")) == []
    return item.program.unit.text


def refusal(text: str) -> tuple[str, str]:
    """The message, and the text that it stands at."""
    report = check_text(text)
    item = lowered(report, report.functions[0])
    assert item.problem is not None
    return item.problem.message, report.source.slice(item.problem.span)


def in_threads(body: str, elem: str = "s32") -> str:
    return THREADS.format(elem=elem, body=body)


# --- device functions --------------------------------------------------------------------------

DEVICE = """#define TWO 2
#define TWICE(v) ((v) * TWO)
#define UNUSED 7
__cok__ {
  template <int N> __device__ float scaled(float v) { return TWICE(v) * N; }
}
__co_device__ int total(const int* data, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += data[i];
  return sum;
}
"""


@pytest.mark.slow
def test_device_functions_blocks_and_their_macros() -> None:
    body = "s32 t = call total(x, 4);\n    f32 v = call scaled<3>(1.0f);\n    y.at(p) = t + __to<s32>(v);"
    text = unit(DEVICE + in_threads(body))
    assert "#define TWICE(v) ((v) * TWO)\n" in text
    assert "#define TWO 2\n" in text
    assert "UNUSED" not in text
    assert "__device__ int total(" in text
    assert "total(&(x[0]), 4)" in text
    assert "scaled<3>(1.0f)" in text


def test_a_function_that_the_file_does_not_define() -> None:
    declared = "__device__ int total(const int* data, int n);\n"
    for device in ("", declared):
        message, place = refusal(device + in_threads("s32 t = call total(x, 4);\n    y.at(p) = t;"))
        assert message.startswith("this file does not define a device function 'total': write it here")
        assert place == "total"


def test_a_function_called_as_one_of_ours() -> None:
    message, place = refusal("__device__ int cdiv(int a, int b) { return a / b; }\n" + in_threads("y.at(p) = 1;"))
    assert (message, place) == ("generated code has a 'cdiv' of its own: rename this function", "cdiv")


def test_an_include_is_refused() -> None:
    message, place = refusal('__cok__ {\n#include "mine.cuh"\n}\n' + in_threads("y.at(p) = 1;"))
    assert (message, place) == (
        "a translation unit for the card includes no files: write what it needs into the block",
        '#include "mine.cuh"',
    )


@pytest.mark.slow
def test_shared_data_of_a_call_is_handed_on_between_barriers() -> None:
    text = unit(
        DEVICE + "__co__ void f(global s32 [64] x) {\n  parallel b by 2 : block {\n    shared s32 [64] t;\n"
        "    parallel p by 64 : thread { t.at(p) = p; }\n    s32 n = call total(t, 4);\n    x.at(b) = n;\n  }\n}\n"
    )
    body = [line.strip() for line in text.partition("using namespace croq;")[2].splitlines()]
    at = body.index("int n = total(&(t[0]), 4);")
    assert (body[at - 1], body[at + 1]) == ("__syncthreads();", "__syncthreads();")


def test_swizzled_data_is_not_handed_on() -> None:
    text = DEVICE + (
        "__co__ void f(global s32 [64, 32] x) {\n  parallel b by 2 : block {\n    shared s32 [64, 32] t;\n"
        "    tma.copy.swiz<128> x => t;\n    s32 n = call total(t, 4);\n    x.at(b, 0) = n;\n  }\n}\n"
    )
    message, place = refusal(text)
    assert message.startswith("'t' is swizzled, and a device function would see its rows permuted")
    assert "call total(t, 4)" in place


# --- print, atomics, islands -------------------------------------------------------------------


@pytest.mark.slow
def test_print_is_printf() -> None:
    text = unit(in_threads('println("100% \\"é\\"", p, x.at(p), true, 1.5f);'))
    assert 'printf("100%% \\"\\303\\251\\"{%d}%d%s%f\\n", p, x[p], (true) ? "true" : "false", ' in text


@pytest.mark.slow
def test_what_a_level_does_once_its_first_thread_does() -> None:
    text = unit(
        "__co__ void f(global s32 [8] x) {\n  parallel b by 8 : block {\n    x.at(b) += 1;\n"
        "    parallel w by 2 : group-4 {\n      x.at(w) += 1;\n    }\n"
        "    parallel t by 256 : thread {\n      x.at(0) = 3;\n    }\n  }\n}\n"
    )
    body = [line.strip() for line in text.partition("using namespace croq;")[2].splitlines()]
    first = body.index("if (threadIdx.x == 0) {")
    assert body[first + 1 : first + 4] == ["x[b] = x[b] + 1;", "}", "__syncthreads();"]
    second = body.index("if (threadIdx.x % 128 == 0) {")
    assert body[second + 1 : second + 4] == ["x[w] = x[w] + 1;", "}", "bar_sync(1 + threadIdx.x / 128, 128);"]
    assert body[body.index("x[0] = 3;") - 1] != "if (threadIdx.x == 0) {"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("elem", "call", "text"),
    [
        ("s32", "__atomic_add(x.at(p), 2)", "atomicAdd(&x[p], 2);"),
        ("s32", "__atomic_cas(x.at(0), 3, 4)", "atomicCAS(&x[0], 3, 4);"),
        ("f32", "__atomic_exch(x.at(0), 1.0f)", "atomicExch(&x[0], 1.0f);"),
        ("u64", "__atomic_max(x.at(0), 5)", "atomicMax(reinterpret_cast<unsigned long long*>(&x[0]), 5ull);"),
        ("s64", "__atomic_min(x.at(0), 5)", "atomicMin(reinterpret_cast<long long*>(&x[0]), 5ll);"),
        ("f16", "__atomic_add(x.at(0), 1.0f)", "atomic_add_f16(&x[0], f16(1.0f));"),
        ("u16", "s32 n = __atomic_cas(x.at(0), 1, 2)", "const u16 old = atomicCAS(&x[0], 1, 2);"),
        ("s32", "x.at(p) = __atomic_sub(y.at(0), 2)", "const int old = atomicSub(&y[0], 2);"),
    ],
)
def test_atomics(elem: str, call: str, text: str) -> None:
    assert text in unit(in_threads(f"{call};", elem))


def test_an_old_value_belongs_to_the_thread_that_asks() -> None:
    text = "__co__ void f(global s32 [64] x) {\n  parallel b by 2 : block {\n    s32 old = __atomic_add(x.at(0), 1);\n"
    text += "    parallel p by 64 : thread { x.at(p) = old; }\n  }\n}\n"
    message, place = refusal(text)
    assert "use it inside a level of threads" in message
    assert place == "__atomic_add(x.at(0), 1)"


@pytest.mark.slow
def test_an_island_passes_through_and_fences_stay() -> None:
    text = unit(in_threads('__cpp__("asm volatile(\\"membar.gl;\\");");\n    sync.fence : block;\n    y.at(p) = 1;'))
    assert '  asm volatile("membar.gl;");\n' in text
    assert "__threadfence();" in text


# --- types and functions -----------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("elem", STORED)
def test_every_stored_type_moves(elem: str) -> None:
    unit(in_threads("y.at(p) = x.at(p);", elem))
    unit(
        f"__co__ void f(global {elem} [64, 64] x, global {elem} [64, 64] y) {{\n  parallel b by 1 : block {{\n"
        "    a = dma.copy x => shared;\n    dma.copy a.data => y;\n  }\n}\n"
    )


@pytest.mark.parametrize("elem", NARROW)
def test_narrow_types_are_refused_where_they_are_declared(elem: str) -> None:
    message, place = refusal(in_threads("y.at(p) = x.at(p);", elem))
    assert (message, place) == (
        f"the type {elem} is not lowered to CUDA yet: use a wider one, such as f8_e4m3 or s8",
        "x",
    )


@pytest.mark.slow
@pytest.mark.parametrize("elem", ["f16", "bf16", "f32", "f64", "f8_e4m3", "f8_e5m2", "s32", "u8", "s64"])
def test_arithmetic_of_every_kind(elem: str) -> None:
    unit(
        in_threads(
            "y.at(p) = x.at(p) + x.at(p) * x.at(p) - x.at(p);\n    if (x.at(p) < y.at(p))\n"
            f"      y.at(p) = __max(x.at(p), y.at(p));\n    y.at(p) = __to<{elem}>(3);",
            elem,
        )
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["exp", "log", "sqrt", "rsqrt", "sin", "tanh", "ceil", "floor", "fabs"])
@pytest.mark.parametrize("elem", ["f16", "f32", "f64", "s32"])
def test_mathematics(name: str, elem: str) -> None:
    unit(in_threads(f"y.at(p) = __{name}(x.at(p));", elem))


def test_rounding_of_an_integer_is_itself() -> None:
    text = unit(in_threads("y.at(p) = __ceil(x.at(p));"))
    assert "y[p] = x[p];" in text


@pytest.mark.slow
@pytest.mark.parametrize("elem", ["f16", "f32", "f64"])
def test_every_mathematical_function_has_its_code(elem: str) -> None:
    calls = [row.name for row in MATHS if row.name.startswith("__") and row.signature.count(",") == 0]
    floats = [name for name in calls if name not in ("__to",)]
    assert "__gelu" in floats and len(floats) > 25
    unit(in_threads("".join(f"y.at(p) = {name}(x.at(p));\n    " for name in floats), elem))
    unit(in_threads("y.at(p) = __pow(x.at(p), y.at(p)) + __atan2(x.at(p), y.at(p));", elem))


def test_a_function_without_code_is_refused_at_its_statement(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(OWN_MATHS, "__gelu")
    message, place = refusal(in_threads("y.at(p) = x.at(p);\n    x.at(p) = __gelu(x.at(p));", "f32"))
    assert message == "__gelu is not lowered to CUDA yet: 'call' a device function that computes it"
    assert place == "x.at(p) = __gelu(x.at(p));"


@pytest.mark.slow
def test_a_number_of_threads_that_hangs_on_a_size() -> None:
    text = unit("__co__ void f(global f32 [N] x) {\n  parallel p by N : thread {\n    x.at(p) = 1.0f;\n  }\n}\n")
    assert "// Made for N == 2; the host checks it.\n" in text  # one element would tell little of a run


# --- drawn programs ----------------------------------------------------------------------------


def drawn(seed: int) -> tuple[FileReport, dict[str, int]]:
    program = program_of(seed)
    report = check_text(program.text, Settings(defines=dict(program.defines)))
    return report, dict(program.sizes[0])


def test_drawn_programs_lower_or_are_refused() -> None:
    done = 0
    for seed in range(300):
        report, sizes = drawn(seed)
        for function in report.functions:
            if function.analysis is not None:
                item = lower_function(report, function, sizes)
                done += item.program is not None
                if item.problem is not None:
                    assert item.problem.message
                    assert function.parsed.tree.span.start <= item.problem.span.start
    assert done > 250


@pytest.mark.slow
def test_a_sample_of_drawn_programs_compiles() -> None:
    compiling = 0
    for seed in range(0, 300, 30):
        report, sizes = drawn(seed)
        errors = [item for item in report.diagnostics if item.severity is Severity.ERROR]
        item = lower_function(report, report.functions[0], sizes)
        if item.program is not None and not errors:
            assert complaints(log_of(item.program.unit.text, "sm_90a")) == [], seed
            compiling += 1
    assert compiling > 5


def test_a_lowering_error_has_words_and_a_place() -> None:
    error = LoweringError("why", drawn(0)[0].functions[0].parsed.tree.span)  # type: ignore[union-attr]
    assert (error.message, str(error)) == ("why", "why")
