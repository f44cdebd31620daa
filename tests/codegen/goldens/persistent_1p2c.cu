// Made for K % 64 == 0; the host checks it.
// Made for N % 8 == 0; the host checks it.
extern "C" __global__ void __launch_bounds__(384)
matmul(const __grid_constant__ TensorMap lhs_map,
       const __grid_constant__ TensorMap rhs_map,
       const __grid_constant__ TensorMap output_map,
       int M,
       int K,
       int N,
       int tiles_n,
       int tiles) {
  extern __shared__ __align__(1024) u8 smem[];  // 65568 bytes
  f16* const lhs_s = reinterpret_cast<f16*>(smem + 0);  // 2 x 128 x 64, 128-byte swizzle
  f16* const rhs_s = reinterpret_cast<f16*>(smem + 32768);  // 2 x 64 x 64, 128-byte swizzle
  f16* const output_s = reinterpret_cast<f16*>(smem + 49152);  // 128 x 64, 128-byte swizzle
  u64* const full = reinterpret_cast<u64*>(smem + 65536);  // 2 slots, 1 arrival a generation
  u64* const empty = reinterpret_cast<u64*>(smem + 65552);  // 2 slots, 2 arrivals a generation
  const int b = blockIdx.x;
  const int p = __shfl_sync(0xffffffff, threadIdx.x / 128, 0);
  if (threadIdx.x == 0) tma_prefetch(lhs_map);
  if (threadIdx.x == 0) tma_prefetch(rhs_map);
  if (threadIdx.x == 0) tma_prefetch(output_map);
  if (threadIdx.x == 0) {
    for (int s_ = 0; s_ < 2; ++s_) mbarrier_init(full + s_, 1);
    for (int s_ = 0; s_ < 2; ++s_) mbarrier_init(empty + s_, 2);
    fence_mbarrier_init();
  }
  __syncthreads();
  u32 empty_phase = 0;  // one bit a slot: the parity of the next wait
  u32 full_phase = 0;  // one bit a slot: the parity of the next wait

  griddepcontrol_wait();
  for (int ti = 0; ti < cdiv(cdiv(M, 128) * cdiv(N, 64), 4); ++ti) {
    const int id = ti * 4 + b;
    if (id < tiles) {
      const int block_m = id / tiles_n;
      const int block_n = id % tiles_n;
      // path p == 0
      if (p == 0 && threadIdx.x % 128 == 0) {
        for (int k = 0; k < cdiv(K, 64); ++k) {
          const int stage = k % 2;
          mbarrier_wait(empty + stage, empty_phase >> stage & 1);
          empty_phase ^= 1u << stage;
          tma_load(lhs_s + stage * 8192, lhs_map, full + stage, k * 64, block_m * 128);
          tma_load(rhs_s + stage * 4096, rhs_map, full + stage, k * 64, block_n * 64);
          mbarrier_arrive_expect(full + stage, 24576);
        }
      }
      // path p = 1, path p = 2
      if (p > 0) {
        float acc[32];  // 64 x 64 f32
        if (ti == 0) {
          for (int s = 0; s < 2; ++s) {
            if (threadIdx.x % 128 == 0) mbarrier_arrive(empty + s);
          }
        }
        for (int k_2 = 0; k_2 < cdiv(K, 64); ++k_2) {
          const int stage_2 = k_2 % 2;
          mbarrier_wait(full + stage_2, full_phase >> stage_2 & 1);
          full_phase ^= 1u << stage_2;
          wgmma_fence();
          for (int step = 0; step < 4; ++step) {
            wgmma_m64n64k16_f32_f16_f16(acc, operand<128>(lhs_s, stage_2 * 16384 + tile_start<128, 128, 2>((p - 1) * 64, step * 16)),
                                        operand<128>(rhs_s, stage_2 * 8192 + tile_start<64, 128, 2>(0, step * 16)), k_2 != 0 || step != 0);
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
        for (int j = 0; j < 64; j += 16) {
          store_matrix<128, 128>(output_s, (p - 1) * 64, j, pack_f16(acc[j / 2 + 0], acc[j / 2 + 1]), pack_f16(acc[j / 2 + 2], acc[j / 2 + 3]), pack_f16(acc[j / 2 + 4], acc[j / 2 + 5]), pack_f16(acc[j / 2 + 6], acc[j / 2 + 7]));
        }
      }
      fence_async_proxy();
      __syncthreads();
      if (threadIdx.x == 0) {
        tma_store(output_map, output_s, block_n * 64, block_m * 128);
        tma_store_commit();
      }
      if (threadIdx.x == 0) tma_store_wait_read<0>();
      __syncthreads();
    }
  }
}
