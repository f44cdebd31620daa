"""The protocol's classes are finished late, and are then what they would have been."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

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


def printed(code: str, way: str, given: str = "") -> str:
    done = subprocess.run([sys.executable, "-c", code, way], capture_output=True, text=True, input=given, check=True)
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
