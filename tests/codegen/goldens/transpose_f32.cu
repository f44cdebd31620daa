extern "C" __global__ void __launch_bounds__(512)
transpose(float* __restrict__ src,
          float* out,
          int M,
          int N) {
  extern __shared__ __align__(1024) u8 smem[];  // 16640 bytes
  float* const tile = reinterpret_cast<float*>(smem + 0);  // 64 x 65
  const int bn = blockIdx.x;
  const int bm = blockIdx.y;
  const int x = threadIdx.x % 64;
  const int y = __shfl_sync(0xffffffff, threadIdx.x / 64, 0);

  griddepcontrol_wait();
  for (int i = 0; i < 8; ++i) {
    tile[(i * 8 + y) * 65 + x] = src[s64(bm * 64 + i * 8 + y) * N + bn * 64 + x];
  }
  __syncthreads();
  for (int i_2 = 0; i_2 < 8; ++i_2) {
    out[s64(bn * 64 + i_2 * 8 + y) * M + bm * 64 + x] = tile[x * 65 + (i_2 * 8 + y)];
  }
}
