"""Names of the rules whose findings the device side raises, each with its catalogue rows and the keys of its args.

The wording stands in `croqc.rules`. Types and shapes in args are texts ready to print. Names only.
"""

from __future__ import annotations

from typing import Final

# --- levels and regions (8.5) -------------------------------------------------------------------

PARALLEL_COUNT: Final = "parallel-count"  # L01; found: the value or the type
PARALLEL_INDICES: Final = "parallel-indices"  # L02; names, bounds (numbers; more than 3 of either is an error, too)
LEVEL_ORDER: Final = "level-order"  # L03; reason "repeated"|"reversed"|"deep"|"unclear", level, outer
LEVEL_UNAVAILABLE: Final = "level-unavailable"  # L04; level, target, needs (targets that have it)
GROUP_THREADS: Final = "group-threads"  # L05; threads, needed, level
BLOCK_THREADS: Final = "block-threads"  # L06; threads, limit
GROUP_IN_GROUP4: Final = "group-in-group-4"  # L07; no args
BLOCK_SIZE_MISMATCH: Final = "block-size-mismatch"  # L08; threads, other; related: the other
LAUNCH_BINDING: Final = "launch-binding"  # L09; reason "inner-async"|"inner-stream"|"not-a-stream", name
LAUNCH_ATTRIBUTE: Final = "launch-attribute"  # L10; attribute, reason "level"|"count"|"static"|"value"|"small", threads
REGION_AT_HOST: Final = "region-at-host"  # L11; no args
UNIFORM_PREDICATE: Final = "uniform-predicate"  # L12; no args; the span is the part that depends on no index
NESTED_ASYNC_REGION: Final = "nested-async-region"  # L13; related: the outer region
UNKNOWN_THREADS: Final = "unknown-threads"  # L14; no args
OVERLAPPING_REGIONS: Final = "overlapping-regions"  # L15; threads (how many run both); related: the other region
EMPTY_REGION: Final = "empty-region"  # threads: of the block; configured: a macro decides it
MISPLACED_JUMP: Final = "misplaced-jump"  # L18; word, needs "loop"|"parallel"
YIELD_IN_LOOP: Final = "yield-in-loop"  # 4.5; what "barrier"|"event"; related: one of them
LOOP_HINT: Final = "loop-hint"  # L19; reason "extent"|"width"|"inner", value, extent
MISPLACED_SYNC: Final = "misplaced-sync"  # L20; what ("sync.shared" …), reason "host"|"device"|"local"|"grid"
WIDE_BARRIER: Final = "wide-barrier"  # L21; level, enclosing
DIVERGENT_COLLECTIVE: Final = "divergent-collective"  # L23; what, unit; related: the condition

# --- memory (8.4) -------------------------------------------------------------------------------

SHARED_LIMIT: Final = "shared-memory-limit"  # M04; used, least, limit, storage, target, buffers: largest first
DYNAMIC_SHARED: Final = "dynamic-shared-memory"  # M05; used, limit, buffers: ((name, bytes), …)
THREAD_TILE: Final = "thread-tile-in-shared"  # M06; index (name of the parallel index), buffer

# --- copies and futures (8.6) -------------------------------------------------------------------

