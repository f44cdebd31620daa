"""What the processes begin with. Verifier, compiler and engines are loaded there: the server, which names these
functions, starts without them. Must not work.
"""

from __future__ import annotations

import os
import sys
from multiprocessing.connection import Connection

from croqc.service.memory import collect_seldom, keep_loaded

_BEHIND = 10  # steps of `nice`: a hover that waits for a core goes before a compile and a run in the simulator


def long_work(connection: Connection) -> None:
    """Serve orders until the other end closes."""
    if sys.platform != "win32":
        os.nice(_BEHIND)
    collect_seldom()  # before the modules, of whose objects none dies
    from croqls.workers.tasks import serve

    keep_loaded()
    serve(connection)


def verdicts(connection: Connection) -> None:
    """Serve what is asked of credit flow until the other end closes."""
    collect_seldom()
    from croqls.workers.flow import serve

    keep_loaded()
    serve(connection)
