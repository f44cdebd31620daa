// Made for K % 64 == 0; the host checks it.
// Made for M % 64 == 0; the host checks it.
// Made for N % 64 == 0; the host checks it.
extern "C" __global__ void __launch_bounds__(256)
matmul(const __grid_constant__ TensorMap lhs_map,
       const __grid_constant__ TensorMap rhs_map,
       const __grid_constant__ TensorMap output_map,
       int M,
       int K,
       int N) {
  extern __shared__ __align__(1024) u8 smem[];  // 73792 bytes
  f16* const lhs_s = reinterpret_cast<f16*>(smem + 0);  // 256 x 64, 128-byte swizzle
  f16* const rhs_s = reinterpret_cast<f16*>(smem + 32768);  // 256 x 64, 128-byte swizzle
  f16* const output_s = reinterpret_cast<f16*>(smem + 65536);  // 64 x 64, 128-byte swizzle
  u64* const full = reinterpret_cast<u64*>(smem + 73728);  // 4 slots, 1 arrival a generation
  u64* const empty = reinterpret_cast<u64*>(smem + 73760);  // 4 slots, 1 arrival a generation
  const int block_m = blockIdx.x;
  const int block_n = blockIdx.y;
  const int w = __shfl_sync(0xffffffff, threadIdx.x / 128, 0);
  const int t = threadIdx.x % 128;
  if (threadIdx.x == 0) tma_prefetch(lhs_map);
  if (threadIdx.x == 0) tma_prefetch(rhs_map);
  if (threadIdx.x == 0) tma_prefetch(output_map);
  if (threadIdx.x == 0) {
    for (int s_ = 0; s_ < 4; ++s_) mbarrier_init(full + s_, 1);
    for (int s_ = 0; s_ < 4; ++s_) mbarrier_init(empty + s_, 1);
    fence_mbarrier_init();
  }
  __syncthreads();
  u32 empty_phase = 0;  // one bit a slot: the parity of the next wait
  u32 full_phase = 0;  // one bit a slot: the parity of the next wait

  griddepcontrol_wait();
  // path w == 0 && t == 0
  if ((w == 0 && t == 0)) {
    for (int k = 0; k < cdiv(K, 64); ++k) {
      const int stage = k % 4;
      mbarrier_wait(empty + stage, empty_phase >> stage & 1);
      empty_phase ^= 1u << stage;
      tma_load(lhs_s + tile_start<256, 128, 2>(stage * 64, 0) / 2, lhs_map, full + stage, k * 64, block_m * 64);
      tma_load(rhs_s + tile_start<256, 128, 2>(stage * 64, 0) / 2, rhs_map, full + stage, k * 64, block_n * 64);
      mbarrier_arrive_expect(full + stage, 16384);
    }
  }
  // path w == 1
  if (w == 1) {
    float acc[32];  // 64 x 64 f32
    for (int s = 0; s < 4; ++s) {
      if (threadIdx.x % 128 == 0) mbarrier_arrive(empty + s);
    }
    for (int k_2 = 0; k_2 < cdiv(K, 64); ++k_2) {
      const int stage_2 = k_2 % 4;
      mbarrier_wait(full + stage_2, full_phase >> stage_2 & 1);
      full_phase ^= 1u << stage_2;
      wgmma_fence();
      for (int step = 0; step < 4; ++step) {
        wgmma_m64n64k16_f32_f16_f16(acc, operand<128>(lhs_s, tile_start<256, 128, 2>(stage_2 * 64, step * 16)),
                                    operand<128>(rhs_s, tile_start<256, 128, 2>(stage_2 * 64, step * 16)), k_2 != 0 || step != 0);
      }
      wgmma_commit();
      wgmma_wait<1>();
      if (k_2 > 0) {
        if (threadIdx.x % 128 == 0) mbarrier_arrive(empty + (k_2 - 1) % 4);
      }
    }
    wgmma_wait<0>();
    if (cdiv(K, 64) > 0) {
      if (threadIdx.x % 128 == 0) mbarrier_arrive(empty + (cdiv(K, 64) - 1) % 4);
    }
    settle(acc);
    #pragma unroll
    for (int j = 0; j < 64; j += 16) {
      store_matrix<64, 128>(output_s, 0, j, pack_f16(acc[j / 2 + 0], acc[j / 2 + 1]), pack_f16(acc[j / 2 + 2], acc[j / 2 + 3]), pack_f16(acc[j / 2 + 4], acc[j / 2 + 5]), pack_f16(acc[j / 2 + 6], acc[j / 2 + 7]));
    }
    fence_async_proxy();
    bar_sync(1 + threadIdx.x / 128, 128);
    if (threadIdx.x % 128 == 0) {
      tma_store(output_map, output_s, block_n * 64, block_m * 64);
      tma_store_commit();
    }
    if (threadIdx.x % 128 == 0) tma_store_wait_read<0>();
    bar_sync(1 + threadIdx.x / 128, 128);
  }
}
