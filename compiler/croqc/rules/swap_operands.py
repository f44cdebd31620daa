"""Rule `swap-operands`: the names of a 'swap' or 'rotate' cannot change places (reference, F07, 5.4)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    word, name = finding.args["word"], finding.args["name"]
    match finding.args["reason"]:
        case "future":
            return Words(f"'{name}' is not the name of a transfer", f"'{word}' exchanges what copies are called")
        case "type":
            return Words(f"'{name}' holds transfers of another kind", "element type, shape and storage must be equal")
        case "scope":
            return Words(f"'{name}' is declared in another scope", "declare all of them in one block")
        case _:
            return Words(f"'{word}' is only possible inside 'parallel'", "move it into the kernel")


RULE = Rule(
    name="swap-operands",
    severity=Severity.ERROR,
    summary="The names of a 'swap' or 'rotate' cannot change places.",
    rows=("F07",),
    render=_render,
)
