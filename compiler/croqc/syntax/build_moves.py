"""Events, synchronisation and data movement: actions of the grammar (reference, 2.4.8 to 2.4.11, 2.14)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from croqc.syntax import ast as t
from croqc.syntax.build import Builder, Kids, action, name_of, replace_fix, word_of, word_span
from croqc.syntax.build_chains import is_view
from croqc.syntax.joined import dotted
from croqc.syntax.keywords import MEMBERS, MODIFIERS, STORAGE, Bracket
from croqc.syntax.tokens import Token
from croqc.text.record import record, replace
from croqc.text.span import NOWHERE, Span

OPS: Final = ("copy", "load", "transp", "pad", "store", "copy_async")
_WRITTEN: Final = ("copy", "load", "transp", "pad", "any")
_HINTS: Final = frozenset({"evict_first", "evict_last"})
_SYNC: Final = "expected global, shared, local, barrier or fence"


@record
class Mod:
    """One dotted part of an operation, `args` None without a bracket."""

    span: Span
    token: Token
    args: tuple[Any, ...] | None
    paren: bool
    count: Any = None  # `[n]` of `mma.fill.T[n]`

    @property
    def word(self) -> str:
        return word_of(self.token)


# --- events (2.4.8 to 2.4.10) --------------------------------------------------------------------


def sync_refs(b: Builder, refs: Sequence[Any]) -> tuple[t.Expr, ...]:
    """Futures and events: names, elements of arrays, `.at(order)`, `.data`; parentheses around one go."""
    return tuple(_sync_ref(b, ref) for ref in refs)


def _sync_ref(b: Builder, ref: Any) -> t.Expr:
    inner: Any = ref
    while isinstance(inner, t.Paren):
        inner = inner.inner
    match inner:
        case t.Name() | t.Missing():
            return inner
        case t.Chain(base=t.Name(), suffixes=suffixes) if all(_is_event_suffix(suffix) for suffix in suffixes):
            return inner
    b.report("expected a future or an event", ref.span)
    return t.Missing(ref.span)


def _is_event_suffix(suffix: t.Suffix) -> bool:
    if isinstance(suffix, t.Member):
        return suffix.name == "data" or (suffix.name == "at" and len(suffix.args) == 1) or not suffix.name
    return isinstance(suffix, t.Index)


@action("wait")
def wait(b: Builder, at: Span, kids: Kids) -> t.Wait:
    phase = kids[1]
    if phase is not None and not isinstance(phase, t.IntLit | t.Missing):
        b.report("the phase must be an integer literal", phase.span)
    opening = b.after(kids[0].end) if phase is not None else NOWHERE
    return t.Wait(at, sync_refs(b, kids[2]), phase, opening)


@action("trigger")
def trigger(b: Builder, at: Span, kids: Kids) -> t.Trigger:
    _, dotted, refs, _, after = kids
    if dotted is not None and word_of(dotted) != "cluster":
        span = word_span(dotted)
        b.report(
            "only 'cluster' can follow 'trigger.'", span, "", replace_fix("Write 'cluster'", span, "cluster", False)
        )
    return t.Trigger(at, sync_refs(b, refs), sync_refs(b, after or ()), dotted is not None)


@action("sync")
def sync(b: Builder, at: Span, kids: Kids) -> t.Sync:
    _, dotted, level, storage = kids
    kind = word_of(dotted)
    name, place = level if level is not None else (None, None)
    if kind not in (*STORAGE, "barrier", "fence"):
        b.report(_SYNC, word_span(dotted))
    elif kind in STORAGE and place is not None:
        b.report(f"'sync.{kind}' takes no level", place)
    elif kind in ("barrier", "fence") and level is None:
        b.report(f"expected ':' and a level after 'sync.{kind}'", b.after(dotted.end))
    elif storage is not None and (kind != "fence" or storage.type == "NAME"):
        b.report("expected a storage word" if kind == "fence" else "only 'sync.fence' takes a storage", storage.span)
    return t.Sync(at, kind, name or None, storage.text if storage is not None else None)


@action("rotate", "rotate_paren")
def rotate(b: Builder, at: Span, kids: Kids) -> t.Rotate:
    word, refs = kids
    suffixed = next((ref for ref in refs if isinstance(ref, t.Chain)), None)
    if suffixed is not None:
        b.report("expected ',' or ')'", suffixed.suffixes[0].span, f"{word.text} takes names")
    elif word.text == "swap" and len(refs) != 2:
        b.report("swap takes exactly two names", refs[0].span, "use 'rotate' for more" if len(refs) > 2 else "")
    elif len(refs) < 2:
        b.report("rotate takes at least two names", refs[0].span)
    names = tuple(ref if isinstance(ref, t.Name) else ref.base for ref in refs)
    return t.Rotate(at, word.text, names, b.after(word.end).start == refs[0].span.start - 1 or _paren(b, word))


def _paren(b: Builder, word: Token) -> bool:
    return b.tokens[b.index_after(word.end)].text == "("


# --- modifiers (1.4.1) ---------------------------------------------------------------------------


@action("mod", "paren_mod")
def mod(b: Builder, at: Span, kids: Kids) -> Mod:
    token, args = kids
    opening = b.index_after(token.end)
    paren = args is not None and b.tokens[opening].text == "("
    return Mod(at, token, args, paren)


@action("counted_mod")
def counted_mod(b: Builder, at: Span, kids: Kids) -> Mod:
    token, count = kids
    return Mod(at, token, None, False, count)


@action("ratio")
def ratio(b: Builder, at: Span, kids: Kids) -> tuple[Any, Any]:
    return kids[0], kids[1]


def numbers(b: Builder, args: Sequence[Any], what: str) -> tuple[int, ...]:
    """The values of integer literals; anything else is a finding at its first token."""
    flat = [item for arg in args for item in (arg if isinstance(arg, tuple) else (arg,))]
    bad = next((item for item in flat if not isinstance(item, t.IntLit | t.Missing)), None)
    if bad is not None:
        b.report(what, bad.span)
    return tuple(item.value for item in flat if isinstance(item, t.IntLit))


def modifier(b: Builder, part: Mod) -> t.Modifier:
    """A modifier with its bracket checked."""
    word, args = part.word, part.args
    bracket = MODIFIERS.get(word)
    old = part.paren or not part.token.text.startswith(".")
    if bracket is None:
        meant, safe = dotted(word, MODIFIERS) or (None, False)
        fix = replace_fix(f"Write '.{meant}'", part.token.span, f".{meant}", safe, guess=True) if meant else None
        b.report(f"unknown modifier '.{word}'", part.token.span, f"did you mean '.{meant}'?" if meant else "", fix)
        return t.Modifier(part.span, word, (), old)
    if bracket is Bracket.NONE and args is not None:
        b.report(f"'.{word}' takes no argument", b.after(part.token.end))
    if bracket is Bracket.REQUIRED and args is None:
        b.report(f"expected '<' and a number after '.{word}'", b.after(part.token.end))
    shown = "swizzle" if word == "swiz" else "sparsity" if word == "sp" else word
    values = numbers(b, args or (), f"{shown} must be an integer literal")
    if word in ("swiz", "swizzle") and values and values[0] not in (0, 1, 2, 3, 32, 64, 128) and args:
        near = str(min((32, 64, 128), key=lambda width: abs(width - values[0])))
        fix = replace_fix(f"Write '{near}'", args[0].span, near, False)
        b.report("swizzle must be 32, 64 or 128 (or level 0 to 3)", args[0].span, "", fix)
    if word == "promote" and values and values[0] not in (64, 128, 256) and args:
        b.report("promote must be 64, 128 or 256", args[0].span)
    return t.Modifier(part.span, word, values, old)


# --- copies (2.4.11) -----------------------------------------------------------------------------


@action("storage_dest")
def storage_dest(b: Builder, at: Span, kids: Kids) -> t.StorageDest:
    return t.StorageDest(at, kids[0].text)


@action("any_future")
def any_future(b: Builder, at: Span, kids: Kids) -> t.Stmt:
    target, _, engine, word = kids
    if target is None:
        b.report(f"'{engine.text}.any' must be assigned to a name", word.span, f"write 'f = {engine.text}.any;'")
        return t.ErrorStmt(at)
    return t.AnyFuture(at, name_of(b, target, "a future has a plain name"), engine.text)


@action("copy")
def copy(b: Builder, at: Span, kids: Kids) -> t.Copy:
    target, _, engine, parts, source, arrow, dest, _, after = kids
    if arrow.type == "WRONGARROW":
        end = arrow.end
        fix = replace_fix("Write '=>'", arrow.span, "=>")
        b.report("expected '=>', found '->'", Span(end - 1, end), "", fix)
    op, config = _operation(b, engine, parts[0])
    is_async, event, mods = _modifiers(b, engine, op, parts[1:])
    source, zfill = _source(b, source)
    return t.Copy(
        at,
        target if target is None else name_of(b, target, "a future has a plain name"),
        engine.text,
        "copy" if op == "copy_async" else op,
        config,
        is_async or op == "copy_async",
        event,
        mods,
        source,
        _dest(b, dest),
        after if after is None else name_of(b, after, "'after' takes the name of a transfer"),
        zfill,
        op == "copy_async",
        parts[0].token.span,
        next((b.after(part.token.end) for part in parts[1:] if part.word == "async" and part.args), NOWHERE),
    )


def _operation(b: Builder, engine: Token, part: Mod) -> tuple[str, t.PadConfig | t.TransConfig | None]:
    op, dot = part.word, part.token.span
    if op not in OPS:
        meant, safe = dotted(op, _WRITTEN) or ("copy", False)
        fix = replace_fix(f"Write '.{meant}'", dot, f".{meant}", safe, guess=True) if op else None
        message = f"unknown operation '.{op}'" if op else f"expected an operation after '{engine.text}.'"
        b.report(message, dot, f"did you mean '.{meant}'?", fix)
        return "copy", None
    if op in ("load", "store") and engine.text == "dma":
        b.report(f"only 'tma' has '.{op}'", dot, "use '.copy'", replace_fix("Write '.copy'", dot, ".copy"))
        return "copy", None
    if part.args is None:
        if op in ("transp", "pad"):
            b.report(f"expected '<' after '.{op}'", b.after(part.token.end))
        return op, None
    if op == "transp":
        what = "the permutation must consist of integer literals"
        return op, t.TransConfig(part.span, numbers(b, part.args, what))
    if op == "pad":
        return op, _pad(b, part)
    b.report(f"'.{op}' takes no '<…>'", b.after(part.token.end))
    return op, None


def _pad(b: Builder, part: Mod) -> t.PadConfig:
    fields = list(part.args or ())
    closing = Span(part.span.end - 1, part.span.end)
    lists: list[tuple[t.Expr, ...]] = []
    for field in fields[:3]:
        if isinstance(field, t.TupleLit):
            lists.append(field.items)
        else:
            b.report("expected '{' and the widths of the padding", _span(field))
            lists.append(())
    if len(fields) < 4:
        what = "the fill value" if len(fields) == 3 else "the next field: low, high, middle, fill value"
        b.report(f"expected ',' and {what}", closing)
    elif len(fields) > 4:
        b.report("'.pad' takes low, high, middle and a fill value", _span(fields[4]))
    value: Any = fields[3] if len(fields) > 3 else t.Missing(Span(closing.start, closing.start))
    value = value[0] if isinstance(value, tuple) else value
    lists += [()] * (3 - len(lists))
    return t.PadConfig(part.span, lists[0], lists[1], lists[2], value)


def _span(field: Any) -> Span:
    span: Span = field[0].span if isinstance(field, tuple) else field.span
    return span


def _modifiers(
    b: Builder, engine: Token, op: str, parts: Sequence[Mod]
) -> tuple[bool, t.Expr | None, tuple[t.Modifier, ...]]:
    is_async, event = False, None
    mods: list[t.Modifier] = []
    for part in parts:
        word = part.word
        if word == "async":
            if mods:
                b.report(f"'.async' comes directly after '.{op}'", part.token.span)
            is_async, event = True, _event(b, part) if part.args is not None else event
            continue
        if word in _HINTS:
            _check_cache_hint(b, engine, part, mods)
        mods.append(modifier(b, part))
    return is_async, event, tuple(mods)


def _check_cache_hint(b: Builder, engine: Token, part: Mod, before: list[t.Modifier]) -> None:
    names = {item.name for item in before}
    if engine.text != "tma":
        b.report("cache hints need 'tma.load'", part.token.span)
    elif names & _HINTS:
        b.report("a transfer takes one cache hint", part.token.span)
    elif names & {"swiz", "swizzle"}:
        b.report(f"'.{part.word}' must precede '.swiz'", part.token.span)


def _event(b: Builder, part: Mod) -> t.Expr | None:
    """The event of the classic dialect: a name, indices allowed (2.14)."""
    args = part.args or ()
    first: Any = args[0]
    if len(args) > 1:
        b.report("a copy completes on one event", b.after(_span(first).end))
    match first:
        case t.Name() | t.Missing():
            return first
        case t.Chain(base=t.Name(), suffixes=suffixes):
            bad = next((item for item in suffixes if not isinstance(item, t.Index)), None)
            if bad is None:
                return first
            ref = b.source(first.span)
            b.report("an event operand is a name or an element", bad.span, f"write 'trigger {ref} after h' instead")
        case _:
            b.report("expected an event", _span(first))
    return None


def _source(b: Builder, node: Any) -> tuple[Any, bool]:
    """The source without a closing `.zfill`, and whether that stood there."""
    inner = node
    while isinstance(inner, t.Paren):
        inner = inner.inner
    if isinstance(inner, t.Chain) and isinstance(inner.suffixes[-1], t.Member) and inner.suffixes[-1].name == "zfill":
        kept = inner.suffixes[:-1]
        end = kept[-1].span.end if kept else inner.base.span.end
        shorter: Any = replace(inner, span=Span(inner.span.start, end), suffixes=kept) if kept else inner.base
        return _region(b, shorter, "expected a buffer, a future or a view"), True
    return _region(b, node, "expected a buffer, a future or a view"), False


def _region(b: Builder, node: Any, message: str) -> Any:
    """A buffer, a future or a view (2.6.2); parentheses around a name are redundant."""
    inner = node
    while isinstance(inner, t.Paren):
        inner = inner.inner
    match inner:
        case t.Name() | t.Missing():
            return inner
        case t.Chain(base=t.Name() | t.Missing(), suffixes=suffixes):
            last = suffixes[-1]
            if is_view(inner) or isinstance(last, t.Index):
                return inner
            if isinstance(last, t.Member) and (last.name in ("data", "mdata", "sqz") or not last.called):
                return inner
    members = [one for one in inner.suffixes if isinstance(one, t.Member)] if isinstance(inner, t.Chain) else []
    if all(one.name in MEMBERS for one in members):  # an unknown one has been told
        b.report(message, Span(node.span.start, b.after(node.span.start).end))
    return node


def _dest(b: Builder, node: Any) -> Any:
    if isinstance(node, t.StorageDest | t.Select):
        return node
    if isinstance(node, t.Call):
        b.report("expected a buffer, a view or a storage word", node.span)
        return t.Missing(node.span)
    return _region(b, node, "expected a buffer, a view or a storage word")


region = _region


@action("map_buffer")
def map_buffer(b: Builder, at: Span, kids: Kids) -> t.MapBuffer:
    target, _, source, word, storage, offset, size = kids
    if storage.type != "STORAGE":
        b.report("expected a storage word", storage.span, "write global, shared or local")
    name = name_of(b, target, "a future has a plain name")
    return t.MapBuffer(at, name, source, word_of(word), storage.text, offset, size)
