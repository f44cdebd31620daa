"""The pass `registers`: a loading warpgroup gives its registers up only where it does nothing else, and nothing comes
behind; and multiplies in pieces, where an even share holds no instruction of all columns."""

from __future__ import annotations

import pytest

from croqc.pipe import ir
from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import Lit
from croqc.pipe.lower import lowered_kernels
from croqc.pipe.pieces import in_pieces
from croqc.pipe.walk import statements
from croqc.service.check import check_text
from croqc.text.record import replace
from tests.codegen.gemms import Shape, text_of
from tests.pipe.kernels import ACC, kernel, multiply
from tests.pipe.lowering import EXAMPLES, only

GEMM = (EXAMPLES / "gemm_f16.co").read_text(encoding="utf-8")
SIZES = {"M": 512, "N": 512, "K": 256}


def kernel_of(text: str) -> ir.Kernel:
    report = check_text(text)
    analysis = report.functions[0].analysis
    assert analysis is not None
    (kernel,) = lowered_kernels(analysis.model, report.target, SIZES)
    return kernel


def given(text: str) -> list[int | None]:
    """The registers of each role, the loader's first."""
    return [stmt.registers for stmt in only(kernel_of(text), ir.Role)]


def test_the_loader_gives_and_the_consumers_take() -> None:
    assert given(GEMM) == [40, 232]
    assert [stmt.gives for stmt in only(kernel_of(GEMM), ir.Role)] == [True, False]


@pytest.mark.parametrize("condition", ["p >= 0", "p < 2"])
def test_regions_that_share_a_warpgroup_keep_their_share(condition: str) -> None:
    """They are warned of (overlapping-regions), and lowered all the same."""
    assert given(GEMM.replace("inthreads.async (p == 0)", f"inthreads.async ({condition})")) == [None, None]


HEAD = "  parallel b by BLOCKS : block"


@pytest.mark.parametrize("attribute", ["[[launch_bounds(_, 2)]]", "[[maxnreg(128)]]"])
def test_where_the_source_shares_registers_out_nobody_takes_more(attribute: str) -> None:
    """The block has as many as the launch gave it: who wanted others' would wait for ever (PTX ISA, setmaxnreg)."""
    assert GEMM.count(HEAD) == 1
    assert given(GEMM.replace(HEAD, f"  {attribute}\n{HEAD}")) == [None, None]


def test_one_block_a_multiprocessor_leaves_all_of_them_to_the_roles() -> None:
    assert given(GEMM.replace(HEAD, f"  [[launch_bounds(_, 1)]]\n{HEAD}")) == [40, 232]


def test_a_source_that_moves_registers_itself_is_left_alone() -> None:
    hint = '__cpp__("asm volatile(\\"setmaxnreg.inc.sync.aligned.u32 160;\\");");'
    text = GEMM.replace("acc = mma.fill", f"{hint} acc = mma.fill")
    assert text != GEMM
    assert given(text) == [None, None]
    macro = '#define MORE asm volatile("setmaxnreg.inc.sync.aligned.u32 160;")\n'
    assert given(macro + text.replace(hint, '__cpp__("MORE");')) == [None, None]


@pytest.mark.parametrize("elected", [False, True])
def test_a_producer_that_names_its_thread_gives_as_a_whole_one_does(elected: bool) -> None:
    """65536 / 512 = 128 a thread, (4 x 128 - 32) / 3 = 160; with 40 for the loader 157, in steps of 8 152."""
    found = kernel_of(text_of(Shape(256, 3, False, elected, "direct")))
    assert [(stmt.registers, stmt.gives) for stmt in only(found, ir.Role)] == [(32, True), (160, False)]


def test_nothing_is_moved_in_the_loop_over_tiles() -> None:
    """The block writes the tile, so the roles stand in the loop: all code of the loop comes behind each of them."""
    assert given(text_of(Shape(256, 2, True, False, "block"))) == [None, None]
    assert given(text_of(Shape(256, 2, True, False, "own"))) == [40, 232]


