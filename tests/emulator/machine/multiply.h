// Matrix multiplies of warps and warpgroups (PTX ISA, mma and wgmma.mma_async). Sums are exact to double
// precision, then rounded to the accumulator's type.
//
// Not modelled: sparse operands, tcgen05, the order and precision of sums inside the tensor cores, negated
// operands.
#pragma once
#include <cstdint>
#include <initializer_list>

#include "conversions.h"
#include "registers.h"

namespace emu {

// d[m][n] of type `acc`, a[m][k] and b[n][k].
struct Shape {
  int m, n, k;
  Elem acc, a, b;
};

// `d = a b + c` of a warp. `c` are the registers of `d`.
void mma(Shape shape, Registers d, Registers a, Registers b, Registers c);

// `d += a b` of a warpgroup, at the wait for its group; `adds` false: `d = a b`. `a` in registers or by a
// descriptor. `flags`: the signs of both, and for 16-bit elements whether operands in shared memory are
// transposed.
void wgmma(Shape shape, Registers d, Registers a, uint64_t b, bool adds, std::initializer_list<int> flags);
void wgmma(Shape shape, Registers d, uint64_t a, uint64_t b, bool adds, std::initializer_list<int> flags);
void wgmma_fence();
void wgmma_commit();
void wgmma_wait(int keep);

// An accumulator's element, the first in the first register; those of 16 bits lie in pairs.
double accumulated(Elem acc, Registers d, int element);
void accumulate(Elem acc, Registers d, int element, double value);

}  // namespace emu
