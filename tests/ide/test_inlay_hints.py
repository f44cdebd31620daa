"""Inlay hints: what is shown where, and that hints of other lines stay while one is typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from croqc.text.span import Span
from croqls.ide.inlay_hints import HintKind, inlay_hints, kib
from croqls.ide.snapshot import Snapshot

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = ("pipeline_course", "pipeline_current", "pipeline_classic", "persistent_1p2c", "swap_f16")


def text_of(name: str) -> str:
    return (EXAMPLES / f"{name}.co").read_text(encoding="utf-8")


def hinted(text: str) -> list[str]:
    """The lines that have hints, these in guillemets."""
    found = inlay_hints(Snapshot("file:///k.co", 1, text)).found
    for hint in reversed(found):
        text = f"{text[: hint.offset]}‹{hint.label.strip()}›{text[hint.offset :]}"
    return [line.strip() for line in text.split("\n") if "‹" in line]


def test_the_course_kernel() -> None:
    assert hinted(text_of("pipeline_course")) == [
        "shared f16 [MATMUL_WARP_M, MATMUL_TILE_K] lhs_load_s[MATMUL_STAGES]‹2 × 16 KiB = 32 KiB›;",
        "shared f16 [MATMUL_WARP_N, MATMUL_TILE_K] rhs_load_s[MATMUL_STAGES]‹2 × 16 KiB = 32 KiB›;",
        "shared f16 [MATMUL_WARP_M, MATMUL_WARP_N] output_s‹8 KiB›;",
        "inthreads.async (p1 == 0)‹threads 0 … 127› {",
        "stage‹: int below cdiv(K, 128)› = iv_k % MATMUL_STAGES;",
        "wait empty[stage]‹slot iv_k % 2, parity (iv_k / 2) & 1›;",
        "trigger full[stage]‹slot iv_k % 2›;",
        "inthreads.async (p1 == 1)‹threads 128 … 255› {",
        "mc‹: f16 [64, 64]› = mma.fill.f16 0.0f;",
        "stage‹: int below cdiv(K, 128)› = iv_k % MATMUL_STAGES;",
        "wait full[stage]‹slot iv_k % 2, parity (iv_k / 2) & 1›;",
        "ma‹: f16 [64, 16]› = mma.load lhs_load_s[stage].chunkat(_, iv_warp);",
        "mb‹: f16 [64, 16]› = mma.load rhs_load_s[stage].chunkat(_, iv_warp);",
        "trigger empty[stage]‹slot iv_k % 2›;",
    ]


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("pipeline_current", ["wait empty.at(k)‹slot k % 3, parity (k / 3) & 1›;"]),
        ("pipeline_current", ["trigger full.at(k)‹slot k % 3› after lf, rf;"]),
        ("pipeline_classic", ["inthreads.async (w == 0 && t == 0)‹thread 0› {"]),
        ("persistent_1p2c", ["inthreads.async (p > 0)‹2 paths, threads 128 … 383› {"]),
        (
            "persistent_1p2c",
            ["wait full[stage]‹slot k % 2›;"],
        ),  # its loop runs for each tile: the turn is not the count
    ],
)
def test_other_kernels(name: str, lines: list[str]) -> None:
    assert set(lines) <= set(hinted(text_of(name)))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("wait full[stage];", "wait full[stage];\n          wait full[stage];"),  # twice a turn
        ("wait full[stage];", "if (iv_k > 0) wait full[stage];"),
        (
            "stage = iv_k % MATMUL_STAGES;\n          wait full",
            "stage = (iv_k + 1) % MATMUL_STAGES;\n          wait full",
        ),
        ("mma.commit;", "mma.commit;\n          if (iv_k > 3) continue;"),
    ],
)
def test_a_parity_that_is_not_sure_is_not_told(old: str, new: str) -> None:
    text = text_of("pipeline_course")
    assert old in text
    waits = [line for line in hinted(text.replace(old, new, 1)) if "wait full" in line]
    assert waits and not any("parity" in line for line in waits)


def test_bytes() -> None:
    assert [kib(count) for count in (16, 1023, 1024, 1536, 232448)] == ["16 B", "1023 B", "1 KiB", "1.5 KiB", "227 KiB"]
    hints = inlay_hints(Snapshot("file:///k.co", 1, text_of("swap_f16"))).found
    shared = [hint for hint in hints if hint.kind is HintKind.SHARED_MEMORY]
    assert {hint.label for hint in shared} == {" 8 KiB"}
    assert shared[0].tooltip == "8,192 bytes, 3.5 % of the shared memory of a block on sm_90a"


@pytest.mark.parametrize("name", NAMES)
def test_hints_of_other_lines_keep_their_places_while_a_line_is_typed(name: str) -> None:
    """Each statement is typed anew, character by character: nothing on other lines goes or jumps meanwhile."""
    text = text_of(name)
    before = inlay_hints(Snapshot("file:///k.co", 1, text))
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if not line.strip().endswith(";") or line.startswith("//"):
            continue
        start = sum(len(one) + 1 for one in lines[:number])
        others = {
            (text.count("\n", 0, hint.offset), hint.label)
            for hint in before.found
            if not start <= hint.offset <= start + len(line)
        }
        step = max(1, len(line.strip()) // 4)
        for length in range(len(line) - len(line.lstrip()) + 1, len(line), step):
            typed = text[:start] + line[:length] + text[start + len(line) :]
            snapshot = Snapshot("file:///k.co", 2, typed)
            function = snapshot.report.functions[0]
            if function.parsed.tree is not None and function.parsed.tree.doubts is None:
                continue  # what is typed so far is a program of its own
            found = {(typed.count("\n", 0, hint.offset), hint.label) for hint in inlay_hints(snapshot, before).found}
            assert others <= found, (line[:length], others - found)


def test_only_the_functions_of_a_stretch_are_looked_at() -> None:
    one = text_of("pipeline_course")
    text = one + one.replace("matmul(", "other(")
    snapshot = Snapshot("file:///k.co", 1, text)
    whole = inlay_hints(snapshot)
    first = inlay_hints(snapshot, None, Span(0, 10 + text.index("__co__")))
    assert 0 < len(first.found) == len(whole.found) / 2
    assert inlay_hints(snapshot, first, Span(len(text) - 5, len(text))).found == whole.found
    later = Snapshot("file:///k.co", 2, "// one line more\n" + text)
    assert [hint.offset for hint in inlay_hints(later, whole, Span(0, 0)).found] == [
        hint.offset + len("// one line more\n") for hint in whole.found
    ]


def test_a_first_version_that_does_not_parse_has_what_is_known() -> None:
    text = text_of("pipeline_course").replace("mma.commit;", "mma.commit")
    assert "shared f16 [MATMUL_WARP_M, MATMUL_WARP_N] output_s‹8 KiB›;" in hinted(text)
    for length in range(0, len(text), 97):
        inlay_hints(Snapshot("file:///k.co", 1, text[:length]))


def test_no_parity_is_told_of_a_path_that_waits_for_the_event_in_two_regions() -> None:
    """Its waits are counted over both; of two regions that no path enters both each counts for itself."""
    wait = "foreach {k} in [3] { wait e[k % 4]; }"
    kernel = """__co__ void f() {{
  parallel b by 1 : block {{
    shared event e[4];
    parallel w by 2 : group-4 {{
      inthreads.async (w == 0) {{ {wait} }}
      inthreads.async ({second}) {{ {wait} }}
    }}
  }}
}}
"""
    told = [" ".join(hinted(kernel.format(wait=wait, second=second))) for second in ("w < 1", "w == 1")]
    assert [text.count("parity (k / 4) & 1") for text in told] == [0, 2]
