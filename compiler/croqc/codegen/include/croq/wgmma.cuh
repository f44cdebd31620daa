// Warpgroup multiplies (PTX ISA, wgmma): descriptors, order, and where an accumulator's registers lie.
namespace croq {

// A K-major operand in shared memory, Swizzle bytes wide: 8 rows are Swizzle * 8 bytes apart (PTX ISA, matrix
// descriptor). It starts `offset` bytes, a multiple of 16, behind `tensor`; inside a row that is a multiple of the
// instruction's K. The offset is added last, so that what is in front of it stays the same from step to step.
template <int Swizzle>
__device__ __forceinline__ u64 operand(const void* tensor, int offset) {
  constexpr u32 kLayout = Swizzle == 128 ? 1 : Swizzle == 64 ? 2 : 3;
  const u32 low = ((shared_address(tensor) & 0x3ffff) >> 4 | 1u << 16) + (offset >> 4);
  return u64(kLayout << 30 | Swizzle * 8 / 16) << 32 | low;
}

// The same of an operand whose rows go along M or N: Rows of Swizzle bytes each make a column group, K goes down (PTX
// ISA, strides of the matrix descriptor: from group to group, and from eight rows to the next eight).
template <int Swizzle, int Rows>
__device__ __forceinline__ u64 operand_mn(const void* tensor, int offset) {
  return operand<Swizzle>(tensor, offset) + (u64(Rows * Swizzle / 16 - 1) << 16);
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

}  // namespace croq
