"""The table of words against the reference's own lists, written out here a second time."""

from __future__ import annotations

import re

import pytest

from croqc.syntax import keywords as kw
from croqc.syntax.keywords import Group, Highlight

ROWS = {
    Group.STRUCTURE: "parallel by with in where foreach inthreads apply if else while break continue return yield",
    Group.LEVEL: "block group group-4 thread cluster device term",
    Group.STORAGE: "global shared local",
    Group.MOVEMENT: "dma tma mma after select swap rotate copy reduce_max reduce_sum all_reduce_sum",
    Group.SYNC: "wait trigger sync barrier fence cooperative",
    Group.CALL: "call print println assert cdiv",
    Group.LITERAL: "true false nullptr inf",
    Group.HINT: "unroll vectorize",
    Group.ISLAND: "__cpp__ __asm__ asm volatile goto",
}
ELEMENTS = (
    "f64 double f32 float tf32 f16 half bf16 bfp16 f8_e4m3 f8 f8_e5m2 f8_ue4m3 f8_ue8m0 f6_e3m2 f6_e2m3 "
    "f4_e2m1 s64 s32 s16 s8 s6 s4 s2 u64 u32 u16 u8 u6 u4 u2 u1 bin1"
)


PLAIN_NAMES = (
    "for do switch const static struct class int32_t unsigned signed static_assert ready schedule k_tiles "
    "launch_bounds maxnreg pipeline stage setreg"
)
TYPE_WORDS = "auto void bool int mdspan ituple event stream frag mutable"


@pytest.mark.parametrize("group", ROWS, ids=lambda g: g.value)
def test_row_of_the_reference(group: Group) -> None:
    assert {w.text for w in kw.KEYWORDS.values() if w.group is group} == set(ROWS[group].split())


def test_type_words() -> None:
    words = {w.text for w in kw.KEYWORDS.values() if w.group is Group.TYPE}
    assert words == {*TYPE_WORDS.split(), *ELEMENTS.split()}


@pytest.mark.parametrize(
    ("spelling", "canonical"),
    [
        ("half", "f16"),
        ("float", "f32"),
        ("double", "f64"),
        ("bfp16", "bf16"),
        ("f8", "f8_e4m3"),
        ("u1", "u1"),
    ],
)
def test_synonyms(spelling: str, canonical: str) -> None:
    assert kw.canonical_type(spelling) == canonical


def test_elements_are_complete_and_closed() -> None:
    assert set(kw.ELEMENT_TYPES) == set(ELEMENTS.split())
    assert all(kw.ELEMENT_TYPES[name] == name for name in kw.ELEMENT_TYPES.values())
    assert kw.canonical_type("int") is None


@pytest.mark.parametrize(
    "name",
    PLAIN_NAMES.split(),
)
def test_not_reserved(name: str) -> None:
    assert kw.lookup(name) is None


def test_library_calls_are_reserved_by_prefix() -> None:
    word = kw.lookup("__lib_topk")
    assert word is not None
    assert word.highlight is Highlight.BUILTIN
    assert kw.lookup("__library") is None


@pytest.mark.parametrize(
    ("word", "count"),
    [
        ("__sqrt", 1),
        ("__atan2", 2),
        ("__fmaf", 3),
        ("__atomic_add", 2),
        ("__atomic_cas", 3),
        ("__alignup", 2),
    ],
)
def test_arity(word: str, count: int) -> None:
    assert kw.arity(word) == (count, count)


def test_arity_of_other_words() -> None:
    assert kw.arity("cdiv") == (2, 2)
    assert kw.arity("__to") == (1, 1)
    assert kw.arity("println") is None
    assert kw.arity("banana") is None


def test_there_are_31_arithmetic_words() -> None:
    assert len(kw.BUILTIN_MATH) == 31


@pytest.mark.parametrize(
    ("highlight", "words"),
    [
        (Highlight.STORAGE, "global shared local mutable frag"),
        (Highlight.CONSTANT, "true false nullptr inf"),
        (Highlight.LEVEL, ROWS[Group.LEVEL]),
        (Highlight.TYPE, ELEMENTS + " int bool void auto mdspan ituple event stream"),
        (
            Highlight.CONTROL,
            "parallel by with in where foreach inthreads if else while break continue return yield "
            "call wait trigger sync swap rotate select after",
        ),
        (Highlight.REGION, "__co__ __cok__ __device__ __co_device__ __cpp__ __asm__ asm volatile goto"),
        (
            Highlight.MEMBER,
            "span data mdata at chunkat chunk subspan modspan step view from span_as sqz map remap zfill stride",
        ),
    ],
)
def test_classes_of_highlighting(highlight: Highlight, words: str) -> None:
    assert kw.of_class(highlight) == set(words.split())


def test_soft_words_are_reserved_and_contextual_ones_are_not() -> None:
    assert all(kw.lookup(word) for word in kw.SOFT)
    assert not any(kw.lookup(word) for word in kw.CONTEXTUAL)
    assert "group-4" not in kw.SOFT


def test_modifiers_stand_in_legal_order() -> None:
    order = list(kw.MODIFIERS)
    assert order[0] == "async"
    assert order.index("evict_last") < order.index("swiz")


def test_every_word_but_one_is_an_identifier() -> None:
    odd = [word for word in kw.KEYWORDS if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", word)]
    assert odd == ["group-4"]
