"""The host side as C++: control flow, streams, results, what is checked where. Kernels of `tests/gpu` compile."""

from __future__ import annotations

from pathlib import Path

import pytest

from croqc.service.check import check_file, check_text
from croqc.service.cuda import cuda_of
from croqc.service.lowering import lower_file
from croqc.service.settings import Settings
from tests.codegen.compiling import complaints, log_of
from tests.pipe.golden import compare

FULL = Path(__file__).with_name("full") / "two_launches.cu"
FOLDER = Path(__file__).parents[1] / "gpu"
KERNELS = sorted((*FOLDER.glob("kernels/*.co"), *FOLDER.glob("coverage/*.co")))
BODY = "parallel b by N : block { x.at(b) = 1; }"


def function(text: str) -> list[str]:
    """The lines of the host function's body."""
    found = cuda_of(check_text(text), None, {}, "full")
    assert found.problems == ()
    lines = found.result.text.partition("_on_gpu(")[2].splitlines()
    start = lines.index("  using namespace croq_host;")
    return [line.strip() for line in lines[start + 1 : lines.index("}", start)]]


def signature(text: str) -> str:
    found = cuda_of(check_text(text), None, {}, "full").result.text.splitlines()
    at = next(number for number, line in enumerate(found) if "_on_gpu(" in line)
    return found[at]


def test_what_a_condition_guards_is_checked_at_its_launch() -> None:
    text = f"""__co__ void f(global s32 [N] x, int n) {{
  foreach k in 3 {{ if (k != n) {{ parallel b by N - k : block {{ x.at(b) = k; }} }} }}
  {BODY}
}}"""
    assert function(text) == [
        'require(N > 0, "N must be at least 1");',
        "for (int k = 0; k < 3; ++k) {",
        "if (k != n) {",
        'require(s64(N) - k > 0, "a launch needs blocks: N - k is 0 or less");',
        'require(s64(N) - k <= 2147483647, "a grid has up to 2147483647 blocks: N - k");',
        "launch_overlapping(f_1, dim3(s64(N) - k, 1, 1), 1, 0, stream, x, N, n, k);",
        "}",
        "}",
        "launch_overlapping(f_2, dim3(N, 1, 1), 1, 0, stream, x, N, n);",
    ]


def test_launches_on_streams_are_waited_for_unless_they_are_asynchronous() -> None:
    text = f"""__co__ void f(global s32 [N] x, stream s) {{
  parallel.async<s> b by N : block {{ x.at(b) = 2; }}
  parallel<s> b by N : block {{ x.at(b) = 3; }}
  {BODY}
}}"""
    calls = [line for line in function(text) if "launch" in line or "Synchronize" in line]
    assert calls == [
        "launch_overlapping(f_1, dim3(N, 1, 1), 1, 0, s, x, N);",
        "launch_overlapping(f_2, dim3(N, 1, 1), 1, 0, s, x, N);",
        "check(cudaStreamSynchronize(s));",
        "launch_overlapping(f_3, dim3(N, 1, 1), 1, 0, nullptr, x, N);",
        "check(cudaDeviceSynchronize());",
    ]


def test_the_result_is_a_scalar_or_one_of_several_arrays() -> None:
    scalar = f"__co__ int f(global s32 [N] x) {{ {BODY} return N / 2; }}"
    assert (signature(scalar), function(scalar)[-1]) == ("int f_on_gpu(", "return N / 2;")
    either = (
        f"__co__ s32 [N] f(global s32 [N] x, global s32 [N] y, int n) {{ {BODY} if (n > 1) {{ return y; }} return x; }}"
    )
    assert signature(either) == "int* f_on_gpu("
    assert function(either)[-4:] == ["if (n > 1) {", "return y;", "}", "return x;"]
    one = f"__co__ s32 [N] f(global s32 [N] x) {{ {BODY} return x; }}"
    assert signature(one) == "void f_on_gpu("


def test_names_of_the_host_part_never_meet_its_helpers() -> None:
    text = (
        f"__co__ void f(global s32 [N] x, int check) {{ int require = check + N; {BODY.replace('= 1', '= require')} }}"
    )
    assert "const int require_2 = check_2 + N;" in function(text)


def test_prints_say_true_and_false() -> None:
    body = BODY.replace("x.at", "print(on); x.at")
    text = f'__co__ void f(global s32 [N] x, bool on) {{ println(on, 5, "%b"); {body} }}'
    lines = function(text)
    assert 'printf("%s%d%%b\\n", (on) ? "true" : "false", 5);' in lines


@pytest.mark.slow
@pytest.mark.parametrize("file", KERNELS, ids=lambda file: file.stem)
def test_kernels_for_the_card_compile_without_complaint(file: Path) -> None:
    report = check_file(file)
    for item in lower_file(report, None, {}):
        assert item.program is not None, item.problem
        assert complaints(log_of(item.program.unit.text, "sm_90a")) == []