COPY_TYPES: Final = "copy-types"  # D01; source, dest (element types)
COPY_RANKS: Final = "copy-ranks"  # D02; source, dest (ranks)
COPY_SHAPES: Final = "copy-shapes"  # D03; source, dest (shapes), dim
TRANSPOSE_ORDER: Final = "transpose-order"  # D04; order, rank
PAD_LISTS: Final = "pad-lists"  # D05; reason "rank"|"integer"|"range"|"mid", list "low"|"high"|"mid", rank
COPY_DIRECTION: Final = "copy-direction"  # D06; source, dest (storage words), op, is_async
TMA_LIMIT: Final = (
    "tma-limit"  # D08; reason "target"|"row"|"rows"|"extent"|"rank"|"stride"|"op", value, target, needs, dim
)
TMA_BOX_VARIES: Final = "tma-box-varies"  # D09; index
TMA_THREAD_INDEX: Final = "tma-thread-index"  # D10; index
COPY_MODIFIER: Final = "copy-modifier"  # D11; modifier, reason "multicast"|"tma-only"; the grammar finds the others
SWIZZLE_MISMATCH: Final = "swizzle-mismatch"  # D13; here, there (bytes), buffer; related: the other side
SWIZZLE_INHERITED: Final = "swizzle-inherited"  # D14; swizzle, buffer; related: where it is written
UNSYNCED_READ: Final = "unsynced-read"  # 4.6; name, shared: no global data; related: the write
UNSYNCED_WRITE: Final = "unsynced-write"  # 4.6; name, shared, update: of itself, as `+=` is; related: the read
DROPPED_REST: Final = "dropped-rest"  # 8.10, a note; size, tile: only whole tiles of the size are counted
ASSUMED_SIZE: Final = "assumed-size"  # 8.10, a note; extent; least, tile or other: what is asked of it; uses
ASSUMED_DIVISIBLE: Final = "assumed-divisible"  # 5.2, a note; tile, extent, dim: whole tiles only if extent % tile == 0
ZERO_FILL: Final = "zero-fill"  # D15; reason "redundant"
PADDED_STORE: Final = "padded-store"  # D18; row, stride (elements)
UNNAMED_ASYNC: Final = "unnamed-async-copy"  # F01; no args
COMPLETE_FUTURE: Final = "wait-on-complete"  # F02; name
FUTURE_REUSE: Final = "future-reuse"  # F05; name, reason "redefined"|"type"|"shape"|"storage"
SWAP_OPERANDS: Final = "swap-operands"  # F07; word, reason "future"|"type"|"scope"|"host", name
SELECT_OPERANDS: Final = "select-operands"  # F08; reason "index"|"range"|"reached"|"type"|"kind", value, count
WAIT_OPERAND: Final = "wait-operand"  # F10; found (type)

# --- multiplies (8.7) ---------------------------------------------------------------------------

LOST_WRITE: Final = "lost-write"  # 3.6; name
MULTIPLY_OPERAND: Final = (
    "multiply-operand"  # X01; operand "a"|"b", reason "rank"|"static"|"global"|"local"|"store", rank
)
MULTIPLY_DEPTH: Final = "multiply-depth"  # X02; a, b (K extents), sparse (bool)
NO_MULTIPLY: Final = "no-such-multiply"  # X03; a, b, acc, m, n, k, target, sparse, nearest ("64x8x16", …), accumulators
WARPGROUP_MULTIPLY: Final = "warpgroup-multiply"  # X04; a, b, acc, m, n, k, target, needs (targets that have it)
MULTIPLY_UNIT: Final = "multiply-unit"  # X05; shape, needs ("group"|"group-4"), has
SHARED_WARP_OPERAND: Final = "shared-warp-operand"  # X06; operand
REGISTER_OPERAND: Final = "register-operand"  # X07; operand, reason "b"|"split"
ACCUMULATOR_USE: Final = "accumulator-use"  # X08; name, reason "operand"|"fill"|"unused"|"load"|"not-accumulator"
FRAGMENT_ARRAY: Final = "whole-fragment-array"  # X09; name, count
ACCUMULATOR_TYPE: Final = "accumulator-type"  # X10; name, operands
SPARSE_MULTIPLY: Final = "sparse-multiply"  # X11; reason "k"|"metadata"|"schedule"
MULTIPLY_SCALE: Final = "multiply-scale"  # X12; reason "unit"|"shape"|"scalar"|"first", found
LOAD_TILE: Final = "load-tile"  # X13; tile, extent, dim, buffer
ACCUMULATOR_REGISTERS: Final = "accumulator-registers"  # names, registers (of a thread), limit, threads (of the block)
MASKED_STORE: Final = "masked-store"  # X14; rows, columns, tile
FRAGMENT_REDUCE: Final = "fragment-reduce"  # X16; dim
OPERAND_LAYOUT: Final = "operand-layout"  # X17; type, layout

# --- events (8.8) -------------------------------------------------------------------------------

EVENT_STORAGE: Final = "event-storage"  # Q01; storage, level "host"|"device"
EVENT_IN_REGION: Final = "event-in-region"  # Q02; name
EVENT_OUTSIDE_ROLE: Final = "event-outside-role"  # Q03; word "trigger"|"wait", paths
TRIGGER_OPERAND: Final = "trigger-operand"  # Q04; found (type)
EVENT_ORDER: Final = "event-order"  # Q05; reason "array"|"rank"|"integer"|"update"
EXPLICIT_COUNT: Final = "explicit-count"  # Q07, a note; written, computed (tuple: one or several counts)
JOINED_TRIGGER: Final = "joined-trigger"  # Q09; reason "events"|"storage"|"sync"|"name"|"multiply"|"store", name
NAMED_BARRIER: Final = "named-barrier"  # Q15; reason "id"|"count", value
