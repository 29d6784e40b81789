#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/run/json.hpp"
#include "io/run/log.hpp"
#include "sim/benchmark/ceilings.hpp"

namespace ergode::sim {

/// One figure: work that was timed.
struct Row {
  std::string label;     ///< in the table that a person reads
  io::JsonObject facts;  ///< what was measured, by name: these keys and values come first in the JSON row
  double work = 0;       ///< of one pass
  std::string unit;      ///< of `work`
  Need need;             ///< of one pass
  Timing timing;
};

/// Where a report is kept too.
struct ReportFile {
  std::filesystem::path path;  ///< empty: nowhere
  bool quick = false;          ///< as it says of itself
};

/// A benchmark's table as it is measured, and the JSON of all of it: a file that is written anew with every row, so
/// that a benchmark which is stopped leaves what it has measured.
class Report {
 public:
  Report(const kernels::Device& device, int threads, ReportFile file, io::Log& log);

  /// Prints what rows are compared with from now on, and keeps it.
  void ceilings(const Ceilings& ceilings);
  void heading(const std::string& title);
  void row(const Row& row);
  /// A row that is no rate.
  void row(const io::JsonObject& facts, const std::string& text);
  /// What was not measured, and why.
  void left_out(const std::string& what);

  /// Nothing more comes.
  void finish();

 private:
  /// Machine, build, date, ceilings, rows.
  io::JsonObject json() const;
  void write() const;

  kernels::Device device_;
  int threads_;
  ReportFile file_;
  bool finished_ = false;
  io::JsonObject machine_;
  io::Log& log_;
  Ceilings ceilings_;
  std::vector<io::JsonObject> measured_ceilings_, rows_, left_out_;
};

}  // namespace ergode::sim
