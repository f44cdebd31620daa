"""The faults that fixes must mend, as operators on the text of a correct kernel, and such kernels in each dialect.

Each operator yields every text with one such fault. Must not check or fix.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from tests.rules.mending import example, instead
from tests.rules.pumps import (
    BOOTSTRAP,
    CHAIN,
    CURRENT_CHAIN,
    PACKED,
    PACKED_CHAIN,
    PAIR,
    RING,
    STORES,
    TILED,
    TURNS,
    TWO,
)

# --- kernels -----------------------------------------------------------------------------------------

_LOAD = re.compile(r"dma\.copy (src\.[^;]*) => (ring\[k % 2\]|tile);")
_STARTED = "        trigger left;\n        foreach {k} in [K / 128] {\n          wait full;"


def _classic(text: str) -> str:
    """Copies that name the event which their arrival completes."""
    slot = {"tile": "full", "ring[k % 2]": "full[k % 2]"}
    return _LOAD.sub(lambda found: f"tma.copy.async<{slot[found[2]]}> {found[1]} => {found[2]};", text)


def _current(text: str) -> str:
    """Futures that triggers are bound to."""
    text = _LOAD.sub(r"f = tma.load.async \1 => \2;", text)
    return re.sub(r"trigger (full[^;]*);", r"trigger \1 after f;", text)


def _ordered(text: str) -> str:
    return re.sub(r"\b(wait|trigger) (full|empty)\[k % 2\]", r"\1 \2.at(k)", text)


def _ready(text: str) -> str:
    return instead(instead(text, BOOTSTRAP, ""), "empty[2];", "empty[2] = ready;")


STARTED_TURNS = instead(
    instead(TURNS, "left = ready", "left"), "        foreach {k} in [K / 128] {\n          wait full;", _STARTED
)
COURSE, CLASSIC, NEW, SWAP = (example(name) for name in ("pipeline_course", "pipeline_classic", "pipeline_current",
                                                         "swap_f16"))  # fmt: skip
_WAITED = instead(
    instead(
        instead(COURSE, "dma.copy lhs", "lf = dma.copy.async lhs"), "dma.copy rhs", "rf = dma.copy.async rhs"
    ), "          trigger full[stage];\n", "          wait lf, rf;\n          trigger full[stage];\n",
)  # fmt: skip
_ISSUED = instead(
    instead(NEW, "mma.row.row acc", "m = mma.row.row.async acc"),
    "          trigger empty.at(k);\n", "          wait m;\n          trigger empty.at(k);\n",
)  # fmt: skip
_STEPS = """          foreach k in [TILE_K / STEP_K] {
            ma = mma.load lf0.data.chunkat(_, k);
            mb = mma.load rf0.data.chunkat(_, k);
            mma.row.row acc, ma, mb;
          }
          mma.commit;
