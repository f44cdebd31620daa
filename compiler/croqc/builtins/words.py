"""Rows of levels, storage words, types and constants (reference, chapters 3 and 4.1). Data only."""

from __future__ import annotations

from typing import Final

from croqc.builtins.row import Row, needs
from croqc.targets.table import Feature


def _level(word: str, doc: str, *features: Feature) -> Row:
    return Row(word, f"parallel p by N : {word}", doc, f"parallel p by 2 : {word} {{ … }}", "4.1", needs(*features))


LEVELS: Final = (
    _level("term", "The outermost level, one host thread. Not needed for kernels."),
    _level("device", "Several devices. Not needed for kernels."),
    _level("cluster", "Blocks that share their shared memory.", Feature.CLUSTER),
    _level("block", "A thread block: `blockIdx`. At most three dimensions."),
    _level("group-4", "A warpgroup: 128 threads."),
    _level("group", "A warp: 32 threads."),
    _level("thread", "One thread. At most 1024 in a block."),
)


def _storage(word: str, signature: str, doc: str, example: str) -> Row:
    return Row(word, signature, doc, example, "3.6")


STORAGE: Final = (
    _storage(
        "global",
        "global T [shape] name",
        "Device memory. A `global` parameter is a device pointer; nothing is copied.",
        "__co__ void f(global f32 [N] x) { … }",
    ),
    _storage(
        "shared",
        "shared T [shape] name[n];",
        "Shared memory of the block: one instance a block, constant shape, undefined at start.",
        "shared f16 [64, 128] ring[4];",
    ),
    _storage(
        "local",
        "local T [shape] name;",
        "Private to each thread: registers or local memory. Constant shape, undefined at start.",
        "local f32 [8] acc {0.0f};",
    ),
    _storage("mutable", "mutable [T] x = e;", "A scalar that may be assigned again.", "mutable n = 0;"),
)


def _type(word: str, doc: str, *features: Feature) -> Row:
    return Row(word, f"{word} [shape] x · {word} x", doc, f"shared {word} [64, 64] tile;", "3.1", needs(*features))


_NARROW = Feature.NARROW

TYPES: Final = (
    _type("f64", "IEEE 64-bit float."),
    _type("double", "Another name of `f64`."),
    _type("f32", "IEEE 32-bit float. As an operand of `mma` it is treated as tf32."),
    _type("float", "Another name of `f32`."),
    _type("tf32", "TensorFloat-32: 32 bits of storage, 10 bits of mantissa."),
    _type("f16", "IEEE 16-bit float."),
    _type("half", "Another name of `f16`."),
    _type("bf16", "bfloat16: 8 exponent bits, 7 mantissa bits."),
    _type("bfp16", "Another name of `bf16`."),
    _type("f8_e4m3", "8-bit float with 4 exponent bits; largest value 448."),
    _type("f8", "Another name of `f8_e4m3`."),
    _type("f8_e5m2", "8-bit float with 5 exponent bits; largest value 57344."),
    _type("f8_ue4m3", "Unsigned 8-bit scale format, 4 exponent bits.", _NARROW),
    _type("f8_ue8m0", "Unsigned 8-bit scale format: a power of two.", _NARROW),
    _type("f6_e3m2", "6-bit float with 3 exponent bits.", _NARROW),
    _type("f6_e2m3", "6-bit float with 2 exponent bits.", _NARROW),
    _type("f4_e2m1", "4-bit float with 2 exponent bits.", _NARROW),
    *(_type(f"s{bits}", f"Signed {bits}-bit integer.") for bits in (64, 32, 16, 8, 6, 4, 2)),
    *(_type(f"u{bits}", f"Unsigned {bits}-bit integer.") for bits in (64, 32, 16, 8, 6, 4, 2, 1)),
    _type("bin1", "One bit."),
    Row("int", "int x = e;", "Signed 32-bit control integer, the same type as `s32`. Immutable.", "int n = 4;", "3.1"),
    Row("bool", "bool x = e;", "A truth value.", "bool last = k == 3;", "3.1"),
    Row("void", "__co__ void f(…)", "No result.", "__co__ void f(global f32 [N] x) { … }", "4.6"),
    Row(
        "auto", "__co__ auto f(…)", "The result's type follows from `return`.", "__co__ auto f(f32 [N] x) { … }", "4.6"
    ),
    Row(
        "mdspan",
        "[mdspan<rank>] s : [a, b];",
        "A shape: a list of extents, each at least 1.",
        "tiles : [cdiv(M, 64), cdiv(N, 64)];",
        "3.2",
    ),
    Row("ituple", "ituple[<rank>] t = {a, b};", "A list of integers of any sign.", "ituple<2> t = {2, 5};", "3.2"),
    Row("stream", "stream s", "A CUDA stream, as a parameter.", "__co__ void f(stream s) { … }", "4.2"),
    Row(
        "event",
        "shared event[<n>] e[N] [= ready];",
        "A counter of completed generations, one a slot. `trigger` arrives, `wait` blocks until the next generation "
        "is complete. `event<n>`: n arrivals complete one; otherwise the number of paths that trigger the slot.",
        "shared event full[4], empty[4] = ready;",
        "7.2",
        needs(Feature.MBARRIER),
    ),
)

CONSTANTS: Final = (
    Row("true", "true", "Truth value.", "bool on = true;", "1.3"),
    Row("false", "false", "Truth value.", "bool on = false;", "1.3"),
    Row("nullptr", "nullptr", "The null pointer, as an argument of `call`.", "call f(nullptr);", "1.3"),
    Row("inf", "inf", "Infinity of the float type that is needed.", "local f32 [1] m {-inf};", "1.3"),
)

# Words of older statements and of loops that have no row of their own elsewhere (2.13).
OLDER: Final = (
    Row(
        "setreg",
        "setreg[.inc|.dec] n;",
        "Older: the registers a thread. Write `[[maxnreg(n)]]`.",
        "[[maxnreg(168)]]",
        "2.13",
    ),
    Row(".inc", "setreg.inc n;", "Older: asks for more registers a thread.", "setreg.inc 240;", "2.13"),
    Row(".dec", "setreg.dec n;", "Older: gives registers back.", "setreg.dec 40;", "2.13"),
    Row("stage", "stage<N>(x)", "Older: the slot of order x. Write `x % N`.", "s = x % 4;", "2.13"),
    Row("fragment", "fragment T [shape] x;", "Older spelling of `frag`.", "frag f32 [64, 64] x {0.0f};", "2.13"),
)
