// Multiplies of a warp (PTX ISA, mma.sync) with operands from shared memory (PTX ISA, ldmatrix).
namespace croq {

// Four 8 x 8 matrices of 16-bit elements, or of as many bytes of others; each lane gives the address of a row.
__device__ __forceinline__ void load_matrix(u32 (&r)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(row))
               : "memory");
}

// The A operand of the warp's 16 rows of a warpgroup's 64 from `row` on, 32 bytes wide from `column` on. The tile lies
// as `swizzled` says.
template <int Rows, int Swizzle, int Size>
__device__ __forceinline__ void load_a(u32 (&r)[4], const void* tile, int row, int column) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x % 128 / 32;
  load_matrix(r, static_cast<const u8*>(tile) + swizzled<Rows, Swizzle, Size>(row + warp * 16 + lane % 16,
                                                                             column + lane / 16 * (16 / Size)));
}

// The B operands of two steps of eight columns of the result: 16 rows of a K-major tile from `row` on; of one step alone
// where there are no `more` rows.
template <int Rows, int Swizzle, int Size>
__device__ __forceinline__ void load_b(u32 (&r)[4], const void* tile, int row, int column, int more = 8) {
  const int lane = threadIdx.x % 32;
  load_matrix(r, static_cast<const u8*>(tile) + swizzled<Rows, Swizzle, Size>(row + lane % 8 + lane / 16 * more,
                                                                             column + lane / 8 % 2 * (16 / Size)));
}

// The same of 16-bit tiles whose rows go along M or N, and K goes down: each matrix is transposed on its way.
__device__ __forceinline__ void load_matrix_transposed(u32 (&r)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(row))
               : "memory");
}
template <int Rows, int Swizzle, int Size>
__device__ __forceinline__ void load_a_mn(u32 (&r)[4], const void* tile, int row, int column) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x % 128 / 32;
  load_matrix_transposed(r, static_cast<const u8*>(tile) +
                                swizzled<Rows, Swizzle, Size>(row + lane % 8 + lane / 16 * 8,
                                                              column + warp * 16 + lane / 8 % 2 * 8));
}
template <int Rows, int Swizzle, int Size>
__device__ __forceinline__ void load_b_mn(u32 (&r)[4], const void* tile, int row, int column, int more = 8) {
  const int lane = threadIdx.x % 32;
  load_matrix_transposed(
      r, static_cast<const u8*>(tile) + swizzled<Rows, Swizzle, Size>(row + lane % 16, column + lane / 16 * more));
}

}  // namespace croq
