"""What the server loads before it serves: not what has processes of its own, nor what the first list does not need."""

from __future__ import annotations

import subprocess
import sys

NOT_AT_START = {
    *("numpy", "ml_dtypes", "lark", "rich", "sqlite3"),
    *("croqc.pipe", "croqc.codegen", "croqc.engines", "croqc.refactor", "croqc.flow.verifier", "croqc.service.migrate"),
}
CODE = "import sys; from croqls.lsp.serve import make_server; make_server(); print(*sys.modules)"


def test_the_server_starts_without_verifier_compiler_and_engines() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "croqc.flow" in loaded
    assert loaded & NOT_AT_START == set()
