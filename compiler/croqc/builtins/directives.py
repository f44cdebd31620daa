"""What a person is told about the comment directives, `// croq: …`: one row a word. Must not read them.

Hover, completion and `croq explain` show these rows; how a directive is read stands in `syntax.comment_directives`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from croqc.builtins.row import Row

PREFIX: Final = "croq:"

_ROWS: Final = (
    Row(
        "run",
        '// croq: run NAME=VALUE … [seed=N] [arch=sm_90a] [name="text"]',
        "One run of the kernel that the line stands in or above, by `croq run`: each NAME is a symbolic dimension or a"
        " scalar parameter of it. Several lines are several runs; without one, sizes are chosen.",
        '// croq: run M=128 N=192 K=640 seed=7 name="small"',
        "",
    ),
    Row(
        "expect",
        "// croq: expect LEFT ~= RIGHT [rtol=R] [atol=A]\n// croq: expect LEFT == RIGHT\n// croq: expect auto",
        "What a run of the kernel must give: expressions over its parameters, its sizes and `result`. `old(x)` is a"
        " parameter before the run. With `auto`, and without a line, it is the plainest order of the same program.",
        "// croq: expect output ~= lhs @ rhs.T",
        "",
    ),
    Row(
        "model",
        "// croq: model NAME(x, y) = EXPRESSION",
        "The meaning of a C++ function that the kernel calls, for the simulator, which cannot run C++.",
        "// croq: model gelu(x) = x * sigmoid(1.702 * x)",
        "",
    ),
    Row(
        "allow",
        "// croq: allow RULE[, RULE]",
        "Silences rules on this line and on the next one. An allowance that silences nothing is told.",
        "// croq: allow lossy-conversion",
        "",
    ),
    Row(
        "arch",
        "// croq: arch ARCHITECTURE",
        "The GPU architecture that the file is written for. `--arch` overrules it; the default is `sm_90a`.",
        "// croq: arch sm_80",
        "",
    ),
    Row(
        "dialect",
        "// croq: dialect any\n// croq: dialect current",
        "How the file is read: with `any` every spelling that the language ever had means what it meant, with `current`"
        " each older one gets a warning. `--dialect` overrules it; the default is `any`.",
        "// croq: dialect current",
        "",
    ),
)

DIRECTIVES: Final[Mapping[str, Row]] = MappingProxyType({row.word: row for row in _ROWS})
