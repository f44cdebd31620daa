"""`croq cuda` and the stages of `croq dump` behind the analysis: text, places, refusals, exit status."""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from croqc.engines import nvrtc
from croqc.engines.installed import install
from croqc.engines.nvrtc import CompileError
from croqc.pipe.errors import InvalidIrError
from croqc.pipe.pipeline import PASSES, stages
from croqc.service import dump, lowering, machine_code
from tests.cli.conftest import Croq
from tests.cli.seeds import PIPELINE
from tests.cli.test_protocol import validate
from tests.rules.breaking import keep_going

TILED = """// croq: run M=128 N=256
__co__ void add(global f32 [M, N] a, global f32 [M, N] sum) {
  parallel {bm, bn} by [M / 8, N / 32] : block {
    shared f32 [8, 32] t;
    parallel {i, j} by [8, 32] : thread
      t.at(i, j) = a.chunkat(bm, bn).at(i, j) + 1.0f;
    dma.copy t => sum.subspan(8, 32).at(bm, bn);
  }
}
"""
REFUSED = """// 😀
__co__ void scales(global f8_ue8m0 [N] /*😀*/ x) {
  parallel b by N : block
    x.at(b) = x.at(0);
}
"""


def test_one_unit_that_needs_no_header(croq: Croq) -> None:
    Path("k.co").write_text(PIPELINE, encoding="utf-8")
    outcome = croq("cuda", "k.co")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.startswith("// k.co for sm_90a, made by croq\n")
    assert 'extern "C" __global__ void' in outcome.out
    assert not any(line.startswith(("#include", "#line")) for line in outcome.out.splitlines())
    assert croq("cuda", "k.co").out == outcome.out


def test_margins_name_the_lines_of_the_source(croq: Croq) -> None:
    Path("k.co").write_text(TILED)
    plain, marked = croq("cuda", "k.co").out, croq("cuda", "k.co", "--lines").out
    assert "k.co:" not in plain
    assert [line.partition("  // k.co:")[0] for line in marked.splitlines()] == plain.splitlines()
    (sum_line,) = (line for line in marked.splitlines() if "+ 1.0f" in line)
    assert sum_line.endswith("  // k.co:6")


def test_the_json_maps_lines_to_ranges(croq: Croq) -> None:
    Path("k.co").write_text(TILED)
    outcome = croq("cuda", "k.co", "--json")
    assert outcome.status == 0
    result = json.loads(outcome.out)
    validate("cuda", result)
    lines = result["text"].splitlines()
    assert result["text"] == croq("cuda", "k.co").out
    (at,) = (number for number, line in enumerate(lines) if "+ 1.0f" in line)
    (entry,) = (item for item in result["lines"] if item["line"] == at)
    source = TILED.splitlines()[5]
    assert entry["range"] == {"start": {"line": 5, "character": 6}, "end": {"line": 5, "character": len(source)}}
    (kernel,) = result["kernels"]
    assert (kernel["name"], kernel["function"], kernel["grid"], kernel["threads"]) == ("add", "add", [16, 8, 1], 256)
    worse = copy.deepcopy(result)
    worse["form"] = "asm"
    with pytest.raises(jsonschema.ValidationError):
        validate("cuda", worse)


def test_sizes_make_facts(croq: Croq) -> None:
    Path("k.co").write_text(PIPELINE, encoding="utf-8")
    assert "K % 128 == 0" in croq("cuda", "k.co", "-D", "K=4096").out
    odd = croq("cuda", "k.co", "-D", "K=100", "-D", "M=100", "-D", "N=100")
    assert "K % 128 == 0" not in odd.out
    wrong = croq("cuda", "k.co", "-D", "KK=4096")
    assert (wrong.status, wrong.out) == (2, "")
    assert "'-D KK' is neither a macro nor a size" in wrong.err


