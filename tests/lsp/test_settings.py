"""The editor's settings: what is wrong is told once and ignored; folders have their own; trust is only taken away."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from croqls.lsp.documents import Documents
from croqls.lsp.settings import EditorSettings, read_settings
from tests.lsp.bare import FailedError, Server

COURSE = Path("examples/pipeline_course.co").read_text(encoding="utf-8")
KERNEL = "__co__ void f(global s32 [8] x) {\n  parallel p by 8 : thread { x.at(p) = SIZE; }\n}\n"
DIAGNOSTICS = "textDocument/publishDiagnostics"
NAME = "is no name of a macro; letters, digits and '_' make one"


@pytest.mark.parametrize(
    ("section", "says"),
    [
        (3, "settings 'croqtile' must map names to values; 3 is ignored"),
        ("x", "settings 'croqtile' must map names to values; 'x' is ignored"),
        ({"defines": "N=3"}, "setting 'croqtile.defines' must map names to texts"),
        ({"defines": [1]}, "setting 'croqtile.defines' must map names to texts"),
        ({"defines": {"1x": "2"}}, f"setting 'croqtile.defines': '1x' {NAME}"),
        ({"defines": {"a b": "2"}}, f"setting 'croqtile.defines': 'a b' {NAME}"),
        ({"defines": {"": "2"}}, f"setting 'croqtile.defines': '' {NAME}"),
        ({"defines": {"N(x": "2"}}, f"setting 'croqtile.defines': 'N(x' {NAME}"),
        ({"defines": {"N": ["a"]}}, "setting 'croqtile.defines.N' is ['a']; a text or a number is needed"),
        ({"defines": {"N": {"a": [1]}}}, "setting 'croqtile.defines.N' is {'a': [1]}; a text or a number is needed"),
        ({"arch": ["sm_80"]}, "setting 'croqtile.arch' is ['sm_80']; known are "),
    ],
)
def test_what_is_wrong_is_named_and_ignored(section: object, says: str) -> None:
    read, (warning,) = read_settings(section)
    assert warning.startswith(says)
    assert read == EditorSettings()


@pytest.mark.parametrize("section", [None, {}, [], {"defines": []}, {"defines": None, "inlayHints": []}])
def test_nothing_is_nothing_wrong(section: object) -> None:
    """An editor that is set up in Lua writes an empty table as an empty list."""
    assert read_settings(section) == (EditorSettings(), ())


def test_what_is_right_beside_what_is_wrong_counts() -> None:
    section = {"defines": {"A": "1", "B": 2, "C": True, "D": None, "E": False, "F": 1.5, "1x": "2"}}
    read, warnings = read_settings(section)
    assert read.below.defines == {"A": "1", "B": "2", "C": None, "D": None, "E": "0", "F": "1.5"}
    assert len(warnings) == 1


def test_a_warning_that_stands_is_not_shown_again(server: Server) -> None:
    server.start(options={"defines": {"1x": "2"}})

    def change(section: Any) -> list[str]:
        server.send("workspace/didChangeConfiguration", params={"settings": {"croqtile": section}})
        server.ask("workspace/symbol", {"query": "x"})
        return server.messages()

    wrong = f"setting 'croqtile.defines': '1x' {NAME}"
    assert change({"defines": {"1x": "3"}}) == [wrong]
    assert change({}) == [wrong]
    assert change({"defines": {"1x": "3"}}) == [wrong, wrong]


@pytest.mark.parametrize("params", [{}, {"settings": None}])
def test_a_change_without_settings_makes_the_server_ask(server: Server, params: dict[str, Any]) -> None:
    """A client in JavaScript that is asked for them pushes `undefined`."""
    answers = [{"defines": {"1x": "2"}}, {"defines": {"2x": "2"}}]
    server.respond["workspace/configuration"] = lambda _: [answers.pop(0)]
    server.start({"workspace": {"configuration": True}})
    server.until("window/showMessage")
    server.send("workspace/didChangeConfiguration", params=params)
    server.until("window/showMessage", lambda one: "2x" in one["message"])
    assert server.messages() == [f"setting 'croqtile.defines': '{name}' {NAME}" for name in ("1x", "2x")]
    assert server.log() == ""


@pytest.mark.parametrize("params", [None, [], 7])
def test_a_change_that_is_no_object_is_one_line_of_the_log(server: Server, params: object) -> None:
    server.start()
    server.send("workspace/didChangeConfiguration", params=params)
    server.ask("workspace/symbol", {"query": "x"})
    assert server.log().endswith("expected DidChangeConfigurationParams @ message.params\n")
    assert server.messages() == []


@pytest.mark.parametrize("method", ["croqtile/run", "croqtile/generated", "croqtile/flow", "croqtile/sharedMemory"])
@pytest.mark.parametrize("name", ["", "1x", "a b", "N(x"])
def test_a_request_with_a_name_that_is_none_is_answered(shared: Server, method: str, name: str) -> None:
    shared.open("untitled:k.co", KERNEL)
    with pytest.raises(FailedError, match="which is no name") as failed:
        shared.ask(method, {"textDocument": {"uri": "untitled:k.co"}, "defines": {name: "3"}})
    assert failed.value.code == -32602


def test_a_folder_without_trust_runs_nothing_and_has_hints_of_its_own(server: Server, tmp_path: Path) -> None:
    """Also where an inner folder claims trust. Other folders are as before."""
    roots = {name: tmp_path / name for name in ("one", "one/inner", "two")}
    for path in roots.values():
        path.mkdir()
    settings: dict[str | None, Any] = {
        None: {},
        roots["one"].as_uri(): {
            "trusted": False,
            "inlayHints": dict.fromkeys(("paths", "types", "slots", "sharedMemory"), False),
        },
        roots["one/inner"].as_uri(): {"trusted": True},
        roots["two"].as_uri(): {},
    }
    server.respond["workspace/configuration"] = lambda asked: [settings[one.get("scopeUri")] for one in asked["items"]]
    named = [{"uri": path.as_uri(), "name": name} for name, path in roots.items()]
    server.start({"workspace": {"configuration": True, "workspaceFolders": True}}, folders=named)
    server.until("workspace/configuration")
    hints = {}
    for name, path in roots.items():
        document = {"textDocument": {"uri": (path / "k.co").as_uri()}}
        server.open(document["textDocument"]["uri"], COURSE)
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
        hints[name] = len(server.ask("textDocument/inlayHint", document | {"range": whole}))
        if name == "two":
            assert server.ask("croqtile/run", document | {"engine": "sim"})["started"]
            continue
        for method, more in (("run", {"engine": "sim"}), ("generated", {"form": "ptx"})):
            with pytest.raises(FailedError, match="not trusted"):
                server.ask(f"croqtile/{method}", document | more)
    assert hints["one"] == 0 < hints["one/inner"] == hints["two"]
    assert server.messages() == []


def test_no_way_around_a_folder_without_trust(tmp_path: Path) -> None:
    documents = Documents()
    folder = tmp_path / "one"
    folder.mkdir()
    documents.folders = {folder.as_uri(): EditorSettings(trusted=False)}
    (tmp_path / "link").symlink_to(folder)
    for inside in (f"{folder.as_uri()}/k.co", f"{tmp_path.as_uri()}/two/../one/k.co", f"{tmp_path.as_uri()}/link/k.co"):
        assert not documents.trusts(inside), inside
    for outside in (f"{tmp_path.as_uri()}/k.co", f"{folder.as_uri()}-more/k.co", "untitled:k.co", "file://[::1/k.co"):
        assert documents.trusts(outside), outside
    documents.editor = EditorSettings(trusted=False)
    assert not documents.trusts("untitled:k.co")


def test_folders_count_where_the_workspace_has_no_settings(server: Server, tmp_path: Path) -> None:
    """Outside of them those that came with `initialize` do."""
    uris = [f"{tmp_path.as_uri()}/k.co", "untitled:k.co"]
    server.respond["workspace/configuration"] = lambda asked: [
        {"defines": {"SIZE": "1"}} if one.get("scopeUri") else None for one in asked["items"]
    ]
    capabilities = {"workspace": {"configuration": True, "workspaceFolders": True}}
    folders = [{"uri": tmp_path.as_uri(), "name": "w"}]
    server.start(capabilities, {"defines": {"SIZE": "zz"}}, folders)
    server.until("workspace/configuration")
    found = []
    for uri in uris:
        server.open(uri, KERNEL)
        shown = server.until(DIAGNOSTICS, lambda one, uri=uri: one["uri"] == uri)
        found.append([item["message"].partition(";")[0] for item in shown["diagnostics"]])
    assert found == [[], ["'zz' is not declared here"]]


def test_what_is_wrong_with_a_project_is_told_once_until_its_file_changes(server: Server, tmp_path: Path) -> None:
    """Not with each file that is opened below it, and not when something else changes."""
    project = tmp_path / "croq.toml"
    project.write_text("nope = 1\n", encoding="utf-8")
    server.start()

    def told() -> list[str]:
        server.ask("workspace/symbol", {"query": "x"})
        return server.messages()

    def change(path: Path) -> None:
        changes = [{"uri": path.as_uri(), "type": 2}]
        server.send("workspace/didChangeWatchedFiles", params={"changes": changes})

    for _ in range(2):
        for name in ("a.co", "b.co"):
            server.open((tmp_path / name).as_uri(), KERNEL)
        change(tmp_path / "other" / "croq.toml")
        server.send("textDocument/didClose", params={"textDocument": {"uri": (tmp_path / "b.co").as_uri()}})
    wrong = f"{project}:1:1: unknown key 'nope'; known are arch, dialect, defines, allow"
    assert told() == [wrong]
    change(project)
    assert told() == [wrong, wrong]
    project.write_text("nape = 1\n", encoding="utf-8")
    change(project)
    assert told() == [wrong, wrong, wrong.replace("nope", "nape")]
