// Made for N == 65; the host checks it.
extern "C" __global__ void __launch_bounds__(65)
add(float* __restrict__ a,
    float* __restrict__ b,
    float* sum,
    int M,
    int N) {
  const int i = blockIdx.x;
  const int j = threadIdx.x;

  griddepcontrol_wait();
  sum[s64(i) * 65 + j] = a[s64(i) * 65 + j] + b[s64(i) * 65 + j];
}
