"""PTX instructions and the calls of the emulator that do the same. Must not read C++.

A row: the instruction's name as a regular expression, and a call. `{0}` is the first operand as it stands in the
instruction, `{0.items}` the parts of one in braces, `{rest}` all but the first, `{flags}` those from the fourth on,
`{name}` a group of the expression.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_ELEM: Final = {
    "acc": "f16|f32|f64|s32",
    "a": "f16|bf16|tf32|e4m3|e5m2|s8|u8|f64",
    "b": "f16|bf16|tf32|e4m3|e5m2|s8|u8|f64",
}
_ELEMS: Final = r"\.".join(f"(?P<{name}>{words})" for name, words in _ELEM.items())
_SHAPE: Final = r"m(?P<m>\d+)n(?P<n>\d+)k(?P<k>\d+)"
_SHAPED: Final = "{{{m}, {n}, {k}, emu::Elem::{acc}, emu::Elem::{a}, emu::Elem::{b}}}"

TABLE: Final[tuple[tuple[str, str], ...]] = (
    # Moves, conversions (PTX ISA, mov, cvt, setp, selp)
    (r"mov\.u(32|64)", "{0} = emu::clock_now()"),
    (r"setp\.ne\.b32", "{0} = {1} != {2}"),
    (r"selp\.u32", "{0} = {3} ? {1} : {2}"),
    (r"cvt\.rn\.f16\.f32", "{0} = emu::f16_bits({1})"),
    (r"cvt\.rn\.bf16\.f32", "{0} = emu::bf16_bits({1})"),
    (r"cvt\.f32\.f16", "{0} = emu::f16_value({1})"),
    (r"cvt\.rn\.(?P<to>f16|bf16)x2\.f32", "{0} = emu::pair(emu::{to}_bits({1}), emu::{to}_bits({2}))"),
    (r"cvt\.rn\.satfinite\.(?P<to>e4m3|e5m2)x2\.f32", "{0} = emu::pair(emu::{to}_bits({1}), emu::{to}_bits({2}))"),
    (
        r"cvt\.rn\.f16x2\.(?P<of>e4m3|e5m2)x2",
        "{0} = emu::pair(emu::f16_bits(emu::{of}_value({1} >> 8)), emu::f16_bits(emu::{of}_value({1})))",
    ),
    # Memory (PTX ISA, atom, mapa, prefetch)
    (
        r"atom\.add\.noftz\.f16",
        "{0} = emu::add_f16(&{1}->bits, {2})",
    ),
    (r"mapa\.shared::cluster\.u32", "{0} = emu::cluster_address({1}, {2})"),
    (r"prefetch\.tensormap", "emu::no_effect()"),
    # Order and time: writes are seen at once, no clock runs
    (r"fence\.(proxy\.async|mbarrier_init)(\.\S+)?", "emu::no_effect()"),
    (r"griddepcontrol\.wait", "emu::no_effect()"),
    (r"nanosleep\.u32", "emu::no_effect()"),
    (r"setmaxnreg\.(inc|dec)\.sync\.aligned\.u32", "emu::no_effect()"),
    (r"trap", 'emu::fault("the kernel trapped")'),
    # Barriers (PTX ISA, bar, barrier.cluster)
    (r"bar\.sync", "emu::bar_sync({0}, {1})"),
    (r"bar\.arrive", "emu::bar_arrive({0}, {1})"),
    (r"barrier\.cluster\.arrive(\.release)?", "emu::cluster_arrive()"),
    (r"barrier\.cluster\.wait(\.acquire)?", "emu::cluster_wait()"),
    # mbarrier (PTX ISA, mbarrier)
    (r"mbarrier\.init\.shared::cta\.b64", "emu::mbarrier_init({0}, {1})"),
    (r"mbarrier\.arrive\.expect_tx\.shared::cta\.b64", "emu::mbarrier_arrive({1}, 1, {2})"),
    (r"mbarrier\.arrive(\.release\.(cta|cluster))?\.shared::(cta|cluster)\.b64", "emu::mbarrier_arrive({rest})"),
    (r"mbarrier\.expect_tx\.relaxed\.(cta|cluster)\.shared::(cta|cluster)\.b64", "emu::mbarrier_expect({0}, {1})"),
    (
        r"mbarrier\.(try|test)_wait\.parity(\.acquire\.(cta|cluster))?\.shared::cta\.b64",
        "{0} = emu::mbarrier_test({1}, {2})",
    ),
    # Copies (PTX ISA, cp.async, cp.async.bulk.tensor)
    (r"cp\.async\.c[ag]\.shared\.global", "emu::cp_async({0}, {rest})"),
    (r"cp\.async\.commit_group", "emu::cp_async_commit()"),
    (r"cp\.async\.wait_group", "emu::cp_async_wait({0})"),
    (r"cp\.async\.mbarrier\.arrive\.noinc\.shared\.b64", "emu::cp_async_arrive({0})"),
    (
        r"cp\.async\.bulk\.tensor\.\dd\.shared::cluster\.global\.tile\.mbarrier::complete_tx::bytes",
        "emu::tma_load({0}, {1}, {{{2.items}}}, {3})",
    ),
    (
        r"cp\.async\.bulk\.tensor\.\dd\.shared::cluster\.global\.tile\.mbarrier::complete_tx::bytes\.multicast::cluster",
        "emu::tma_load({0}, {1}, {{{2.items}}}, {3}, {4})",
    ),
    (
        r"cp\.async\.bulk\.tensor\.\dd\.global\.shared::cta\.bulk_group",
        "emu::tma_store({0}, {{{1.items}}}, {2})",
    ),
    (r"cp\.async\.bulk\.commit_group", "emu::tma_store_commit()"),
    (r"cp\.async\.bulk\.wait_group\.read", "emu::tma_store_wait({0}, false)"),
    (r"cp\.async\.bulk\.wait_group", "emu::tma_store_wait({0}, true)"),
    # Multiplies (PTX ISA, ldmatrix, stmatrix, mma, wgmma)
    (r"ldmatrix\.sync\.aligned\.m8n8\.x4\.shared\.b16", "emu::ldmatrix({0}, {1}, false)"),
    (r"ldmatrix\.sync\.aligned\.m8n8\.x4\.trans\.shared\.b16", "emu::ldmatrix({0}, {1}, true)"),
    (r"stmatrix\.sync\.aligned\.m8n8\.x4\.shared\.b16", "emu::stmatrix({0}, {1})"),
    (
        rf"mma\.sync\.aligned\.{_SHAPE}\.row\.col\.{_ELEMS}\.(?P=acc)",
        f"emu::mma({_SHAPED}, {{0}}, {{1}}, {{2}}, {{3}})",
    ),
    (
        rf"wgmma\.mma_async\.sync\.aligned\.{_SHAPE}\.{_ELEMS}",
        f"emu::wgmma({_SHAPED}, {{0}}, {{1}}, {{2}}, {{3}}, {{{{{{flags}}}}}})",
    ),
    (r"wgmma\.fence\.sync\.aligned", "emu::wgmma_fence()"),
    (r"wgmma\.commit_group\.sync\.aligned", "emu::wgmma_commit()"),
    (r"wgmma\.wait_group\.sync\.aligned", "emu::wgmma_wait({0})"),
)
_ROWS: Final = tuple((re.compile(name), call) for name, call in TABLE)


class NotModelledError(Exception):
    """An instruction that the emulator does not know."""


@dataclass(frozen=True)
class Operand:
    """`text` in C++; of one in braces `items` has the parts, with commas."""

    text: str
    items: str = ""

    def __str__(self) -> str:
        return self.text


def call_of(name: str, operands: Sequence[Operand]) -> str:
    """The statement, without its semicolon. Raises NotModelledError."""
    for row, call in _ROWS:
        if found := row.fullmatch(name):
            rest, flags = (", ".join(map(str, each)) for each in (operands[1:], operands[4:]))
            words = {key: value for key, value in found.groupdict().items() if value}
            return call.format(*operands, rest=rest, flags=flags, **words)
    raise NotModelledError(name)
