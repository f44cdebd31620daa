"""Indices that a launch lets reach past a size: noted with the sizes for which they stay inside, and only where nothing
keeps them there."""

from __future__ import annotations

import pytest

from croqc.sema import rulenames_device as rules
from croqc.sema.model import Finding
from tests.sema.device_study import program

HEAD = "__co__ void f(global f32 [N] x, global f32 [M, N] y, global s32 [N] d, int n) {\n"
OVER = "parallel b by 8 : block, t by 128 : thread"
COVER = "parallel b by cdiv(N, 128) : block, t by 128 : thread"


def told(body: str) -> list[tuple[str, str]]:
    """Each index that is noted, with its condition."""
    found = program(f"{HEAD}{body}\n}}\n").study
    noted = [item for item in found.analysis.findings if item.rule == rules.ASSUMED_SIZE]
    return [(found.text(item), condition(item)) for item in noted]


def condition(item: Finding) -> str:
    extent, least, tile = (item.args[key] for key in ("extent", "least", "tile"))
    return f"{extent} % {tile}" if tile else f"{extent} >= {least}"


@pytest.mark.parametrize(
    ("body", "notes"),
    [
        (f"{OVER} {{ x.at(b # t) = 1.0f; }}", [("b # t", "N >= 1024")]),  # 8 * 128
        (f"{OVER} {{ i = b * 128 + t; x.at(i) = x.at(i) + 1.0f; }}", [("i", "N >= 1024")]),  # once
        (f"{OVER} {{ x.at(t) = x.at(t + 2); }}", [("t + 2", "N >= 130"), ("t", "N >= 128")]),
        (f"{COVER} {{ x.at(b # t) = 1.0f; }}", [("b # t", "N % 128")]),
        (f"{OVER} {{ if (b < M) {{ y.at(b, t) = 1.0f; }} }}", [("t", "N >= 128")]),  # one dimension is guarded
        (f"{OVER} {{ if (t < 100) {{ x.at(t) = 1.0f; }} }}", [("t", "N >= 100")]),
        (f"{OVER} {{ foreach k in 6 {{ x.at(k * 8) = 1.0f; }} }}", [("k * 8", "N >= 41")]),  # 5 * 8
        ("parallel w by 4 : group { inthreads (w == 2) { x.at(w) = 1.0f; } }", [("w", "N >= 3")]),
        (f"{OVER} {{ if (t < M) {{ sync.fence : block; }} x.at(b # t) = 1.0f; }}", [("b # t", "N >= 1024")]),
    ],
)
def test_an_index_that_reaches_past_a_size_is_noted(body: str, notes: list[tuple[str, str]]) -> None:
    assert told(body) == notes


@pytest.mark.parametrize(
    "body",
    [
        "parallel t by N : thread { x.at(t) = 1.0f; }",
        f"{OVER} {{ if (b # t < N) {{ x.at(b # t) = 1.0f; }} }}",
        f"{OVER} {{ i = b # t; if (!(i >= N)) x.at(i) = 1.0f; }}",
        f"{OVER} {{ if (b # t >= N) yield; x.at(b # t) = 1.0f; }}",
        f"{OVER} {{ inside = b # t < N; if (inside) x.at(b # t) = 1.0f; }}",
        f"{OVER} {{ if (d.at(0) > 3) x.at(b # t) = 1.0f; }}",  # data may say what is inside
        f"{OVER} {{ if (n > 7) x.at(b # t) = 1.0f; }}",  # so may a parameter
        f"{OVER} {{ v = b # t < N ? x.at(b # t) : 0.0f; }}",
        f"{OVER} {{ v = b # t < N && x.at(b # t) > 0.0f; }}",
        f"{OVER} {{ if (N >= 1024) x.at(b # t) = 1.0f; }}",
        f"if (N % 128 == 0) {{ {COVER} {{ x.at(b # t) = 1.0f; }} }}",  # the fast path
        f'assert(N >= 1024, "long"); {OVER} {{ x.at(b # t) = 1.0f; }}',
        f'assert(N % 128 == 0, "whole"); {COVER} {{ x.at(b # t) = 1.0f; }}',
        f"{OVER} {{ x.at(1000) = 1.0f; }}",  # checked at entry (3.9)
        f"{OVER} {{ foreach k in 8 {{ if (k >= N) break; x.at(k) = 1.0f; }} }}",
        f"{OVER} {{ mutable int i = 0; while (i < N) {{ x.at(i) = 1.0f; i += 1; }} }}",
        f"{OVER} {{ x.at((b # t) % N) = 1.0f; }}",
        f"{OVER} {{ i = d.at(0); x.at(i) = 1.0f; }}",
        "parallel b by N / 128 : block, t by 128 : thread { x.at(b # t) = 1.0f; }",
        "parallel b by n : block, t by 128 : thread { x.at(b # t) = 1.0f; }",
        f"{OVER} {{ shared f32 [128] s; s.at(t) = 1.0f; }}",
        f"{OVER} {{ x.subspan(128).at(b).at(t) = 1.0f; }}",
    ],
)
def test_what_is_kept_inside_or_not_proved_is_not_noted(body: str) -> None:
    assert told(body) == []


def test_the_sizes_are_those_at_which_the_last_index_is_inside() -> None:
    """Held against the indices counted one by one."""
    for blocks, threads in ((1, 32), (3, 64), (8, 128)):
        reached = max(b * threads + t for b in range(blocks) for t in range(threads))
        ((_, noted),) = told(f"parallel b by {blocks} : block, t by {threads} : thread {{ x.at(b # t) = 1.0f; }}")
        assert noted == f"N >= {reached + 1}"
