"""Parts of a buffer that are written only behind a read: for that read they are as good as never written."""

from __future__ import annotations

import pytest

from tests.flow.pipes import check

UPPER = "dma.copy src.subspan(8, 16).at(0, b) => a.subspan(8, 16).at(0, 0);"
LOWER = "dma.copy src.subspan(8, 16).at(1, b) => a.subspan(8, 16).at(1, 0);"
OUT = "dma.copy a => dst.subspan(16, 16).at(0, b);"
LATE = "rows 8 to 15 of 'a'"


def block(text: str, declared: str = "shared f16 [16, 16] a;") -> str:
    return f"""__co__ void f(global f16 [16, K] src, global f16 [16, K] dst) {{
  parallel b by K / 16 : block {{ {declared} {text} }}
}}
"""


def roles(first: str, second: str) -> str:
    return block(
        f"""parallel w by 2 : group-4, t by 128 : thread {{
          inthreads.async (w == 0) {{ {first} }}
          inthreads.async (w == 1) {{ {second} }}
        }}""",
        "shared f16 [16, 16] a; shared event first, back, second;",
    )


def ring(put: str) -> str:
    return f"""__co__ void f(global f16 [16, K] src, global f16 [16, K] dst) {{
  parallel b by 1 : block {{
    shared event full[2], empty[2] = ready;
    shared f16 [16, 16] a[2];
    parallel w by 2 : group-4, t by 128 : thread {{
      inthreads.async (w == 0) {{
        foreach k in [K / 16] {{ wait empty[k % 2]; {put} trigger full[k % 2]; }}
      }}
      inthreads.async (w == 1) {{
        foreach k in [K / 16] {{
          wait full[k % 2]; dma.copy a[k % 2] => dst.subspan(16, 16).at(0, k); trigger empty[k % 2];
        }}
      }}
    }}
  }}
}}
"""


HALF = "dma.copy src.subspan(8, 16).at({}, k) => a[k % 2].subspan(8, 16).at({}, 0);"
WHOLE = "dma.copy src.subspan(16, 16).at(0, k) => a[k % 2];"

LATER = {
    "in the order of one path": (block(UPPER + OUT + LOWER), LATE),
    "by other threads": (
        block(
            "parallel t by 128 : thread { a.at(t / 16, t % 16) = 1.0f; }"
            f"{OUT} parallel t by 128 : thread {{ a.at(8 + t / 16, t % 16) = 1.0f; }}"
        ),
        LATE,
    ),
    "behind what the reader gives back": (
        roles(
            f"{UPPER} trigger first; wait back; {LOWER} trigger second;",
            f"wait first; {OUT} trigger back; wait second;",
        ),
        LATE,
    ),
    "in later turns of a ring": (
        ring(f"if (k < 2) {{ {HALF.format(0, 0)} }} else {{ {WHOLE} }}"),
        "rows 8 to 15 of 'a', slot 0",
    ),
    "half by half, a turn each": (
        ring(f"if (k / 2 % 2 == 0) {{ {HALF.format(0, 0)} }} else {{ {HALF.format(1, 1)} }}"),
        "rows 8 to 15 of 'a', slot 0",
    ),
}


@pytest.mark.parametrize("name", LATER)
def test_what_is_written_behind_the_read(name: str) -> None:
    text, part = LATER[name]
    verdict = check(text)
    assert verdict.rules == ["unwritten-read"]
    args = verdict.flow.findings[0].args
    assert (args["part"], args["late"]) == (part, True)


IN_TIME = {
    "in the order of one path": block(UPPER + LOWER + OUT),
    "behind what the writer tells": roles(
        f"{UPPER} trigger first; {LOWER} trigger second; wait back;", f"wait first; wait second; {OUT} trigger back;"
    ),
    "again, behind the read": block(UPPER + LOWER + OUT + "sync.shared;" + LOWER),
    "in the first turns of a ring": ring(
        f"if (k < 2) {{ {HALF.format(0, 0)} {HALF.format(1, 1)} }} else {{ {HALF.format(0, 0)} }}"
    ),
    "by the turn before": block(
        "parallel t by 1 : thread { foreach i in 16 { foreach j in 16 { a.at(i, j) = 1.0f; } }"
        " foreach i in 15 { a.at(i + 1, 0) = a.at(i, 0); } }" + OUT
    ),
}


@pytest.mark.parametrize("name", IN_TIME)
def test_what_is_written_in_time(name: str) -> None:
    verdict = check(IN_TIME[name])
    assert verdict.rules == []
    assert verdict.strength == "proved"


