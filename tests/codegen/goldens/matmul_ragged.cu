// Made for K % 8 == 0; the host checks it.
extern "C" __global__ void __launch_bounds__(256)
matmul(const __grid_constant__ TensorMap lhs_map,
       const __grid_constant__ TensorMap rhs_map,
       float* output,
       int M,
       int K,
       int N) {
  extern __shared__ __align__(1024) u8 smem[];  // 32800 bytes
  bf16* const lhs_s = reinterpret_cast<bf16*>(smem + 0);  // 2 x 64 x 64, 128-byte swizzle
  bf16* const rhs_s = reinterpret_cast<bf16*>(smem + 16384);  // 2 x 64 x 64, 128-byte swizzle
  u64* const full = reinterpret_cast<u64*>(smem + 32768);  // 2 slots, 1 arrival a generation
  u64* const empty = reinterpret_cast<u64*>(smem + 32784);  // 2 slots, 1 arrival a generation, the first complete at start
  const int block_m = blockIdx.x;
  const int block_n = blockIdx.y;
  const int w = __shfl_sync(0xffffffff, threadIdx.x / 128, 0);
  if (threadIdx.x == 0) tma_prefetch(lhs_map);
  if (threadIdx.x == 0) tma_prefetch(rhs_map);
  if (threadIdx.x == 0) {
    for (int s = 0; s < 2; ++s) mbarrier_init(full + s, 1);
    for (int s = 0; s < 2; ++s) mbarrier_init(empty + s, 1);
    fence_mbarrier_init();
    for (int s = 0; s < 2; ++s) mbarrier_arrive_many(empty + s, 1);
  }
  __syncthreads();

  griddepcontrol_wait();
  // path w == 0
  if (w == 0 && threadIdx.x % 128 == 0) {
    for (int k = 0; k < cdiv(K, 64); ++k) {
      mbarrier_wait(empty + k % 2, k / 2 & 1);
      tma_load(lhs_s + k % 2 * 4096, lhs_map, full + k % 2, k * 64, block_m * 64);
      tma_load(rhs_s + k % 2 * 4096, rhs_map, full + k % 2, k * 64, block_n * 64);
      mbarrier_arrive_expect(full + k % 2, 16384);
    }
  }
  // path w == 1
  if (w == 1) {
    float acc[32];  // 64 x 64 f32
    for (int k_2 = 0; k_2 < cdiv(K, 64); ++k_2) {
      mbarrier_wait(full + k_2 % 2, k_2 / 2 & 1);
      wgmma_fence();
      #pragma unroll
      for (int step = 0; step < 4; ++step) {
        wgmma_m64n64k16_f32_bf16_bf16(acc, operand<128>(lhs_s, k_2 % 2 * 8192 + tile_start<64, 128, 2>(0, step * 16)),
                                      operand<128>(rhs_s, k_2 % 2 * 8192 + tile_start<64, 128, 2>(0, step * 16)), k_2 != 0 || step != 0);
      }
      wgmma_commit();
      wgmma_wait<1>();
      if (k_2 > 0) {
        if (threadIdx.x % 128 == 0) mbarrier_arrive(empty + (k_2 - 1) % 2);
      }
    }
    wgmma_wait<0>();
    if (cdiv(K, 64) > 0) {
      if (threadIdx.x % 128 == 0) mbarrier_arrive(empty + (cdiv(K, 64) - 1) % 2);
    }
    settle(acc);
    #pragma unroll
    for (int r = 0; r < 32; ++r) {
      if (fragment_row(r) < M - block_m * 64 && fragment_column(r) < N - block_n * 64) output[s64(block_m * 64 + fragment_row(r)) * N + block_n * 64 + fragment_column(r)] = acc[r];
    }
  }
}
