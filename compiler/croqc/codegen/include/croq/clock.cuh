// Where and when a thread runs (PTX ISA, %clock, %clock64, %globaltimer, %smid).
namespace croq {

// Nanoseconds, the same on all multiprocessors, in coarse steps.
__device__ __forceinline__ u64 read_timer() {
  u64 now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

// Cycles of the multiprocessor, low half. What stands in front of it is issued before, what stands behind it after.
__device__ __forceinline__ u32 read_clock() {
  u32 now;
  asm volatile("mov.u32 %0, %clock;" : "=r"(now)::"memory");
  return now;
}
__device__ __forceinline__ u64 read_clock64() {
  u64 now;
  asm volatile("mov.u64 %0, %clock64;" : "=l"(now)::"memory");
  return now;
}

__device__ __forceinline__ u32 sm_number() {
  u32 number;
  asm volatile("mov.u32 %0, %smid;" : "=r"(number));
  return number;
}

__device__ __forceinline__ u32 block_number() {
  return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}

}  // namespace croq
