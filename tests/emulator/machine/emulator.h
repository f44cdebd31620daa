// What a translated unit includes: CUDA's words, and every instruction that `ptx.py` calls. Must not define
// any.
#pragma once
#include "barriers.h"
#include "collectives.h"
#include "conversions.h"
#include "copies.h"
#include "cuda.h"
#include "entry.h"
#include "matrices.h"
#include "mbarrier.h"
#include "memory.h"
#include "multiply.h"
#include "registers.h"
#include "tma.h"

namespace emu {

// PTX ISA, special registers %clock and %globaltimer: a time that goes on each time it is read.
inline uint64_t clock_now() {
  static uint64_t now = 0;
  return now += 32;
}

// PTX ISA, atom.add.noftz.f16.
inline uint16_t add_f16(uint16_t* place, uint16_t value) {
  return emu_atomic(place, [=](uint16_t old) { return f16_bits(f16_value(old) + f16_value(value)); });
}

// An instruction that changes only when things happen, or how many registers a thread has.
inline void no_effect() {}

}  // namespace emu
