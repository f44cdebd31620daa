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


def two_hundred_lines() -> str:
    """One kernel of about two hundred lines: a producer that fills eleven operands a stage, two consumers."""
    count = 11
    each = range(count)
    params = ", ".join(f"global f16 [M, K] a{n}, global f16 [N, K] b{n}" for n in each)
    buffers = "".join(f"    shared f16 [32, 16] a{n}_s[3];\n    shared f16 [16, 16] b{n}_s[3];\n" for n in each)
    loads = "".join(
        f"          tma.copy a{n}.subspan(32, 16).at(block_m, k)\n            => a{n}_s[stage];\n"
        f"          tma.copy b{n}.subspan(16, 16).at(block_n, k)\n            => b{n}_s[stage];\n"
        for n in each
    )
    multiplies = "".join(
        f"          x{n} = mma.load\n            a{n}_s[stage].subspan(16, 16).at(p - 1, 0);\n"
        f"          y{n} = mma.load\n            b{n}_s[stage];\n"
        f"          mma.row.row acc{n},\n            x{n}, y{n};\n"
        for n in each
    )
    fills = "".join(f"        acc{n} = mma.fill.f32 0.0f;\n" for n in each)
    return f"""__co__ void many({params}) {{
  parallel {{block_m, block_n}} by [cdiv(M, 32), cdiv(N, 16)] : block {{
    shared event full[3], empty[3];
{buffers}
    parallel p by 3 : group {{
      inthreads.async (p == 0) {{
        foreach {{k}} in [cdiv(K, 16)] {{
          stage = k % 3;
          wait empty[stage];
{loads}          trigger full[stage];
        }}
      }}

      inthreads.async (p > 0) {{
{fills}        foreach {{s}} in [3] {{
          trigger empty[s];
        }}
        foreach {{k}} in [cdiv(K, 16)] {{
          stage = k % 3;
          wait full[stage];
{multiplies}          mma.commit;
          trigger empty[stage];
        }}
      }}
    }}
  }}
}}
"""
