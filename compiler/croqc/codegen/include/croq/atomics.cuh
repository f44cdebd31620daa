// Atomics of types that CUDA C++ has none for (PTX ISA, atom).
namespace croq {

__device__ __forceinline__ f16 atomic_add_f16(f16* place, f16 value) {
  f16 old;
  asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(old.bits) : "l"(place), "h"(value.bits) : "memory");
  return old;
}

}  // namespace croq