def test_code_of_the_block_behind_roles_keeps_what_it_has_unless_they_cannot_do_without() -> None:
    """128 registers of accumulators: 168 a thread of three warpgroups hold them, 128 of four do not."""
    assert given(text_of(Shape(256, 2, False, False, "block"))) == [None, None]
    assert given(text_of(Shape(256, 3, False, False, "block"))) == [32, 160]


def test_the_launch_promises_one_block_where_consumers_would_do_with_an_even_share() -> None:
    assert kernel_of(text_of(Shape(64, 3, False, False, "direct"))).bounds.blocks == 1
    assert kernel_of(text_of(Shape(256, 3, False, False, "direct"))).bounds.blocks == 0


# --- pieces ------------------------------------------------------------------------------------

WIDE = replace(ACC, n=256)  # 128 registers of a thread, 154 with those beside (ptxas, C7602)


def parts(registers: int, **more: object) -> list[tuple[int, int]]:
    """First column and columns of each multiply that one of 64 x 256 becomes."""
    found = in_pieces(kernel(multiply(acc=WIDE, n=256, **more)), registers)
    return [(stmt.first, stmt.n) for stmt in only(found, ir.Multiply)]


def test_a_multiply_that_fits_stays_whole() -> None:
    assert parts(154) == [(0, 256)]


def test_a_multiply_that_does_not_fit_is_made_in_pieces() -> None:
    assert parts(153) == [(0, 128), (128, 128)]
    assert parts(90) == [(0, 128), (128, 128)]  # 64 + 26
    assert parts(89) == [(0, 64), (64, 64), (128, 64), (192, 64)]


def test_a_left_operand_in_registers_takes_four_more() -> None:
    assert parts(158, a_registers="ra") == [(0, 256)]
    assert parts(157, a_registers="ra") == [(0, 128), (128, 128)]


def test_16_bit_accumulators_take_half() -> None:
    found = in_pieces(kernel(multiply(acc=replace(WIDE, elem="f16"), n=256)), 90)
    assert [stmt.n for stmt in only(found, ir.Multiply)] == [256]


@pytest.mark.parametrize(("k_major", "side"), [(True, 0), (False, 1)])
def test_each_piece_reads_its_own_columns_of_b(k_major: bool, side: int) -> None:
    """B is [N, K], or [K, N] where it lies across K."""
    found = in_pieces(kernel(multiply(acc=WIDE, n=256, b_k_major=k_major)), 128)
    origins = [stmt.b.origin for stmt in only(found, ir.Multiply)]
    assert [origin[side] for origin in origins] == [Lit(0), Lit(128)]
    assert [origin[1 - side] for origin in origins] == [Lit(0), Lit(0)]


def test_what_a_thread_cannot_hold_at_all_is_refused_in_words() -> None:
    with pytest.raises(LoweringError, match=r"a multiply of 64x256 takes 154 registers .* the launch leaves it 32"):
        parts(32)


def test_multiplies_of_warps_are_as_they_are() -> None:
    found = in_pieces(kernel(multiply(acc=WIDE, n=256, instruction=ir.Instruction.MMA_SYNC)), 64)
    assert [stmt.n for stmt in statements(found.body) if isinstance(stmt, ir.Multiply)] == [256]


DEVICE = """
template <int N> __device__ void give() { asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" :: "n"(N)); }
namespace mine { __device__ void indirectly() { give<40>(); } __device__ float half_of(float x) { return x / 2; } }
"""


@pytest.mark.parametrize(
    ("used", "registers"),
    [
        pytest.param("", [40, 232], id="there, and not called"),
        pytest.param("call give<40>();", [None, None], id="called"),
        pytest.param("call mine::indirectly();", [None, None], id="called by another"),
        pytest.param('__cpp__("mine::indirectly();");', [None, None], id="called in an island"),
        pytest.param("call mine::half_of(2.0f);", [40, 232], id="another function"),
    ],
)
def test_a_device_function_that_moves_registers_is_seen_where_the_kernel_calls_it(
    used: str, registers: list[int | None]
) -> None:
    text = DEVICE + GEMM.replace("acc = mma.fill", f"{used} acc = mma.fill")
    assert given(text) == registers
