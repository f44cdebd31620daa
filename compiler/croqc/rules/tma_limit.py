"""Rule `tma-limit`: a TMA copy is outside the limits of the hardware (reference, D08, 5.5)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words, listed
from croqc.rules.rewrites import use_dma
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, subject: Subject) -> Words:
    value, target, dim = (finding.args[key] for key in ("value", "target", "dim"))
    to_dma = use_dma(subject, finding.span)
    match finding.args["reason"]:
        case "target":
            return Words(
                f"'{target}' has no TMA",
                f"use 'dma'; targets that have it: {listed(finding.args['needs'])}",
                fixes=to_dma,
            )
        case "op":
            return Words("TMA neither pads nor transposes", "use 'dma'", fixes=to_dma)
        case "rank":
            return Words(f"a TMA tile has at most 5 dimensions, this one has {value}", "copy it in parts")
        case "rows":
            message = f"TMA moves boxes of up to 256 columns, and these rows of {value} are no multiple of 32 bytes"
            return Words(message, "make the rows longer or shorter, or use 'dma'", fixes=to_dma)
        case "extent":
            message = (
                f"TMA moves boxes of up to 256 elements a dimension; parts of these {value} would have gaps between"
            )
            return Words(message, f"split dimension {dim}, or use 'dma'", fixes=to_dma)
        case "row":
            return Words(f"a row of the tile has {value} bytes; TMA needs multiples of 16", "use 'dma'", fixes=to_dma)
        case _:
            return Words(f"a row of the data has {value} bytes; TMA needs multiples of 16", "use 'dma'", fixes=to_dma)


RULE = Rule(
    name="tma-limit",
    severity=Severity.ERROR,
    summary="A TMA copy is outside the limits of the hardware.",
    rows=("D08",),
    render=_render,
)
