"""Names of the source never meet those of C++, CUDA, our headers or the emitters' own variables."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from croqc.codegen.host import host_lines
from croqc.codegen.own import Own
from croqc.codegen.unit import unit_of
from croqc.codegen.words import _FUNCTIONS
from croqc.pipe.build.names import OURS, RESERVED, Names
from croqc.pipe.lower import lowered_kernels
from croqc.service.check import check_text
from croqc.service.lowering import lower_function, sizes_of
from croqc.service.machine_code import ptx_of
from croqc.text.diagnostics import Severity
from tests.pipe.lowering import EXAMPLES, example

HEADERS = sorted(
    (entry for entry in files("croqc.codegen").joinpath("include", "croq").iterdir() if entry.name.endswith(".cuh")),
    key=lambda entry: entry.name,
)
DECLARED = re.compile(
    r"^(?:using (\w+) =|struct (?:alignas\(\d+\) )?(\w+) \{|(?:__\w+__ )+(?:constexpr )?[\w&*]+ (\w+)\()", re.MULTILINE
)
# What the emitters call their own variables, then words of C++, CUDA and our headers.
EMITTERS = ["v", "i0", "i1", "step", "r", "j", "c", "first", "lane", "d", "tile", "value", "s", "part", "i"]
FOREIGN = [
    "smem",
    "operand",
    "swizzled",
    "threadIdx",
    "min",
    "max",
    "shared_address",
    "cdiv_",
    "template",
    "int2",
    "croq",
    "sin",
]


def test_the_reserved_words_are_those_of_our_headers() -> None:
    declared: set[str] = set()
    for entry in HEADERS:
        if entry.name in ("choreo.cuh", "warpgroup.cuh"):
            continue  # for code of the file, which may have such names of its own
        text = entry.read_text(encoding="utf-8")
        declared |= {name for match in DECLARED.finditer(text) for name in match.groups() if name}
    assert len(declared) > 35
    assert sorted(declared - OURS) == []
    assert sorted(OURS - declared - {"croq", "smem"}) == []


def test_functions_that_generated_code_calls_are_reserved() -> None:
    assert sorted(set(_FUNCTIONS.values()) - RESERVED) == []


@pytest.mark.parametrize(
    ("wish", "name"),
    [
        *(("k", "k"), ("for", "for_2"), ("at", "at_2"), ("_K", "v_K"), ("__x", "v__x"), ("größe", "gr__e")),
        *(("3x", "v3x"), ("full_phase", "full_phase_"), ("lf_landed", "lf_landed_"), ("x_map_1", "x_map_1_")),
        ("phase", "phase"),
    ],
)
def test_a_name_is_made_legal(wish: str, name: str) -> None:
    assert Names().fresh(wish) == name


@pytest.mark.parametrize(
    ("name", "kernel"),
    [
        *(("gamma", "gamma_2"), ("time", "time_2"), ("double2", "double2_2"), ("croq_host", "croq_host_2")),
        *(("cudaMalloc", "cudaMalloc_2"), ("CUstream", "CUstream_2"), ("acosf32", "acosf32_2"), ("putc", "putc_2")),
        *(("gemm", "gemm"), ("index", "index"), ("scale_f32", "scale_f32"), ("cumulate", "cumulate"), ("CU", "CU")),
    ],
)
def test_a_kernel_is_not_called_as_what_headers_of_the_host_declare(name: str, kernel: str) -> None:
    assert Names().kernel(name) == kernel


def test_what_is_no_kernel_gives_way_to_macros_alone() -> None:
    """`M_PI_2` is a macro, too."""
    wishes = ("EOF", "M_PI", "M_PIf", "INT_MAX", "INFINITY", "gamma", "time", "M", "EXPERTS", "M_TILE")
    assert [Names().fresh(wish) for wish in wishes] == [
        *("EOF_2", "M_PI_3", "M_PIf_2", "INT_MAX_2", "INFINITY_2"),
        *("gamma", "time", "M", "EXPERTS", "M_TILE"),
    ]


HEADER_NAMES = """
__co__ void gamma(global s32 [EOF, 8] stdin, global s32 [EOF, 8] dst, int M_PI) {
  parallel INT_MAX by 2 : block { parallel t by 32 : thread {
    foreach j in [EOF] { dst.at(j, 0) = stdin.at(j, 1) + M_PI; }
  } }
}
"""


def test_a_program_of_such_names_compiles_and_its_host_part_avoids_them() -> None:
    (function,) = (report := check_text(HEADER_NAMES)).functions
    assert [item.message for item in report.diagnostics if item.severity is Severity.ERROR] == []
    found = lower_function(report, function, {"EOF": 64, "M_PI": 3})
    assert "gamma_2" in ptx_of(found.program.unit.text, "sm_90a").text
    text = "".join(line.text + "\n" for line in host_lines([found.program]))
    assert "gamma_on_gpu(" in text
    assert re.findall(r"\b(EOF|stdin|M_PI|INT_MAX)\b", text) == []


def test_a_taken_name_gets_a_number() -> None:
    names = Names()
    names.reserve("scale")
    assert [names.fresh("k"), names.fresh("k"), names.fresh("k_2"), names.fresh("scale")] == [
        "k",
        "k_2",
        "k_2_2",
        "scale_2",
    ]


def ptx(text: str) -> str:
    """The PTX of the first function, without names and places."""
    report = check_text(text)
    errors = [item.message for item in report.diagnostics if item.severity is Severity.ERROR]
    assert errors == []
    function = report.functions[0]
    assert function.analysis is not None
    kernels = lowered_kernels(function.analysis.model, report.target, sizes_of(report, function))
    found = ptx_of(unit_of(kernels, "test").text, "sm_90a").text
    name = kernels[0].name
    found = re.sub(rf"(?<=\.entry ){name}\b|(?<![\w%]){name}(?=_param)", "kernel", found)
    lines = [line.split("//")[0].rstrip() for line in found.splitlines()]
    return "\n".join(line for line in lines if line and not line.lstrip().startswith((".loc", ".file", ".section")))


CASES = [
    ("pipeline_course", "mc"),
    ("pipeline_course", "full"),
    ("pipeline_course", "lhs"),
    ("pipeline_course", "matmul"),
    ("pipeline_course", "K"),
    ("pipeline_current", "acc"),
    ("gemm_f16", "acc"),
    ("swap_f16", "lf0"),
    ("rotate_triple", "c"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "old"), CASES)
def test_renaming_changes_no_instruction(name: str, old: str) -> None:
    text = (EXAMPLES / f"{name}.co").read_text(encoding="utf-8")
    assert re.search(rf"\b{old}\b", text), "the example has no such name"
    before = ptx(text)
    tried = 0
    for new in [*EMITTERS, *FOREIGN]:
        if re.search(rf"\b{new}\b", text):
            continue
        renamed = re.sub(rf"\b{old}\b", new, text)
        assert ptx(renamed) == before, new
        tried += 1
    assert tried >= len(EMITTERS + FOREIGN) - 5


def test_the_emitters_make_way() -> None:
    report = example("pipeline_course")
    (function,) = report.functions
    assert function.analysis is not None
    (kernel,) = lowered_kernels(function.analysis.model, report.target, sizes_of(report, function))
    own = Own(kernel)
    assert own("mc") == "mc_"
    assert own("unheard_of") == "unheard_of"