def test_the_full_text_has_its_host_side(croq: Croq) -> None:
    Path("k.co").write_text(PIPELINE, encoding="utf-8")
    text = croq("cuda", "k.co", "--full").out
    for part in (
        "cuTensorMapEncodeTiled",
        'require(K > 0, "K must be at least 1");',
        "cudaStream_t",
        "launch_overlapping(",
    ):
        assert part in text
    assert text.startswith(croq("cuda", "k.co").out)
    assert croq("cuda", "k.co", "--full", "-o", "k.cu").out == ""
    assert Path("k.cu").read_text() == text


def test_what_is_not_lowered_is_a_diagnostic_at_its_place(croq: Croq) -> None:
    Path("k.co").write_text(REFUSED, encoding="utf-8")
    assert croq("check", "k.co").status == 0
    outcome = croq("cuda", "k.co")
    assert (outcome.status, outcome.out) == (1, "")
    assert outcome.err.startswith(
        "k.co:2:46: error: the type f8_ue8m0 is not lowered to CUDA yet: use a wider one, such as f8_e4m3 or s8 "
        "[not-lowered]\n"
    )
    found = croq("cuda", "k.co", "--json")
    result = json.loads(found.out)
    validate("cuda", result)
    assert (found.status, result["text"], result["kernels"]) == (1, "", [])
    (item,) = result["diagnostics"]
    assert item["range"] == {"start": {"line": 1, "character": 46}, "end": {"line": 1, "character": 47}}


def test_a_copy_that_tma_cannot_make_is_noted_beside_the_code(croq: Croq) -> None:
    text = """__co__ void f(global f32 [N, 64] x, global f32 [N, 64] y) {
  parallel b by N / 64 : block {
    shared f32 [64, 64] buf;
    foreach j in 4 { tma.copy x.subspan(64, 16).at(b, j) => buf.subspan(64, 16).at(0, j); }
    dma.copy buf => y.subspan(64, 64).at(b, 0);
  }
}
"""
    Path("k.co").write_text(text)
    outcome = croq("cuda", "k.co")
    assert outcome.status == 0
    assert "__global__" in outcome.out
    assert outcome.err.startswith(
        "k.co:4:22: note: threads make this copy, for TMA cannot: the box is a part of the rows"
    )
    data = json.loads(croq("cuda", "k.co", "--json").out)
    assert [item["code"] for item in data["diagnostics"]] == ["copied-by-threads"]
    assert data["text"]


def test_a_file_with_errors_is_not_lowered(croq: Croq) -> None:
    Path("k.co").write_text(TILED.replace("+ 1.0f", "+ nothing"))
    outcome = croq("cuda", "k.co")
    assert (outcome.status, outcome.out) == (1, "")
    assert "[undeclared-name]" in outcome.err


def test_several_functions_need_an_entry_or_make_one_unit(croq: Croq) -> None:
    second = TILED.replace("void add", "void more")
    plain = (TILED + second).replace("// croq: run M=128 N=256\n", "")
    Path("k.co").write_text(plain)
    assert croq("cuda", "k.co").status == 2
    assert "more(" not in croq("cuda", "k.co", "--entry", "add").out
    Path("k.co").write_text(TILED + second)
    both = json.loads(croq("cuda", "k.co", "--json").out)
    assert [kernel["name"] for kernel in both["kernels"]] == ["add", "more"]
    assert both["text"].count("namespace croq {") == 2  # types and griddepcontrol, each once
    rows = [item["range"]["start"]["line"] for item in both["lines"]]
    assert {5, 14} <= set(rows)


@pytest.mark.slow
def test_ptx_and_sass(croq: Croq) -> None:
    Path("k.co").write_text(TILED)
    ptx, sass = croq("cuda", "k.co", "--ptx"), croq("cuda", "k.co", "--sass")
    assert (ptx.status, sass.status) == (0, 0)
    assert ".target sm_90a" in ptx.out
    assert ".visible .entry add(" in ptx.out
    assert "EXIT" in sass.out
    assert "//##" not in sass.out
    for form, shown, sign in (("ptx", ptx, "ld.global"), ("sass", sass, "LDG")):
        result = json.loads(croq("cuda", "k.co", f"--{form}", "--json").out)
        validate("cuda", result)
        assert (result["form"], result["text"]) == (form, shown.out)
        lines = shown.out.split("\n")
        loads = {item["range"]["start"]["line"] for item in result["lines"] if sign in lines[item["line"]]}
        assert loads == {5}  # the line that reads `a`


