"""What a hover says of the place under the cursor, as Markdown (LSP `textDocument/hover`). Must not know LSP types."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from croqc.builtins import lookup, operation
from croqc.sema.describe import describe
from croqc.sema.model import BufferInfo, Model, Symbol, SymbolKind
from croqc.sema.types import Bounded
from croqc.service.check import FunctionReport
from croqc.service.explain import row_text
from croqc.syntax.tokens import Kind, Token
from croqc.text.span import Span
from croqls.ide.directives import directive_hover
from croqls.ide.expansion import expansion_at
from croqls.ide.hover_flow import flow_section, has_flow
from croqls.ide.hover_operations import Made, not_known, operation_facts
from croqls.ide.snapshot import Snapshot, is_warpgroup, token_at

_LONGEST, _MOST_LINES = 400, 8  # characters and lines of an expansion in a hover


@dataclass(frozen=True, slots=True)
class Hover:
    """Markdown, and the absolute span that it is about."""

    markdown: str
    span: Span


def hover(
    snapshot: Snapshot,
    offset: int,
    pictures: bool = False,
    with_flow: bool = True,
    instead: str = "",
    made: Callable[[], Made] = not_known,
) -> Hover | None:
    """Type and shape of a name, definition of a macro, documentation of a word or directive, what a copy or a multiply
    comes to, credit flow; or None. `made` tells how the copies of the function are made, as far as that is known.

    `pictures`: the client shows images in Markdown. Without `with_flow` nothing is said of the credit flow but
    `instead`: it costs a run of the verifier where the snapshot's report has no verdicts; `needs_flow` says where.
    """
    directive = directive_hover(snapshot, offset)
    if directive is not None:
        return Hover(*directive)
    function = snapshot.function_at(offset)
    if function is None:
        return None
    for span, name in function.parsed.source.macro_uses:
        if span.touches(offset - function.base):
            return _macro(snapshot, function, name, span)
    level = _warpgroup_at(function, offset - function.base)
    if level is not None:
        row = lookup("group-4")
        return Hover(row_text(row), level.shift(function.base)) if row else None
    token = _word_at(function, offset)
    if token is None:
        return None
    told = flow_section(snapshot, function, token, pictures) if with_flow else instead
    parts = (_symbol(snapshot, function, token) or _operation(function, token, made), told)
    text = "\n\n---\n\n".join(part for part in parts if part)
    return Hover(text, token.span.shift(function.base)) if text else None


def needs_flow(snapshot: Snapshot, offset: int) -> bool:
    """Whether a hover there would speak of the credit flow."""
    function = snapshot.function_at(offset)
    if function is None or directive_hover(snapshot, offset) is not None:
        return False
    place = offset - function.base
    if any(span.touches(place) for span, _ in function.parsed.source.macro_uses) or _warpgroup_at(function, place):
        return False
    token = _word_at(function, offset)
    return token is not None and has_flow(function, token)


def _word_at(function: FunctionReport, offset: int) -> Token | None:
    token = token_at(function, offset)
    return token if token is not None and token.kind in (Kind.WORD, Kind.DOTTED) else None


def _warpgroup_at(function: FunctionReport, place: int) -> Span | None:
    """The span of `group-4`, one word of three tokens, if the place touches it."""
    tokens = function.parsed.source.tokens
    for token, after in zip(tokens, tokens[2:], strict=False):
        if is_warpgroup(token, after) and token.start <= place <= after.end:
            return token.span.cover(after.span)
    return None


def _code(text: str) -> str:
    return f"```croqtile\n{text}\n```"


def _macro(snapshot: Snapshot, function: FunctionReport, name: str, span: Span) -> Hover | None:
    here = function.base + span.start
    known = [m for m in snapshot.report.tree.pre.macros if m.name == name and (m.span is None or m.span.start < here)]
    if not known:
        return None
    macro = known[-1]
    params = "" if macro.params is None else f"({', '.join(macro.params)})"
    lines = [_code(f"#define {name}{params} {macro.body}".rstrip())]
    if macro.span is None:
        lines.append("Defined on the command line or in the settings.")
    else:
        lines.append(f"Macro, line {snapshot.source.line_column(macro.span.start)[0]}.")
    functions = snapshot.report.functions
    lines[-1] += _used(sum(used == name for one in functions for _, used in one.parsed.source.macro_uses))
    found = expansion_at(snapshot, here)
    if found is not None and found.span.start == here and _is_news(found.text, macro.body):
        lines.append(f"Becomes\n\n{_code(found.text)}")
    return Hover("\n\n".join(lines), span.shift(function.base))


def _is_news(text: str, body: str) -> bool:
    """Whether an expansion is short enough for a hover, and not what the definition says already."""
    return len(text) <= _LONGEST and text.count("\n") < _MOST_LINES and text.split() not in ([], body.split())


def _used(count: int) -> str:
    return " Used once in functions." if count == 1 else f" Used {count} times in functions."


def _symbol(snapshot: Snapshot, function: FunctionReport, token: Token) -> str | None:
    if function.analysis is None or token.kind is not Kind.WORD:
        return None
    model = function.analysis.model
    for name, symbol in model.uses.items():
        if name.span == token.span and name.id == token.text:
            facts = _sizes(snapshot, function, symbol) if symbol.kind is SymbolKind.DIMENSION else []
            return "\n\n".join([_code(_declaration(symbol)), *_facts(model, symbol), *facts])
    return None


def _sizes(snapshot: Snapshot, function: FunctionReport, symbol: Symbol) -> list[str]:
    """The values of a dimension in the lines that run it, and how often its name stands in the function."""
    report = snapshot.report
    own = report.directives.functions[report.functions.index(function)]
    values = dict.fromkeys(str(size.value) for run in own.runs for size in run.sizes if size.name == symbol.name)
    assert function.analysis is not None
    count = sum(one is symbol for one in function.analysis.model.uses.values())
    uses = f"{count} uses" if count != 1 else "1 use"
    return [f"Run with {', '.join(values)}. {uses} in this function." if values else f"{uses} in this function."]


def _declaration(symbol: Symbol) -> str:
    if symbol.kind is SymbolKind.DIMENSION:
        return f"{symbol.name}: dimension"
    if isinstance(symbol.type, Bounded):
        return f"{symbol.name}: {symbol.kind.value}, 0 … {symbol.type.bound} - 1"
    return f"{symbol.name}: {describe(symbol.type)}"


def _facts(model: Model, symbol: Symbol) -> list[str]:
    """What is worth knowing beside the type: kind, bytes, slots, share of the limit."""
    facts = [symbol.kind.value.capitalize() + "."]
    info = next((item for item in model.buffers if item.symbol is symbol), None)
    if info is not None:
        facts.append(_bytes(model, info))
    return facts


def _bytes(model: Model, info: BufferInfo) -> str:
    slots = f"{info.slots} slots of {info.slot_bytes:,} bytes, " if info.slots > 1 else ""
    share = 100 * info.bytes / model.context.target.shared_limit
    swizzle = f" Swizzled by {info.swizzle} bytes." if info.swizzle else ""
    return f"{slots}{info.bytes:,} bytes, {share:.1f} % of the limit of {model.context.target.name}.{swizzle}"


def _operation(function: FunctionReport, token: Token, made: Callable[[], Made]) -> str | None:
    """What it comes to here, and the documentation of the word; of `mma` that of what stands behind its dot."""
    row = lookup(token.text.lstrip("."), _word_before(function, token))
    if token.kind is Kind.WORD and (behind := _dotted_behind(function, token)):
        row = operation(token.text, behind) or row
    facts = operation_facts(function.analysis.model, token, made) if row and function.analysis else ""
    return "\n\n".join(filter(None, (facts, row_text(row)))) if row else None


def _dotted_behind(function: FunctionReport, token: Token) -> str:
    """The word behind the dot that stands at the end of a word; empty where there is none."""
    tokens = function.parsed.source.tokens
    following = next((item for item in tokens if item.start == token.end and item.kind is Kind.DOTTED), None)
    return following.text.lstrip(".") if following else ""


def _word_before(function: FunctionReport, token: Token) -> str:
    """What stands in front of a dotted word, as `dma` in front of `.copy`; empty for a bare word."""
    if token.kind is not Kind.DOTTED:
        return ""
    tokens = function.parsed.source.tokens
    parts: list[str] = []
    index = next(i for i, item in enumerate(tokens) if item is token)
    while index > 0 and tokens[index].kind is Kind.DOTTED:
        index -= 1
        parts.insert(0, tokens[index].text.lstrip("."))
    return ".".join(parts) if tokens[index].kind is Kind.WORD else ""
