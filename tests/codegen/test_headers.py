"""The PTX headers: each is used, names its source, and holds nothing that no kernel can reach."""

from __future__ import annotations

import re
from fractions import Fraction
from math import ceil

import pytest

from croqc.codegen.unit import _ORDER, header
from tests.codegen.compiling import log_of
from tests.codegen.test_names import HEADERS
from tests.meta.tree import ROOT, read

NAMES = [entry.name.removesuffix(".cuh") for entry in HEADERS]
PLAIN = ("types", "floats", "cuda_floats", "stdint", "limits", "choreo")  # conversions: no section of instructions
FOREIGN = ("cuda_floats", "stdint", "limits")  # only where C++ of the file has words of CUDA's headers or of C's
LIBRARY = ("choreo", "warpgroup")  # what code of the file calls
FUNCTION = re.compile(r"^__device__ __forceinline__ (?:[\w&*]+ )+(\w+)\(", re.MULTILINE)


def test_every_header_has_its_place_in_the_order() -> None:
    assert sorted(_ORDER) == sorted(NAMES)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in PLAIN])
def test_every_header_names_the_ptx_section_of_its_instructions(name: str) -> None:
    """At its head, or above the function."""
    lines = header(name).splitlines()
    head = "\n".join(lines[: lines.index("namespace croq {")])
    for match in re.finditer(r'asm volatile\(\s*"([a-z_.]+)', header(name)):
        above = header(name)[: match.start()].rpartition("\n\n")[2]
        instruction = match.group(1).split(".")[0].lstrip("{ ")
        assert "PTX ISA" in head + above, f"{name}: {instruction}"


def test_every_function_is_called_by_generated_code_or_by_another() -> None:
    sources = [read(path) for path in sorted((ROOT / "compiler/croqc/codegen").glob("*.py"))]
    words = read(ROOT / "compiler/croqc/syntax/keywords.py")  # `__bar_arrive` of a source is called as it stands
    texts = "\n".join([*sources, *(header(name) for name in NAMES)])
    lost = []
    for name in set(NAMES) - set(LIBRARY):
        for function in set(FUNCTION.findall(header(name))):
            made = (
                "pack_{" if function.startswith("pack_") else "_registers<" if function.endswith("_registers") else ""
            )
            calls = len(re.findall(rf"\b{function}\b", texts))
            declared = len(re.findall(rf"^__device__.* {function}\(", texts, re.MULTILINE))
            if calls <= declared and f'"__{function}"' not in words and not (made and made in texts):
                lost.append(f"{name}: {function}")
    assert lost == []


def test_rounding_up_keeps_to_the_type_and_the_sign() -> None:
    """Rounded up as numbers are; checked by the compiler."""
    pairs = [(-8, 4), (8, -4), (7, -4), (-7, -4), (-7, 4), (0, 4), (9, 4), (2**31 - 1, 2), (-(2**31) + 1, 2)]
    checks = [f"static_assert(croq::cdiv({a}, {b}) == {ceil(Fraction(a, b))});" for a, b in pairs]
    checks.append(f"static_assert(croq::cdiv(4294967295u, 2u) == {2**31}u);")
    log_of("\n".join([header("types"), *checks, ""]), "sm_90a")


@pytest.mark.parametrize("name", sorted(set(NAMES) - set(FOREIGN)))
def test_no_header_includes_anything(name: str) -> None:
    assert "#include" not in header(name)
