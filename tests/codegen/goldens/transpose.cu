// Made for M % 32 == 0; the host checks it.
// Made for N % 32 == 0; the host checks it.
extern "C" __global__ void __launch_bounds__(1)
transpose(f16* __restrict__ src,
          f16* out,
          int M,
          int N) {
  extern __shared__ __align__(1024) u8 smem[];  // 2048 bytes
  f16* const tile = reinterpret_cast<f16*>(smem + 0);  // 32 x 32
  const int bm = blockIdx.x;
  const int bn = blockIdx.y;

  griddepcontrol_wait();
  for (int v = 0; v < 1024; ++v) {
    const int i0 = v / 32;
    const int i1 = v % 32;
    tile[i0 * 32 + i1] = src[s64(bm * (M / (M / 32)) + i1) * N + bn * (N / (N / 32)) + i0];
  }
  __syncthreads();
  for (int v = 0; v < 128; ++v) {
    const int i0 = v / 4;
    const int i1 = v % 4 * 8;
    *reinterpret_cast<uint4*>(&out[s64(bn * 32 + i0) * M + bm * 32 + i1]) = *reinterpret_cast<const uint4*>(&tile[i0 * 32 + i1]);
  }
}
