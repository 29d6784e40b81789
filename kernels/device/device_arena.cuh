#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/device/cuda_check.cuh"

namespace ergode::kernels {

/// Where each array begins in device memory.
constexpr std::int64_t device_alignment = 256;
constexpr std::int64_t aligned_bytes(std::int64_t bytes) {
  return (bytes + device_alignment - 1) / device_alignment * device_alignment;
}

/// An array in device memory that something else holds.
template <class T>
class DevicePart {
 public:
  DevicePart() = default;
  DevicePart(unsigned char* data, std::int64_t count) : data_(reinterpret_cast<T*>(data)), count_(count) {}

  static std::int64_t bytes_of(std::int64_t count) { return count * static_cast<std::int64_t>(sizeof(T)); }
  T* get() const { return data_; }
  std::int64_t count() const { return count_; }
  std::size_t bytes() const { return static_cast<std::size_t>(bytes_of(count_)); }

  void copy_from(const T* host) {
    if (count_ > 0) cuda_check(cudaMemcpy(data_, host, bytes(), cudaMemcpyHostToDevice), "copy to the device");
  }
  void copy_to(T* host) const {
    if (count_ > 0) cuda_check(cudaMemcpy(host, data_, bytes(), cudaMemcpyDeviceToHost), "copy from the device");
  }

 private:
  T* data_ = nullptr;
  std::int64_t count_ = 0;
};

/// Device memory for many small arrays that come and go. They lie one after the other in slabs, each of which is taken
/// from the device once, and used anew when all that was in it is gone.
class DeviceArena {
  struct Slab {
    DeviceArray<unsigned char> memory;
    std::int64_t used = 0;
    int pieces = 0;
  };

 public:
  /// Gives its memory back at its end; the arena outlives it.
  class Piece {
   public:
    Piece() = default;
    Piece(Slab* slab, unsigned char* data) : slab_(slab), data_(data) { ++slab_->pieces; }
    Piece(Piece&& other) noexcept : slab_(std::exchange(other.slab_, nullptr)), data_(other.data_) {}
    Piece& operator=(Piece&& other) noexcept {
      std::swap(slab_, other.slab_);
      std::swap(data_, other.data_);
      return *this;
    }
    ~Piece() {
      if (slab_ != nullptr && --slab_->pieces == 0) slab_->used = 0;
    }
    unsigned char* get() const { return data_; }

   private:
    Slab* slab_ = nullptr;
    unsigned char* data_ = nullptr;
  };

  Piece take(const char* name, std::int64_t bytes) {
    const std::int64_t size = aligned_bytes(bytes);
    for (const auto& slab : slabs_)
      if (slab->used + size <= slab->memory.count()) return piece_of(*slab, size);
    slabs_.push_back(std::make_unique<Slab>());
    slabs_.back()->memory = DeviceArray<unsigned char>(name, std::max(size, slab_bytes));
    return piece_of(*slabs_.back(), size);
  }

 private:
  static constexpr std::int64_t slab_bytes = std::int64_t{4} << 20;

  static Piece piece_of(Slab& slab, std::int64_t size) {
    unsigned char* const data = slab.memory.get() + slab.used;
    slab.used += size;
    return {&slab, data};
  }

  std::vector<std::unique_ptr<Slab>> slabs_;
};

}  // namespace ergode::kernels
