"""Names of one translation unit: kernels, host functions, device code of the file and C's own never meet."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from croqc.pipe.build.file_names import FunctionNames, file_names
from croqc.pipe.build.names import Names
from croqc.service import lowering
from croqc.service.check import check_text
from croqc.service.cuda import cuda_of
from croqc.text.diagnostics import Severity
from tests.codegen.compiling import log_of

ONE = """
// croq: run N=64
__co__ void {name}(global s32 [N] x, global s32 [N] y) {{
  parallel t by 32 : thread {{ y.at(t) = x.at(t) + 1; }}
}}
"""
TWO = """
// croq: run N=64
__co__ void {name}(global s32 [N] x, global s32 [N] y) {{
  parallel t by 32 : thread {{ y.at(t) = x.at(t) + 1; }}
  parallel t by 32 : thread {{ y.at(t) = y.at(t) + 1; }}
}}
"""
DEVICE = """
#define STEP 3
__co_device__ int helper(int n) { return n + STEP; }  // not gemm
__cok__ {
struct Pair { int a, b; };
static __device__ int table[4];
}
"""
HOST = """
// croq: run N=64
__co__ void h(global s32 [N] h_copy, global s32 [N] h) {
  global s32 [N] g{5};
  dma.copy h_copy => h;
  parallel t by 32 : thread { STEPS = 4; s32 n = call helper(STEPS); h.at(t) = h.at(t) + n; }
}
// croq: run N=64
__co__ void launch_overlapping(global s32 [N] launch_overlapping, global s32 [N] tensor_map) {
  parallel t by 32 : thread { tensor_map.at(t) = launch_overlapping.at(t); }
}
"""
SINGLE = ("gamma", "gamma_2", "f_2", "f_on_gpu", "Pair", "helper", "table", "check", "require", "gemm", "STEP_2")
FILE = DEVICE + "".join(map(ONE.format_map, ({"name": name} for name in SINGLE)))
FILE += TWO.format(name="f") + TWO.format(name="h_fill") + HOST


def full(text: str) -> str:
    report = check_text(text)
    assert [item.message for item in report.diagnostics if item.severity is Severity.ERROR] == []
    found = cuda_of(report, None, {}, "full")
    assert found.problems == ()
    return found.result.text


def test_functions_keep_their_names_and_what_is_made_of_others_makes_way() -> None:
    text = full(FILE)
    kernels = re.findall(r"__global__ void __launch_bounds__\(\d+\)\n(\w+)\(", text)
    hosts = re.findall(r"^\w+\*? (\w+)\($", text.partition("namespace croq_host")[2], re.MULTILINE)
    assert kernels == [
        *("gamma_3", "gamma_2", "f_2", "f_on_gpu_2", "Pair_2", "helper_2", "table_2", "check_2", "require_2", "gemm"),
        *("STEP_2", "f_1", "f_2_2", "h_fill_1", "h_fill_2", "h", "h_fill_3", "h_copy_2", "launch_overlapping_2"),
    ]
    assert hosts == [f"{name}_on_gpu" for name in (*SINGLE, "f", "h_fill", "h", "launch_overlapping")]
    assert [name for name, count in Counter((*kernels, *hosts)).items() if count > 1] == []


def test_the_compilers_take_the_file(tmp_path: Path) -> None:
    text = full(FILE)
    assert "ptxas info" in log_of(text, "sm_90a")
    if nvcc := shutil.which("nvcc"):  # NVRTC does not read the host side
        (tmp_path / "file.cu").write_text(text, encoding="utf-8")
        command = [nvcc, "-w", "-arch=sm_90a", "-std=c++17", "-c", "file.cu", "-o", "file.o"]
        made = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert made.stderr == ""
        assert (tmp_path / "file.o").exists()


def test_a_function_has_the_same_kernel_alone_and_in_its_file() -> None:
    """The card runs functions one by one, and says their kernels' names."""
    report = check_text(FILE)
    names = [each.name for each in cuda_of(report, "f", {"N": 64}).result.kernels]
    assert names == ["f_1", "f_2_2"]


@pytest.mark.parametrize(
    ("island", "defined"), [("", False), ('__co__ void g(int n) { __cpp__("int m = STEP;"); }\n', True)]
)
def test_macros_of_the_device_code_end_behind_it_unless_an_island_may_use_them(island: str, defined: bool) -> None:
    found = cuda_of(check_text(DEVICE + ONE.format(name="first") + island), "first", {"N": 64}).result.text
    assert "#define STEP 3" in found
    assert ("#undef STEP" not in found) == defined


def test_two_functions_of_one_name_have_two_kernels() -> None:
    one, two = file_names([("f", 1), ("f", 1)])
    assert (one.kernels, two.kernels) == (("f",), ("f_2",))
    assert one.host != two.host


def test_a_kernel_of_the_host_part_is_none_of_the_names_beside_it() -> None:
    (names, _) = file_names([("f", 1), ("f_copy", 1)])
    inside = Names()
    inside.reserve("f_copy_2")  # a parameter
    assert names.another("copy", inside) == "f_copy_3"
    assert not inside.is_free("f_copy_3")


def test_a_file_has_one_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many functions it has, and no table of all reserved names a function."""
    tables: list[int] = []
    made: list[Names] = []
    start = Names.__init__

    def counted(functions: Sequence[tuple[str, int]], words: Iterable[str] = ()) -> tuple[FunctionNames, ...]:
        tables.append(len(functions))
        return file_names(functions, words)

    def begun(names: Names) -> None:
        made.append(names)
        start(names)

    monkeypatch.setattr(lowering, "file_names", counted)
    monkeypatch.setattr(Names, "__init__", begun)
    report = check_text("".join(ONE.format(name=f"made{number}") for number in range(30)))
    names = [lowering.names_for(report, function) for function in report.functions]
    assert [each.kernels for each in names] == [(f"made{number}",) for number in range(30)]
    assert (tables, len(made)) == ([30], 1)


def test_a_claimed_name_is_free_and_legal() -> None:
    """Not one that is taken, reserved, owned by a header, or like those that passes make."""
    names = Names()
    words = ("gemm", "gemm", "while", "gamma", "full_phase", "_Pair", "__f", "wgmma_m64", "acoshf", "good_2")
    assert [word for word in words if names.claim(word)] == ["gemm", "good_2"]
    assert names.fresh("gemm") == "gemm_2"


@pytest.mark.parametrize(
    "body",
    [
        "c == '\"' ? f_1(c) : '\"'",
        "c == '\\'' ? f_1(c) : '\"'",
        "0; switch (c) { case'\"': return f_1(c); case 'a': return '\"'; } return 0",
        "1'000 + f_1('a')",
        "0x1'0p3 + f_1(u8'\"') + '\"'",
        "f_1(c)",
    ],
)
def test_a_character_hides_no_name_of_the_device_code(body: str) -> None:
    """Nor does what parts the digits of a number: `f_1` is not made of the first kernel."""
    device = f"__cok__ {{\n__device__ int g(int c) {{ return {body}; }}\n}}\n"
    report = check_text(device + TWO.format(name="f"))
    (function,) = report.functions
    assert lowering.names_for(report, function).kernels == ("f_1_2", "f_2")


def test_words_of_comments_and_strings_are_free() -> None:
    device = '__cok__ {\n// f_1\n__device__ char g(int c) { return "f_1"[c]; }  /* f_2 */\n}\n'
    report = check_text(device + TWO.format(name="f"))
    assert lowering.names_for(report, report.functions[0]).kernels == ("f_1", "f_2")
