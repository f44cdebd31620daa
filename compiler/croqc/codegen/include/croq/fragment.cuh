// Where the registers of accumulators and operands lie (PTX ISA, mma.sync and wgmma register fragments).
namespace croq {

// Row and column of element `r` of a warp's accumulator of Columns columns: blocks of 16 rows one after the other.
template <int Columns>
__device__ __forceinline__ int warp_row(int r) {
  return r / (Columns / 2) * 16 + threadIdx.x % 32 / 4 + r / 2 % 2 * 8;
}
template <int Columns>
__device__ __forceinline__ int warp_column(int r) {
  return r % (Columns / 2) / 4 * 8 + threadIdx.x % 4 * 2 + r % 2;
}

// The row, and the byte inside it, of the four bytes of an operand's register: block `i` of 8 rows, `j` of 16 bytes.
__device__ __forceinline__ int operand_row(int i) { return i * 8 + threadIdx.x % 32 / 4; }
__device__ __forceinline__ int operand_byte(int j) { return j * 16 + threadIdx.x % 4 * 4; }

// Two neighbours along K that do not lie side by side.
template <class T>
__device__ __forceinline__ u32 pack_bits(T low, T high) {
  return u32(high.bits) << 16 | low.bits;
}

// Row and column of element `r` of an accumulator in this thread (PTX ISA, wgmma register fragments, matrix D).
__device__ __forceinline__ int fragment_row(int r) {
  return threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4 + r / 2 % 2 * 8;
}
__device__ __forceinline__ int fragment_column(int r) { return r / 4 * 8 + threadIdx.x % 4 * 2 + r % 2; }

}  // namespace croq
