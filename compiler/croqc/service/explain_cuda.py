"""What stands here for the words of CUDA C++ and of its hardware that newcomers type. Tables only.

What stands for a function of CUDA is known in `syntax.borrowed`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_SHUFFLE: Final = (
    "There are no shuffles. Threads exchange values through `shared` memory with `sync.shared` between; rows of a"
    " fragment are summed by `reduce_sum`, and over its owners by `all_reduce_sum`."
)
_MEMORY: Final = (
    "Nothing is allocated by hand: a `global` parameter is memory of the card that the caller passes, a host buffer is"
    " copied in and, if declared with `&`, out."
)
_VECTOR: Final = (
    "There are no vector types. Elements are scalars; copies (`dma.copy`) move as many bytes at once as places and"
    " extents allow."
)
CUDA: Final[Mapping[str, str]] = MappingProxyType(
    {
        "threadIdx": "The index that `parallel` names: `parallel t by 128 : thread` gives `t`; `{ty, tx} by [8, 32]`"
        " gives two.",
        "blockIdx": "The index that `parallel` names: `parallel b by cdiv(N, 128) : block` gives `b`.",
        "blockDim": "The bound of the index: `#t` of `parallel t by 128 : thread`.",
        "gridDim": "The bound of the index: `#b` of `parallel b by 64 : block`.",
        "__global__": "Write `__co__` in front of the function. What the card runs is the body of its `parallel`.",
        "__device__": "Such a function stays C++: write it beside the kernel and run it with `call f(args);`.",
        "__shared__": "Write `shared`, with the extents behind the type: `shared f32 [32, 33] tile;`.",
        "__restrict__": "Leave it out.",
        "__launch_bounds__": "Write `[[launch_bounds(t, b)]]` in front of the outermost `parallel`.",
        "__ldg": "Read the element, `x.at(i)`.",
        "for": "Write `foreach i in n` for `for (int i = 0; i < n; i++)`. From another start or by larger steps a loop"
        " takes a part of its index: `with i in [n] foreach i(1:)` for `for (int i = 1; i < n; i++)`, `foreach i(::2)`"
        " for `i += 2`. What counts down is a `while`.",
        "switch": "Write `if` and `else`.",
        "pointer": "There are none: data has its shape with it, `global f32 [M, N] x`. An element is `x.at(i, j)`, a"
        " part of it a view such as `x.subspan(64, 64).at(i, j)`. A device function that is called gets a pointer.",
        "shape": "It stands in brackets behind the element type: `f32 [M, 64] x`. Names such as `M` are sizes, which"
        " the data of a call gives. `x.span` is the shape, `x.span(0)` one extent.",
        "kernel": "The outermost `parallel` of a `__co__` function; a function may have several, which run one behind"
        " the other.",
        "launch": "A `__co__` function is called as it is; its outermost `parallel` says how many blocks and threads.",
        "grid": "The levels marked `: block` of the outermost `parallel`: `parallel {i, j} by [8, 4] : block`.",
        "CTA": "A block: `parallel b by n : block`.",
        "warp": "32 threads: the level `: group`, as in `parallel w by 4 : group`.",
        "warpgroup": "128 threads, which multiply together: the level `: group-4`, as in `parallel w by 3 : group-4`.",
        "wgmma": "The multiply of a warpgroup: `mma.row.row acc, a, b;` under `parallel … : group-4`, with `b` in"
        " `shared` memory. `mma.commit;` ends a group of them, where the pipeline hands their buffers back.",
        "wmma": "The multiply of a warp: `mma.row.row acc, a, b;` under `parallel … : group`, with `a` and `b` loaded"
        " by `mma.load`.",
        "tcgen05": "The multiply of sm_100a; it is written as that of a warpgroup: `mma.row.row acc, a, b;`.",
        "mbarrier": "An event: `shared event full[4];`. `trigger` arrives, `wait` waits for its next generation.",
        "cp.async": "`dma.copy.async` on its way from `global` to `shared` memory; `wait f;` waits for it.",
        "cp.async.bulk": "`tma.copy.async`: one thread issues it, and an event can tell when it has landed.",
        "tensormap": "Made by the host side that is generated, from the view that a `tma` copy names.",
        "atomicAdd": "Write `__atomic_add(x.at(i), v)`: the element itself, not its address.",
        "cudaMalloc": _MEMORY,
        "cudaMemcpy": _MEMORY,
        "cudaStream_t": "A parameter `stream s`; `parallel<s> …` launches on it.",
        "cudaDeviceSynchronize": "A launch is waited for, unless it is `parallel.async`; `sync.global` waits for"
        " those.",
        **dict.fromkeys(("__shfl_sync", "__shfl_down_sync", "__shfl_up_sync", "__shfl_xor_sync"), _SHUFFLE),
        **dict.fromkeys(("float2", "float4", "int2", "int4", "half2"), _VECTOR),
    }
)
