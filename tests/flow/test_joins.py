"""Whether leaving a `parallel` joins its paths, by credit-flow, section 1."""

from __future__ import annotations

import pytest

from croqc.flow.joins import joins_on_exit
from croqc.sema.model import Model
from croqc.sema.nesting import statements
from croqc.syntax import ast
from tests.flow.kernels import body, seed

ROLES = """parallel p by 2 : group-4 {
  inthreads.async (p == 0) { wait empty[0]; dma.copy src.subspan(16, 64).at(b, 0) => buf[0]; trigger full[0]; }
  inthreads.async (p == 1) { wait full[0]; dma.copy buf[0] => out_s; trigger empty[0]; }
}"""
READS = "parallel p by 2 : group-4 { dma.copy other_s => src.subspan(16, 64).at(b, p); }"
EPILOGUE = "dma.copy out_s => dst.subspan(16, 64).at(b, 0);"
OTHER = "dma.copy other_s => src.subspan(16, 64).at(b, 1);"
DECLARE = "shared f16 [16, 64] out_s, other_s;"


def joins(model: Model) -> list[bool]:
    """Of each `parallel` that divides the block: the outermost ones below block level."""
    found = statements(model.kernels[0].node.body)
    inner = [node for node, around in found if isinstance(node, ast.Parallel) and not around.parallels]
    return [joins_on_exit(model, node) for node in inner]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ROLES, [False]),
        (f"{ROLES} {EPILOGUE}", [True]),
        (f"{ROLES} dma.copy other_s => dst.subspan(16, 64).at(b, 0);", [False]),
        (f"{ROLES} {OTHER}", [True]),  # global memory that the producer reads is written
        (f"{ROLES} __atomic_add(dst.at(b, 0), other_s.at(0, 0));", [False]),
        (f"{ROLES} __atomic_add(dst.at(b, 0), buf[0].at(0, 0));", [True]),
        (f"{READS} __atomic_add(dst.at(b, 0), other_s.at(0, 0));", [False]),  # both only read
        (f"{READS} __atomic_add(other_s.at(0, 0), dst.at(b, 0));", [True]),
        (f"foreach tile in 4 {{ {ROLES} }} {EPILOGUE}", [True]),
        (f"foreach tile in 4 {{ {ROLES} {EPILOGUE} }}", [True]),
        (f"foreach tile in 4 {{ {EPILOGUE} {ROLES} }}", [True]),  # the next iteration comes to it
        (f"foreach tile in 4 {{ {ROLES} }}", [False]),
        (f"{EPILOGUE} {ROLES}", [False]),
        (f"if (n > 2) {{ {ROLES} }} {EPILOGUE}", [True]),
        (f"{ROLES} {ROLES} {EPILOGUE}", [False, True]),  # the first is re-entered before the epilogue
        (f"{ROLES} if (n > 2) {{ {ROLES} }} {EPILOGUE}", [True, True]),
    ],
)
def test_an_epilogue_of_the_block_joins(text: str, expected: list[bool]) -> None:
    model = body(f"{DECLARE} {text}")
    assert joins(model) == expected


def test_the_seeds_do_not_join() -> None:
    for name in ("pipeline", "swap"):
        model = seed(name)
        assert joins(model) == [False]


def test_the_kernel_itself_never_joins() -> None:
    model = body(f"{DECLARE} {ROLES} {EPILOGUE}")
    assert joins_on_exit(model, model.kernels[0].node) is False