def test_one_turn_reads_what_the_turn_before_wrote() -> None:
    """The turns run as one: the order of the statements in them says nothing."""
    text = block(
        "parallel t by 1 : thread { a.at(0, 0) = 1.0f; foreach i in 15 { a.at(i + 1, 0) = a.at(i, 0); }"
        " dst.at(0, b) = a.at(15, 0); }"
    )
    assert check(text).rules == []


def test_a_read_by_threads_is_a_doubt() -> None:
    text = block(
        "parallel t by 128 : thread { a.at(t / 16, t % 16) = 1.0f; sync.shared;"
        " dst.at(0, t) = a.at(8 + t / 16, t % 16); sync.shared; a.at(8 + t / 16, t % 16) = 2.0f; }"
    )
    verdict = check(text)
    assert (verdict.rules, verdict.strength) == ([], "checked")
    assert "rows 8 to 15 of 'a', which are read before they are written" in verdict.flow.reason


TURNS = """__co__ void f(global s32 [512] src, global s32 [512] dst) {
  parallel b by 1 : block { shared s32 [512] o; parallel t by 128 : thread { foreach i in 4 { BODY } } }
}"""
PUT = "o.at(i * 128 + t) = 1;"


@pytest.mark.parametrize(
    "get", ["(3 - i) * 128 + t", "(i + 1) % 4 * 128 + t", "511 - i * 128 - t", "i * 64 + t", "t * 4 + i", "384 + t"]
)
def test_another_turn_of_the_same_loop_may_come_later(get: str) -> None:
    """All is written in the end; the first turn has written the first quarter."""
    other = check(TURNS.replace("BODY", f"{PUT} dst.at(i) = o.at({get});"))
    assert (other.rules, other.strength) == ([], "unknown")
    assert other.flow.reason == "some of what is read here is written only later"


@pytest.mark.parametrize(
    "body",
    [
        f"{PUT} dst.at(i) = o.at(i * 128 + t);",
        "o.at(t) = i; dst.at(i) = o.at(127 - t);",
        "foreach j in 4 { o.at(j * 128 + t) = i; } dst.at(i) = o.at((3 - i) * 128 + t);",
        "if (src.at(i) > 0) o.at(t) = 1; else o.at(t) = 2; dst.at(i) = o.at(127 - t);",
    ],
)
def test_what_its_own_turn_has_written_is_there(body: str) -> None:
    verdict = check(TURNS.replace("BODY", body))
    assert (verdict.rules, verdict.strength) == ([], "proved")


SOME = """__co__ void f(global f16 [64, 64] src, global f16 [64, 64] dst, int n) {
  parallel b by 1 : block { shared f16 [64, 64] o, q[4]; BODY dma.copy o => dst; }
}"""
SOME_OF_IT = {
    "rows of few threads": "parallel t by 32 : thread { local f16 [64] r {1.0f};"
    " dma.copy r.span_as(1, 64) => o.subspan(1, 64).at(t, 0); }",
    "a row that data chooses": "parallel t by 64 : thread {"
    " dma.copy src.subspan(1, 64).at(t, 0) => o.subspan(1, 64).at(n % 7, 0); }",
    "a source that is shorter": "dma.copy src.subspan(32, 64).at(0, 0) => o;",
    "a store with a mask": "parallel w by 1 : group-4 { acc = mma.fill.f16 0.0f;"
    " mma.row.row acc, q[0], q[1]; mma.store.mask acc, o, 32; }",
}


@pytest.mark.parametrize("name", SOME_OF_IT)
def test_what_writes_some_of_a_buffer_is_not_said_to_write_all(name: str) -> None:
    text = SOME.replace("BODY", SOME_OF_IT[name])
    assert check(text).strength != "proved"


WHOLE = {
    "rows, a thread each": "parallel t by 64 : thread { local f16 [64] r {1.0f};"
    " dma.copy r.span_as(1, 64) => o.subspan(1, 64).at(t, 0); }",
    "rows, two a thread": "parallel t by 32 : thread { local f16 [64] r {1.0f};"
    " foreach i in 2 { dma.copy r.span_as(1, 64) => o.subspan(1, 64).at(t * 2 + i, 0); } }",
    "a shorter source, with zeros behind": "dma.copy.zfill src.subspan(32, 64).at(0, 0) => o;",
}


@pytest.mark.parametrize("name", WHOLE)
def test_what_writes_all_of_it_is_proved(name: str) -> None:
    verdict = check(SOME.replace("BODY", WHOLE[name]))
    assert (verdict.rules, verdict.strength) == ([], "proved")
