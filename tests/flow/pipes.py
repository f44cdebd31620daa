"""Small pipelines for the verifier's tests, all correct, and how to look at a verdict. Must not assert.

`ring` is a copying pipeline of one producer and some consumers over `K / 64` tiles of 16x64; its pieces can be
replaced, so that a test says only what it changes.
"""

from __future__ import annotations

from dataclasses import dataclass

from croqc.flow.analysis import TYPING_BUDGET, analyze_flow
from croqc.flow.report import FlowFinding, KernelFlow
from croqc.sema.analyze import analyze
from croqc.sema.model import Context
from croqc.syntax.parser import parse_file
from croqc.targets import TARGETS

HEAD = "__co__ void f(global f16 [M, K] src, global f16 [M, K] dst, int n) {\n"
BLOCK = "  parallel b by M / 16 : block {\n"


@dataclass(frozen=True)
class Seen:
    """A finding as a test looks at it: its rule, and the text at its place."""

    rule: str
    text: str
    finding: FlowFinding


@dataclass(frozen=True)
class Verdict:
    flow: KernelFlow
    seen: tuple[Seen, ...]

    @property
    def strength(self) -> str:
        return self.flow.strength.value

    @property
    def rules(self) -> list[str]:
        return [one.rule for one in self.seen]

    @property
    def places(self) -> list[tuple[str, str]]:
        return [(one.rule, one.text) for one in self.seen]


def check(text: str, budget: int = TYPING_BUDGET, defines: dict[str, str] | None = None) -> Verdict:
    """The verdict on the last kernel of the last function of a text without syntax errors."""
    tree = parse_file(text, defines or {})
    assert [item.message for item in tree.findings] == []
    function = tree.functions[-1]
    assert function.tree is not None
    flow = analyze_flow(analyze(function.tree, Context(TARGETS["sm_90a"])).model, budget)[-1]
    base = function.source.base
    seen = tuple(
        Seen(one.rule, " ".join(text[base + one.span.start : base + one.span.end].split()), one)
        for one in flow.findings
    )
    return Verdict(flow, seen)


def block(body: str) -> str:
    return f"{HEAD}{BLOCK}{body}\n  }}\n}}\n"


def ring(
    stages: int = 2,
    consumers: int = 1,
    *,
    decl: str = "shared event full[{N}], empty[{N}];",
    load: str = "wait empty[s]; dma.copy src.subspan(16, 64).at(b, k) => buf[s]; trigger full[s];",
    grant: str = "foreach {{i}} in [{N}] {{ trigger empty[i]; }}",
    take: str = "wait full[s]; dma.copy buf[s] => dst.subspan(16, 64).at(b, k); trigger empty[s];",
    turns: str = "[cdiv(K, 64)]",
    taken: str = "",
    slot: str = "k % {N}",
    taken_slot: str = "",
    buffers: str = "shared f16 [16, 64] buf[{N}];",
    before: str = "",
    behind: str = "",
) -> str:
    """A ring; `{N}` stands for the number of stages in every piece. Consumers read the same tiles."""
    who = "p == 1" if consumers == 1 else "p > 0"
    pieces = {
        "decl": decl, "load": load, "grant": grant, "take": take, "slot": slot, "buffers": buffers,
        "taken_slot": taken_slot or slot, "before": before, "behind": behind,
    }  # fmt: skip
    text = {
        name: piece.replace("{N}", str(stages)).replace("{{", "{").replace("}}", "}") for name, piece in pieces.items()
    }
    return block(
        f"""    {text["decl"]} {text["buffers"]}
    parallel p by {consumers + 1} : group-4 {{
      inthreads.async (p == 0) {{
        foreach {{k}} in {turns} {{ s = {text["slot"]}; {text["load"]} }}
      }}
      inthreads.async ({who}) {{
        {text["grant"]}
        {text["before"]}
        foreach {{k}} in {taken or turns} {{ s = {text["taken_slot"]}; {text["take"]} }}
        {text["behind"]}
      }}
    }}"""
    )