@pytest.mark.parametrize("form", ["--ptx", "--sass"])
def test_without_the_extra_one_line_names_the_command(croq: Croq, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    monkeypatch.setitem(sys.modules, "cuda.bindings", None)
    Path("k.co").write_text(TILED)
    outcome = croq("cuda", "k.co", form)
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err == f"croq: PTX and SASS need NVRTC; install it with: {install('cuda')}\n"


@pytest.mark.parametrize("stage", ["build", *(name for name, _ in PASSES), "cuda"])
def test_dump_shows_each_pass(croq: Croq, stage: str) -> None:
    Path("k.co").write_text(TILED)
    outcome = croq("dump", "--after", stage, "k.co")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.startswith("function add at 2:1\n")
    assert ("kernel add: grid" in outcome.out) == (stage != "cuda")
    assert outcome.out == croq("dump", "--after", stage, "k.co").out


def test_dump_says_what_is_not_lowered(croq: Croq) -> None:
    Path("k.co").write_text(REFUSED, encoding="utf-8")
    outcome = croq("dump", "--after", "memory", "k.co")
    assert (
        outcome.out == "function scales at 2:1\n"
        "  not lowered: the type f8_ue8m0 is not lowered to CUDA yet: use a wider one, such as f8_e4m3 or s8 at 2:46\n"
    )


def test_each_kernel_has_its_own_sizes(croq: Croq) -> None:
    """And none that nobody gave: a scalar without a value has no entry."""
    second = TILED.replace("void add", "void more").replace("M=128 N=256", "M=64 N=32")
    scaled = second.replace("void more(", "void scaled(f32 s, ").replace("1.0f", "s")
    Path("k.co").write_text(TILED + second + scaled)
    result = json.loads(croq("cuda", "k.co", "--json").out)
    validate("cuda", result)
    assert [(item["sizes"], item["grid"]) for item in result["kernels"]] == [
        ({"M": 128, "N": 256}, [16, 8, 1]),
        ({"M": 64, "N": 32}, [8, 1, 1]),
        ({"M": 64, "N": 32}, [8, 1, 1]),
    ]


@pytest.mark.parametrize("form", ["--ptx", "--sass"])
def test_code_that_the_compiler_refuses_is_our_fault(croq: Croq, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    def refuse(*_: object) -> None:
        raise CompileError("kernel.cu(7): error: no such thing")

    monkeypatch.setattr(nvrtc, "_compiled", refuse)
    Path("k.co").write_text(TILED)
    outcome = croq("cuda", "k.co", form)
    assert (outcome.status, outcome.out) == (1, "")
    head, *_ = outcome.err.splitlines()
    assert head.startswith("k.co:2:13: error: the generated code does not compile; this is a mistake of ours")
    assert "please report it with the log" in outcome.err
    assert outcome.err.endswith("kernel.cu(7): error: no such thing\n")
    found = croq("cuda", "k.co", form, "--json")
    result = json.loads(found.out)
    validate("cuda", result)
    assert (found.status, result["text"], result["kernels"]) == (1, "", [])
    assert [item["code"] for item in result["diagnostics"]] == ["internal-error"]


def test_machine_code_without_the_wheels_of_cuda(croq: Croq, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The tool on the path is taken; without it the command that installs it is named."""
    monkeypatch.setattr(machine_code, "find_spec", lambda name: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    Path("k.co").write_text(TILED)
    outcome = croq("cuda", "k.co", "--sass")
    assert outcome.status == 2
    assert outcome.err == f"croq: SASS needs nvdisasm; install it with: {install('cuda')}\n"
    tool = tmp_path / "nvdisasm"
    tool.write_text("#!/bin/sh\necho EXIT\n")
    tool.chmod(0o755)
    monkeypatch.setattr(nvrtc, "cubin", lambda code, arch: (b"cubin", ""))
    assert croq("cuda", "k.co", "--sass").out == "EXIT\n"
    tool.write_text("#!/bin/sh\necho 'too new' >&2\nexit 1\n")
    outcome = croq("cuda", "k.co", "--sass")
    assert outcome.status == 2
    assert f"cannot read this machine code: too new; a newer one comes with: {install('cuda')}" in outcome.err


def test_a_lowering_that_fails_costs_its_function_alone(croq: Croq, monkeypatch: pytest.MonkeyPatch) -> None:
    keep_going(monkeypatch)
    plain = lowering.program_for

    def breaks(report: Any, function: Any, *rest: Any) -> Any:
        if function.name == "add":
            raise InvalidIrError("add after layout: no")
        return plain(report, function, *rest)

    monkeypatch.setattr(lowering, "program_for", breaks)
    Path("k.co").write_text(TILED + TILED.replace("void add", "void more"))
    outcome = croq("cuda", "k.co")
    assert (outcome.status, outcome.out) == (1, "")
    assert outcome.err.startswith("k.co:2:13: error: the lowering of this function failed here (InvalidIrError at ")
    assert outcome.err.count("error:") == 1
    dumped = croq("dump", "--after", "cuda", "k.co")
    assert dumped.status == 0
    first, second = dumped.out.split("function more at")
    assert "  not lowered: the lowering of this function failed here" in first
    assert "sum[" in second and "sum[" not in first


def test_a_pass_that_fails_costs_its_function_alone(croq: Croq, monkeypatch: pytest.MonkeyPatch) -> None:
    keep_going(monkeypatch)

    def breaks(kernel: Any, env: object) -> Iterator[tuple[str, object]]:
        if kernel.name == "add":
            raise InvalidIrError("add after build: no")
        return stages(kernel, env)  # type: ignore[arg-type]

    monkeypatch.setattr(dump, "stages", breaks)
    Path("k.co").write_text(TILED + TILED.replace("void add", "void more"))
    outcome = croq("dump", "--after", "memory", "k.co")
    assert outcome.status == 0
    assert "  not lowered: the lowering of this function failed here" in outcome.out
    assert outcome.out.index("kernel more: grid") > outcome.out.index("function more")


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("0", "must be an integer of at least 1"),
        ("-1", "must be an integer of at least 1"),
        ("1.5", "must be an integer of at least 1"),
        ("2147483648", "must be at most 2,147,483,647, for generated code counts sizes in 32 bits"),
        ("99999999999999999999", "must be at most 2,147,483,647, for generated code counts sizes in 32 bits"),
    ],
)
@pytest.mark.parametrize("form", [(), ("--full",), ("--json",)])
def test_sizes_that_no_launch_takes_are_usage_errors(
    croq: Croq, form: tuple[str, ...], value: str, reason: str
) -> None:
    """Of numbers below 1 it says what `croq run` says."""
    Path("k.co").write_text(PIPELINE, encoding="utf-8")
    outcome = croq("cuda", "k.co", "-D", f"N={value}", *form)
    assert (outcome.status, outcome.out, outcome.err) == (2, "", f"croq: k.co: dimension 'N' {reason}\n")


def test_an_empty_architecture_is_unknown(croq: Croq) -> None:
    Path("k.co").write_text(TILED)
    for command in ("cuda", "check"):
        outcome = croq(command, "k.co", "--arch", "")
        assert (outcome.status, outcome.out) == (2, "")
        assert outcome.err.startswith("croq: unknown architecture ''; known are sm_80,")


@pytest.mark.parametrize(("name", "shown"), [("a\\b.co", "a\\b.co"), ("a\nint b;.co", "a?int b;.co")])
def test_a_name_stays_in_its_comment(croq: Croq, name: str, shown: str) -> None:
    Path(name).write_text(PIPELINE, encoding="utf-8")
    first, second, *_ = croq("cuda", name).out.split("\n")
    assert (first, second) == (f"// {shown} for sm_90a, made by croq", "")
    assert f"  // {shown}:" in croq("cuda", "--lines", name).out
