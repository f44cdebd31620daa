"""Rule `undeclared-name`: a name is used that nothing declares (reference, T01)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Fix, Severity
from croqc.text.edits import Edit


def _render(finding: Finding, subject: Subject) -> Words:
    name = str(finding.args["name"])
    near = finding.args.get("near")
    if near:
        fix = Fix(f"Change to '{near}'", (Edit(finding.span, str(near)),), safe=False)
        return Words(f"'{name}' is not declared here", f"did you mean '{near}'?", fixes=(fix,))
    if finding.args.get("macro"):
        line = f"#define {name} {finding.args.get('guess', 1)}{subject.newline}"
        return Words(
            f"'{name}' is not declared here",
            "define it as a macro, or pass -D on the command line",
            fixes=(Fix(f"Define '{name}' above the function", (Edit(subject.line_start(0), line),), safe=False),),
        )
    if finding.args.get("dimension"):
        return Words(f"dimension '{name}' is not a parameter dimension", "name it in the shape of a parameter")
    return Words(f"'{name}' is not declared here", "declare it, or check the scope")


RULE = Rule(
    name="undeclared-name",
    severity=Severity.ERROR,
    summary="A name is used that nothing declares.",
    rows=("T01", "S09"),
    render=_render,
)
