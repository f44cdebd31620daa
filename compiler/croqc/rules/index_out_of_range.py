"""Rule `index-out-of-range`: a tile, element, buffer or event does not exist (reference, V06, V16, V17, Q06)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.credit_sites import code_of
from croqc.rules.rewrites import node_at
from croqc.rules.slot_mends import reduced
from croqc.rules.start_mends import shortened
from croqc.sema.model import Finding
from croqc.sema.types import Data
from croqc.syntax import ast
from croqc.text.diagnostics import Diagnostic, Fix, Related, Severity
from croqc.text.edits import Edit
from croqc.text.span import Span


def round_the_ring(item: Diagnostic, _: Subject) -> Fix | None:
    """The fix that lets an index go round its ring."""
    return next((fix for fix in item.fixes if fix.title.startswith("Use")), None)


def _render(finding: Finding, subject: Subject) -> Words:
    if finding.args["kind"] == "subscripts":
        return _subscripts(finding, subject)
    kind, name, extent, dim = (finding.args[key] for key in ("kind", "name", "extent", "d"))
    low, least, greatest = (finding.args[key] for key in ("low", "least", "greatest"))
    reached = least if low else greatest
    verb = "is" if least == greatest else "reaches"
    what = {"tile": "tile number", "element": "index"}.get(str(kind), "subscript")
    message = f"{what} {verb} {reached} in dimension {dim} of '{name}', {_there_are(str(kind), str(extent))}"
    surplus = shortened(code_of(subject), finding.span) if kind == "event" and not low else ()
    if surplus:
        return Words(message, "give each slot one credit at start", fixes=surplus)
    slots = kind not in ("tile", "element") and not low
    shown, reduction = reduced(code_of(subject), finding.span) if slots else ("", ())
    if shown:
        return Words(message, f"go round the ring: '{shown}'", fixes=reduction)
    hint = "numbers start at 0" if least == greatest else "guard it with an 'if', or change the bounds of the index"
    return Words(message, hint)


def _there_are(kind: str, extent: str) -> str:
    if kind == "element":
        return f"the extent is {extent}"
    thing = {"tile": "tile", "event": "event"}.get(kind, "buffer")
    return f"there is 1 {thing}" if extent == "1" else f"there are {extent} {thing}s"


def _subscripts(finding: Finding, subject: Subject) -> Words:
    """An array of buffers without its subscripts, or subscripts of something that is no array (V17)."""
    name, rank, count = finding.args["name"], int(str(finding.args["r"])), int(str(finding.args["k"]))
    needed = "1 subscript" if rank == 1 else f"{rank} subscripts"
    if rank == 0:
        return Words(f"'{name}' is not an array", *_element(finding.span, subject))
    if count > rank:
        return Words(f"'{name}' needs {needed}, got {count}", "an element is '.at(i)'")
    return Words(f"'{name}' is an array: it needs {needed}, got {count}", "pick one of its buffers: 'x[i]'")


def _element(place: Span, subject: Subject) -> tuple[str, tuple[Related, ...], tuple[Fix, ...]]:
    """How an element is written: `x[i]` and `x[i][j]` become `x.at(i)` and `x.at(i, j)` where that is one element."""
    chain = node_at(subject, place, ast.Chain)
    symbol = subject.analysis.model.uses.get(chain.base) if chain and isinstance(chain.base, ast.Name) else None
    data = symbol.type if symbol is not None else None
    if chain is None or not isinstance(data, Data):
        return "an element is '.at(i)'", (), ()
    indices = [one for suffix in chain.suffixes if isinstance(suffix, ast.Index) for one in suffix.args]
    rank = len(data.shape)
    hint = "an element is '.at(i)'" if rank == 1 else f"an element is '.at({_letters(rank)})', one index a dimension"
    whole = Span(chain.suffixes[0].span.start, chain.suffixes[-1].span.end)
    text = subject.slice(whole)
    if text[:1] + text[-1:] != "[]" or not all(isinstance(one, ast.Index) for one in chain.suffixes):
        return hint, (), ()
    if len(indices) != rank or any(one.span.start < whole.start or one.span.end > whole.end for one in indices):
        return hint, (), ()
    written = ", ".join(subject.slice(one.span) for one in indices)
    return hint, (), (Fix("Write the element with '.at'", (Edit(whole, f".at({written})"),)),)


def _letters(count: int) -> str:
    return ", ".join("ijklm"[:count]) if count <= len("ijklm") else "i, j, …"


RULE = Rule(
    name="index-out-of-range",
    severity=Severity.ERROR,
    summary="A tile, element, buffer or event that does not exist is asked for.",
    rows=("V06", "V16", "V17", "Q06"),
    render=_render,
)
