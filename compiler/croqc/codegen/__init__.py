"""From the final pipeline IR to CUDA C++. Total functions: all decisions were made in `pipe`. Must not run anything."""
