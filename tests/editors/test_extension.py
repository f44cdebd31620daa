"""The extension's manifest and snippets against the compiler: versions, targets, files, names."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import croqc
from croqc.service.settings import DIALECTS
from croqc.targets import DEFAULT_TARGET, TARGETS
from croqls.ide.inlay_hints import HintKind
from croqls.ide.roles import Role
from croqls.lsp.settings import read_hints, read_settings

ROOT = Path(__file__).parents[2]
EXTENSION = ROOT / "vscode-extension"


def load(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((EXTENSION / name).read_text(encoding="utf-8"))
    return loaded


MANIFEST = load("package.json")
SETTINGS: dict[str, dict[str, Any]] = MANIFEST["contributes"]["configuration"]["properties"]
STEPS: list[dict[str, Any]] = MANIFEST["contributes"]["walkthroughs"][0]["steps"]


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


def test_files_of_other_languages_are_not_claimed() -> None:
    """Generated documents are at the root of their scheme; a person's PTX and SASS are another extension's.
    An expansion is no document of the language itself: nothing in it is checked or run."""
    others = {one["id"]: one for one in MANIFEST["contributes"]["languages"][1:]}
    assert {name: one["filenamePatterns"] for name, one in others.items()} == {
        "croqtile-ptx": ["/*.ptx"],
        "croqtile-sass": ["/*.sass"],
        "croqtile-expansion": ["/*.expanded"],
    }
    assert [name for name, one in others.items() if "extensions" in one or "filenames" in one] == []
    scopes = {one["language"]: one["scopeName"] for one in MANIFEST["contributes"]["grammars"]}
    assert [scopes[name] for name in others] == ["source.ptx.nvidia", "source.sass.nvidia", "source.croqtile"]


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


def test_contributed_files_exist_at_the_top_or_here_and_are_shipped() -> None:
    contributes = MANIFEST["contributes"]
    paths = [contributes["languages"][0]["configuration"], *(one["path"] for one in contributes["grammars"])]
    paths += [entry["path"] for entry in contributes["snippets"]]
    paths += [step["media"].get("markdown", step["media"].get("svg")) for step in STEPS]
    shipped = (EXTENSION / ".vscodeignore").read_text(encoding="utf-8").split()
    for path in paths:
        base = ROOT if path.startswith("./syntaxes/") else EXTENSION
        assert (base / path).is_file(), path
        plain = path.removeprefix("./")
        assert f"!{plain}" in shipped or f"!{plain.rpartition('/')[0]}/**" in shipped


def offered_commands() -> set[str]:
    """Every command of the extension that a menu, a welcome text or the walkthrough leads to."""
    contributes = MANIFEST["contributes"]
    told = [row.get("command", "") for rows in contributes["menus"].values() for row in rows]
    texts = [step["description"] for step in STEPS] + [row["contents"] for row in contributes["viewsWelcome"]]
    told += [name for text in texts for name in re.findall(r"\(command:(?:toSide:)?([\w.]+)", text)]
    events = [event for step in STEPS for event in step["completionEvents"]]
    told += [event.removeprefix("onCommand:") for event in events if event.startswith("onCommand:")]
    return {name for name in told if name.startswith("croqtile.")}


def test_menus_welcome_texts_and_walkthrough_lead_to_commands_that_there_are() -> None:
    assert offered_commands() <= {command["command"] for command in MANIFEST["contributes"]["commands"]}


def test_buttons_have_icons() -> None:
    icons = {command["command"] for command in MANIFEST["contributes"]["commands"] if "icon" in command}
    rows = [row for rows in MANIFEST["contributes"]["menus"].values() for row in rows]
    buttons = {row["command"] for row in rows if row["group"].startswith(("navigation", "inline"))}
    assert buttons <= icons


def test_submenus_views_and_contexts_are_those_of_the_code() -> None:
    contributes = MANIFEST["contributes"]
    rows = [row for rows in contributes["menus"].values() for row in rows]
    submenus = {entry["id"] for entry in contributes["submenus"]}
    assert {row["submenu"] for row in rows if "submenu" in row} == submenus <= set(contributes["menus"])
    views = {view["id"] for views in contributes["views"].values() for view in views}
    assert {row["view"] for row in contributes["viewsWelcome"]} <= views
    clauses = [row.get("when", "") for row in [*rows, *contributes["viewsWelcome"]]]
    clauses += [view["when"] for views in contributes["views"].values() for view in views]
    clauses += [event for step in STEPS for event in step["completionEvents"] if event.startswith("onContext:")]
    named = {name for clause in clauses for name in re.findall(r"(?<![\w.\"'= ])croqtile\.(\w+)", f"&{clause}")}
    text = source("views/contexts.ts")
    assert named and all(f'set("{name}"' in text for name in named)


def test_the_last_step_of_the_walkthrough_is_reached_by_commands_alone() -> None:
    assert [step["id"] for step in STEPS] == ["environment", "kernel", "check", "run", "flow", "generated"]
    assert all(step["completionEvents"] for step in STEPS)


def test_the_defaults_of_the_settings_are_those_of_the_server() -> None:
    section: dict[str, Any] = {}
    for key, setting in SETTINGS.items():
        at = section
        *path, last = key.removeprefix("croqtile.").split(".")
        for part in path:
            at = at.setdefault(part, {})
        at[last] = setting["default"]
    read, warnings = read_settings(section)
    hints, more = read_hints(section.get("inlayHints"))
    assert (warnings, more) == ((), ())
    assert (read.below.arch, read.below.dialect, read.below.defines) == (DEFAULT_TARGET, "any", {})
    assert hints == frozenset(HintKind)
    assert SETTINGS["croqtile.dialect"]["enum"] == list(DIALECTS)


def test_an_untrusted_workspace_names_no_interpreter() -> None:
    """Its own settings cannot: the value of the workspace is not read there."""
    untrusted = MANIFEST["capabilities"]["untrustedWorkspaces"]
    assert (untrusted["supported"], untrusted["restrictedConfigurations"]) == ("limited", ["croqtile.python"])
    assert SETTINGS["croqtile.python"]["scope"] == "machine-overridable"


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


def test_panels_that_come_back_after_a_reload_wake_the_extension() -> None:
    files = sorted((EXTENSION / "src").rglob("*.ts"))
    texts = [path.read_text(encoding="utf-8") for path in files]
    kept = [re.search(r'TYPE = "([\w.]+)"', text) for text in texts if "registerWebviewPanelSerializer(TYPE" in text]
    wanted = {f"onWebviewPanel:{found[1]}" for found in kept if found}
    assert len(kept) == len(wanted)
    assert wanted == {event for event in MANIFEST["activationEvents"] if event.startswith("onWebviewPanel:")}
