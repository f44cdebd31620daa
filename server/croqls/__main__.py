"""`python -m croqls`: serve over standard input and output. Must not hold features."""

from __future__ import annotations

from croqc.service.memory import collect_when_settled

if __name__ == "__main__":
    collect_when_settled()  # before the modules, of whose objects none dies
    from croqls.lsp.serve import serve

    serve()
