// Atomics of types that CUDA C++ has none for (PTX ISA, atom).
namespace croq {

__device__ __forceinline__ f16 atomic_add_f16(f16* place, f16 value) {
  u16 old;
  asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(old) : "l"(place), "h"(bits_of(value)) : "memory");
  return of_bits<f16>(old);
}

}  // namespace croq
