"""The extension's manifest and snippets against the compiler: versions, targets, files, names."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import croqc
from croqc.targets import TARGETS
from croqls.ide.inlay_hints import HintKind
from croqls.ide.roles import Role

ROOT = Path(__file__).parents[2]
EXTENSION = ROOT / "vscode-extension"


def load(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((EXTENSION / name).read_text(encoding="utf-8"))
    return loaded


MANIFEST = load("package.json")
SETTINGS: dict[str, dict[str, Any]] = MANIFEST["contributes"]["configuration"]["properties"]


def source(name: str) -> str:
    return (EXTENSION / "src" / name).read_text(encoding="utf-8")


def test_the_extension_has_the_version_of_the_package() -> None:
    assert MANIFEST["version"] == croqc.__version__
    assert load("package-lock.json")["version"] == croqc.__version__


def test_the_identity_that_other_documents_name() -> None:
    assert f"{MANIFEST['publisher']}.{MANIFEST['name']}" == "croqtile.croqtile-tools"
    language = MANIFEST["contributes"]["languages"][0]
    assert (language["id"], language["extensions"]) == ("croqtile", [".co"])
    assert MANIFEST["contributes"]["grammars"][0]["scopeName"] == "source.croqtile"


def test_the_architectures_are_the_targets_of_the_compiler() -> None:
    assert SETTINGS["croqtile.arch"]["enum"] == list(TARGETS)
    in_code = re.search(r"ARCHITECTURES = \[(.*?)\]", source("config.ts"))
    assert in_code is not None
    assert re.findall(r'"(\w+)"', in_code[1]) == list(TARGETS)


def test_the_settings_are_few_and_described() -> None:
    hints = {f"inlayHints.{kind.value}" for kind in HintKind}
    names = {"python", "arch", "dialect", "defines", "trace.server"} | hints
    assert set(SETTINGS) == {f"croqtile.{name}" for name in names}
    assert all(SETTINGS[f"croqtile.{name}"]["default"] is True for name in hints)
    assert all(setting["markdownDescription"] for setting in SETTINGS.values())


def test_the_roles_are_modifiers_of_tokens() -> None:
    told = {item["id"] for item in MANIFEST["contributes"]["semanticTokenModifiers"]}
    assert told == {role.value for role in Role}


def test_every_command_is_contributed_and_registered() -> None:
    contributed = {command["command"] for command in MANIFEST["contributes"]["commands"]}
    files = sorted((EXTENSION / "src" / "commands").glob("*.ts"))
    in_code = [
        name for file in files for name in re.findall(r'id: "(croqtile\.\w+)"', file.read_text(encoding="utf-8"))
    ]
    assert sorted(in_code) == sorted(contributed)
    rows = re.search(r"COMMANDS: [^=]*= \[(.*?)\]", source("commands/index.ts"), re.DOTALL)
    assert rows is not None
    assert len(re.findall(r"\w+", rows[1])) == len(contributed)


def test_contributed_files_exist_at_the_top_or_here() -> None:
    contributes = MANIFEST["contributes"]
    paths = [contributes["languages"][0]["configuration"], contributes["grammars"][0]["path"]]
    paths += [entry["path"] for entry in contributes["snippets"]]
    for path in paths:
        base = ROOT if path.startswith("./syntaxes/") else EXTENSION
        assert (base / path).is_file(), path
        assert f"!{path.removeprefix('./')}" in (EXTENSION / ".vscodeignore").read_text(encoding="utf-8")


def test_the_lock_file_names_no_registry() -> None:
    packages = load("package-lock.json")["packages"]
    assert [name for name, entry in packages.items() if "resolved" in entry] == []


def test_nothing_is_sent_over_the_network() -> None:
    for path in (EXTENSION / "src").rglob("*.ts"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"\bfetch\(|node:https?|node:net|TelemetryLogger", text), path.name


@pytest.mark.parametrize("prefix", ["1p1c", "1p2c", "double", "triple", "parallel", "run", "expect", "co"])
def test_there_is_a_snippet_for(prefix: str) -> None:
    entries = load("snippets/croqtile.json").values()
    assert any(prefix in ([e["prefix"]] if isinstance(e["prefix"], str) else e["prefix"]) for e in entries)
