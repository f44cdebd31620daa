"""Loads and the arrivals that tell of them: the walk that fold and publish share. Must not know mechanisms.

A load waits for an arrival behind it in its list of statements. One that names its event, or whose future an arrival
names, is that arrival's, whatever stands between; a synchronous one is the next arrival's, where nothing but scalars
and waits stand between, no other load goes to the same place and nobody sees the difference, now or at the next
generation of the slot (`published`), and of several all or none.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from itertools import combinations

from croqc.pipe import ir
from croqc.pipe.published import Published
from croqc.pipe.tiles import are_apart
from croqc.pipe.walk import Body, rewrite_lists
from croqc.text.record import replace

Pending = dict[int, ir.Copy]  # loads that wait for an arrival, by their place in the list


class Joining(ABC):
    """What a pass decides of its loads."""

    def __init__(self, kernel: ir.Kernel) -> None:
        self._published = Published(kernel)

    @abstractmethod
    def takes(self, copy: ir.Copy) -> bool:
        """Whether a copy is one of the loads."""

    @abstractmethod
    def lands_with(self, copy: ir.Copy, arrive: ir.Arrive) -> bool:
        """Whether a load can complete on the arrival that it is to join; else it is `alone`, and synchronous."""

    @abstractmethod
    def told(self, arrive: ir.Arrive, copies: list[ir.Copy]) -> ir.Arrive:
        """The arrival, some loads having joined it."""

    @abstractmethod
    def alone(self, copy: ir.Copy) -> Body:
        """What becomes of a load that no arrival tells of."""

    @abstractmethod
    def elsewhere(self, copy: ir.Copy) -> Body:
        """What becomes of a load that names its event, whose arrival is in another list of statements."""

    def walked(self, body: Body) -> Body:
        """Every list of statements with its loads joined."""
        return rewrite_lists(body, self._joined)

    def _joined(self, body: Body) -> Body:
        found: list[Body] = []
        pending: Pending = {}
        for stmt in body:
            new: ir.Stmt = stmt
            match stmt:
                case ir.Copy() if self.takes(stmt):
                    pending[len(found)] = stmt
                case ir.Arrive():
                    new = self._arrival(stmt, found, pending)
                    self._leave(found, pending, lambda copy: not _is_later(copy))
                case ir.Await(handles=handles):
                    self._leave(found, pending, partial(_is_of, handles))
                case ir.Let() | ir.Wait():
                    pass
                case _:
                    self._leave(found, pending, lambda copy: not _is_later(copy))
            found.append((new,))
        for at, copy in tuple(pending.items()):
            if copy.completes is not None:
                found[at] = self.elsewhere(copy)
                del pending[at]
        self._leave(found, pending, lambda copy: True)
        return tuple(stmt for part in found for stmt in part)

    def _leave(self, found: list[Body], pending: Pending, which: Callable[[ir.Copy], bool]) -> None:
        for at, copy in tuple(pending.items()):
            if which(copy):
                found[at] = self.alone(copy)
                del pending[at]

    def _arrival(self, arrive: ir.Arrive, found: list[Body], pending: Pending) -> ir.Arrive:
        event = arrive.slot.event
        plain = [copy for copy in pending.values() if not _is_later(copy)]
        apart = all(are_apart(one.dest, other.dest) for one, other in combinations(plain, 2))  # else their order counts
        lands = apart and all(self._published.may_land_with(copy, arrive) for copy in plain)
        joined: list[ir.Copy] = []
        handles: set[str] = set()
        for at, copy in tuple(pending.items()):
            if copy.completes is not None:
                wanted = copy.completes.event == event
            else:
                wanted = copy.handle in arrive.after if copy.is_async else lands
            if not wanted:
                continue
            del pending[at]
            handles.add(copy.handle)
            if self.lands_with(copy, arrive):
                found[at] = (replace(copy, completes=copy.completes or arrive.slot),)
                joined.append(copy)
            else:
                found[at] = self.alone(replace(copy, is_async=False, completes=None))
        after = tuple(handle for handle in arrive.after if handle not in handles)
        return self.told(replace(arrive, after=after), joined)


def _is_of(handles: tuple[str, ...], copy: ir.Copy) -> bool:
    return copy.handle in handles


def _is_later(copy: ir.Copy) -> bool:
    """Whether an arrival further behind may tell of a load: its future is named there, or it names the event itself."""
    return copy.is_async or copy.completes is not None