def test_the_host_part_of_two_launches(request: pytest.FixtureRequest) -> None:
    """Both kernels wait themselves for what stands in front of them, and are launched so."""
    text = f"""__co__ void f(global s32 [N] x, global s32 [N] y) {{
  {BODY}
  parallel b by N : block {{ y.at(b) = x.at(N - 1 - b); }}
}}"""
    found = cuda_of(check_text(text), None, {}, "full").result.text
    compare(FULL, found.partition("#if !defined(__CUDACC_RTC__)\n")[2], request)


def test_targets_without_programmatic_launches_have_plain_ones() -> None:
    text = f"__co__ void f(global s32 [N] x) {{ {BODY} }}"
    found = cuda_of(check_text(text, Settings(arch="sm_80")), None, {}, "full").result.text
    assert "  f<<<dim3(N, 1, 1), 1, 0, stream>>>(x, N);\n  check(cudaGetLastError());\n" in found
    assert "launch_overlapping" not in found
    assert "griddepcontrol" not in found


def test_a_kernel_and_an_array_may_be_called_as_the_function_that_launches() -> None:
    text = f"__co__ void launch_overlapping(global s32 [N] x) {{ {BODY} }}"
    assert function(text)[-1] == "launch_overlapping(launch_overlapping_2, dim3(N, 1, 1), 1, 0, stream, x, N);"
    text = f"__co__ void f(global s32 [N] launch_overlapping) {{ {BODY.replace('x.', 'launch_overlapping.')} }}"
    assert function(text)[-1] == "launch_overlapping(f, dim3(N, 1, 1), 1, 0, stream, launch_overlapping_2, N);"


def test_nvcc_knows_printf_before_a_kernel_prints() -> None:
    text = "__co__ void f(global s32 [N] x) { parallel b by N : block { println(x.at(b)); } }"
    lines = cuda_of(check_text(text), None, {}, "full").result.text.splitlines()
    assert lines[:3] == ["#if !defined(__CUDACC_RTC__)", "#include <cstdio>", "#endif"]
    assert any("printf(" in line for line in lines[3:])
    assert lines.index("#include <cuda.h>") > 3
    silent = cuda_of(check_text(f"__co__ void f(global s32 [N] x) {{ {BODY} }}"), None, {}, "full").result.text
    assert silent.startswith("// ")


ENTERED = """// croq: run M=16 N=8 k=1 z=2
__co__ void f(global s32 [M] x, global s32 [M] y, global s32 [M, N] u, global s32 [N, M] v, int k, int z) {
  with q in [z] { parallel b by 2 : block { y.at(b) = 1; } }
  parallel b by 1 : block {
    shared s32 [16] p, q;
    shared s32 [8, 16] r;
    dma.copy x => select(k, p, q);
    dma.copy q => y;
    dma.transp<1, 0> u => r;
    dma.copy r => v;
  }
}
"""


def test_what_statements_take_for_granted_is_checked_at_the_entry() -> None:
    """Reference, 3.9, items 4, 5 and 9."""
    checks = [line for line in function(ENTERED) if line.startswith("require(")]
    assert [line for line in checks if "must be" not in line] == [
        'require(z != 0, "the extent z is 0");',
        'require(M <= 16, "M elements are copied to 16");',
        'require(k >= 0 && k < 2, "select has 2 values, the index is k");',
        'require(16 <= M, "16 elements are copied to M");',
        'require(N == 8, "dimension 0 of the transposed source has N elements, it goes to 8");',
        'require(M == 16, "dimension 1 of the transposed source has M elements, it goes to 16");',
        'require(128 <= s64(M) * N, "128 elements are copied to M*N");',
    ]


@pytest.mark.parametrize(
    "text",
    [
        "if (k < 2) { dma.copy x => select(k, p, q); }",  # a condition guards it
        "dma.copy x.subspan(8).at(b) => p.subspan(8).at(0);",  # both are 8
        "foreach {i} in [2] { dma.copy x.subspan(i + 1).at(0) => p.subspan(i + 1).at(0); }",  # hangs on a loop
    ],
)
def test_what_is_decided_or_guarded_is_not(text: str) -> None:
    head = "__co__ void f(global s32 [M] x, int k) { parallel b by 2 : block { shared s32 [16] p, q;"
    lines = function(f"// croq: run M=16 k=1\n{head} {text} }} }}")
    assert [line for line in lines if "copied" in line or "select" in line] == []


def test_sizes_that_break_a_check_are_refused() -> None:
    found = cuda_of(check_text(ENTERED), None, {"M": 12}, "cuda")
    assert [problem.message for problem in found.problems] == ["16 elements are copied to M"]
