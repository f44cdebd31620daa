"""The engine `gpu`: kernels compiled by NVRTC and run through CuPy, in a child process. Must not compare results."""
