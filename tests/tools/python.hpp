#pragma once

#include <sys/wait.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace ergode::test {

inline std::string python() {
  const char* chosen = std::getenv("ERGODE_PYTHON");
  return chosen != nullptr ? chosen : ERGODE_PYTHON;
}

/// Runs a command; its exit status, and what it wrote.
inline int run(const std::string& command, std::string& output) {
  std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return -1;
  char piece[512];
  while (std::fgets(piece, sizeof piece, pipe) != nullptr) output += piece;
  const int status = ::pclose(pipe);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Opens a file or folder with `tool` through a script of this folder: exit 0 is right, 77 that the tool is missing.
inline void check_with(const std::string& script, const std::string& tool, const std::string& arguments) {
  std::string output;
  const int status =
      run(python() + " '" ERGODE_SOURCE_DIR "/tests/tools/" + script + "' " + tool + " " + arguments, output);
  INFO(output);
  if (status == 77) SKIP(output);
  CHECK(status == 0);
}

}  // namespace ergode::test
