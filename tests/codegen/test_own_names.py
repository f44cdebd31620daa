"""No name of a source meets a variable of the emitters: each of the one kind is called as each of the other in turn."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from croqc.codegen.own import Own
from croqc.codegen.unit import unit_of
from croqc.pipe.lower import lowered_kernels
from croqc.service.check import check_text
from croqc.service.lowering import sizes_of
from tests.pipe.lowering import EXAMPLES

GPU = Path(__file__).parents[1] / "gpu"
CLUSTER = """
__co__ void rank(global f16 [128, 64] a, global f16 [64, 64] b, global f32 [128, 64] y) {
  parallel c by 2 : cluster, q by 1 : block {
    shared f16 [64, 64] as, bs;
    parallel w by 1 : group-4 {
      acc = mma.fill.f32 0.0f;
      tma.copy.swiz<128> a.subspan(64, 64).at(c, 0) => as;
      dma.copy b => bs;
      mma.row.row acc, as, bs;
      mma.store acc, y.subspan(64, 64).at(c, 0);
    }
  }
}
"""
TEXTS = {"ranks": CLUSTER} | {
    path.stem: path.read_text(encoding="utf-8")
    for path in sorted((*EXAMPLES.glob("*.co"), *(GPU / "kernels").glob("warp_*.co"), GPU / "coverage/cluster.co"))
}
FEW = ("ranks", "transpose", "gemm_f16", "warp_tf32")
WORD = re.compile(r"[A-Za-z_]\w*")
WAY = re.compile(r"(_+|_\d+)$")  # how a name makes way
MADE = re.compile(r"(\w+?)(_(?:stage|landed|map|phase|slot|data|unscaled)\w*)")  # `acc_stage` is of `acc`
VARIABLE = re.compile(r"(?<![.\w])[A-Za-z_]\w*")  # no member, as of `threadIdx`


def kernels_of(text: str) -> list[str]:
    """The kernels of a text as CUDA."""
    report = check_text(text)
    found = []
    for function in report.functions:
        assert function.analysis is not None
        kernels = lowered_kernels(function.analysis.model, report.target, sizes_of(report, function))
        text = unit_of(kernels, "test").text.partition("using namespace croq;")[2]
        found.append(re.sub(r"//.*|extern \"C\"", "", text))
    return found


def symbols_of(text: str) -> list[str]:
    functions = check_text(text).functions
    names = {symbol.name for each in functions if each.analysis for symbol in each.analysis.model.symbols}
    return sorted(name for name in names if WORD.fullmatch(name) and name in WORD.findall(text))


def renamed(text: str, names: dict[str, str]) -> str:
    return WORD.sub(lambda match: names.get(match[0], match[0]), text)


def lines_of(
    cuda: str, own: Sequence[str], source: dict[str, str], others: dict[str, str], everything: dict[str, str]
) -> list[list[str]]:
    """The names in each line, in no order: sums and products of sizes are sorted by theirs.

    `source`: what variables of the source are called here, by what the comparison shall call them; `others`: that of
    what the emitters (`own`) call so, or would if no name were in the way. `everything`: as `source`, with variables
    that only parts of names tell of.
    """

    def plain(word: str) -> str:
        base = WAY.sub("", word)
        if word in source:
            return source[word]
        if word in others or (word != base and base in source):
            return f"{others.get(base) or source[base]} or its"
        if word != base and base in others:
            return f"{others[base]} or its"
        if base in own:
            return base
        made = MADE.fullmatch(word)
        return everything.get(made[1], made[1]) + made[2] if made else word

    return [sorted(map(plain, VARIABLE.findall(line))) for line in cuda.splitlines()]


def rounds(names: Sequence[str], own: Sequence[str], text: str) -> list[dict[str, str]]:
    """New names, so that each name has been called as each of the emitters' own in one of the rounds."""
    free = [word for word in own if word not in WORD.findall(text)]
    turns = range(max(len(names), len(free)))
    pairs = [[((at + turn) % len(turns), word) for at, word in enumerate(free)] for turn in turns]
    return [{names[at]: word for at, word in each if at < len(names)} for each in pairs]


def asked_for(text: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The variables of their own that the emitters asked for."""
    asked: set[str] = set()
    plain = Own.__call__

    def note(self: Own, wish: str) -> str:
        asked.add(wish)
        return plain(self, wish)

    with monkeypatch.context() as patch:
        patch.setattr(Own, "__call__", note)
        kernels_of(text)
    return sorted(asked)


def check(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = TEXTS[name]
    before = kernels_of(text)
    own = asked_for(text, monkeypatch)
    for names in rounds(symbols_of(text), own, text):
        after = kernels_of(renamed(text, names))
        for one, other in zip(before, after, strict=True):
            kept = {old: old for old in names if old in VARIABLE.findall(one)}
            given = {names[old]: old for old in kept}
            new = {new: old for old, new in names.items()}
            assert lines_of(other, own, given, kept, new) == lines_of(one, own, kept, given, {}), names


@pytest.mark.parametrize("name", FEW)
def test_names_of_the_source_and_of_the_emitters_stay_apart(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check(name, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(TEXTS.keys() - set(FEW)))
def test_in_every_example_and_warp_multiply(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check(name, monkeypatch)
