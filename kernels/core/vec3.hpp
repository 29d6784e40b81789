#pragma once

#include "kernels/core/host_device.hpp"

namespace ergode::kernels {

/// Three Cartesian components, contiguous: an array of N is the (N, 3) dataset of a snapshot.
struct Vec3 {
  double x = 0, y = 0, z = 0;
};
static_assert(sizeof(Vec3) == 3 * sizeof(double));

ERGODE_HOST_DEVICE inline Vec3 operator+(Vec3 a, Vec3 b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
ERGODE_HOST_DEVICE inline Vec3 operator-(Vec3 a, Vec3 b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
ERGODE_HOST_DEVICE inline Vec3 operator*(double s, Vec3 a) {
  return {s * a.x, s * a.y, s * a.z};
}
ERGODE_HOST_DEVICE inline double dot(Vec3 a, Vec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
ERGODE_HOST_DEVICE inline Vec3 cross(Vec3 a, Vec3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

}  // namespace ergode::kernels
