#include "sim/sweep/inspect.hpp"

#include <fmt/format.h>

#include "io/checkpoint.hpp"
#include "io/diff.hpp"
#include "io/hdf5/reader.hpp"
#include "io/run/json.hpp"
#include "io/run/lock.hpp"
#include "io/run/process.hpp"
#include "io/run/text_file.hpp"
#include "io/verify.hpp"
#include "sim/cli/commands.hpp"

namespace ergode::sim {
namespace {

void describe_directory(const std::filesystem::path& path, io::Log& log) {
  const DirectoryContent content = inspect(path);
  if (!content.run) {
    log.result(fmt::format("{}: a directory without a run", path.string()));
    return;
  }
  log.result(fmt::format("{}: a run directory", path.string()));
  const auto owner = io::read_lock(path);
  const auto gone = owner ? io::stale_reason(*owner, io::this_process(), io::lock_silence_seconds) : std::nullopt;
  if (const auto text = io::read_text(path / "summary.json")) {
    auto field = [&](const char* key) { return io::json_field(*text, key).value_or("?"); };
    log.result(fmt::format("run         {} `{}`", field("simulation"), field("name")));
    const bool running = field("state") == "running";
    const bool killed = running && (!owner || gone);
    log.result(fmt::format("state       {} {} {} of {}, {} resumes",
                           killed    ? "killed at or after"
                           : running ? "running, at or after"
                                     : field("state") + " after",
                           field("unit_name"), field("unit"), field("total"), field("resumes")));
    if (const std::string why = field("message"); !why.empty()) log.result("            " + why);
  }
  if (owner) log.result("lock        " + owner->text() + (gone ? "; " + *gone : ""));
  try {
    const auto warn = [&](const std::string& line) { log.warning(line); };
    if (const auto checkpoint = io::read_checkpoint(path, warn)) {
      log.result(fmt::format("checkpoint  unit {}{}, computed on {}{}", checkpoint->unit,
                             checkpoint->finished ? " (the end)" : "", checkpoint->backend,
                             checkpoint->isa.empty() ? "" : ", " + checkpoint->isa));
    } else {
      log.result("checkpoint  none");
    }
  } catch (const io::Error& e) {
    log.warning(e.what());
  }
  if (std::filesystem::exists(path / "config.used.yaml"))
    log.result("config      " + (path / "config.used.yaml").string());
  for (const auto& file : io::hdf5_files(path)) log.result("file        " + file.string());
}

bool is_hdf5(const std::filesystem::path& path) {
  try {
    io::FileReader{path};
    return true;
  } catch (const io::Error&) {
    return false;
  }
}

}  // namespace

io::ExitCode show_info(const std::filesystem::path& path, const std::vector<SimulationType>& types, io::Log& log) {
  if (is_sweep(path)) {
    describe_sweep(path, types, log);
  } else if (const auto files = find_packed_member(path, types)) {
    log.result(fmt::format("{}: a member of a sweep, packed", path.string()));
    for (const auto& [name, place] : *files)
      log.result(fmt::format("{:<32} {}:{}", name, place.path.string(), place.group));
  } else if (std::filesystem::is_directory(path)) {
    describe_directory(path, log);
  } else {
    log.result(io::describe_file(path));
    if (!is_hdf5(path)) return io::ExitCode::input_file;
  }
  return io::ExitCode::done;
}

io::ExitCode verify_checksums(const std::filesystem::path& path, const std::vector<SimulationType>& types,
                              io::Log& log) {
  io::ExitCode code = io::ExitCode::done;
  const auto files = is_sweep(path) ? verify_sweep(path, types) : verify_run(path, types);
  if (files.empty()) log.warning(fmt::format("{}: no HDF5 file in it", path.string()));
  for (const io::Verified& file : files) {
    if (file.state == io::Verified::State::damaged) {
      log.error(file.message);
      code = io::ExitCode::input_file;
    } else {
      log.result(file.message);
    }
  }
  return code;
}

io::ExitCode show_difference(const std::filesystem::path& a, const std::filesystem::path& b, double rtol,
                             const std::vector<SimulationType>& types, io::Log& log) {
  const auto files_a = find_run_files(a, types), files_b = find_run_files(b, types);
  const auto differences = files_a && files_b ? io::diff(*files_a, *files_b, rtol) : io::diff(a, b, rtol);
  for (const io::Difference& difference : differences) log.result(difference.message);
  if (!differences.empty()) return io::ExitCode::difference;
  log.result(rtol > 0 ? fmt::format("equal within a relative difference of {:g}", rtol) : "bitwise equal");
  return io::ExitCode::done;
}

}  // namespace ergode::sim
