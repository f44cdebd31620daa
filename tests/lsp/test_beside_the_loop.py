"""What requests do in threads makes no types of the protocol: a thread would find one half finished (`late_types`)."""

from __future__ import annotations

from pathlib import Path

from croqc.text.source import Source
from croqls.lsp.requests.workspace_symbol import _found
from croqls.lsp.symbol_index import SymbolIndex

KERNEL = "__co__ void scaled(global f32 [N] x) { parallel p by N : thread x.at(p) = 2.0f; }\n"


def test_symbols_are_found_as_they_stand_in_the_text(tmp_path: Path) -> None:
    (tmp_path / "kept.co").write_text("\n" + KERNEL, encoding="utf-8")
    opened = {"file:///open.co": ("file:///open.co", KERNEL)}
    found = _found(SymbolIndex(), "scaled", [tmp_path], opened)
    assert [(uri, item.name, item.span.start) for uri, _, item in found] == [
        ("file:///open.co", "scaled", KERNEL.index("scaled")),
        ((tmp_path / "kept.co").as_uri(), "scaled", 1 + KERNEL.index("scaled")),
    ]
    assert all(type(source) is Source for _, source, _ in found)
