"""What docs/editors.md writes for editors that no test starts is well formed, names the server, and is marked so."""

from __future__ import annotations

import json
import re
import tomllib
from xml.etree import ElementTree

import pytest

from tests.editors.surroundings import DOCUMENT, snippets


def section(name: str) -> str:
    """The text of a chapter on one editor."""
    (found,) = re.findall(rf"^### {name}\n(.*?)(?=^##)", DOCUMENT, re.DOTALL | re.MULTILINE)
    return str(found)


@pytest.mark.parametrize("name", ["Helix", "Zed", "Sublime Text"])
def test_who_was_not_tested_is_marked_so(name: str) -> None:
    assert section(name).strip().startswith("Not tested.")


def test_helix() -> None:
    (text,) = snippets("Helix", "toml")
    found = tomllib.loads(text)
    (language,) = found["language"]
    servers = found["language-server"]
    assert language["file-types"] == ["co"]
    assert [servers[name] for name in language["language-servers"]] == [{"command": "croq", "args": ["lsp"]}]
    assert set(language) <= {  # of Helix 25.01, docs "Languages"
        "name", "scope", "file-types", "roots", "comment-token", "indent", "grammar", "language-servers"
    }  # fmt: skip
    assert set(language["indent"]) == {"tab-width", "unit"}


def test_zed() -> None:
    (text,) = snippets("Zed", "json")
    found = json.loads(text)
    (language,) = found["file_types"]
    (server,) = found["languages"][language]["language_servers"]
    assert found["file_types"][language] == ["co"]
    assert found["lsp"][server]["binary"] == {"path": "croq", "arguments": ["lsp"]}


def test_sublime_text() -> None:
    (text,), (syntax,) = snippets("Sublime Text", "json"), snippets("Sublime Text", "yaml")
    (client,) = json.loads(text)["clients"].values()
    head, *lines = syntax.splitlines()
    told = dict(line.split(": ", 1) for line in lines if line != "---")
    assert head == "%YAML 1.2"
    assert (told["scope"], told["file_extensions"], told["version"]) == (client["selector"], "[co]", "2")
    assert told["extends"].endswith(".sublime-syntax")
    assert (client["command"], client["enabled"]) == (["croq", "lsp"], True)


def test_kate() -> None:
    (text,), (highlighting,) = snippets("Kate", "json"), snippets("Kate", "xml")
    (server,) = json.loads(text)["servers"].values()
    language = ElementTree.fromstring(highlighting.split("?>", 1)[1])
    assert (language.tag, language.attrib["extensions"]) == ("language", "*.co")
    assert re.match(server["highlightingModeRegex"], language.attrib["name"])
    assert server["command"] == ["croq", "lsp"]
    styles = {one.attrib["name"] for one in language.iter("itemData")}
    assert {one.attrib["attribute"] for one in language.iter("context")} <= styles
