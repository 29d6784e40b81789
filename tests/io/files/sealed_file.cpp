#include "io/hdf5/sealed_file.hpp"

#include <sys/stat.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <functional>
#include <limits>

#include "io/fs/file.hpp"
#include "io/hdf5/handle.hpp"
#include "io/hdf5/reader.hpp"
#include "io/run/text_file.hpp"
#include "tests/io/files/temporary_directory.hpp"

using namespace ergode;
using namespace ergode::io;
using test::TemporaryDirectory;

namespace {

FileContent everything() {
  FileContent content;
  content.groups["/"] = {
      {"title", std::string("a run")}, {"step", std::int64_t{-7}}, {"time", 0.1}, {"none", std::string()}};
  content.groups["/Header"] = {{"NumPart_ThisFile", Array::from(std::vector<std::uint32_t>{0, 3, 0, 0, 0, 0})}};
  content.groups["/deep/er"] = {};
  std::vector<double> x(3 * 100000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<double>(i));
  x[5] = std::numeric_limits<double>::quiet_NaN();
  content.datasets["/PartType1/Coordinates"] = {Array::from<double>(x.data(), {100000, 3}),
                                                {{"VarDescription", std::string("positions")}}};
  content.datasets["/a/int8"] = {Array::from(std::vector<std::int8_t>{-1, 2}), {}};
  content.datasets["/a/int32"] = {Array::from(std::vector<std::int32_t>{-1, 2}), {}};
  content.datasets["/a/int64"] = {Array::from(std::vector<std::int64_t>{-1, std::int64_t{1} << 60}), {}};
  content.datasets["/a/uint8"] = {Array::from(std::vector<std::uint8_t>{255, 2}), {}};
  content.datasets["/a/uint32"] = {Array::from(std::vector<std::uint32_t>{4000000000u, 2}), {}};
  content.datasets["/a/uint64"] = {Array::from(std::vector<std::uint64_t>{~std::uint64_t{0}, 2}), {}};
  content.datasets["/a/float32"] = {Array::from(std::vector<float>{0.1f, 2}), {}};
  const double scalar = 2.5;
  content.datasets["/a/scalar"] = {Array::from<double>(&scalar, {}), {}};
  content.datasets["/a/empty"] = {Array::from<double>(nullptr, {0, 3}), {}};
  content.strings["/names"] = {"Sun", "", "Jupiter"};
  content.string_attributes["/names"] = {{"long_name", std::string("bodies")}};
  content.datasets["/mass"] = {Array::from(std::vector<double>{1, 2, 3}), {}};
  content.scales["/mass"] = {"/names"};
  content.links["/VTKHDF/Points"] = "/PartType1/Coordinates";
  return content;
}

void check_equal(const FileContent& a, const FileContent& b) {
  for (const auto& [path, attributes] : a.groups) CHECK(b.groups.at(path) == attributes);
  REQUIRE(a.datasets.size() == b.datasets.size());
  for (const auto& [path, dataset] : a.datasets) {
    INFO(path);
    CHECK(b.datasets.at(path).data == dataset.data);
    CHECK(b.datasets.at(path).attributes == dataset.attributes);
  }
  CHECK(a.strings == b.strings);
  CHECK(a.string_attributes == b.string_attributes);
  CHECK(a.links == b.links);
  CHECK(a.scales == b.scales);
}

}  // namespace

TEST_CASE("a sealed file gives back what was written, compressed or not") {
  const TemporaryDirectory directory;
  FileContent content = everything();
  for (const bool compress : {false, true}) {
    content.compress = compress;
    write_sealed(directory / "a.h5", content);
    CHECK(check_seal(directory / "a.h5") == SealState::intact);
    check_equal(content, read_file(directory / "a.h5"));
    CHECK(test::entries(directory.path()) == 1);
  }
}

TEST_CASE("the same content gives the same bytes") {
  const TemporaryDirectory directory;
  write_sealed(directory / "a.h5", everything());
  write_sealed(directory / "b.h5", everything());
  CHECK(test::slurp(directory / "a.h5") == test::slurp(directory / "b.h5"));
}

