// Made for K % 128 == 0; the host checks it.
// Made for M % 64 == 0; the host checks it.
// Made for N % 64 == 0; the host checks it.
extern "C" __global__ void __launch_bounds__(256)
matmul(const __grid_constant__ TensorMap lhs_map,
       const __grid_constant__ TensorMap rhs_map,
       const __grid_constant__ TensorMap output_map,
       int M,
       int K,
       int N,
       const __grid_constant__ Probes probes) {
  extern __shared__ __align__(1024) u8 smem[];  // 73760 bytes
  f16* const lhs_load_s = reinterpret_cast<f16*>(smem + 0);  // 2 x 64 x 128, 128-byte swizzle
  f16* const rhs_load_s = reinterpret_cast<f16*>(smem + 32768);  // 2 x 64 x 128, 128-byte swizzle
  f16* const output_s = reinterpret_cast<f16*>(smem + 65536);  // 64 x 64, 128-byte swizzle
  u64* const full = reinterpret_cast<u64*>(smem + 73728);  // 2 slots, 1 arrival a generation
  u64* const empty = reinterpret_cast<u64*>(smem + 73744);  // 2 slots, 1 arrival a generation
  const int block_m = blockIdx.x;
  const int block_n = blockIdx.y;
  const int p1 = __shfl_sync(0xffffffff, threadIdx.x / 128, 0);
  if (threadIdx.x == 0) tma_prefetch(lhs_map);
  if (threadIdx.x == 0) tma_prefetch(rhs_map);
  if (threadIdx.x == 0) tma_prefetch(output_map);
  if (threadIdx.x == 0) {
    for (int s_ = 0; s_ < 2; ++s_) mbarrier_init(full + s_, 1);
    for (int s_ = 0; s_ < 2; ++s_) mbarrier_init(empty + s_, 1);
    fence_mbarrier_init();
  }
  __syncthreads();
  u32 empty_phase = 0;  // one bit a slot: the parity of the next wait
  u32 full_phase = 0;  // one bit a slot: the parity of the next wait

  griddepcontrol_wait();
  // Probes record: thread 0 for path p1 == 0, thread 128 for path p1 == 1.
  ProbePlace probe_place = probe_start(probes, 2, threadIdx.x == 0 ? 0 : threadIdx.x == 128 ? 1 : -1);
  u32 probe_begun;
  // path p1 == 0
  if (p1 == 0 && threadIdx.x % 128 == 0) {
    for (int iv_k = 0; iv_k < cdiv(K, 128); ++iv_k) {
      const int stage = iv_k % 2;
      probe_begun = read_clock();
      mbarrier_wait(empty + stage, empty_phase >> stage & 1);
      empty_phase ^= 1u << stage;
      probe_record(probes, probe_place, probe_begun, 1, stage, iv_k);
      probe_begun = read_clock();
      tma_load(lhs_load_s + stage * 8192, lhs_map, full + stage, iv_k * 128, block_m * 64);
      tma_load(lhs_load_s + stage * 8192 + tile_start<64, 128, 2>(0, 64) / 2, lhs_map, full + stage, iv_k * 128 + 64, block_m * 64);
      probe_record(probes, probe_place, probe_begun, 2, stage, iv_k);
      probe_begun = read_clock();
      tma_load(rhs_load_s + stage * 8192, rhs_map, full + stage, iv_k * 128, block_n * 64);
      tma_load(rhs_load_s + stage * 8192 + tile_start<64, 128, 2>(0, 64) / 2, rhs_map, full + stage, iv_k * 128 + 64, block_n * 64);
      probe_record(probes, probe_place, probe_begun, 3, stage, iv_k);
      probe_begun = read_clock();
      mbarrier_arrive_expect(full + stage, 32768);
      probe_record(probes, probe_place, probe_begun, 4, stage, iv_k);
    }
  }
  // path p1 == 1
  if (p1 == 1) {
    u32 mc[16];  // 64 x 64 f16
    for (int s = 0; s < 2; ++s) {
      probe_begun = read_clock();
      if (threadIdx.x % 128 == 0) mbarrier_arrive(empty + s);
      probe_record(probes, probe_place, probe_begun, 5, s, s);
    }
    for (int iv_k_2 = 0; iv_k_2 < cdiv(K, 128); ++iv_k_2) {
      const int stage_2 = iv_k_2 % 2;
      probe_begun = read_clock();
      mbarrier_wait(full + stage_2, full_phase >> stage_2 & 1);
      full_phase ^= 1u << stage_2;
      probe_record(probes, probe_place, probe_begun, 6, stage_2, iv_k_2);
      probe_begun = read_clock();
      wgmma_fence();
      for (int iv_warp = 0; iv_warp < 8; ++iv_warp) {
        wgmma_m64n64k16_f16_f16_f16(mc, operand<128>(lhs_load_s, stage_2 * 16384 + tile_start<64, 128, 2>(0, iv_warp * 16)),
                                    operand<128>(rhs_load_s, stage_2 * 16384 + tile_start<64, 128, 2>(0, iv_warp * 16)), iv_k_2 != 0 || iv_warp != 0);
      }
      probe_record(probes, probe_place, probe_begun, 7, stage_2, iv_k_2);
      probe_begun = read_clock();
      wgmma_commit();
      wgmma_wait<1>();
      probe_record(probes, probe_place, probe_begun, 8, 0, iv_k_2);
      if (iv_k_2 > 0) {
        probe_begun = read_clock();
        if (threadIdx.x % 128 == 0) mbarrier_arrive(empty + (iv_k_2 - 1) % 2);
        probe_record(probes, probe_place, probe_begun, 9, (iv_k_2 - 1) % 2, iv_k_2);
      }
    }
    probe_begun = read_clock();
    wgmma_wait<0>();
    probe_record(probes, probe_place, probe_begun, 10, 0, 0);
    if (cdiv(K, 128) > 0) {
      probe_begun = read_clock();
      if (threadIdx.x % 128 == 0) mbarrier_arrive(empty + (cdiv(K, 128) - 1) % 2);
      probe_record(probes, probe_place, probe_begun, 11, (cdiv(K, 128) - 1) % 2, 0);
    }
    settle(mc);
    #pragma unroll
    for (int j = 0; j < 64; j += 16) {
      store_matrix<64, 128>(output_s, 0, j, mc[j / 4 + 0], mc[j / 4 + 1], mc[j / 4 + 2], mc[j / 4 + 3]);
    }
    probe_begun = read_clock();
    fence_async_proxy();
    bar_sync(1 + threadIdx.x / 128, 128);
    probe_record(probes, probe_place, probe_begun, 12, 0, 0);
    probe_begun = read_clock();
    if (threadIdx.x % 128 == 0) {
      tma_store(output_map, output_s, block_n * 64, block_m * 64);
      tma_store_commit();
    }
    probe_record(probes, probe_place, probe_begun, 13, 0, 0);
    probe_begun = read_clock();
    if (threadIdx.x % 128 == 0) tma_store_wait_read<0>();
    probe_record(probes, probe_place, probe_begun, 14, 0, 0);
    probe_begun = read_clock();
    bar_sync(1 + threadIdx.x / 128, 128);
    probe_record(probes, probe_place, probe_begun, 15, 0, 0);
  }
  probe_end(probes, probe_place);
}
