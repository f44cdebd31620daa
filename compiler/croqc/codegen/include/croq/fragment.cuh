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

// Neighbours along K that do not lie side by side in an aligned word: two of 16 bits, four of 8 bits, or one.
template <class T>
__device__ __forceinline__ u32 pack_bits(T low, T high) {
  return u32(bits_of(high)) << 16 | bits_of(low);
}
template <class T>
__device__ __forceinline__ u32 pack_bits(const T& a, const T& b, const T& c, const T& d) {
  return *reinterpret_cast<const u8*>(&a) | u32(*reinterpret_cast<const u8*>(&b)) << 8 |
         u32(*reinterpret_cast<const u8*>(&c)) << 16 | u32(*reinterpret_cast<const u8*>(&d)) << 24;
}
__device__ __forceinline__ u32 pack_bits(float value) { return __float_as_uint(value); }

// Row and column of element `r` of an accumulator in this thread (PTX ISA, wgmma register fragments, matrix D).
__device__ __forceinline__ int fragment_row(int r) {
  return threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4 + r / 2 % 2 * 8;
}
__device__ __forceinline__ int fragment_column(int r) { return r / 4 * 8 + threadIdx.x % 4 * 2 + r % 2; }

// The row of entry `k` of a vector along rows, those of the thread's rows; the column of one along columns.
__device__ __forceinline__ int row_of(int k) { return threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4 + k * 8; }
__device__ __forceinline__ int warp_row_of(int k) { return threadIdx.x % 32 / 4 + k * 8; }
__device__ __forceinline__ int column_of(int k) { return k / 2 * 8 + threadIdx.x % 4 * 2 + k % 2; }

// One of the 16-bit elements of a tile, which lie in pairs.
template <class T, int Count>
__device__ __forceinline__ T half_of(const u32 (&d)[Count], int r) {
  return of_bits<T>(u16(d[r / 2] >> (r % 2 * 16)));
}
template <class T, int Count>
__device__ __forceinline__ void put_half(u32 (&d)[Count], int r, T value) {
  const u32 other = r % 2 ? 0xffffu : 0xffff0000u;
  d[r / 2] = (d[r / 2] & other) | u32(bits_of(value)) << (r % 2 * 16);
}

// The four threads that share rows, taken together: the same result in each (PTX ISA, shfl.sync).
template <class T>
__device__ __forceinline__ T quad_sum(T value) {
  value += __shfl_xor_sync(0xffffffff, value, 1);
  return value + __shfl_xor_sync(0xffffffff, value, 2);
}
template <class T>
__device__ __forceinline__ T quad_max(T value) {
  value = max(value, __shfl_xor_sync(0xffffffff, value, 1));
  return max(value, __shfl_xor_sync(0xffffffff, value, 2));
}

}  // namespace croq
