"""Rows of the built-in functions (reference, 1.3.11, 4.6, 7.7 and 9.12). Data only."""

from __future__ import annotations

from typing import Final

from croqc.builtins.row import Row


def _maths(name: str, doc: str, args: str = "x") -> Row:
    text = f"__{name}({args})"
    return Row(f"__{name}", f"{text} -> type of the first argument", doc, f"y = {text};", "9.12")


MATHS: Final = (
    Row("cdiv", "cdiv(a, b)", "Ceiling division: `(a + b - 1) / b`.", "foreach {k} in [cdiv(K, 64)] { … }", "3.2"),
    _maths("acos", "Arc cosine."),
    _maths("asin", "Arc sine."),
    _maths("atan", "Arc tangent."),
    _maths("atan2", "Arc tangent of `y / x` in the right quadrant.", "y, x"),
    _maths("ceil", "The least whole number not below x."),
    _maths("cos", "Cosine."),
    _maths("cosh", "Hyperbolic cosine."),
    _maths("exp", "e to the power of x."),
    _maths("exp2f", "2 to the power of x."),
    _maths("expm1", "`e^x - 1`, exact near 0."),
    _maths("fabs", "Absolute value."),
    _maths("floor", "The greatest whole number not above x."),
    _maths("fmaf", "`a * b + c`, rounded once.", "a, b, c"),
    _maths("frcp_rn", "`1 / x`, rounded to nearest."),
    _maths("gelu", "GELU in its tanh form: `0.5 x (1 + tanh(0.79788456 (x + 0.044715 x^3)))`."),
    _maths("isfinite", "1 if x is neither infinite nor NaN, else 0."),
    _maths("log", "Natural logarithm."),
    _maths("log1p", "`log(1 + x)`, exact near 0."),
    _maths("max", "The larger of two values.", "a, b"),
    _maths("min", "The smaller of two values.", "a, b"),
    _maths("pow", "x to the power of y.", "x, y"),
    _maths("round", "The nearest whole number."),
    _maths("rsqrt", "`1 / sqrt(x)`."),
    _maths("sigmoid", "`1 / (1 + e^-x)`."),
    _maths("sign", "-1, 0 or 1; 0 for NaN."),
    _maths("sin", "Sine."),
    _maths("sinh", "Hyperbolic sine."),
    _maths("softplus", "`log(1 + e^x)` in its stable form."),
    _maths("sqrt", "Square root."),
    _maths("tan", "Tangent."),
    _maths("tanh", "Hyperbolic tangent."),
    _maths("alignup", "The least multiple of n not below a. Integers only.", "a, n"),
    _maths("aligndown", "The greatest multiple of n not above a. Integers only.", "a, n"),
    Row(
        "__to",
        "__to<T>(e)",
        'Converts to the element type T without a warning. `__to<"C++ type">(e)` writes a C-style cast, unchecked.',
        "x = __to<f16>(acc);",
        "3.1",
    ),
)


def _atomic(name: str, doc: str, types: str) -> Row:
    text = f"__atomic_{name}(x.at(…), v)"
    return Row(
        f"__atomic_{name}",
        f"[old =] {text}",
        f"{doc} Returns the old value. The first argument is an element of `shared` or `global` data. Types: {types}.",
        f"__atomic_{name}(hist.at(b), 1);",
        "4.6",
    )


_WIDE = "s32, u32, s64, u64"

EFFECTS: Final = (
    _atomic("add", "Adds at once.", "s32, u32, u64, f32, f64, f16"),
    _atomic("sub", "Subtracts at once.", "s32, u32"),
    _atomic("exch", "Exchanges the value.", "s32, u32, u64, f32"),
    _atomic("min", "Keeps the smaller value.", _WIDE),
    _atomic("max", "Keeps the larger value.", _WIDE),
    _atomic("and", "Bitwise and.", _WIDE),
    _atomic("or", "Bitwise or.", _WIDE),
    _atomic("xor", "Bitwise exclusive or.", _WIDE),
    Row(
        "__atomic_cas",
        "[old =] __atomic_cas(x.at(…), expected, v)",
        "Writes v if the element equals `expected`. Returns the old value. Types: s32, u32, u64, u16.",
        "old = __atomic_cas(lock.at(0), 0, 1);",
        "4.6",
    ),
    Row(
        "__bar_arrive",
        "__bar_arrive(id, count)",
        "Arrives at named barrier `id` without waiting. `count` threads in all, a multiple of 32; ids are 1 to 14.",
        "__bar_arrive(1, 256);",
        "7.7",
    ),
    Row(
        "__bar_sync",
        "__bar_sync(id, count)",
        "Arrives at named barrier `id` and waits for `count` threads in all, a multiple of 32; ids are 1 to 14.",
        "__bar_sync(1, 256);",
        "7.7",
    ),
    Row(
        "print",
        "print(a, b, …); · print!(…);",
        "Prints at run time, `print!` during compilation.",
        "print(i, x);",
        "4.6",
    ),
    Row("println", "println(a, b, …); · println!(…);", "As `print`, with a line end.", "println(i, x);", "4.6"),
    Row(
        "assert",
        'assert(cond, "text");',
        "Statically false: an error. Unknown: a check at function entry, or on the device.",
        'assert(K % 64 == 0, "K is a multiple of 64");',
        "4.6",
    ),
    Row(
        "__cpp__",
        '__cpp__("text");',
        "C++ text, pasted at this place and never read. It counts as touching all memory.",
        '__cpp__("asm volatile(\\"nanosleep.u32 20;\\");");',
        "4.6",
    ),
)
