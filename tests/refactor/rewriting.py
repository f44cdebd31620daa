"""The examples in the refactorings' docstrings, in the kernels that they need, and ways to make a rewrite."""

from __future__ import annotations

import inspect
import textwrap
from types import ModuleType

from croqc.refactor.base import Code, Outcome, Refusal, read
from croqc.refactor.equal import attempt
from croqc.sema.model import Context
from croqc.service.check import check_text
from croqc.service.migrate import Migration, migrate
from croqc.service.run import run_file
from croqc.service.run_plan import Request
from croqc.syntax.parser import parse_file
from croqc.targets import TARGETS

TILE = "a.subspan(64, 64)"
COPY = f"{TILE}.at(b, k) => a_s[s];"
HEAD = """\
__co__ void f(global f16 [M, K] a, global f16 [N, K] w, global f16 [M, N] out) {
  parallel {b, q} by [cdiv(M, 64), cdiv(N, 64)] : block {
"""
RING = """\
    shared event full[2], empty[2], done;
    shared f16 [64, 64] a_s[2], w_s[2];
"""
BLOCK = f"""\
{HEAD}    BODY
  }}
}}
"""
ROLE = f"""\
{HEAD}{RING}    parallel r by 2 : group-4 {{
      inthreads.async (r == 0) {{
        BODY
      }}
    }}
  }}
}}
"""
PRODUCER = f"""\
{HEAD}{RING.replace("empty[2]", "empty[2] = ready")}    parallel r by 2 : group-4 {{
      inthreads.async (r == 0) {{
        foreach {{k}} in [cdiv(K, 64)] {{
          s = k % 2;
          wait empty.at(k);
          BODY
        }}
      }}
      inthreads.async (r == 1) {{
        foreach {{k}} in [cdiv(K, 64)] {{
          wait full.at(k);
          dma.copy a_s[k % 2] => out.subspan(64, 64).at(b, q);
          trigger empty.at(k);
        }}
      }}
    }}
  }}
}}
"""
CONSUMER = f"""\
{HEAD}{RING}    parallel r by 1 : group-4 {{
      acc = mma.fill.f32 0.0f;
      foreach {{s}} in [2] {{
        dma.copy.swiz<128> a.subspan(64, 64).at(b, s) => a_s[s];
        dma.copy.swiz<128> w.subspan(64, 64).at(q, s) => w_s[s];
        BODY
      }}
      mma.store acc, out.subspan(64, 64).at(b, q);
    }}
  }}
}}
"""


def framed(frame: str, body: str) -> str:
    """A snippet in its kernel, indented to its place."""
    at = frame.index("BODY")
    start = frame.rindex("\n", 0, at) + 1
    return frame[:start] + textwrap.indent(body, frame[start:at]) + frame[at + len("BODY") :]


def example(module: ModuleType) -> tuple[str, str]:
    """Before and after, as the module's docstring shows them: its first two indented parts."""
    parts: list[list[str]] = [[]]
    for line in inspect.cleandoc(module.__doc__ or "").splitlines():
        if line.startswith("    "):
            parts[-1].append(line)
        elif line.strip() and parts[-1]:
            parts.append([])
        elif parts[-1]:
            parts[-1].append("")
    before, after = (textwrap.dedent("\n".join(part)).strip("\n") for part in parts[:2])
    return before, after


def code(text: str) -> Code:
    """The last function of a text."""
    found = read(text, len(parse_file(text).functions) - 1, Context(TARGETS["sm_90a"]), {})
    assert found is not None
    return found


def text_of(before: Code, outcome: Outcome, deeper: bool = False) -> str:
    """The file after a rewrite that is not refused and keeps the model."""
    assert not isinstance(outcome, Refusal), outcome
    after = attempt(before, outcome, deeper=deeper)
    assert not isinstance(after, Refusal), after
    return after.file


def verdicts(text: str, sizes: dict[str, int] | None = None) -> list[str]:
    """What the simulator says of every run of a file."""
    request = Request(sizes=sizes or {})
    return [item.result.verdict.value for item in run_file(check_text(text), request, check_text)]


def moved(text: str, to: str = "current") -> Migration:
    return migrate(check_text(text), to)
