extern "C" __global__ void __launch_bounds__(256)
matmul(float* __restrict__ lhs,
       float* __restrict__ rhs,
       float* output,
       int M,
       int K,
       int N) {
  const int bm = blockIdx.x;
  const int bn = blockIdx.y;
  const int j = threadIdx.x % 16;
  const int i = threadIdx.x / 16;

  griddepcontrol_wait();
  for (int k = 0; k < K; ++k) {
    output[s64(bm * 16 + i) * N + bn * 16 + j] = output[s64(bm * 16 + i) * N + bn * 16 + j] + lhs[s64(bm * 16 + i) * K + k] * rhs[s64(k) * N + bn * 16 + j];
  }
}
