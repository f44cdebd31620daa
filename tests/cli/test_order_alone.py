"""A verdict of credit flow is one on the order: where indices may leave their data, it says that."""

from __future__ import annotations

from pathlib import Path

import pytest

from croqc.cli.main import main

TEXT = """// croq: run N={size}
__co__ void k(global s32 [N] src, global s32 [N] dst) {{
  parallel b by 1 : block {{
    shared s32 [64] t;
    dma.copy {part} => t;
    parallel p by 64 : thread {{
      foreach i in [cdiv(N, 64)] {{ if (p{index} < N) dst.at(p{index}) = t.at(p{index}); }}
    }}
  }}
}}
"""
EXAMPLES = Path(__file__).parents[2] / "examples"
PROVED = "no events; copies and buffers proved"


def said(name: str, text: str, path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    path.write_text(text, encoding="utf-8")
    main([name, str(path)])
    return capsys.readouterr().out


def test_beside_a_crash_the_verdict_says_nothing_of_indices(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With 128 elements the second turn names elements 64 to 127 of 64; with 64 there is no second turn."""
    part, index = "src.subspan(64).at(0)", " + i * 64"
    crashed = said("verify", TEXT.format(size=128, part=part, index=index), tmp_path / "k.co", capsys)
    assert "crashed" in crashed
    assert f"{PROVED} for every N; it says nothing of indices\n" in crashed
    held = said("verify", TEXT.format(size=64, part=part, index=index), tmp_path / "k.co", capsys)
    assert held.rstrip().endswith(f"{PROVED} for every N")


@pytest.mark.parametrize("name", ["check", "flow", "verify"])
def test_where_a_note_on_indices_stands_the_verdict_is_of_the_order(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its chunks are whole if 32 divides M and N; with fixed extents nothing is left open."""
    text = (EXAMPLES / "transpose.co").read_text(encoding="utf-8")
    noted = said(name, text, tmp_path / "k.co", capsys)
    assert f"{PROVED}; of the order alone, for indices see 'assumed-divisible'\n" in noted
    fixed = (
        text.replace("[M, N]", "[96, 160]")
        .replace("[N, M]", "[160, 96]")
        .replace("[M /", "[96 /")
        .replace("N / T", "160 / T")
    )
    fixed = fixed.replace("M=96 N=160", "")
    plain = said(name, fixed, tmp_path / "k.co", capsys)
    assert PROVED in plain
    assert "alone" not in plain


def test_an_index_past_a_size_leaves_the_order_alone_as_well(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = TEXT.format(size=64, part="src.subspan(64).at(0)", index=" + i * 64")
    noted = said("check", text.replace("if (p + i * 64 < N) ", ""), tmp_path / "k.co", capsys)
    assert f"{PROVED} for every N; of the order alone, for indices see 'assumed-size'\n" in noted