TEST_CASE("datasets are chunked with checksums, in the earliest file format") {
  const TemporaryDirectory directory;
  write_sealed(directory / "a.h5", everything());
  CHECK(test::slurp(directory / "a.h5")[8] == 0);  // superblock version
  const hdf5::Handle file(H5Fopen((directory / "a.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  const auto filters = [&](const char* path) {
    const hdf5::Handle dataset(H5Dopen2(file, path, H5P_DEFAULT), H5Dclose);
    const hdf5::Handle properties(H5Dget_create_plist(dataset), H5Pclose);
    if (H5Pget_layout(properties) != H5D_CHUNKED) return -1;
    return H5Pget_nfilters(properties);
  };
  CHECK(filters("/PartType1/Coordinates") == 2);
  CHECK(filters("/a/scalar") == -1);
  CHECK(filters("/a/empty") == -1);
}

TEST_CASE("a file cut at any place, or with any bit flipped, is not intact") {
  const TemporaryDirectory directory;
  FileContent content;
  content.datasets["/x"] = {Array::from(std::vector<double>(500, 1.5)), {}};
  write_sealed(directory / "a.h5", content);
  const std::string bytes = test::slurp(directory / "a.h5");
  for (std::size_t cut = 0; cut < bytes.size(); cut += 64) {
    test::spill(directory / "b.h5", bytes.substr(0, cut));
    CHECK(check_seal(directory / "b.h5") == SealState::no_seal);
  }
  for (std::size_t at = 0; at < bytes.size(); at += 13) {
    std::string flipped = bytes;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
    test::spill(directory / "b.h5", flipped);
    CHECK(check_seal(directory / "b.h5") != SealState::intact);
  }
}

TEST_CASE("a file that is not there, is a directory, is text or is cut is refused with its path") {
  using Catch::Matchers::ContainsSubstring;
  using Catch::Matchers::MessageMatches;
  const TemporaryDirectory directory;
  const auto refused = [&](const std::filesystem::path& path, const std::string& why) {
    try {
      read_file(path);
      FAIL("was read: " << path);
    } catch (const Error& error) {
      CHECK(error.code() == ExitCode::input_file);
      CHECK_THAT(error.what(), ContainsSubstring(path.string()) && ContainsSubstring(why));
    }
  };
  refused(directory / "none.h5", "no such file");
  refused(directory.path(), "not a regular file");
  test::spill(directory / "text.h5", "time,step\n1,2\n");
  refused(directory / "text.h5", "not an HDF5 file");
  write_sealed(directory / "a.h5", everything());
  test::spill(directory / "cut.h5", test::slurp(directory / "a.h5").substr(0, 10000));
  refused(directory / "cut.h5", "truncated");
}

TEST_CASE("a flipped bit in a dataset is an error on reading, with the object's name") {
  const TemporaryDirectory directory;
  FileContent content;
  content.datasets["/x"] = {Array::from(std::vector<double>(5000, 1.5)), {}};
  write_sealed(directory / "a.h5", content);
  std::string bytes = test::slurp(directory / "a.h5");
  bytes[bytes.size() - 2000] ^= 4;
  test::spill(directory / "a.h5", bytes);
  REQUIRE_THROWS_WITH(read_dataset(directory / "a.h5", "/x"), Catch::Matchers::ContainsSubstring("'/x'"));
}

TEST_CASE("the selective reader converts what other codes write, and refuses what cannot be converted") {
  const TemporaryDirectory directory;
  write_sealed(directory / "a.h5", everything());
  const FileReader file(directory / "a.h5");
  CHECK(file.has("/a/float32"));
  CHECK(file.has("/VTKHDF/Points"));
  CHECK_FALSE(file.has("/a/none"));
  CHECK_FALSE(file.has("/none/at/all"));
  CHECK(file.dataset("/a/float32", Type::float64).as<double>()[0] == static_cast<double>(0.1f));
  CHECK(file.dataset("/a/uint8", Type::uint64).as<std::uint64_t>()[0] == 255);
  CHECK(file.dataset("/a/int32", Type::float64).as<double>()[0] == -1);
  CHECK(file.dataset("/PartType1/Coordinates", {}, 2).shape == std::vector<std::int64_t>{2, 3});
  CHECK_THROWS_AS(file.dataset("/a/int32", Type::uint64), Error);  // -1
  CHECK_THROWS_AS(file.dataset("/a/float32", Type::uint64), Error);
  CHECK_THROWS_AS(file.dataset("/names"), Error);
  CHECK_THROWS_AS(file.dataset("/a/int32", {}, 3), Error);
}

TEST_CASE("a FIFO in the place of a file is refused, and not waited for") {
  const TemporaryDirectory directory;
  const auto fifo = directory / "results.h5";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  for (const std::function<void()>& look :
       std::vector<std::function<void()>>{[&] { check_seal(fifo); }, [&] { FileReader{fifo}; }})
    try {
      look();
      FAIL("accepted");
    } catch (const Error& e) {
      CHECK(e.code() == ExitCode::input_file);
      CHECK(std::string(e.what()).find("regular file") != std::string::npos);
    }
  CHECK_FALSE(read_text(fifo));
}
