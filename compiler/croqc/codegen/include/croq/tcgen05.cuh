// Multiplies of Blackwell's tensor cores (PTX ISA, tcgen05): accumulators in tensor memory, one thread that issues.
namespace croq {

// PTX ISA, tcgen05.alloc: `Columns` of tensor memory for the block, asked for by one warp; their address is left in `to`.
template <int Columns>
__device__ __forceinline__ void tensor_memory_alloc(u32* to) {
  asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(shared_address(to)),
               "n"(Columns)
               : "memory");
  asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
}
template <int Columns>
__device__ __forceinline__ void tensor_memory_free(u32 address) {
  asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(address), "n"(Columns));
}

// PTX ISA, tcgen05.fence: order between tensor cores and what other threads were told by a barrier.
__device__ __forceinline__ void tcgen05_fence_before() {
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
}
__device__ __forceinline__ void tcgen05_fence_after() {
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

// A K-major operand in shared memory, Swizzle bytes wide (PTX ISA, tcgen05 shared memory descriptor). See `operand` of
// wgmma for the offset.
template <int Swizzle>
__device__ __forceinline__ u64 tensor_operand(const void* tensor, int offset) {
  constexpr u32 kLayout = Swizzle == 128 ? 2 : Swizzle == 64 ? 4 : 6;
  const u32 low = ((shared_address(tensor) & 0x3ffff) >> 4 | 1u << 16) + (offset >> 4);
  return u64(kLayout << 29 | 1u << 14 | Swizzle * 8 / 16) << 32 | low;
}

// The same of an operand whose rows go along M or N; see `operand_mn` of wgmma.
template <int Swizzle, int Rows>
__device__ __forceinline__ u64 tensor_operand_mn(const void* tensor, int offset) {
  return tensor_operand<Swizzle>(tensor, offset) + (u64(Rows * Swizzle / 16 - 1) << 16);
}

// PTX ISA, tcgen05.commit: an arrival on the barrier when all multiplies that this thread issued before are complete.
__device__ __forceinline__ void tcgen05_commit(u64* barrier) {
  asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(
                   shared_address(barrier))
               : "memory");
}

// Where the warp's lanes of tensor memory begin.
__device__ __forceinline__ u32 warp_lanes() { return threadIdx.x % 128 / 32 * 32 << 16; }

// PTX ISA, tcgen05.ld: the warp's 16 rows of a 64-row accumulator, eight or 32 columns from `address` on. The registers lie
// as those of wgmma do.
__device__ __forceinline__ void tensor_load(u32 (&r)[4], u32 address) {
  asm volatile("tcgen05.ld.sync.aligned.16x256b.x1.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address));
}
__device__ __forceinline__ void tensor_load(u32 (&r)[16], u32 address) {
  asm volatile("tcgen05.ld.sync.aligned.16x256b.x4.b32 "
               "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, [%16];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]),
                 "=r"(r[8]), "=r"(r[9]), "=r"(r[10]), "=r"(r[11]), "=r"(r[12]), "=r"(r[13]), "=r"(r[14]), "=r"(r[15])
               : "r"(address));
}

// All of a warp's part of an accumulator; complete behind it.
template <int Step, class T, int Count>
__device__ __forceinline__ void tensor_load_steps(T (&d)[Count], int from, int to, u32 address) {
#pragma unroll
  for (int i = from; i < to; i += Step) {
    u32 part[Step];
    tensor_load(part, address + warp_lanes() + i * 2);
#pragma unroll
    for (int j = 0; j < Step; ++j) d[i + j] = reinterpret_cast<const T&>(part[j]);
  }
}
template <class T, int Count>
__device__ __forceinline__ void tensor_load_all(T (&d)[Count], u32 address) {
  constexpr int kWide = Count / 16 * 16;
  tensor_load_steps<16>(d, 0, kWide, address);
  tensor_load_steps<4>(d, kWide, Count, address);
  asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
}

// The same of 16-bit elements: each has a column of tensor memory, two neighbours share a register.
template <int Count>
__device__ __forceinline__ void tensor_load_halves(u32 (&d)[Count], u32 address) {
  u32 wide[2 * Count];
  tensor_load_all(wide, address);
#pragma unroll
  for (int i = 0; i < Count; ++i) d[i] = (wide[2 * i] & 0xffff) | wide[2 * i + 1] << 16;
}

// PTX ISA, tcgen05.st: what `tensor_load_all` has loaded goes back; complete behind it.
template <class T, int Count>
__device__ __forceinline__ void tensor_store_all(u32 address, const T (&d)[Count]) {
  const u32 lanes = warp_lanes();
#pragma unroll
  for (int i = 0; i < Count; i += 4) {
    const u32* r = reinterpret_cast<const u32*>(d + i);
    asm volatile("tcgen05.st.sync.aligned.16x256b.x1.b32 [%0], {%1, %2, %3, %4};" ::"r"(address + lanes + i * 2),
                 "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
                 : "memory");
  }
  asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");
}
template <int Count>
__device__ __forceinline__ void tensor_store_halves(u32 address, const u32 (&d)[Count]) {
  u32 wide[2 * Count];
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    wide[2 * i] = d[i] & 0xffff;
    wide[2 * i + 1] = d[i] >> 16;
  }
  tensor_store_all(address, wide);
}

}  // namespace croq
