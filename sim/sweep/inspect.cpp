#include "sim/sweep/inspect.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/hdf5/reader.hpp"
#include "io/hdf5/sealed_file.hpp"
#include "io/run/lock.hpp"
#include "io/run/text_file.hpp"
#include "sim/runner/lost_results.hpp"
#include "sim/sweep/index.hpp"

namespace ergode::sim {
namespace {

namespace fs = std::filesystem;
using Status = MemberRecord::Status;

SweepPlan plan_of(const fs::path& sweep, const std::vector<SimulationType>& types) {
  return {sweep / "config.used.yaml", {}, types};
}

void ignore_damaged(const fs::path&, const std::string&) {}

/// Adds the files of a member, their names after `prefix`.
void add_files(const fs::path& sweep, const MemberRecord& record, const std::string& prefix, io::RunFiles& files) {
  if (record.place.empty()) return;
  if (!record.packed) {
    for (auto& [name, place] : io::run_files(sweep / record.place)) files[prefix + name] = place;
    return;
  }
  const std::string group = packed_member_group(record.member);
  for (const std::string& name : io::packed_files(io::FileReader(sweep / record.place).attributes(group)))
    files[prefix + name] = {sweep / record.place, group + "/" + io::packed_group(name)};
}

/// The number in `member_000012`, and the sweep that it is of.
std::optional<std::pair<fs::path, std::int64_t>> packed_member(const fs::path& path) {
  const auto member = member_number(path.filename().string());
  if (!member) return std::nullopt;
  fs::path sweep = path.parent_path();
  if (sweep.filename() == "members") sweep = sweep.parent_path();
  if (sweep.empty()) sweep = ".";
  if (!is_sweep(sweep)) return std::nullopt;
  return std::pair{sweep, *member};
}

/// The members' files and the tables that do not say where those lie.
io::RunFiles sweep_files(const fs::path& sweep, const std::vector<SimulationType>& types) {
  io::RunFiles files;
  const SweepPlan plan = plan_of(sweep, types);
  const fs::path index = sweep / "sweep.h5";
  for (const char* table : {"/parameters", "/results"})
    if (fs::exists(index)) files[std::string("sweep.h5") + table] = {index, table};
  for (const MemberRecord& record : read_records(plan, sweep, ignore_damaged))
    if (record.status == Status::done) add_files(sweep, record, member_name(record.member) + "/", files);
  return files;
}

io::Verified missing(const fs::path& file) {
  return {file, io::Verified::State::damaged, file.string() + ": missing"};
}

void describe_locks(const fs::path& sweep, io::Log& log) {
  const auto say = [&](const fs::path& folder) {
    const auto owner = io::read_lock(folder);
    if (!owner) return;
    const auto gone = io::stale_reason(*owner, io::this_process(), io::lock_silence_seconds);
    log.result("lock        " + (folder == sweep ? "" : folder.filename().string() + ": ") + owner->text() +
               (gone ? "; " + *gone : ""));
  };
  say(sweep);
  std::error_code problem;
  for (fs::directory_iterator it(sweep / "tasks", problem), end; !problem && it != end; it.increment(problem))
    say(it->path());
}

void describe_axes(const SweepPlan& plan, io::Log& log) {
  for (std::size_t axis = 0; axis < plan.axes().size(); ++axis) {
    std::string keys;
    for (const SweepColumn& column : plan.columns())
      if (column.axis == static_cast<std::int64_t>(axis)) keys += (keys.empty() ? "" : ", ") + column.path;
    log.result(fmt::format("axis {}      {} ({} values)", axis, keys, plan.axes()[axis]));
  }
}

}  // namespace

bool is_sweep(const fs::path& path) {
  const fs::path config = path / "config.used.yaml";
  std::error_code ignored;
  if (!fs::is_regular_file(config, ignored)) return false;
  try {
    return has_sweep(config, {});
  } catch (const io::Error&) {
    return false;
  }
}

std::optional<io::RunFiles> find_run_files(const fs::path& path, const std::vector<SimulationType>& types) {
  if (fs::is_directory(path)) return is_sweep(path) ? sweep_files(path, types) : io::run_files(path);
  return find_packed_member(path, types);
}

std::optional<io::RunFiles> find_packed_member(const fs::path& path, const std::vector<SimulationType>& types) {
  if (fs::exists(path)) return std::nullopt;
  const auto member = packed_member(path.lexically_normal());
  if (!member) return std::nullopt;
  const auto& [sweep, number] = *member;
  const SweepPlan plan = plan_of(sweep, types);
  if (number < 0 || number >= plan.members())
    throw io::Error(io::ExitCode::input_file,
                    fmt::format("{}: the sweep has {} members, counted from 0", path.string(), plan.members()));
  const MemberRecord record = read_records(plan, sweep, ignore_damaged)[static_cast<std::size_t>(number)];
  if (record.status != Status::done)
    throw io::Error(io::ExitCode::input_file, fmt::format("{}: this member is {}", path.string(), name(record.status)));
  io::RunFiles files;
  add_files(sweep, record, "", files);
  return files;
}

void describe_sweep(const fs::path& sweep, const std::vector<SimulationType>& types, io::Log& log) {
  const SweepPlan plan = plan_of(sweep, types);
  const auto damaged = [&](const fs::path& file, const std::string& why) {
    log.warning(fmt::format("{}: {}", (sweep / file).string(), why));
  };
  std::vector<MemberRecord> records = read_records(plan, sweep, damaged);
  const SweepCounts counts = count(records);
  log.result(fmt::format("{}: a sweep", sweep.string()));
  log.result(fmt::format("sweep       {} `{}`", plan.config().common.simulation, plan.config().common.name));
  log.result(fmt::format("members     {}: {} done, {} failed, {} to be done", counts.members, counts.done,
                         counts.failed, counts.pending()));
  describe_axes(plan, log);
  describe_locks(sweep, log);
  constexpr std::int64_t most_named = 10;
  std::int64_t named = 0;
  for (const MemberRecord& record : records)
    if (record.status == Status::failed && named++ < most_named)
      log.result("failed      " + plan.describe(record.member) + ": " + record.error);
  try {
    if (io::read_text(sweep / "sweep.csv") != index_csv(plan, records) || !fs::exists(sweep / "sweep.h5")) {
      write_index(plan, sweep, ignore_damaged);
      log.result("index       brought up to date: sweep.h5, sweep.csv");
    }
  } catch (const io::Error& e) {
    log.warning(std::string("the index is not up to date and cannot be made anew: ") + e.what());
  }
  log.result("config      " + (sweep / "config.used.yaml").string());
}

std::vector<io::Verified> verify_run(const fs::path& path, const std::vector<SimulationType>& types) {
  std::vector<io::Verified> results = io::verify(path);
  for (const fs::path& file : missing_results(path, types)) results.push_back(missing(file));
  return results;
}

std::vector<io::Verified> verify_sweep(const fs::path& sweep, const std::vector<SimulationType>& types) {
  std::vector<io::Verified> results = io::verify(sweep);
  const SweepPlan plan = plan_of(sweep, types);
  for (std::int64_t m = 0; m < plan.members(); ++m) {
    const fs::path directory = sweep / member_directory(m);
    for (const fs::path& file : missing_results(directory, types)) results.push_back(missing(file));
    for (io::Verified& gap : io::missing_snapshots(directory)) results.push_back(std::move(gap));
  }
  const fs::path index = sweep / "sweep.h5";
  if (!fs::exists(index)) {
    results.push_back(missing(index));
    return results;
  }
  std::vector<std::string> status, directory, file;
  try {
    const io::FileReader reader(index);
    status = reader.strings("/index/status");
    directory = reader.strings("/index/directory");
    file = reader.strings("/index/file");
  } catch (const io::Error&) {
    return results;  // said of the file itself
  }
  const auto now = read_records(plan, sweep, ignore_damaged);
  for (std::size_t i = 0; i < std::min({status.size(), directory.size(), file.size(), now.size()}); ++i) {
    if (status[i] != "done" || now[i].status == Status::done) continue;
    const fs::path place = sweep / (file[i].empty() ? directory[i] : file[i]);
    results.push_back({place, io::Verified::State::damaged,
                       fmt::format("{}: {}, which the index calls done, is not in it", place.string(),
                                   member_name(static_cast<std::int64_t>(i)))});
  }
  return results;
}

}  // namespace ergode::sim
