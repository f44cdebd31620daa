// Delays of pseudo-random length (PTX ISA, nanosleep), so that orders which nothing enforces come about.
namespace croq {

// One state a warp, so that its threads stay together. `seed` is the launch's.
__device__ __forceinline__ u32 delay_start(u32 seed) {
  const u32 block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  u32 state = seed * 0x9e3779b9u ^ block * 0x85ebca6bu ^ (threadIdx.x / 32 + 1) * 0xc2b2ae35u;
  state = (state ^ state >> 16) * 0x7feb352du;
  return state ^ state >> 15;
}

// Three times in four none, else up to eight microseconds.
__device__ __forceinline__ void random_delay(u32& state) {
  state = state * 1664525u + 1013904223u;
  const u32 nanoseconds = state >> 30 ? 0 : state >> 17;
  asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds) : "memory");
}

}  // namespace croq
