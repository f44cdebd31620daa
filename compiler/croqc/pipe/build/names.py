"""Names of the generated code: those of the source, made unique and legal in C++. Must not look at types.

The one list of words that no declared name may be: generated code calls some of them, and C++ or CUDA owns the rest.
What the headers of a host program own beside these stands in `foreign.py`.
Emitters' own variables (`v`, `step`, …) are not among them: they make way (`codegen/own.py`).
"""

from __future__ import annotations

from typing import Final

from croqc.pipe.build.foreign import MACROS, is_global

_CPP: Final = (
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class "
    "co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype "
    "default delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline "
    "int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public "
    "register reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch "
    "template this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile "
    "wchar_t while xor xor_eq main NULL std"
)
_CUDA: Final = (
    "threadIdx blockIdx blockDim gridDim warpSize dim3 uint2 uint3 uint4 int2 int3 int4 half bfloat16 clock "
    "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t size_t ptrdiff_t assert printf malloc free "
    "memcpy memset atomicAdd atomicSub atomicExch atomicMin atomicMax atomicAnd atomicOr atomicXor atomicCAS"
)
# The device functions of C's mathematics: a kernel of such a name would clash with its C linkage.
_MATHS: Final = (
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh cospi erf erfc exp exp10 exp2 expm1 fabs fdim "
    "floor fma fmax fmin fmod frexp hypot ilogb j0 j1 jn ldexp lgamma llrint llround log log10 log1p log2 logb lrint "
    "lround modf nan nearbyint nextafter norm norm3d norm4d normcdf pow remainder remquo rhypot rint rnorm round rsqrt "
    "scalbln scalbn sin sincos sincospi sinh sinpi sqrt tan tanh tgamma trunc y0 y1 yn"
)
_INTEGER_MATHS: Final = (
    "abs labs llabs div ldiv min max saturate isfinite isinf isnan signbit umin umax llmin llmax ullmin ullmax"
)
# What our headers (`codegen/include/croq`) and the kernels' prologues declare.
_OURS: Final = (
    "at atomic_add_f16 bar_arrive bar_sync bf16 bits_of block_number cdiv cluster_address cluster_sync column_of "
    "cp_async cp_async_arrive cp_async_commit cp_async_wait croq delay_start f16 f32 f64 f8_e4m3 f8_e5m2 "
    "fence_async_proxy fence_async_proxy_all fence_mbarrier_init fragment_column fragment_row gelu give_registers "
    "griddepcontrol_wait half_of load_a load_a_mn load_b load_b_mn "
    "load_matrix load_matrix_transposed mbarrier_arrive mbarrier_arrive_block mbarrier_arrive_cluster "
    "mbarrier_arrive_expect mbarrier_arrive_many mbarrier_expect mbarrier_expect_cluster mbarrier_init "
    "mbarrier_passes mbarrier_wait mbarrier_wait_reported of_bits operand operand_byte operand_mn operand_row "
    "pack_bf16 pack_bits pack_f16 probe_end probe_record probe_start ProbeLane ProbePlace ProbeRecord Probes "
    "put_half quad_max quad_sum random_delay read_clock read_clock64 read_timer row_of s16 s32 s64 s8 settle "
    "shared_address sigmoid sign sm_number smem softplus store_matrix swizzled take_registers tcgen05_commit "
    "tcgen05_fence_after tcgen05_fence_before tensor_load tensor_load_all tensor_load_halves tensor_load_steps "
    "tensor_memory_alloc tensor_memory_free tensor_operand tensor_operand_mn tensor_store_all "
    "tensor_store_halves TensorMap tf32 tile_start tma_load tma_multicast tma_prefetch tma_store "
    "tma_store_commit tma_store_wait tma_store_wait_read u16 u32 u64 u8 WaitRecord WaitReport warp_column "
    "warp_lanes warp_row warp_row_of wgmma_commit wgmma_fence wgmma_wait write_wait_record"
)
OURS: Final = frozenset(_OURS.split())
# What code of the file may call of the language's library (`include/croq/choreo`), or define itself.
_LIBRARY: Final = (
    "choreo choreo_assert to_f32 f16_to_f32 f32_to_f16 bf16_to_f32 f32_to_bf16 utils from_f32 bfp16 f8 "
    "warpgroup_commit_batch warpgroup_wait"
)
# What passes and emitters declare, and what a kernel's name would hide from its launch.
_KERNEL: Final = "multiplied multiplied_phase tensor_memory tensor_memory_at launch_overlapping"
CPP_WORDS: Final = frozenset(_CPP.split())
"""The words of C++ that can name nothing, and three names that can be given no second meaning."""
RESERVED: Final = (
    OURS
    | MACROS
    | frozenset(
        (
            *" ".join((_CPP, _CUDA, _LIBRARY, _MATHS, _INTEGER_MATHS, _KERNEL)).split(),
            *(f"{name}f" for name in _MATHS.split()),  # those of single precision
        )
    )
)


def is_owned(name: str) -> bool:
    """Whether C++, CUDA, their headers or ours own a name of the file's scope."""
    return name in RESERVED or is_global(name, RESERVED)


# What passes and emitters append to a name of the source: an event's phase, a load's barrier, a stage, a tensor map.
_ENDINGS: Final = ("_phase", "_landed", "_stage", "_map", "_unscaled", "_unscaled_r", "_unscaled_one")


def _plain(wish: str) -> str:
    """The wish in the letters of C++, and none that C++ or a pass may make."""
    plain = "".join(char if char.isascii() and (char.isalnum() or char == "_") else "_" for char in wish) or "value"
    if plain[0].isdigit() or plain.startswith("__") or (plain[0] == "_" and plain[1:2].isupper()):
        plain = f"v{plain}"
    if plain.rstrip("0123456789_").endswith(_ENDINGS) or plain.startswith("wgmma_m"):
        plain += "_"
    return plain


class Names:
    """Hands out identifiers. A taken name gets a number: `k`, `k_2`, `k_3`."""

    def __init__(self) -> None:
        self._taken: dict[str, int] = {}
        self._used: set[str] = set(RESERVED)

    def reserve(self, name: str) -> None:
        """Nothing that is handed out from here on is called so."""
        self._used.add(name)

    def is_free(self, name: str) -> bool:
        return name not in self._used

    def claim(self, name: str) -> bool:
        """Reserves a name of the file's scope; says whether it was free and legal there as it is."""
        free = self.is_free(name) and not is_global(name, RESERVED) and _plain(name) == name
        self.reserve(name)
        return free

    def fresh(self, wish: str) -> str:
        """The wish itself, where that is free and legal. What is no letter, digit or `_` becomes `_`.

        A wish that a pass may make from another name gets a `_` behind it.
        """
        plain = _plain(wish)
        name, number = plain, self._taken.get(plain, 1)
        while name in self._used:
            number += 1
            name = f"{plain}_{number}"
        self._taken[plain] = number
        self._used.add(name)
        return name

    def kernel(self, wish: str) -> str:
        """As `fresh`, for a name of the file's scope and of C linkage: none that a header declares there."""
        if is_global(wish, RESERVED):
            self.reserve(wish)
        return self.fresh(wish)
