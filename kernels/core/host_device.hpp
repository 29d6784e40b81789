#pragma once

/// Marks a function that host code and CUDA kernels share. Outside nvcc it is nothing, except in sources that are built
/// once for each instruction set: there every call is inlined, so that no symbol of one build is there for another to
/// be linked to.
#if defined(__CUDACC__)
#define ERGODE_HOST_DEVICE __host__ __device__
#elif defined(ERGODE_ISA)
#define ERGODE_HOST_DEVICE __attribute__((always_inline))
#else
#define ERGODE_HOST_DEVICE
#endif

/// After the parameters of a lambda within such a function: it is inlined where every call is.
#if defined(ERGODE_ISA)
#define ERGODE_INLINE_LAMBDA __attribute__((always_inline))
#else
#define ERGODE_INLINE_LAMBDA
#endif

/// Before a loop of few turns that a compiler is to unroll, or to leave as it is.
#if defined(__CUDA_ARCH__)
#define ERGODE_UNROLL _Pragma("unroll")
#define ERGODE_ROLLED _Pragma("unroll 1")
#elif defined(ERGODE_ISA)
#define ERGODE_UNROLL _Pragma("GCC unroll 16")
#define ERGODE_ROLLED _Pragma("GCC unroll 1")
#else
#define ERGODE_UNROLL
#define ERGODE_ROLLED
#endif
