"""What the layout of shared tensors refuses: at the place that asks for it, with the way out."""

from __future__ import annotations

import pytest

from croqc.pipe import ir
from croqc.pipe.errors import LoweringError
from croqc.service.check import check_text
from tests.pipe.lowering import only, stages_of

TEXT = """{head}__co__ void f(global f16 [M, K] a, global f16 [M, K] o) {{
  parallel b by M / 64 : block {{
    {body}
  }}
}}
"""
COPY = "tma.copy{swizzle} a.subspan(32, {columns}).at(b, 0) => s; dma.copy s => o.subspan(32, {columns}).at(b, 0);"


def refusal(body: str, head: str = "") -> tuple[str, str]:
    """The message and the text at its place."""
    report = check_text(TEXT.format(body=body, head=head))
    with pytest.raises(LoweringError) as error:
        list(stages_of(report, {"M": 128, "K": 512}))
    span = error.value.span.shift(report.functions[0].base)
    return error.value.message, report.source.slice(span)


def test_rows_that_are_no_whole_groups_of_the_swizzle() -> None:
    message, place = refusal("shared f16 [32, 48] s; " + COPY.format(swizzle=".swiz<64>", columns=48))
    assert message == (
        "rows of 's' are 96 bytes, no multiple of the swizzle of 64: use a narrower swizzle or longer rows"
    )
    assert place == "s"


def test_rows_longer_than_a_box_lie_in_column_groups() -> None:
    """But not where a device function looks at them; then threads make the copy."""
    calls = "parallel t by 32 : thread { call look(s); }"
    copy = COPY.format(swizzle="", columns=512)
    done = {}
    for words in ("", calls):
        text = TEXT.format(body=f"shared f16 [32, 512] s; {copy} {words}", head="__co_device__ void look(void* x) {}\n")
        kernel = dict(stages_of(check_text(text), {"M": 128, "K": 512}))["layout"]
        (first, _) = only(kernel, ir.Copy)
        done[words] = (kernel.shared[0].swizzle, first.mechanism, len(first.boxes))
    assert done[""] == (128, ir.Mechanism.TMA, 8)
    assert done[calls] == (0, ir.Mechanism.VECTOR, 0)


def test_rows_that_no_multiply_reads() -> None:
    multiply = "c = mma.fill.f32 0.0f; mma.row.row c, x, y; mma.store c, o.subspan(64, 64).at(b, 0);"
    loads = "dma.copy a.subspan(64, 24).at(b, 0) => x; dma.copy a.subspan(64, 24).at(b, 0) => y;"
    tiles = "x.subspan(64, 16).at(0, 0), y.subspan(64, 16).at(0, 0);"
    body = f"shared f16 [64, 24] x, y; {loads} parallel g by 1 : group-4 {{ {multiply.replace('x, y;', tiles)} }}"
    message, place = refusal(body)
    assert message == (
        "rows of 'x' are 48 bytes; a multiply reads shared rows of a multiple of 32: give it 32 columns, and use "
        "'x.view(64, 24).from(0, 0)', copied with '.swiz<32>'"
    )
    assert place.startswith("mma.row.row")


def test_a_device_function_does_not_see_permuted_rows() -> None:
    calls = "parallel t by 32 : thread { call look(s); }"
    body = f"shared f16 [32, 64] s; {COPY.format(swizzle='.swiz<128>', columns=64)} {calls}"
    message, place = refusal(body, "__co_device__ void look(void* x) {}\n")
    assert message == (
        "'s' is swizzled, and a device function would see its rows permuted: copy it to a buffer of its own"
    )
    assert "look(s)" in place
