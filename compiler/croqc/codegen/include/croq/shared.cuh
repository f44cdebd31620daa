// Shared memory: addresses, the swizzled layout of tiles, barriers of units, proxy fences.
namespace croq {

// The address of shared memory as PTX takes it.
__device__ __forceinline__ u32 shared_address(const void* pointer) {
  return static_cast<u32>(__cvta_generic_to_shared(pointer));
}

// Where (row, column) of a tile lies without a permutation, in bytes from its start. The tile has Rows rows in all; rows
// wider than Swizzle bytes are stored as column groups, group after group. A descriptor starts there.
template <int Rows, int Swizzle, int Size>
__device__ __forceinline__ constexpr int tile_start(int row, int column) {
  constexpr int kWidth = Swizzle / Size;
  return column / kWidth * (Rows * Swizzle) + row * Swizzle + column % kWidth * Size;
}

// The same with the hardware's permutation of 16-byte units: where an element lies.
template <int Rows, int Swizzle, int Size>
__device__ __forceinline__ constexpr int swizzled(int row, int column) {
  const int start = tile_start<Rows, Swizzle, Size>(row, column);
  return start ^ ((start >> 7) & (Swizzle / 16 - 1)) << 4;
}

template <class T, int Rows, int Swizzle>
__device__ __forceinline__ T& at(T* tile, int row, int column) {
  return *reinterpret_cast<T*>(reinterpret_cast<u8*>(tile) + swizzled<Rows, Swizzle, sizeof(T)>(row, column));
}

// PTX ISA, barrier: a barrier of some threads of the block.
__device__ __forceinline__ void bar_sync(int barrier, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
__device__ __forceinline__ void bar_arrive(int barrier, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

// PTX ISA, fence.proxy.async: ordinary writes before it are seen by TMA and wgmma after it.
__device__ __forceinline__ void fence_async_proxy() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
// The same for writes to all memory, global memory too.
__device__ __forceinline__ void fence_async_proxy_all() { asm volatile("fence.proxy.async;" ::: "memory"); }

}  // namespace croq
