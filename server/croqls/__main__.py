"""`python -m croqls`: serve over standard input and output. Must not hold features."""

from __future__ import annotations

from croqls.lsp.serve import serve

if __name__ == "__main__":
    serve()
