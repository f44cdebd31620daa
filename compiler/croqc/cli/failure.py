"""The one failure that the command line adds to those of `service`. Must not print."""

from __future__ import annotations


class UsageError(Exception):
    """The command cannot be carried out as typed; the text says why and what to type instead. Exit 2."""
