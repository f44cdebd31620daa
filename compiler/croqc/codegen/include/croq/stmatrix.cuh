// Stores of a warp's matrices (PTX ISA, stmatrix), and packing of 16-bit pairs.
namespace croq {

__device__ __forceinline__ u32 pack_f16(float low, float high) {
  u32 pair;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
}
__device__ __forceinline__ u32 pack_bf16(float low, float high) {
  u32 pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
}

// Sixteen columns from `column` on of a warpgroup's 64 rows from `row` on: r0 and r1 are rows 0 to 7 and 8 to 15 of the
// warp's first eight columns, r2 and r3 of the other eight. The tile lies as `swizzled` says.
template <int Rows, int Swizzle>
__device__ __forceinline__ void store_matrix(void* tile, int row, int column, u32 r0, u32 r1, u32 r2, u32 r3) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x % 128 / 32;
  const u32 address =
      shared_address(tile) + swizzled<Rows, Swizzle, 2>(row + warp * 16 + lane % 16, column + lane / 16 * 8);
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(r0), "r"(r1),
               "r"(r2), "r"(r3)
               : "memory");
}

}  // namespace croq
