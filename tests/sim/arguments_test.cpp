#include "sim/cli/arguments.hpp"

#include <catch2/catch_test_macros.hpp>
#include <utility>

using ergode::sim::parse_walltime;

TEST_CASE("a wall time is seconds, MM:SS, H:MM:SS or D-H:MM:SS, as schedulers write it") {
  const std::pair<const char*, double> times[] = {
      {"90", 90},          {"0.5", 0.5},          {"2:30", 150},           {"120:00", 7200},   {"1:00:00", 3600},
      {"26:02:04", 93724}, {"1-00:00:00", 86400}, {"2-03:04:05", 183845},  {"0:00:01.5", 1.5}, {"1-2:30", 86550},
      {"00:09", 9},        {"4:08", 248},         {"30-00:00:00", 2592000}};
  for (const auto& [text, seconds] : times) {
    INFO(text);
    REQUIRE(parse_walltime(text));
    CHECK(*parse_walltime(text) == seconds);
  }
}

TEST_CASE("what is no wall time is refused") {
  for (const char* text : {"",     "0",       "0:00",    "soon",   "-5",
                           "1:60", "1:60:00", "1:2:3:4", "1.5:00", "1:2.5:00",
                           "2-",   "2-5",     "-1:00",   "1:",     ":30",
                           "1e3",  "inf",     "nan",     "1 h",    " 5",
                           "5 ",   "1,5",     "1--1:00", "1:-1",   "9999999999999999"}) {
    INFO(text);
    CHECK_FALSE(parse_walltime(text));
  }
}
