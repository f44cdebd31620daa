"""Inline PTX becomes calls, line by line; what is not known is named. No compiler is needed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from croqc.codegen import unit
from croqc.codegen.unit import header
from tests.emulator.instructions import NotModelledError
from tests.emulator.translate import translated

NOT_MODELLED = {"tcgen05", "probe"}  # of the headers with PTX; probes write records for a profile


def body(code: str) -> str:
    return translated(code, "sm_90a").split("#line 1\n")[1].split("\n#line 1")[0]


def test_operands_are_evaluated_once_and_handed_over_in_the_order_of_the_instruction() -> None:
    found = body('asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(f(a, ")")), "r"(block));')
    assert (
        found
        == '{ auto& p0 = there; const auto p1 = f(a, ")"); const auto p2 = block; p0 = emu::cluster_address(p1, p2); }'
    )


def test_lines_keep_their_numbers() -> None:
    code = 'a;\nasm volatile(\n    "bar.sync %0, "\n    "%1;" ::"r"(1),\n    "r"(n)\n    : "memory");\nb;\n'
    lines = body(code).split("\n")
    assert len(lines) == len(code.split("\n"))
    assert lines[0] == "a;" and lines[6] == "b;"
    assert lines[1] == "{ const auto p0 = 1; const auto p1 = n; emu::bar_sync(p0, p1); }"


def test_local_registers_and_several_instructions() -> None:
    found = body(
        'asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"\n'
        '             : "=r"(passed) : "r"(at(b)), "r"(parity) : "memory");'
    )
    assert found.rstrip("\n") == (
        "{ auto& p0 = passed; const auto p1 = at(b); const auto p2 = parity; bool p; "
        "p = emu::mbarrier_test(p1, p2); p0 = p ? 1 : 0; }"
    )


def test_vectors_and_coordinates() -> None:
    found = body(
        'asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];"\n'
        '             ::"l"(&map), "r"(from), "r"(c0), "r"(c1) : "memory");'
    )
    assert "emu::tma_store(p0, {p2, p3}, p1);" in found


def test_a_kernel_is_found_by_its_name() -> None:
    code = 'extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(128)\nmatmul(int K) {\n}\n'
    found = translated(code, "sm_90a")
    start = '{"matmul", [](void** emu_arguments) { emu::launch(::matmul, emu_arguments); }, '
    assert f"{start}emu::parameters_of(::matmul), 2}}," in found
    assert "#define __CUDA_ARCH__ 900\n" in found


def test_an_unknown_instruction_is_named_with_its_line() -> None:
    with pytest.raises(NotModelledError, match=re.escape("does not model 'tcgen05.wait::ld', in line 3")):
        translated('\n\nasm volatile("tcgen05.wait::ld;");\n', "sm_100a")


@pytest.mark.parametrize(
    "path", sorted(Path(unit.__file__).with_name("include").joinpath("croq").iterdir()), ids=lambda path: path.stem
)
def test_the_instructions_of_our_headers_are_modelled(path: Path) -> None:
    if path.stem in NOT_MODELLED:
        with pytest.raises(NotModelledError):
            translated(header(path.stem), "sm_90a")
    else:
        assert "asm" not in translated(header(path.stem), "sm_90a")
