#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace ergode::io {

/// SHA-256 of bytes given piece by piece (NIST FIPS 180-4, sections 4.1.2, 5.1.1, 5.3.3 and 6.2).
class Sha256 {
 public:
  void update(std::span<const std::byte> bytes);
  /// The digest as 64 lower-case hexadecimal digits; the object is used up.
  std::string hex();

 private:
  void blocks(const std::byte* data, std::size_t count);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, 64> rest_{};  ///< the bytes of an unfinished block
  std::uint64_t length_ = 0;          ///< bytes so far
};

std::string sha256(std::span<const std::byte> bytes);

}  // namespace ergode::io
