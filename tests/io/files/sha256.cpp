#include "io/sha256.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <span>
#include <string>

using ergode::io::Sha256;

namespace {
std::string hash(const std::string& text) {
  return ergode::io::sha256(std::as_bytes(std::span(text)));
}
}  // namespace

// The examples of NIST's "SHA-256" and of FIPS 180-2, appendix B.
TEST_CASE("SHA-256 gives NIST's known answers") {
  CHECK(hash("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(hash("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(hash(std::string(1000000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("SHA-256 does not depend on how the bytes are cut into pieces") {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += static_cast<char>(i * 37 + i / 7);
  for (std::size_t length : {1u, 55u, 56u, 63u, 64u, 65u, 119u, 120u, 128u, 1000u})
    for (std::size_t piece : {1u, 3u, 63u, 64u, 65u, 200u}) {
      Sha256 pieces;
      for (std::size_t at = 0; at < length; at += piece)
        pieces.update(std::as_bytes(std::span(text)).subspan(at, std::min(piece, length - at)));
      CHECK(pieces.hex() == hash(text.substr(0, length)));
    }
}
