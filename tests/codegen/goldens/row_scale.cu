extern "C" __global__ void __launch_bounds__(256)
scale_rows(float* __restrict__ src,
           float* __restrict__ weight,
           float* out,
           int M,
           int N) {
  const int row = blockIdx.x;
  const int part = blockIdx.y;
  const int t = threadIdx.x;

  griddepcontrol_wait();
  float w = weight[row];
  for (int e = 0; e < 4; ++e) {
    const int col = (part * 4 + e) * 256 + t;
    out[s64(row) * N + col] = src[s64(row) * N + col] * w;
  }
}
