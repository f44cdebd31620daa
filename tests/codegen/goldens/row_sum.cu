extern "C" __global__ void __launch_bounds__(512)
row_sums(float* __restrict__ src,
         float* total,
         int M,
         int N) {
  extern __shared__ __align__(1024) u8 smem[];  // 2048 bytes
  float* const part = reinterpret_cast<float*>(smem + 0);  // 512
  const int row = blockIdx.x;
  const int t = threadIdx.x;

  griddepcontrol_wait();
  float sum0 = 0.0f;
  float sum1 = 0.0f;
  float sum2 = 0.0f;
  float sum3 = 0.0f;
  for (int c = 0; c < N / 2048; ++c) {
    sum0 = sum0 + src[s64(row) * N + c * 512 * 4 + t];
    sum1 = sum1 + src[s64(row) * N + c * 512 * 4 + 512 + t];
    sum2 = sum2 + src[s64(row) * N + c * 512 * 4 + 1024 + t];
    sum3 = sum3 + src[s64(row) * N + c * 512 * 4 + 1536 + t];
  }
  part[t] = sum0 + sum1 + sum2 + sum3;
  __syncthreads();
  int width = 256;
  while (width > 0) {
    if (t < width) {
      part[t] = part[t] + part[t + width];
    }
    __syncthreads();
    width = width / 2;
  }
  if (t == 0) {
    total[row] = part[0];
  }
}
