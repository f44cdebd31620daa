"""The parse tables of the grammars: made by Lark once, kept in the wheel or in the user's cache folder.

Building takes most of a second, loading some milliseconds. The only file of this package that touches files.
Must not parse, must not import from its package (the build hook loads this file alone), and must not fail because a
cache cannot be written or read: then the tables are built anew.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from pkgutil import get_data
from typing import Any, Final, NamedTuple
from zlib import crc32

# NAME.lark is a grammar, whose first rule is the start; NAME.tables its tables in a wheel.
KERNEL, EXPECTATION = "grammar", "expectation"
GRAMMARS: Final = (KERNEL, EXPECTATION)
_FORMAT: Final = 3  # of the text of `build_text`

# What a reduction does with its children's values.
PASS, LIST, CALL = 0, 1, 2


class Rule(NamedTuple):
    """One production. `take` says which values become children: k >= 0 that of symbol k, -1 None, and
    -2 - k the list of symbol k spliced in."""

    origin: str
    size: int
    mode: int
    action: str
    take: tuple[int, ...]


class Tables(NamedTuple):
    """`actions[state][terminal]` is the next state of a shift, or `~rule` of a reduction; `gotos[state][origin]`
    the state behind a reduction."""

    rules: tuple[Rule, ...]
    actions: tuple[dict[str, int], ...]
    gotos: tuple[dict[str, int], ...]
    start: int
    end: int


def grammar_text(name: str = KERNEL) -> str:
    return _package_text(f"{name}.lark")


def _package_text(file: str) -> str:
    """A file of the package. `importlib.resources` would load a tenth of the standard library for it."""
    data = get_data("croqc.syntax", file)
    assert data is not None  # a loader without data files
    return data.decode()


@cache
def tables(name: str = KERNEL) -> Tables:
    """The tables of a grammar: from the package, else from the cache folder, else built and cached."""
    grammar = grammar_text(name)
    cached = _cache_folder() / f"{name}-{crc32(grammar.encode()):08x}.tables"
    readers: tuple[Callable[[], str], ...] = (
        lambda: _package_text(f"{name}.tables"),
        lambda: cached.read_text(encoding="ascii"),
    )
    for read in readers:
        try:
            if found := _decode(read(), grammar):
                return found
        except (OSError, UnicodeDecodeError):
            continue
    text = build_text(grammar)
    _store(cached, text)
    built = _decode(text, grammar)
    assert built is not None
    return built


def _cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or os.path.expanduser("~/.cache")
    return Path(base) / "croqtile-tools"


def _store(path: Path, text: str) -> None:
    """Write by renaming, so that no other process ever reads half a file; nothing stays behind on a full disk."""
    name: str | None = None
    try:
        import tempfile  # here, since it is needed once a machine

        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".new")
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(text)
        os.replace(name, path)
    except OSError:
        if name is not None:
            Path(name).unlink(missing_ok=True)


def _decode(text: str, grammar: str) -> Tables | None:
    """The tables of a text of `build_text`; None if it is damaged or of another grammar."""
    head, _, body = text.partition("\n")
    if head != _checksum(body):
        return None
    data = json.loads(body)
    if data["key"] != [_FORMAT, grammar]:
        return None
    rules = tuple(Rule(origin, size, mode, action, tuple(take)) for origin, size, mode, action, take in data["rules"])
    rows = data["rows"]
    actions = tuple(rows[index] for index in data["actions"])
    gotos = tuple(rows[index] for index in data["gotos"])
    return Tables(rules, actions, gotos, data["start"], data["end"])


def _checksum(body: str) -> str:
    return f"{crc32(body.encode()):08x}"


# --- building ------------------------------------------------------------------------------------


def build_text(grammar: str) -> str:
    """The tables of a grammar as JSON, by Lark, behind their checksum. The same grammar gives the same text."""
    lark = make_lark(grammar)
    table = lark.parser.parser._parse_table
    start = lark.options.start[0]
    rules = sorted(lark.rules, key=lambda rule: (rule.origin.name, rule.order, str(rule)))
    numbers = {rule: index for index, rule in enumerate(rules)}
    rows: dict[tuple[tuple[str, int], ...], int] = {}
    actions, gotos = [], []
    order = _order(table, start)
    for state in order:
        shifts, jumps = _split(table.states[state], numbers, order)
        actions.append(rows.setdefault(shifts, len(rows)))
        gotos.append(rows.setdefault(jumps, len(rows)))
    body = json.dumps(
        {
            "key": [_FORMAT, grammar],
            "rules": [_rule(rule) for rule in rules],
            "rows": [dict(row) for row in rows],
            "actions": actions,
            "gotos": gotos,
            "start": order[table.start_states[start]],
            "end": order[table.end_states[start]],
        },
        separators=(",", ":"),
    )
    return f"{_checksum(body)}\n{body}"


def make_lark(grammar: str, debug: bool = False) -> Any:
    """Lark's parser of the grammar; only its tables are used. `debug` logs the conflicts."""
    from lark import Lark
    from lark.lexer import Lexer

    class NoLexer(Lexer):
        """Tokens come from elsewhere."""

        def __init__(self, _conf: object) -> None:
            pass

        def lex(self, lexer_state: Any, parser_state: Any) -> Any:
            raise NotImplementedError

    first = re.search(r"^\w+(?=:)", grammar, re.MULTILINE)
    assert first is not None
    return Lark(grammar, parser="lalr", lexer=NoLexer, start=first[0], maybe_placeholders=True, debug=debug)


def _order(table: Any, start: str) -> dict[int, int]:
    """New numbers for Lark's states, whose own differ from run to run: by the way from the start."""
    from lark.parsers.lalr_analysis import Shift

    order = {table.start_states[start]: 0}
    queue = list(order)
    for state in queue:  # grows while it is walked over
        for _, (action, target) in sorted(table.states[state].items()):
            if action is Shift and target not in order:
                order[target] = len(order)
                queue.append(target)
    return order


def _split(
    row: Any, numbers: Any, order: dict[int, int]
) -> tuple[tuple[tuple[str, int], ...], tuple[tuple[str, int], ...]]:
    """A row of Lark's table as two flat ones: terminals, and nonterminals."""
    from lark.parsers.lalr_analysis import Shift

    shifts: list[tuple[str, int]] = []
    jumps: list[tuple[str, int]] = []
    for name, (action, target) in sorted(row.items()):
        value = order[target] if action is Shift else ~numbers[target]
        (shifts if name.strip("_$").isupper() else jumps).append((name, value))
    return tuple(shifts), tuple(jumps)


def _rule(rule: Any) -> list[object]:
    """Origin, size, mode, action and the children of a rule, as `Rule` has them."""
    options, take = rule.options, []
    nones = [len(ones) for ones in "".join(str(int(empty)) for empty in options.empty_indices).split("0")]
    for index, symbol in enumerate(rule.expansion):
        take += [-1] * (nones[index] if options.empty_indices else 0)
        if symbol.is_term:
            take += [index] if options.keep_all_tokens or not symbol.filter_out else []
        else:
            take.append(-2 - index if symbol.name.startswith("_") else index)
    take += [-1] * (nones[-1] if options.empty_indices else 0)
    name = rule.origin.name
    if name.startswith("_"):
        mode = LIST
    else:
        alone = len(take) == 1 and len(rule.expansion) == 1 and take[0] == 0
        mode = PASS if options.expand1 and alone and rule.alias is None else CALL
    return [name, len(rule.expansion), mode, rule.alias or name, take]
