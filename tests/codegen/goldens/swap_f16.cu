// Made for K % 64 == 0; the host checks it.
// Made for M % 64 == 0; the host checks it.
// Made for N % 64 == 0; the host checks it.
extern "C" __global__ void __launch_bounds__(128)
matmul(const __grid_constant__ TensorMap output_map,
       f16* __restrict__ lhs,
       f16* __restrict__ rhs,
       int M,
       int K,
       int N) {
  extern __shared__ __align__(1024) u8 smem[];  // 40960 bytes
  f16* const output_s = reinterpret_cast<f16*>(smem + 0);  // 64 x 64, 128-byte swizzle
  f16* const lf0_data = reinterpret_cast<f16*>(smem + 8192);  // 2 x 64 x 64, 128-byte swizzle
  f16* const rf0_data = reinterpret_cast<f16*>(smem + 24576);  // 2 x 64 x 64, 128-byte swizzle
  const int bm = blockIdx.x;
  const int bn = blockIdx.y;
  int lf0 = 0;
  int lf1 = 1;
  int rf0 = 0;
  int rf1 = 1;
  if (threadIdx.x == 0) tma_prefetch(output_map);

  griddepcontrol_wait();
  float acc[32];  // 64 x 64 f32
  #pragma unroll
  for (auto& d : acc) d = 0.0f;
  for (int v = threadIdx.x; v < 512; v += 128) {
    const int i0 = v / 8;
    const int i1 = v % 8 * 8;
    cp_async<16>(&at<f16, 64, 128>(lf0_data + lf0 * 4096, i0, i1), &lhs[s64(bm * 64 + i0) * K + i1]);
  }
  cp_async_commit();
  for (int v = threadIdx.x; v < 512; v += 128) {
    const int i0 = v / 8;
    const int i1 = v % 8 * 8;
    cp_async<16>(&at<f16, 64, 128>(rf0_data + rf0 * 4096, i0, i1), &rhs[s64(bn * 64 + i0) * K + i1]);
  }
  cp_async_commit();
  for (int tile_k = 1; tile_k < cdiv(K, 64); ++tile_k) {
    __syncthreads();
    for (int v = threadIdx.x; v < 512; v += 128) {
      const int i0 = v / 8;
      const int i1 = v % 8 * 8;
      cp_async<16>(&at<f16, 64, 128>(lf0_data + lf1 * 4096, i0, i1), &lhs[s64(bm * 64 + i0) * K + tile_k * 64 + i1]);
    }
    cp_async_commit();
    for (int v = threadIdx.x; v < 512; v += 128) {
      const int i0 = v / 8;
      const int i1 = v % 8 * 8;
      cp_async<16>(&at<f16, 64, 128>(rf0_data + rf1 * 4096, i0, i1), &rhs[s64(bn * 64 + i0) * K + tile_k * 64 + i1]);
    }
    cp_async_commit();
    cp_async_wait<2>();
    fence_async_proxy();
    __syncthreads();
    wgmma_fence();
    for (int k = 0; k < 4; ++k) {
      wgmma_m64n64k16_f32_f16_f16(acc, operand<128>(lf0_data, lf0 * 8192 + tile_start<64, 128, 2>(0, k * 16)),
                                  operand<128>(rf0_data, rf0 * 8192 + tile_start<64, 128, 2>(0, k * 16)));
    }
    wgmma_commit();
    wgmma_wait<0>();
    {
      const int first = lf0;
      lf0 = lf1;
      lf1 = first;
    }
    {
      const int first = rf0;
      rf0 = rf1;
      rf1 = first;
    }
  }
  cp_async_wait<0>();
  fence_async_proxy();
  __syncthreads();
  wgmma_fence();
  for (int k_2 = 0; k_2 < 4; ++k_2) {
    wgmma_m64n64k16_f32_f16_f16(acc, operand<128>(lf0_data, lf0 * 8192 + tile_start<64, 128, 2>(0, k_2 * 16)),
                                operand<128>(rf0_data, rf0 * 8192 + tile_start<64, 128, 2>(0, k_2 * 16)));
  }
  wgmma_commit();
  wgmma_wait<0>();
  settle(acc);
  #pragma unroll
  for (int j = 0; j < 64; j += 16) {
    store_matrix<64, 128>(output_s, 0, j, pack_f16(acc[j / 2 + 0], acc[j / 2 + 1]), pack_f16(acc[j / 2 + 2], acc[j / 2 + 3]), pack_f16(acc[j / 2 + 4], acc[j / 2 + 5]), pack_f16(acc[j / 2 + 6], acc[j / 2 + 7]));
  }
  fence_async_proxy();
  __syncthreads();
  if (threadIdx.x == 0) {
    tma_store(output_map, output_s, bn * 64, bm * 64);
    tma_store_commit();
  }
  if (threadIdx.x == 0) tma_store_wait_read<0>();
  __syncthreads();
}
