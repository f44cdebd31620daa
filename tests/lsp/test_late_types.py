"""The protocol's classes are finished late, and are then what they would have been."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import lsprotocol
import pytest

START = """
import json, sys
if sys.argv[1] == "late":
    import croqls.lsp.late_types as late
else:
    import lsprotocol.types
import attrs
from lsprotocol import types
kinds = [kind for kind in vars(types).values() if isinstance(kind, type) and kind.__module__ == types.__name__]
unfinished = [kind for kind in kinds if type(vars(kind).get("__attrs_attrs__")).__name__ == "_Fields"]
from lsprotocol.converters import get_converter
converter = get_converter()
after = [kind for kind in unfinished if type(vars(kind).get("__attrs_attrs__")).__name__ == "_Fields"]
"""
COUNT = START + "print(json.dumps([len(unfinished), len(after)]))"
ALL = (
    START
    + """
def told(kind):
    return [[one.name, str(one.type), repr(one.default), bool(one.validator)] for one in attrs.fields(kind)]
print(json.dumps({kind.__name__: told(kind) for kind in kinds if attrs.has(kind)}))
"""
)
USE = (
    START
    + """
place = types.Position(1, 2)
assert place == types.Position(line=1, character=2) and place < types.Position(2, 0)
assert repr(types.Range(place, place)) == "1:2-1:2"
message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": json.load(sys.stdin)["params"]}
said = converter.structure(message, types.METHOD_TO_TYPES["initialize"][0])
print(json.dumps(converter.unstructure(said), sort_keys=True))
try:
    types.Position("x", 2)
except (TypeError, ValueError) as error:
    print(error)
"""
)
RECORDED = sorted((Path(__file__).parent / "clients").glob("*.json"))


def printed(code: str, way: str, given: str = "", library: str = "") -> str:
    paths = os.pathsep.join(filter(None, (library, os.environ.get("PYTHONPATH", ""))))
    env = {**os.environ, "PYTHONPATH": paths}
    command = [sys.executable, "-c", code, way]
    done = subprocess.run(command, capture_output=True, text=True, input=given, check=True, env=env)
    return done.stdout


def test_the_classes_are_finished_late() -> None:
    before, after = json.loads(printed(COUNT, "late"))
    assert before > 500
    assert after > 500  # the converter has them finished when it meets them
    assert json.loads(printed(COUNT, "plain")) == [0, 0]


def test_finished_they_have_the_same_fields() -> None:
    late, plain = (json.loads(printed(ALL, way)) for way in ("late", "plain"))
    assert len(plain) > 500
    assert late == plain


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_messages_go_in_and_out_the_same(path: Path) -> None:
    recorded = path.read_text(encoding="utf-8")
    late, plain = (printed(USE, way, recorded) for way in ("late", "plain"))
    assert late == plain


def with_options(library: Path) -> None:
    types = library / "types.py"
    text = types.read_text(encoding="utf-8")
    types.write_text(text.replace("@attrs.define\n", "@attrs.define(frozen=True)\n", 1), encoding="utf-8")


def without_hooks(library: Path) -> None:
    (library / "_hooks.py").rename(library / "_others.py")
    converters = library / "converters.py"
    text = converters.read_text(encoding="utf-8")
    converters.write_text(text.replace("import _hooks", "import _others as _hooks"), encoding="utf-8")


def resolved_elsewhere(library: Path) -> None:
    hooks = library / "_hooks.py"
    text = hooks.read_text(encoding="utf-8")
    hooks.write_text(text.replace("_resolved_forward_references", "_is_resolved"), encoding="utf-8")


@pytest.mark.parametrize("change", [with_options, without_hooks, resolved_elsewhere], ids=lambda each: each.__name__)
def test_a_library_made_otherwise_is_loaded_as_it_is(change: Callable[[Path], None], tmp_path: Path) -> None:
    """The server starts, and its messages are the same."""
    assert lsprotocol.__file__ is not None
    shutil.copytree(Path(lsprotocol.__file__).parent, tmp_path / "lsprotocol")
    change(tmp_path / "lsprotocol")
    library = str(tmp_path)
    assert json.loads(printed(COUNT, "late", library=library)) == [0, 0]
    recorded = RECORDED[0].read_text(encoding="utf-8")
    late, plain = (printed(USE, way, recorded, library) for way in ("late", "plain"))
    assert late == plain


def test_a_class_of_another_module_is_made_at_once() -> None:
    """One that is loaded meanwhile, by another thread too."""
    from croqls.lsp import late_types

    class Other:
        one: int = 0

    made = late_types._late(Other)
    assert made(one=2).one == 2
    assert type(vars(made)["__attrs_attrs__"]).__name__ != "_Fields"
