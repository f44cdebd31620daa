"""The one table of the words of Croqtile: pure data and small lookups (reference, 1.2 to 1.4 and 1.8).

The lexer, the checks, the server and the editor grammars all read it. It must not import the lexer or the
grammar, and it gives no word a meaning: what an operation does stands in `croqc.builtins`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Final

from croqc.text.record import record


def _words(row: str) -> tuple[str, ...]:
    """The words of a row that is written as in the reference, blanks between."""
    return tuple(row.split())


class Group(Enum):
    """The row of the table of reserved words (1.3.3) that a word stands in."""

    STRUCTURE = "structure"
    LEVEL = "parallel level"
    STORAGE = "storage"
    TYPE = "type word"
    MOVEMENT = "data movement"
    SYNC = "synchronisation"
    CALL = "call or output"
    LITERAL = "literal"
    HINT = "loop hint"
    ISLAND = "code island"
    MATHS = "maths"


class Highlight(Enum):
    """The token class of a word for highlighting and completion (1.8)."""

    REGION = "region marker"
    CONTROL = "control keyword"
    LEVEL = "level"
    STORAGE = "storage modifier"
    TYPE = "type"
    OPERATION = "operation"
    MEMBER = "member function"
    BUILTIN = "built-in function"
    CONSTANT = "constant"
    MACRO = "macro"


class Bracket(Enum):
    """Whether `<…>` follows a modifier word."""

    NONE = "none"
    OPTIONAL = "optional"
    REQUIRED = "required"


@record
class Word:
    """One word with its row in 1.3.3 and its class in 1.8."""

    text: str
    group: Group
    highlight: Highlight


# Element types (1.3.4): spelling -> canonical name. Canonical names map to themselves.
ELEMENT_TYPES: Final[Mapping[str, str]] = MappingProxyType(
    {name: name for name in _words("f64 f32 tf32 f16 bf16 f8_e4m3 f8_e5m2 f8_ue4m3 f8_ue8m0 f6_e3m2 f6_e2m3")}
    | {name: name for name in _words("f4_e2m1 s64 s32 s16 s8 s6 s4 s2 u64 u32 u16 u8 u6 u4 u2 u1 bin1")}
    | {"double": "f64", "float": "f32", "half": "f16", "bfp16": "bf16", "f8": "f8_e4m3"}
)

# Scalar-only types; they never take a shape (1.3.4).
SCALAR_TYPES: Final = frozenset({"int", "bool"})

# Levels after a `:`, outermost first; `group-4` is one token there (1.3.3, 1.3.8).
LEVELS: Final = ("term", "device", "cluster", "block", "group-4", "group", "thread")

STORAGE: Final = ("global", "shared", "local")

# Built-in arithmetic (1.3.11): word -> least and greatest number of arguments.
BUILTIN_MATH: Final[Mapping[str, tuple[int, int]]] = MappingProxyType(
    {
        f"__{name}": (1, 1)
        for name in _words(
            "acos asin atan ceil cos cosh exp exp2f expm1 fabs frcp_rn floor gelu isfinite round rsqrt "
            "sigmoid sinh softplus sqrt tan log1p log sign sin tanh"
        )
    }
    | {"__atan2": (2, 2), "__max": (2, 2), "__min": (2, 2), "__pow": (2, 2), "__fmaf": (3, 3)}
)

BUILTIN_ALIGN: Final[Mapping[str, tuple[int, int]]] = MappingProxyType({"__alignup": (2, 2), "__aligndown": (2, 2)})
ATOMICS: Final[Mapping[str, tuple[int, int]]] = MappingProxyType(
    {f"__atomic_{name}": (2, 2) for name in _words("add sub exch min max and or xor")} | {"__atomic_cas": (3, 3)}
)
NAMED_BARRIERS: Final[Mapping[str, tuple[int, int]]] = MappingProxyType({"__bar_arrive": (2, 2), "__bar_sync": (2, 2)})
CONVERSION: Final = "__to"
LIBRARY_PREFIX: Final = "__lib_"  # any identifier that starts so is a library call

# Words that start a region of the file, and the one island that is a statement of its own (1.1, 1.8).
REGION_MARKERS: Final = frozenset({"__co__", "__cok__", "__device__", "__co_device__", "__cpp__"})

# Preprocessor directives that are obeyed or known by name (1.2.1).
DIRECTIVES: Final = frozenset(_words("define undef if ifdef ifndef elif else endif error line pragma include"))

# Dotted words that apply to data (1.3.9), without their dot. `zfill` stands at the end of a copy source.
MEMBERS: Final = frozenset(
    _words("span data mdata at chunkat chunk subspan modspan step view from span_as sqz map remap zfill stride")
)
VIEW_OPERATIONS: Final = frozenset({"chunkat", "chunk", "subspan", "modspan", "view", "span_as"})

# What may follow the dot directly behind a word (1.4), in the order of the reference. Behind `mma.fill` and
# `frag` an element type may follow too; that is grammar, not a word of this table.
OPERATIONS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "dma": ("copy", "transp", "pad", "any"),
        "tma": ("copy", "load", "transp", "pad", "any"),
        "mma": ("fill", "load", "row", "col", "store", "scale", "commit"),
        "parallel": ("async",),
        "inthreads": ("async",),
        "sync": ("shared", "global", "local", "barrier", "fence"),
        "trigger": ("cluster",),
    }
)

# Modifiers of `dma` and `tma` in their legal order, with their bracket (1.4.1). The bracket of `async`
# holds the event of the classic dialect.
MODIFIERS: Final[Mapping[str, Bracket]] = MappingProxyType(
    {
        "async": Bracket.OPTIONAL,
        "evict_first": Bracket.NONE,
        "evict_last": Bracket.NONE,
        "swiz": Bracket.OPTIONAL,
        "swizzle": Bracket.OPTIONAL,
        "zfill": Bracket.NONE,
        "sp": Bracket.OPTIONAL,
        "multicast": Bracket.NONE,
        "promote": Bracket.REQUIRED,
    }
)

# What may follow a word of `mma`, in the fixed order of 1.4.2.
MMA_SUFFIXES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "load": ("frag", "swiz", "swizzle", "async"),
        "row": ("row", "col"),
        "col": ("row", "col"),
        "store": ("async", "transp", "mask"),
        "layout": ("sp", "scale", "async"),  # behind the second `row` or `col`
    }
)

# Dotted words of older spellings (2.13, 2.14): word -> what they follow. All are parsed (chapter 0).
OLD_DOTTED: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "copy_async": ("dma", "tma"),
        "store": ("tma",),
        "wait": ("mma",),
        "desc": ("mma",),
        "loadR": ("mma",),
        "loadS": ("mma",),
        "order": ("mma",),
        "exec": ("mma",),
        "inc": ("setreg",),
        "dec": ("setreg",),
        "apply": ("frag",),
        "copy": ("frag",),
        "load": ("frag",),
        "reduce_max": ("frag",),
        "reduce_sum": ("frag",),
    }
)

# Every operation and modifier word that can stand behind a dot, old ones included.
OPERATION_WORDS: Final = frozenset(
    {word for words in OPERATIONS.values() for word in words}
    | set(MODIFIERS)
    | {word for words in MMA_SUFFIXES.values() for word in words}
    | set(OLD_DOTTED)
    | {"sync"}  # `mma.sync`, an old form that stays an error
)

# Reserved words that are plain names where the keyword could not start anything (1.3.3).
SOFT: Final = frozenset({*LEVELS, "copy", "apply", "reduce_max", "reduce_sum", "all_reduce_sum"} - {"group-4"})

# Plain names with a meaning only where the grammar names them (1.3.3).
CONTEXTUAL: Final = frozenset({"ready", "schedule", "k_tiles", "launch_bounds", "maxnreg"})
ATTRIBUTES: Final = frozenset({"launch_bounds", "maxnreg", "schedule"})

# Words of other languages that people type at the start of a statement (2.4.5); not reserved.
FOREIGN: Final = frozenset({"for", "do", "switch", "const", "constexpr", "static", "static_assert"})


def _rows() -> tuple[tuple[Group, Highlight, str], ...]:
    """The rows of 1.3.3, split where 1.8 gives the words of a row different classes."""
    g, h = Group, Highlight
    return (
        (g.STRUCTURE, h.CONTROL, "parallel by with in where foreach inthreads if else while break continue"),
        (g.STRUCTURE, h.CONTROL, "return yield"),
        (g.STRUCTURE, h.BUILTIN, "apply"),
        (g.LEVEL, h.LEVEL, " ".join(LEVELS)),
        (g.STORAGE, h.STORAGE, " ".join(STORAGE)),
        (g.TYPE, h.TYPE, "auto void bool int mdspan ituple event stream"),
        (g.TYPE, h.TYPE, " ".join(ELEMENT_TYPES)),
        (g.TYPE, h.STORAGE, "frag mutable"),
        (g.MOVEMENT, h.OPERATION, "dma tma mma"),
        (g.MOVEMENT, h.CONTROL, "after select swap rotate"),
        (g.MOVEMENT, h.BUILTIN, "copy reduce_max reduce_sum all_reduce_sum"),
        (g.SYNC, h.CONTROL, "wait trigger sync"),
        # 1.8 names no class for the next two rows: words that only stand beside an operation or a header.
        (g.SYNC, h.OPERATION, "barrier fence cooperative"),
        (g.HINT, h.OPERATION, "unroll vectorize"),
        (g.CALL, h.CONTROL, "call"),
        (g.CALL, h.BUILTIN, "print println assert cdiv"),
        (g.LITERAL, h.CONSTANT, "true false nullptr inf"),
        (g.ISLAND, h.REGION, "__cpp__ __asm__ asm volatile goto"),
        (
            g.MATHS,
            h.BUILTIN,
            " ".join((*BUILTIN_MATH, *BUILTIN_ALIGN, *ATOMICS, *NAMED_BARRIERS, CONVERSION)),
        ),
    )


# Every reserved word. `group-4` is the only one that is no identifier; `__lib_…` is found by `lookup`.
KEYWORDS: Final[Mapping[str, Word]] = MappingProxyType(
    {text: Word(text, group, highlight) for group, highlight, row in _rows() for text in row.split()}
)


def lookup(text: str) -> Word | None:
    """The reserved word that `text` is, library calls included; None for a plain name."""
    word = KEYWORDS.get(text)
    if word is None and text.startswith(LIBRARY_PREFIX):
        return Word(text, Group.MATHS, Highlight.BUILTIN)
    return word


def canonical_type(text: str) -> str | None:
    """The canonical name of an element type (`half` gives `f16`), None for any other word."""
    return ELEMENT_TYPES.get(text)


def arity(text: str) -> tuple[int, int] | None:
    """Least and greatest number of arguments of a built-in function word, None where it is not fixed."""
    if text == "cdiv":
        return (2, 2)
    for table in (BUILTIN_MATH, BUILTIN_ALIGN, ATOMICS, NAMED_BARRIERS):
        if text in table:
            return table[text]
    return (1, 1) if text == CONVERSION else None


def of_class(highlight: Highlight) -> frozenset[str]:
    """Every word of one class of 1.8, reserved or not (dotted words without their dot)."""
    words = {word.text for word in KEYWORDS.values() if word.highlight is highlight}
    match highlight:
        case Highlight.REGION:
            return frozenset(words | REGION_MARKERS)
        case Highlight.OPERATION:
            return frozenset(words | OPERATION_WORDS)
        case Highlight.MEMBER:
            return MEMBERS
        case Highlight.MACRO:
            return DIRECTIVES
        case _:
            return frozenset(words)
