"""The lens over a function that says what came of its last run, and whether the text has changed since.

Pure: it is handed the entries of `croq run --json`. Must not know LSP types.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

from croqc.service.check import FileReport, FunctionReport
from croqc.syntax.comment_directives import FunctionDirectives, comments
from croqc.text.record import record
from croqc.text.source import Source

Which = tuple[str, int]
"""A function by its name and its number among those of that name."""
SHOW_RUN: Final = "croqtile.showRun"
Entry = Mapping[str, Any]
_WORST_FIRST: Final = ("hangs", "wrong", "crashed", "not-run", "consistent", "verified")
_WORDS: Final = {
    "hangs": "✗ stuck",
    "wrong": "✗ wrong",
    "crashed": "✗ crashed",
    "not-run": "✗ not run",
    "consistent": "✓ consistent",
    "verified": "✓ verified",
}
_LONGEST = 60  # characters of a reason


@record
class Ran:
    """What came of the last run of a function, and what was run: see `likeness`. Of an earlier session, `entries` have
    what is kept of them. `macros`: those that were defined for the run alone, as `NAME=TEXT`: another text was run."""

    likeness: str
    entries: tuple[Entry, ...]
    macros: tuple[str, ...] = ()


def likeness(report: FileReport, function: FunctionReport, around: str) -> str:
    """A hash of what a run of a function depends on: its text and macros, its directives, the target, and what stands
    around functions (see `around`). Where it is equal, the same would be run; it is so from one session to the next."""
    said = directive_texts(report.source, report.directives.functions[report.functions.index(function)])
    whole = repr((function.parsed.source.key, said, report.target.name, around))
    return sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def directive_texts(source: Source, own: FunctionDirectives) -> tuple[str, ...]:
    """The `// croq:` lines of a function, as they are written."""
    spans = [item.span for items in (own.runs, own.expects, own.models) for item in items]
    return tuple(source.text[span.start : span.end] for span in spans)


def around(report: FileReport) -> str:
    """The text outside the functions without comments, its words one blank apart."""
    text = report.source.text
    left_out = [(one.base, one.base + len(one.text)) for one in report.tree.pre.functions]
    left_out += [(one.start, one.start + len(one.text)) for one in comments(report.tree)]
    parts, at = [], 0
    for start, end in sorted(left_out):
        parts.append(text[at:start])
        at = max(at, end)
    return " ".join(" ".join([*parts, text[at:]]).split())


def run_title(ran: Ran, now: str) -> str:
    """As in "✓ verified · M=512 N=512 · 812 µs". `now`: the likeness of the function as it stands."""
    worst = min(ran.entries, key=lambda one: _WORST_FIRST.index(one["verdict"]))
    alike = [one for one in ran.entries if one["verdict"] == worst["verdict"]]
    counted = [] if len(ran.entries) == 1 else [_count(len(alike), len(ran.entries))]
    details = _details(worst) if len(alike) == 1 else _figures(worst["verdict"], alike)
    title = " · ".join([_WORDS[worst["verdict"]], *counted, *details])
    apart = [] if ran.likeness == now else ["before an edit"]
    apart += [f"with {' '.join(ran.macros)}"] if ran.macros else []
    return f"{', '.join(apart)}: {title}" if apart else title


def macros_of(defines: Mapping[str, str | None], entries: Sequence[Entry]) -> tuple[str, ...]:
    """The definitions of a run that are no sizes of its entries."""
    sizes = {name for one in entries for name in one["sizes"]} if defines else set()
    return tuple(name if text is None else f"{name}={text}" for name, text in defines.items() if name not in sizes)


def _count(alike: int, whole: int) -> str:
    return f"{whole} runs" if alike == whole else f"{alike} of {whole} runs"


def _details(one: Entry) -> list[str]:
    whole = {name: size for name, size in one["sizes"].items() if isinstance(size, int) and not isinstance(size, bool)}
    sizes = " ".join(f"{name}={size}" for name, size in whole.items())
    return [*([sizes] if sizes else []), *_figures(one["verdict"], [one])]


def _figures(verdict: str, alike: Sequence[Entry]) -> list[str]:
    """What is worth saying beside a verdict that several entries may share."""
    one = alike[0]
    match verdict:
        case "hangs" if one.get("hang"):
            return [_cut(one["hang"][0]["text"])]
        case "wrong":
            worse = next((item for item in one.get("expectations", ()) if not item["ok"]), None)
            return [] if worse is None else [f"{worse['differing']:,} of {worse['total']:,} elements differ"]
        case "crashed" | "not-run" if one.get("message"):
            return [_cut(one["message"])]
        case "consistent" | "verified":
            return _times(alike)
    return []


def _cut(said: str) -> str:
    return said if len(said) <= _LONGEST else said[: _LONGEST - 1] + "…"


def _times(alike: Sequence[Entry]) -> list[str]:
    """Those of the card, where it ran there; the simulator's time says how long it took to simulate."""
    timed = [one["timing"] for one in alike if one["timing"] is not None]
    if len(timed) == 1:
        rate = f"{timed[0]['tflops']:.1f} TFLOP/s" if timed[0]["operations"] else f"{timed[0]['gbps']:.0f} GB/s"
        return [duration(timed[0]["median"]), rate]
    on_card = [one for one in alike if one["engine"] == "gpu"]
    if on_card:
        return ["on the card" if len(on_card) == len(alike) else "simulator and card"]
    return [f"simulated in {duration(sum(one['time'] for one in alike))}"]


def duration(seconds: float) -> str:
    """Three digits, as in "812 µs"."""
    for factor, unit in ((1e6, "µs"), (1e3, "ms")):
        if seconds * factor < 999.5:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds:.3g} s" if seconds < 999.5 else f"{seconds:.0f} s"
