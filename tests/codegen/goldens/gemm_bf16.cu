// Made for K % 64 == 0; the host checks it.
// Made for N % 8 == 0; the host checks it.
extern "C" __global__ void __launch_bounds__(384)
matmul(const __grid_constant__ TensorMap lhs_map,
       const __grid_constant__ TensorMap rhs_map,
       const __grid_constant__ TensorMap output_map,
       int M,
       int K,
       int N,
       int tiles_m,
       int tiles,
       int band) {
  extern __shared__ __align__(1024) u8 smem[];  // 229440 bytes
  bf16* const lhs_s = reinterpret_cast<bf16*>(smem + 0);  // 4 x 128 x 64, 128-byte swizzle
  bf16* const rhs_s = reinterpret_cast<bf16*>(smem + 65536);  // 4 x 256 x 64, 128-byte swizzle
  bf16* const acc_stage = reinterpret_cast<bf16*>(smem + 196608);  // 4 x 64 x 64, 128-byte swizzle
  u64* const full = reinterpret_cast<u64*>(smem + 229376);  // 4 slots, 1 arrival a generation
  u64* const empty = reinterpret_cast<u64*>(smem + 229408);  // 4 slots, 2 arrivals a generation, the first complete at start
  const int b = blockIdx.x;
  const int p = __shfl_sync(0xffffffff, threadIdx.x / 128, 0);
  if (threadIdx.x == 0) tma_prefetch(lhs_map);
  if (threadIdx.x == 0) tma_prefetch(rhs_map);
  if (threadIdx.x == 0) tma_prefetch(output_map);
  if (threadIdx.x == 0) {
    for (int s = 0; s < 4; ++s) mbarrier_init(full + s, 1);
    for (int s = 0; s < 4; ++s) mbarrier_init(empty + s, 2);
    fence_mbarrier_init();
    for (int s = 0; s < 4; ++s) mbarrier_arrive_many(empty + s, 2);
  }
  __syncthreads();
  u32 empty_phase = 0;  // one bit a slot: the parity of the next wait
  u32 full_phase = 0;  // one bit a slot: the parity of the next wait

  griddepcontrol_wait();
  // path p == 0
  if (p == 0) {
    give_registers<40>();
    if (threadIdx.x % 128 == 0) {
      for (int ti = 0; ti < cdiv(cdiv(M, 128) * cdiv(N, 256), 132); ++ti) {
        const int id = ti * 132 + b;
        if (id < tiles) {
          const int first = id / band * 12;
          const int rows = tiles_m - first < 12 ? tiles_m - first : 12;
          const int block_m = first + id % band % rows;
          const int block_n = id % band / rows;
          for (int k = 0; k < cdiv(K, 64); ++k) {
            const int stage = k % 4;
            mbarrier_wait(empty + stage, empty_phase >> stage & 1);
            empty_phase ^= 1u << stage;
            tma_load(lhs_s + stage * 8192, lhs_map, full + stage, k * 64, block_m * 128);
            tma_load(rhs_s + stage * 16384, rhs_map, full + stage, k * 64, block_n * 256);
            mbarrier_arrive_expect(full + stage, 49152);
          }
        }
      }
    }
  }
  // path p = 1, path p = 2
  if (p > 0) {
    take_registers<232>();
    for (int ti = 0; ti < cdiv(cdiv(M, 128) * cdiv(N, 256), 132); ++ti) {
      const int id = ti * 132 + b;
      if (id < tiles) {
        const int first = id / band * 12;
        const int rows = tiles_m - first < 12 ? tiles_m - first : 12;
        const int block_m = first + id % band % rows;
        const int block_n = id % band / rows;
        float acc[128];  // 64 x 256 f32
        for (int k_2 = 0; k_2 < cdiv(K, 64); ++k_2) {
          const int stage_2 = k_2 % 4;
          mbarrier_wait(full + stage_2, full_phase >> stage_2 & 1);
          full_phase ^= 1u << stage_2;
          wgmma_fence();
          for (int step = 0; step < 4; ++step) {
            wgmma_m64n256k16_f32_bf16_bf16(acc, operand<128>(lhs_s, stage_2 * 16384 + tile_start<128, 128, 2>((p - 1) * 64, step * 16)),
                                           operand<128>(rhs_s, stage_2 * 32768 + tile_start<256, 128, 2>(0, step * 16)), k_2 != 0 || step != 0);
          }
          wgmma_commit();
          wgmma_wait<0>();
          if (threadIdx.x % 128 == 0) mbarrier_arrive(empty + stage_2);
        }
        if (threadIdx.x % 128 == 0) tma_store_wait_read<1>();
        bar_sync(1 + threadIdx.x / 128, 128);
        settle(acc);
        #pragma unroll
        for (int j = 0; j < 64; j += 16) {
          store_matrix<64, 128>(acc_stage + ((threadIdx.x / 128) - 1) * 2 * 4096, 0, j, pack_bf16(acc[j / 2 + 0], acc[j / 2 + 1]), pack_bf16(acc[j / 2 + 2], acc[j / 2 + 3]), pack_bf16(acc[j / 2 + 4], acc[j / 2 + 5]), pack_bf16(acc[j / 2 + 6], acc[j / 2 + 7]));
        }
        fence_async_proxy();
        bar_sync(1 + threadIdx.x / 128, 128);
        if (threadIdx.x % 128 == 0) {
          tma_store(output_map, acc_stage + ((threadIdx.x / 128) - 1) * 2 * 4096, block_n * 256, (block_m * 2 + p - 1) * 64);
          tma_store_commit();
        }
        if (threadIdx.x % 128 == 0) tma_store_wait_read<1>();
        bar_sync(1 + threadIdx.x / 128, 128);
        #pragma unroll
        for (int j = 0; j < 64; j += 16) {
          store_matrix<64, 128>(acc_stage + (((threadIdx.x / 128) - 1) * 2 + 1) * 4096, 0, j, pack_bf16(acc[(64 + j) / 2 + 0], acc[(64 + j) / 2 + 1]), pack_bf16(acc[(64 + j) / 2 + 2], acc[(64 + j) / 2 + 3]), pack_bf16(acc[(64 + j) / 2 + 4], acc[(64 + j) / 2 + 5]), pack_bf16(acc[(64 + j) / 2 + 6], acc[(64 + j) / 2 + 7]));
        }
        fence_async_proxy();
        bar_sync(1 + threadIdx.x / 128, 128);
        if (threadIdx.x % 128 == 0) {
          tma_store(output_map, acc_stage + (((threadIdx.x / 128) - 1) * 2 + 1) * 4096, block_n * 256 + 64, (block_m * 2 + p - 1) * 64);
          tma_store_commit();
        }
        if (threadIdx.x % 128 == 0) tma_store_wait_read<1>();
        bar_sync(1 + threadIdx.x / 128, 128);
        #pragma unroll
        for (int j = 0; j < 64; j += 16) {
          store_matrix<64, 128>(acc_stage + ((threadIdx.x / 128) - 1) * 2 * 4096, 0, j, pack_bf16(acc[(128 + j) / 2 + 0], acc[(128 + j) / 2 + 1]), pack_bf16(acc[(128 + j) / 2 + 2], acc[(128 + j) / 2 + 3]), pack_bf16(acc[(128 + j) / 2 + 4], acc[(128 + j) / 2 + 5]), pack_bf16(acc[(128 + j) / 2 + 6], acc[(128 + j) / 2 + 7]));
        }
        fence_async_proxy();
        bar_sync(1 + threadIdx.x / 128, 128);
        if (threadIdx.x % 128 == 0) {
          tma_store(output_map, acc_stage + ((threadIdx.x / 128) - 1) * 2 * 4096, block_n * 256 + 128, (block_m * 2 + p - 1) * 64);
          tma_store_commit();
        }
        if (threadIdx.x % 128 == 0) tma_store_wait_read<1>();
        bar_sync(1 + threadIdx.x / 128, 128);
        #pragma unroll
        for (int j = 0; j < 64; j += 16) {
          store_matrix<64, 128>(acc_stage + (((threadIdx.x / 128) - 1) * 2 + 1) * 4096, 0, j, pack_bf16(acc[(192 + j) / 2 + 0], acc[(192 + j) / 2 + 1]), pack_bf16(acc[(192 + j) / 2 + 2], acc[(192 + j) / 2 + 3]), pack_bf16(acc[(192 + j) / 2 + 4], acc[(192 + j) / 2 + 5]), pack_bf16(acc[(192 + j) / 2 + 6], acc[(192 + j) / 2 + 7]));
        }
        fence_async_proxy();
        bar_sync(1 + threadIdx.x / 128, 128);
        if (threadIdx.x % 128 == 0) {
          tma_store(output_map, acc_stage + (((threadIdx.x / 128) - 1) * 2 + 1) * 4096, block_n * 256 + 192, (block_m * 2 + p - 1) * 64);
          tma_store_commit();
        }
      }
    }
    if (threadIdx.x % 128 == 0) tma_store_wait_read<0>();
  }
}
