#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/run/console.hpp"

namespace ergode::io {

enum class Verbosity { quiet, normal, verbose };

/// What a run says: to the person through a console, and everything with time stamps to `run.log`. Lines said before
/// the log file is open are kept and written to it first. A log that cannot be written never stops a run.
class Log {
 public:
  Log(Console& console, Verbosity verbosity);
  ~Log();

  /// Appends to `file` from now on. Throws Error(io) when it cannot be opened.
  void open(const std::filesystem::path& file);
  void close();

  void detail(std::string_view line);   ///< stdout with -v
  void info(std::string_view line);     ///< stdout, except with -q
  void result(std::string_view line);   ///< stdout always
  void warning(std::string_view line);  ///< stderr
  void error(std::string_view line);    ///< stderr
  void file_only(std::string_view line);

  /// From now on warnings and errors on the console begin with `who`, one of several that share it.
  void speak_as(std::string who) { who_ = std::move(who); }

  Console& console() { return console_; }
  Verbosity verbosity() const { return verbosity_; }

 private:
  struct File;
  struct Line {
    int level;
    std::string text;
  };
  void record(int level, std::string_view line);
  Console& console_;
  Verbosity verbosity_;
  std::string who_;
  std::unique_ptr<File> file_;
  std::vector<Line> early_;
};

}  // namespace ergode::io
