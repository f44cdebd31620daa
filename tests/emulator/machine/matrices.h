// Matrices of a warp between registers and shared memory (PTX ISA, ldmatrix and stmatrix, .m8n8.x4.b16).
//
// Not modelled: other shapes, .x1 and .x2.
#pragma once
#include <cstdint>

#include "registers.h"

namespace emu {

void ldmatrix(Registers to, unsigned row, bool transposed);
void stmatrix(unsigned row, Registers from);

}  // namespace emu
