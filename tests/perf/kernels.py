"""The kernels that are measured: examples of the product, and host text around them."""

from __future__ import annotations

from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"

HOST = """// plain C++ around the kernels
int host_{n}(int argc, char **argv) {{
  auto data = croq::make_spandata<croq::f16>({n}, 1'000);
  for (int i = 0; i < argc; ++i) {{ std::cout << "value " << argv[i] << '\\n'; }}
  return 0;
}}
"""


def fifty_lines() -> str:
    """A file with one function of a little over fifty lines."""
    return (EXAMPLES / "persistent_1p2c.co").read_text(encoding="utf-8")


def hundred_lines() -> str:
    """A file of a little over a hundred lines, two functions."""
    return fifty_lines() + (EXAMPLES / "rotate_triple.co").read_text(encoding="utf-8")


def host_text() -> str:
    """A thousand lines of C++ between kernels."""
    return "".join(HOST.format(n=n) for n in range(170))
