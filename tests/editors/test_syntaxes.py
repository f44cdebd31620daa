"""The editor grammars against the compiler's table of words: every word in its group, none extra."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from croqc.syntax import comment_directives
from croqc.syntax import keywords as kw
from croqc.syntax.keywords import Highlight

SYNTAXES = Path(__file__).parents[2] / "syntaxes"
GRAMMAR: dict[str, Any] = json.loads((SYNTAXES / "croqtile.tmLanguage.json").read_text(encoding="utf-8"))
VIM = (SYNTAXES / "vim" / "syntax" / "croqtile.vim").read_text(encoding="utf-8")

# Words of operations stand in two groups: plain ones, and those behind a dot.
PLAIN_OPERATIONS = {w.text for w in kw.KEYWORDS.values() if w.highlight is Highlight.OPERATION}
# A dotted word that is both (`zfill`) is coloured as part of the operation.
MEMBERS = set(kw.MEMBERS - kw.OPERATION_WORDS)
ISLANDS = {"__cpp__", "__asm__", "asm", "volatile", "goto"}

GROUPS: list[tuple[str, str, str, set[str]]] = [
    ("control", "keyword.control.croqtile", "croqControl", set(kw.of_class(Highlight.CONTROL))),
    ("level", "storage.modifier.level.croqtile", "croqLevel", set(kw.of_class(Highlight.LEVEL))),
    ("storage", "storage.modifier.croqtile", "croqStorage", set(kw.of_class(Highlight.STORAGE))),
    ("type", "storage.type.croqtile", "croqType", set(kw.of_class(Highlight.TYPE))),
    ("operation", "keyword.other.operation.croqtile", "croqOperation", PLAIN_OPERATIONS),
    ("dotted-operation", "keyword.other.operation.croqtile", "croqDotted", set(kw.OPERATION_WORDS)),
    ("dotted-member", "support.function.member.croqtile", "croqMember", MEMBERS),
    ("builtin", "support.function.builtin.croqtile", "croqBuiltin", set(kw.of_class(Highlight.BUILTIN))),
    ("constant", "constant.language.croqtile", "croqConstant", set(kw.of_class(Highlight.CONSTANT))),
    ("contextual", "keyword.other.contextual.croqtile", "croqContextual", set(kw.CONTEXTUAL)),
]


def words_of_pattern(pattern: str) -> set[str]:
    """The plain words of the last alternation of words in a regular expression."""
    alternations = re.findall(r"\(\?:([\w-]+(?:\|[\w-]+)+)\)", pattern)
    assert alternations, pattern
    return set(alternations[-1].split("|"))


def scopes_of(rule: dict[str, Any]) -> set[str]:
    names = {rule["name"]} if "name" in rule else set()
    return names | {capture["name"] for capture in rule.get("captures", {}).values()}


def vim_words(group: str) -> set[str]:
    words: set[str] = set()
    for line in VIM.splitlines():
        if found := re.fullmatch(rf"syn keyword {group} (?:contained )?(.*)", line):
            words |= set(found[1].split())
        elif re.match(rf"syn match {group} ", line):
            words |= {w for alt in re.findall(r"\\%\(([\w-]+(?:\\\|[\w-]+)+)\\\)", line) for w in alt.split("\\|")}
    return words


@pytest.mark.parametrize(("rule", "scope", "_group", "words"), GROUPS, ids=[g[0] for g in GROUPS])
def test_textmate_group(rule: str, scope: str, _group: str, words: set[str]) -> None:
    entry = GRAMMAR["repository"][rule]
    assert scope in scopes_of(entry)
    assert words_of_pattern(entry["match"]) == words


@pytest.mark.parametrize(("_rule", "_scope", "group", "words"), GROUPS, ids=[g[2] for g in GROUPS])
def test_vim_group(_rule: str, _scope: str, group: str, words: set[str]) -> None:
    assert vim_words(group) == words
    assert f"hi def link {group} " in VIM


def test_region_markers() -> None:
    assert words_of_pattern(GRAMMAR["repository"]["region"]["match"]) == kw.of_class(Highlight.REGION)
    assert vim_words("croqIsland") == ISLANDS
    assert vim_words("croqRegion") | vim_words("croqIsland") | {"__co__"} == kw.of_class(Highlight.REGION)


def test_directive_words() -> None:
    words: set[str] = set()
    for rule in GRAMMAR["repository"]["directive"]["patterns"]:
        alternation = re.search(r"\(([a-z]+(?:\|[a-z]+)+)\)", rule["begin"])
        assert alternation is not None
        words |= set(alternation[1].split("|"))
    assert words == kw.DIRECTIVES
    assert vim_words("croqDirective") == kw.DIRECTIVES


def test_comment_directives() -> None:
    rule = GRAMMAR["repository"]["comments"]["patterns"][0]
    assert words_of_pattern(rule["patterns"][0]["match"]) == set(comment_directives.WORDS)
    assert vim_words("croqDirectiveComment") == set(comment_directives.WORDS)


def test_library_calls_are_builtins_in_both() -> None:
    assert kw.LIBRARY_PREFIX in GRAMMAR["repository"]["builtin"]["match"]
    assert kw.LIBRARY_PREFIX in VIM


def test_the_grammar_belongs_to_the_language() -> None:
    assert GRAMMAR["scopeName"] == "source.croqtile"
    assert GRAMMAR["fileTypes"] == ["co"]
    assert {"include": "source.cpp"} in GRAMMAR["repository"]["host"]["patterns"]


def includes(node: object) -> set[str]:
    if isinstance(node, dict):
        own = {node["include"]} if isinstance(node.get("include"), str) else set()
        return own.union(*(includes(value) for value in node.values()))
    if isinstance(node, list):
        return set().union(*(includes(value) for value in node))
    return set()


def test_every_include_exists() -> None:
    local = {name[1:] for name in includes(GRAMMAR) if name.startswith("#")}
    assert local <= set(GRAMMAR["repository"])
    assert set(GRAMMAR["repository"]) - local <= {"host"}


def test_language_configuration_is_json_with_valid_patterns() -> None:
    config = json.loads((SYNTAXES / "language-configuration.json").read_text(encoding="utf-8"))
    assert config["comments"]["lineComment"] == "//"
    word = re.compile(config["wordPattern"])
    assert [m[0] for m in word.finditer("full[stage] 1.5f")] == ["full", "stage", "1.5f"]
    start = re.compile(config["folding"]["markers"]["start"])
    assert start.match("#ifdef X")
    assert not start.match("#endif")
