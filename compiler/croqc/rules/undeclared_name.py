"""Rule `undeclared-name`: a name is used that nothing declares (reference, T01)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.sema.scopes import mistakable
from croqc.syntax import ast
from croqc.syntax.borrowed import here_called
from croqc.syntax.visit import walk
from croqc.text.diagnostics import Diagnostic, Fix, Severity
from croqc.text.edits import Edit
from croqc.text.near import is_certain
from croqc.text.span import Span

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
        return Words(f"'{name}' is not declared here", hint, fixes=_above(line, subject, safe=False))
    if name in _CONSTANTS:
        meant = _CONSTANTS[name]
        fixes = _change(name, meant, finding.span, subject, safe=True)
        return Words(f"'{name}' is not declared here", f"did you mean '{meant}'?", fixes=fixes)
    near = finding.args.get("near") or _built_in(finding, subject)
    define = _definition(finding, subject)
    if near:
        change = _change(name, str(near), finding.span, subject, safe=False)
        return Words(
            f"'{name}' is not declared here", f"did you mean '{near}'?", fixes=(*change, *(define if change else ()))
        )
    if define:
        hint = "define it as a macro, or pass -D on the command line"
        return Words(f"'{name}' is not declared here", hint, fixes=define)
    if finding.args.get("dimension"):
        return Words(f"dimension '{name}' is not a parameter dimension", "name it in the shape of a parameter")
    return Words(f"'{name}' is not declared here", "declare it, or check the scope")


def _change(name: str, meant: str, first: Span, subject: Subject, safe: bool) -> tuple[Fix, ...]:
    edits = tuple(Edit(place, meant) for place in _written(name, first, subject))
    return (Fix(f"Change to '{meant}'", edits, safe=safe, guess=True),) if edits else ()


def _written(name: str, first: Span, subject: Subject) -> list[Span]:
    """Where the text names what is not declared: it is told once a function. What a macro made stands at its use, whose
    text is another."""
    uses = subject.analysis.model.uses
    named = (
        node.span
        for node in walk(subject.analysis.model.function)
        if isinstance(node, ast.Name) and node.id == name and node not in uses
    )
    return sorted({span for span in (first, *named) if subject.slice(span) == name})


def only_macro(item: Diagnostic, subject: Subject) -> Fix | None:
    """The fix that names the one declared macro that is near a mistyped name; None where another one is near."""
    model, name = subject.analysis.model, subject.slice(item.span)
    change = next((fix for fix in item.fixes if fix.title.startswith("Change")), None)
    if change is None:
        return None
    near, macros = change.edits[0].new_text, model.context.macros
    declared = {symbol.name for symbol in model.symbols}
    if near not in mistakable(name, macros) or near in declared:
        return None
    return change if is_certain(name, near, macros | declared) else None


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
