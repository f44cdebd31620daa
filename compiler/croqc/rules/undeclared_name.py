"""Rule `undeclared-name`: a name is used that nothing declares (reference, T01)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.syntax.borrowed import here_called
from croqc.text.diagnostics import Fix, Severity
from croqc.text.edits import Edit

_CONSTANTS = {
    **dict.fromkeys(("INFINITY", "INF", "HUGE_VALF", "HUGE_VAL", "Infinity", "infinity"), "inf"),
    "FLT_MAX": f"{2**128 - 2**104}.0f",
    "M_PI": "3.141592653589793",
    "NULL": "nullptr",
}


def _render(finding: Finding, subject: Subject) -> Words:
    name = str(finding.args["name"])
    if finding.args.get("constant") is not None:
        line = f"#define {name} {finding.args['constant']}"
        hint = f"constants of C++ are not seen in a '__co__' function; write '{line}'"
        return Words(f"'{name}' is not declared here", hint, fixes=_above(line, subject, safe=True))
    if name in _CONSTANTS:
        meant = _CONSTANTS[name]
        fix = Fix(f"Change to '{meant}'", (Edit(finding.span, meant),))
        return Words(f"'{name}' is not declared here", f"did you mean '{meant}'?", fixes=(fix,))
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
    return _above(f"#define {finding.args['name']} {finding.args.get('guess', 1)}", subject, safe=False)


def _above(line: str, subject: Subject, safe: bool) -> tuple[Fix, ...]:
    name = line.split()[1]
    edit = Edit(subject.line_start(0), line + subject.newline)
    return (Fix(f"Define '{name}' above the function", (edit,), safe=safe),)


def _built_in(finding: Finding, subject: Subject) -> str | None:
    """What a function of C is called here: `__exp` for the `exp` of `exp(x)`."""
    called = subject.text[finding.span.end :].lstrip()[:1] == "("
    return here_called(str(finding.args["name"])) if called else None


RULE = Rule(
    name="undeclared-name",
    severity=Severity.ERROR,
    summary="A name is used that nothing declares.",
    rows=("T01", "S09"),
    render=_render,
)