"""
_NEW_SWAP = instead(
    instead(
        instead(SWAP, _STEPS, "          mma.row.row acc, lf0.data, rf0.data;\n"),
        _STEPS.replace("\n  ", "\n")[2:], "        mma.row.row acc, lf0.data, rf0.data;\n",
    ), "dma.copy.async", "tma.load.async.swiz<128>",
)  # fmt: skip

KERNELS = {
    "course": {"ring": RING, "two": TWO, "tiled": TILED, "turns": STARTED_TURNS, "matmul": COURSE, "named": _WAITED,
               "swap": SWAP, "ordered": instead(COURSE, "full[stage]", "full.at(iv_k)"), "chain": CHAIN, "pair": PAIR},
    "classic": {"ring": _classic(RING), "two": _classic(TWO), "tiled": _classic(TILED),
                "turns": _classic(STARTED_TURNS), "matmul": CLASSIC,
                "ordered": re.sub(r"\bempty\[stage\]", "empty.at(k)", CLASSIC), "packed": PACKED,
                "chain": PACKED_CHAIN},
    "current": {"ring": _current(RING), "ready": _current(_ready(RING)), "ordered": _current(_ordered(_ready(RING))),
                "two": _current(TWO), "tiled": _current(TILED), "turns": _current(TURNS), "matmul": NEW,
                "issued": _ISSUED, "swap": _NEW_SWAP, "stores": STORES, "chain": CURRENT_CHAIN},
}  # fmt: skip

# --- faults ------------------------------------------------------------------------------------------

Operator = Callable[[str], Iterator[str]]
_START = re.compile(r"(?m)^( *)foreach \{s\} in \[\w+\] \{\n.*trigger .*\n *\}\n")
_STEADY = re.compile(r"(?m)^ *trigger (?!\w+\[s\]).*\n")
_WAIT = re.compile(r"(?m)^ *wait (?:l?full|r?full|l?empty|r?empty|left|right|filled|taken)\b.*\n")
_COMMIT = re.compile(r"(?m)^( *(?:mma\.commit|wait m);\n)")


def _each(text: str, pattern: re.Pattern[str] | str, new: str | Callable[[re.Match[str]], str]) -> Iterator[str]:
    """The text with one match replaced, for every match."""
    for found in re.finditer(pattern, text):
        other = new if isinstance(new, str) else new(found)
        if other != found.group():
            yield text[: found.start()] + other + text[found.end() :]


def no_start(text: str) -> Iterator[str]:
    yield from _each(text, _START, "")
    yield from _each(text, " = ready", "")


def short_start(text: str) -> Iterator[str]:
    yield from _each(text, r"(?<=foreach \{s\} in \[)\w+", lambda found: f"{found.group()} - 1")


def long_start(text: str) -> Iterator[str]:
    yield from _each(text, r"(?<=foreach \{s\} in \[)\w+", lambda found: f"{found.group()} + 1")


def late_start(text: str) -> Iterator[str]:
    """Behind the loop that waits for what comes of it."""
    for found in re.finditer(_START, text):
        loop = re.compile(rf"(?m)^{found[1]}foreach [\s\S]*?^{found[1]}\}}\n").search(text, found.end())
        if loop is not None:
            yield text[: found.start()] + text[found.end() : loop.end()] + found.group() + text[loop.end() :]


def start_each_tile(text: str) -> Iterator[str]:
    yield from _each(text, r"if \(ti? == 0\)", "if (true)")


def start_in_other_tile(text: str) -> Iterator[str]:
    yield from _each(text, r"(?<=if \()(ti?) == 0(?=\))", lambda found: f"{found[1]} == 1")


def no_trigger(text: str) -> Iterator[str]:
    yield from _each(text, _STEADY, "")


def early_trigger(text: str) -> Iterator[str]:
    """Straight behind the wait of its turn."""
    for found in re.finditer(_STEADY, text):
        before = [wait for wait in re.finditer(_WAIT, text) if wait.end() <= found.start()]
        if before and " after " not in found.group():
            at = before[-1].end()
            yield text[:at] + found.group() + text[at : found.start()] + text[found.end() :]


def no_wait(text: str) -> Iterator[str]:
    yield from _each(text, _WAIT, "")


def no_commit(text: str) -> Iterator[str]:
    yield from _each(text, _COMMIT, "")


def late_commit(text: str) -> Iterator[str]:
    yield from _each(text, _COMMIT.pattern + r"( *trigger .*\n)", lambda found: found[2] + found[1])


def no_after(text: str) -> Iterator[str]:
    """A trigger that does not wait for its copies to land: not bound to them, or not behind the wait for them."""
    yield from _each(text, r" after \w+(?:, \w+)*", "")
    yield from _each(text, r" *wait lf, rf;\n(?= *trigger)", "")
    yield from _each(text, r"(?<=copy\.async<)full\[(\w+)(?: % 2)?\]", lambda found: f"full[({found[1]} + 1) % 2]")


def no_swap(text: str) -> Iterator[str]:
    yield from _each(text, r"(?m)^ *(?:swap|rotate)\(.*\n", "")


def other_turns(text: str) -> Iterator[str]:
    heads = r"(?<=foreach \{k\} in \[)cdiv\((\w+), (\w+)\)"
    yield from _each(text, heads, lambda found: f"{found[1]} / {found[2]}")
    yield from _each(text, heads, lambda found: f"{found.group()} - 1")
    yield from _each(text, r"(?<=foreach \{k\} in \[)K / 128", "K / 128 - 1")


def other_modulus(text: str) -> Iterator[str]:
    yield from _each(text, r"(?<=k % )(?:STAGES|MATMUL_STAGES|2)\b", "3")


def shifted_slot(text: str) -> Iterator[str]:
    """Wherever one of the roles names a slot."""
    for role in re.findall(r"(?m)^ {6}inthreads[\s\S]*?^ {6}\}\n", text):
        shifted = re.sub(r"\b(k|iv_k) % (?=\w*STAGES|[23]\b)", r"(\1 + 1) % ", role)
        if shifted != role:
            yield instead(text, role, shifted)


def reduced_order(text: str) -> Iterator[str]:
    yield from _each(text, r"((?:full|empty)\.at\(\w+)\)", lambda found: f"{found[1]} % 2)")


def one_keeps(text: str) -> Iterator[str]:
    """One of several consumers does not give back."""
    if text.count("trigger empty[k % 2]") > 1:
        yield from _each(text, r" *trigger empty\[k % 2\];\n", "")


def no_count(text: str) -> Iterator[str]:
    yield from _each(text, "event<1>", "event")


def block_sync(text: str) -> Iterator[str]:
    yield from _each(
        text, r"(?m)^( *)trigger (?!\w+\[s\]).*\n", lambda found: f"{found[1]}sync.shared;\n{found.group()}"
    )


FAULTS: dict[str, Operator] = {
    "no bootstrap": no_start,
    "bootstrap too short": short_start,
    "bootstrap too long": long_start,
    "bootstrap too late": late_start,
    "bootstrap in each tile": start_each_tile,
    "bootstrap in another tile": start_in_other_tile,
    "no trigger": no_trigger,
    "early trigger": early_trigger,
    "no wait": no_wait,
    "no commit": no_commit,
    "late commit": late_commit,
    "trigger without after": no_after,
    "swap forgotten": no_swap,
    "unequal trip counts": other_turns,
    "unequal moduli": other_modulus,
    "shifted slot": shifted_slot,
    "reduced order": reduced_order,
    "one consumer keeps": one_keeps,
    "producers in turns": no_count,
    "block sync in a role": block_sync,
}
NOT_IN = ("swap forgotten", "classic")
"""A classic copy completes on an event: there is no handle to exchange (reference, chapter 0)."""
