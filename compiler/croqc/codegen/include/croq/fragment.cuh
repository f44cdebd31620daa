// Where the registers of a warpgroup's accumulator lie.
namespace croq {

// Row and column of element `r` of an accumulator in this thread (PTX ISA, wgmma register fragments, matrix D).
__device__ __forceinline__ int fragment_row(int r) {
  return threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4 + r / 2 % 2 * 8;
}
__device__ __forceinline__ int fragment_column(int r) { return r / 4 * 8 + threadIdx.x % 4 * 2 + r % 2; }

}  // namespace croq
