// Warpgroup multiplies (PTX ISA, wgmma): descriptors, order, and where an accumulator's registers lie.
namespace croq {

// A K-major operand in shared memory, Swizzle bytes wide: 8 rows are Swizzle * 8 bytes apart (PTX ISA, matrix
// descriptor). `address` may start inside a row, at a multiple of the instruction's K.
template <int Swizzle>
__device__ __forceinline__ u64 operand(u32 address) {
  constexpr u64 kLayout = Swizzle == 128 ? 1 : Swizzle == 64 ? 2 : 3;
  return u64((address & 0x3ffff) >> 4) | 1ull << 16 | u64(Swizzle * 8 / 16) << 32 | kLayout << 62;
}

// Registers that were touched by ordinary code may be accumulated into after it.
__device__ __forceinline__ void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int Keep>
__device__ __forceinline__ void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Keep) : "memory");
}

// Keeps reads of an accumulator behind the wait in front of it: the compiler cannot know what the wait waits for.
template <int Count>
__device__ __forceinline__ void settle(float (&d)[Count]) {
#pragma unroll
  for (float& value : d) asm volatile("" : "+f"(value)::"memory");
}
template <class T, int Count>
__device__ __forceinline__ void settle(T (&d)[Count]) {
#pragma unroll
  for (T& value : d) asm volatile("" : "+r"(value)::"memory");
}

// Row and column of element `r` of an accumulator in this thread (PTX ISA, wgmma register fragments, matrix D).
__device__ __forceinline__ int fragment_row(int r) {
  return threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4 + r / 2 % 2 * 8;
}
__device__ __forceinline__ int fragment_column(int r) { return r / 4 * 8 + threadIdx.x % 4 * 2 + r % 2; }

}  // namespace croq
