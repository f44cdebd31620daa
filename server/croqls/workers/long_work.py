"""What a process for long work begins with. The compiler and the engines are loaded there: the server, which names this
function, starts without them. Must not work.
"""

from __future__ import annotations

from multiprocessing.connection import Connection


def work(connection: Connection) -> None:
    """Serve orders until the other end closes."""
    from croqls.workers.tasks import serve

    serve(connection)
