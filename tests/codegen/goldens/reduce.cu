extern "C" __global__ void __launch_bounds__(256)
row_sums(float* __restrict__ src,
         float* total,
         int ROWS) {
  extern __shared__ __align__(1024) u8 smem[];  // 1024 bytes
  float* const part = reinterpret_cast<float*>(smem + 0);  // 256
  const int row = blockIdx.x;
  const int t = threadIdx.x;

  griddepcontrol_wait();
  part[t] = src[s64(row) * 256 + t];
  __syncthreads();
  int width = 128;
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
