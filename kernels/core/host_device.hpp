#pragma once

/// Marks a function that host code and CUDA kernels share. Outside nvcc it is nothing.
#ifdef __CUDACC__
#define ERGODE_HOST_DEVICE __host__ __device__
#else
#define ERGODE_HOST_DEVICE
#endif
