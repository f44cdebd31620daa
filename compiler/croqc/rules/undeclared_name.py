"""Rule `undeclared-name`: a name is used that nothing declares (reference, T01)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.syntax.keywords import maths_word
from croqc.text.diagnostics import Fix, Severity
from croqc.text.edits import Edit

_INFINITE = ("INFINITY", "INF", "HUGE_VALF", "HUGE_VAL", "Infinity", "infinity")


def _render(finding: Finding, subject: Subject) -> Words:
    name = str(finding.args["name"])
    near = finding.args.get("near") or _built_in(finding, subject)
    define = _definition(finding, subject)
    if near:
        fix = Fix(f"Change to '{near}'", (Edit(finding.span, str(near)),), safe=False)
        return Words(f"'{name}' is not declared here", f"did you mean '{near}'?", fixes=(fix, *define))
    if define:
        hint = "define it as a macro, or pass -D on the command line"
        return Words(f"'{name}' is not declared here", hint, fixes=define)
    if finding.args.get("dimension"):
        return Words(f"dimension '{name}' is not a parameter dimension", "name it in the shape of a parameter")
    return Words(f"'{name}' is not declared here", "declare it, or check the scope")


def _definition(finding: Finding, subject: Subject) -> tuple[Fix, ...]:
    """A `#define` above the function, for a name that looks like a macro."""
    if not finding.args.get("macro"):
        return ()
    name = finding.args["name"]
    line = f"#define {name} {finding.args.get('guess', 1)}{subject.newline}"
    return (Fix(f"Define '{name}' above the function", (Edit(subject.line_start(0), line),), safe=False),)


def _built_in(finding: Finding, subject: Subject) -> str | None:
    """What a word of C's mathematics is called here: `inf` for `INFINITY`, `__exp` for the `exp` of `exp(x)`."""
    name = str(finding.args["name"])
    if name in _INFINITE:
        return "inf"
    called = subject.text[finding.span.end :].lstrip()[:1] == "("
    return maths_word(name) if called else None


RULE = Rule(
    name="undeclared-name",
    severity=Severity.ERROR,
    summary="A name is used that nothing declares.",
    rows=("T01", "S09"),
    render=_render,
)
