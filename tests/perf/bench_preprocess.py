"""Prints what preprocessing costs a line, cold and after an edit in one function. Asserts nothing."""

from __future__ import annotations

import time
from collections.abc import Callable

from croqc.syntax import preprocess as module

KERNEL = """__co__ void kernel_{n}(global f16 [M, K] lhs, global f16 [N, K] rhs, global f16 [M, N]& out) {{
  // tile {n}
  parallel {{bm, bn}} by [cdiv(M, TILE_M), cdiv(N, TILE_N)] : block {{
    shared f16 [TILE_M, TILE_K] a_s[STAGES]; shared f16 [TILE_N, TILE_K] b_s[STAGES];
    shared event full[STAGES], empty[STAGES];
    parallel w by 2 : group-4 {{
      inthreads.async (w == 0) {{
        foreach {{k}} in [cdiv(K, TILE_K)] {{
          stage = k % STAGES;
          wait empty[stage];
          tma.copy.async<full[stage]>.swiz<TILE_SWIZ> lhs.subspan(TILE_M, TILE_K).at(bm, k) => a_s[stage];
          tma.copy.async<full[stage]>.swiz<TILE_SWIZ> rhs.subspan(TILE_N, TILE_K).at(bn, k) => b_s[stage];
          trigger full[stage];
        }}
      }}
    }}
  }}
}}
"""
HOST = """// plain C++ around the kernels
#if TILE_M != 64
#error "tile"
#endif
int host_{n}(int argc, char **argv) {{
  auto data = croq::make_spandata<croq::f16>({n}, 1'000);
  for (int i = 0; i < argc; ++i) {{ std::cout << "value " << argv[i] << '\\n'; }}
  return 0;
}}
"""
DEFINES = "#define TILE_M 64\n#define TILE_N 128\n#define TILE_K 64\n#define STAGES 4\n#define TILE_SWIZ 128\n"


def measure(run: Callable[[], object], lines: int, rounds: int = 5) -> float:
    """The best of some rounds, in microseconds a line."""
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
    return best / lines * 1e6


def main() -> None:
    kernels = DEFINES + "".join(KERNEL.format(n=n) for n in range(60))
    host = "".join(HOST.format(n=n) for n in range(150)).replace("#if TILE_M != 64", "#if 0")

    def cold() -> object:
        module._versions.cache_clear()
        return module.preprocess(kernels)

    print(f"functions, cold:  {measure(cold, kernels.count(chr(10))):6.2f} us/line")
    module.preprocess(kernels)
    edited = kernels.replace("// tile 30", "// tile thirty")
    print(f"functions, again: {measure(lambda: module.preprocess(edited), edited.count(chr(10))):6.2f} us/line")
    print(f"host text:        {measure(lambda: module.preprocess(host), host.count(chr(10))):6.2f} us/line")


if __name__ == "__main__":
    main()
