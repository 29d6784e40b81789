#include "io/sha256.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ergode::io {
namespace {

constexpr std::array<std::uint32_t, 64> K{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t load(const std::byte* p) {
  std::uint32_t word;
  std::memcpy(&word, p, 4);
  return std::endian::native == std::endian::little ? __builtin_bswap32(word) : word;
}

}  // namespace

void Sha256::blocks(const std::byte* data, std::size_t count) {
  using std::rotr;
  for (; count > 0; --count, data += 64) {
    std::array<std::uint32_t, 16> w;
    for (std::size_t i = 0; i < 16; ++i) w[i] = load(data + 4 * i);
    auto [a, b, c, d, e, f, g, h] = state_;
    // One round leaves its variables renamed by one place, so eight calls of it bring the names back: no moves.
    const auto round = [](std::uint32_t ra, std::uint32_t rb, std::uint32_t rc, std::uint32_t& rd, std::uint32_t re,
                          std::uint32_t rf, std::uint32_t rg, std::uint32_t& rh, std::uint32_t term) {
      const std::uint32_t t1 = rh + (rotr(re, 6) ^ rotr(re, 11) ^ rotr(re, 25)) + (rg ^ (re & (rf ^ rg))) + term;
      rd += t1;
      rh = t1 + (rotr(ra, 2) ^ rotr(ra, 13) ^ rotr(ra, 22)) + ((ra & rb) | (rc & (ra | rb)));
    };
    const auto eight = [&](const std::uint32_t* k, const std::uint32_t* m) {
      round(a, b, c, d, e, f, g, h, k[0] + m[0]);
      round(h, a, b, c, d, e, f, g, k[1] + m[1]);
      round(g, h, a, b, c, d, e, f, k[2] + m[2]);
      round(f, g, h, a, b, c, d, e, k[3] + m[3]);
      round(e, f, g, h, a, b, c, d, k[4] + m[4]);
      round(d, e, f, g, h, a, b, c, k[5] + m[5]);
      round(c, d, e, f, g, h, a, b, k[6] + m[6]);
      round(b, c, d, e, f, g, h, a, k[7] + m[7]);
    };
    for (std::size_t t = 0;; t += 16) {
      eight(&K[t], w.data());
      eight(&K[t + 8], w.data() + 8);
      if (t == 48) break;
      for (std::size_t i = 0; i < 16; ++i) {  // the schedule of the next sixteen rounds, in place
        const std::uint32_t x = w[(i + 1) & 15], y = w[(i + 14) & 15];
        w[i] += (rotr(x, 7) ^ rotr(x, 18) ^ (x >> 3)) + w[(i + 9) & 15] + (rotr(y, 17) ^ rotr(y, 19) ^ (y >> 10));
      }
    }
    const std::array<std::uint32_t, 8> add{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; ++i) state_[i] += add[i];
  }
}

void Sha256::update(std::span<const std::byte> bytes) {
  const std::size_t held = length_ % 64;
  length_ += bytes.size();
  if (held > 0) {
    const std::size_t n = std::min(bytes.size(), 64 - held);
    std::copy_n(bytes.begin(), n, rest_.begin() + static_cast<std::ptrdiff_t>(held));
    bytes = bytes.subspan(n);
    if (held + n < 64) return;
    blocks(rest_.data(), 1);
  }
  blocks(bytes.data(), bytes.size() / 64);
  const auto tail = bytes.subspan(bytes.size() / 64 * 64);
  std::copy(tail.begin(), tail.end(), rest_.begin());
}

std::string Sha256::hex() {
  const std::uint64_t bits = length_ * 8;
  std::array<std::byte, 72> padding{std::byte{0x80}};
  const std::size_t zeros = (119 - length_ % 64) % 64;  // 0x80, zeros, 8 bytes of length: a multiple of 64 in all
  for (std::size_t i = 0; i < 8; ++i) padding[1 + zeros + i] = static_cast<std::byte>(bits >> (56 - 8 * i));
  update(std::span(padding).first(1 + zeros + 8));
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint32_t word : state_)
    for (int shift = 28; shift >= 0; shift -= 4) text += digits[(word >> shift) & 15];
  return text;
}

std::string sha256(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.hex();
}

}  // namespace ergode::io
