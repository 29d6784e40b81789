#include "io/series.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <limits>

#include "io/hdf5/reader.hpp"
#include "io/hdf5/sealed_file.hpp"
#include "tests/io/files/temporary_directory.hpp"
#include "tests/io/series/example.hpp"

using namespace ergode;
using namespace ergode::io;
using Catch::Matchers::ContainsSubstring;
using test::series_layout;
using test::series_row;
using test::TemporaryDirectory;

namespace {

void append(SeriesWriter& series, std::int64_t begin, std::int64_t end) {
  for (auto i = begin; i < end; ++i) series.append(series_row(i));
}

/// The file holds exactly rows 0 .. rows-1 of the example.
void check_rows(const std::filesystem::path& path, std::int64_t rows) {
  const FileReader file(path);
  const Array time = file.dataset("/time"), step = file.dataset("/step"), momentum = file.dataset("/momentum"),
              radius = file.dataset("/lagrangian_radius");
  REQUIRE(time.shape == std::vector<std::int64_t>{rows});
  REQUIRE(momentum.shape == std::vector<std::int64_t>{rows, 3});
  REQUIRE(radius.shape == std::vector<std::int64_t>{rows, 2});
  bool equal = true;
  for (std::int64_t i = 0; i < rows; ++i) {
    const auto row = series_row(i);
    const auto n = static_cast<std::size_t>(i);
    equal = equal && time.as<double>()[n] == row[0] && step.as<std::int64_t>()[n] == i;
    for (std::size_t c = 0; c < 3; ++c) equal = equal && momentum.as<double>()[3 * n + c] == row[2 + c];
    for (std::size_t c = 0; c < 2; ++c) equal = equal && radius.as<double>()[2 * n + c] == row[5 + c];
  }
  CHECK(equal);
}

}  // namespace

TEST_CASE("a series holds its rows, closed or sealed, with scales on every axis") {
  const TemporaryDirectory directory;
  const auto path = directory / "series.h5";
  {
    SeriesWriter series(path, series_layout());
    append(series, 0, 700);
    series.flush();
    append(series, 700, 1300);
    CHECK(series.rows() == 1300);
  }
  check_rows(path, 1300);
  CHECK(check_seal(path) == SealState::no_seal);
  SeriesWriter series(path, series_layout(), 1300);
  append(series, 1300, 1301);
  series.seal();
  series.seal();
  CHECK(series.rows() == 1301);
  check_rows(path, 1301);
  CHECK(check_seal(path) == SealState::intact);
  CHECK(test::slurp(path)[8] == 0);  // superblock of the earliest format
  CHECK(test::entries(directory.path()) == 1);

  const FileContent content = read_file(path);
  CHECK(content.scales.at("/step") == std::vector<std::string>{"/time"});
  CHECK(content.scales.at("/momentum") == std::vector<std::string>{"/time", "/component"});
  CHECK(content.scales.at("/lagrangian_radius") == std::vector<std::string>{"/time", "/mass_fraction"});
  CHECK(content.strings.at("/component") == std::vector<std::string>{"x", "y", "z"});
  CHECK(std::get<std::string>(content.datasets.at("/momentum").attributes.at("units")) == "Msun AU/yr");
  CHECK(std::get<std::string>(content.groups.at("/provenance").at("host")) == "here");
  CHECK_THROWS_AS(series.append(series_row(0)), Error);
}

TEST_CASE("a series goes on from any of its rows, from a closed file or a sealed one") {
  const TemporaryDirectory directory;
  const auto path = directory / "series.h5";
  { SeriesWriter(path, series_layout(), 0).seal(); }
  check_rows(path, 0);
  {
    SeriesWriter series(path, series_layout(), 0);
    append(series, 0, 1000);
  }
  for (const std::int64_t rows : {600, 512, 511, 1, 0}) {
    {
      SeriesWriter series(path, series_layout(), rows);
      CHECK(series.rows() == rows);
      append(series, rows, 777);
      if (rows % 2 == 0) series.seal();
    }
    check_rows(path, 777);
  }
}

TEST_CASE("a series with fewer rows than asked for, or damaged, or gone is refused with exit 7") {
  const TemporaryDirectory directory;
  const auto path = directory / "series.h5";
  const auto refused = [&](const std::string& why) {
    try {
      SeriesWriter series(path, series_layout(), 10);
      FAIL("continued");
    } catch (const Error& error) {
      CHECK(error.code() == ExitCode::io);
      CHECK_THAT(error.what(), ContainsSubstring(path.string()) && ContainsSubstring(why));
    }
  };
  refused("no such file");
  {
    SeriesWriter series(path, series_layout());
    append(series, 0, 9);
  }
  refused("has 9 rows, the checkpoint needs 10");
  check_rows(path, 9);
  test::spill(path, "no longer HDF5");
  refused("not an HDF5 file");
  CHECK(test::entries(directory.path()) == 1);
}

TEST_CASE("a row of the wrong length is refused") {
  const TemporaryDirectory directory;
  SeriesWriter series(directory / "series.h5", series_layout());
  CHECK_THROWS_AS(series.append({1, 2}), Error);
  CHECK(series.rows() == 0);
}

TEST_CASE("NaN and infinity are rows like others") {
  const TemporaryDirectory directory;
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  SeriesWriter series(directory / "series.h5", series_layout());
  series.append({0, 0, nan, inf, -inf, 0, -0.0});
  series.seal();
  const Array momentum = read_dataset(directory / "series.h5", "/momentum");
  CHECK(std::isnan(momentum.as<double>()[0]));
  CHECK(momentum.as<double>()[1] == inf);
  CHECK(momentum.as<double>()[2] == -inf);
}
