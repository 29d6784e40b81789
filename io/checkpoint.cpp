#include "io/checkpoint.hpp"

#include <system_error>
#include <utility>
#include <vector>

#include "io/fs/file.hpp"
#include "io/hdf5/reader.hpp"
#include "io/hdf5/seal.hpp"

namespace ergode::io {
namespace {

FileContent to_content(const Checkpoint& checkpoint) {
  FileContent content;
  content.groups["/"] = {{"ergode_file", std::string("checkpoint")},
                         {"format", Checkpoint::format},
                         {"simulation", checkpoint.simulation},
                         {"backend", checkpoint.backend},
                         {"isa", checkpoint.isa},
                         {"unit", checkpoint.unit},
                         {"finished", std::int64_t{checkpoint.finished ? 1 : 0}}};
  content.groups["/state"] = checkpoint.state.attributes;
  content.strings["/config"] = {checkpoint.config};  // a dataset: attributes end at 64 KiB
  for (const auto& [path, hash] : checkpoint.inputs) {
    content.strings["/inputs/path"].push_back(path);
    content.strings["/inputs/sha256"].push_back(hash);
  }
  return content;
}

template <class T>
T attribute(const Attributes& attributes, const std::string& name, const std::filesystem::path& path) {
  const auto found = attributes.find(name);
  if (found == attributes.end() || !std::holds_alternative<T>(found->second))
    throw Error(ExitCode::input_file, "'" + path.string() + "' is no checkpoint: attribute '" + name + "' is missing");
  return std::get<T>(found->second);
}

std::vector<std::string> texts(const FileReader& file, const std::string& name, std::size_t count,
                               const std::filesystem::path& path) {
  std::vector<std::string> found = file.strings(name);
  if (found.size() != count)
    throw Error(ExitCode::input_file, "'" + path.string() + "': data set '" + name + "' has " +
                                          std::to_string(found.size()) + " texts, expected " + std::to_string(count));
  return found;
}

void check_seal_of(const std::filesystem::path& path) {
  const SealReport report = read_seal(path);
  if (report.state == SealState::intact) return;
  const std::string of = std::to_string(report.size) + " bytes have SHA-256 " + report.found;
  if (report.state == SealState::no_seal)
    throw Error(ExitCode::input_file, "'" + path.string() +
                                          "' is damaged or cut short: expected a SHA-256 seal at its end, " +
                                          "found none (its " + of + ")");
  throw Error(ExitCode::input_file,
              "'" + path.string() + "' is damaged: expected SHA-256 " + report.expected + ", found " + report.found);
}

/// Puts the file in `temporary` in the place of generation 0 and moves the older ones up, such that at every instant
/// the newest whole checkpoint has its name: the present one gets a second name first, and loses `checkpoint.h5` only
/// in the rename that puts the new one there.
void rotate(const std::filesystem::path& directory, fs::Temporary& temporary, int keep) {
  const auto newest = checkpoint_path(directory, 0);
  const std::filesystem::path second = newest.string() + ".second";
  std::error_code ignored;
  bool linked = false;
  if (keep > 1 && std::filesystem::exists(newest, ignored)) {
    fs::remove_file(second);
    linked = fs::hard_link(newest, second);
    // Without hard links the older one moves first; should we die between the two renames, it is still found there.
    if (!linked) fs::rename_file(newest, checkpoint_path(directory, 1));
  }
  temporary.commit();
  if (linked) {
    for (int generation = keep - 1; generation > 1; --generation)
      if (std::filesystem::exists(checkpoint_path(directory, generation - 1), ignored))
        fs::rename_file(checkpoint_path(directory, generation - 1), checkpoint_path(directory, generation));
    fs::rename_file(second, checkpoint_path(directory, 1));
  }
  for (int generation = keep; std::filesystem::exists(checkpoint_path(directory, generation), ignored); ++generation)
    fs::remove_file(checkpoint_path(directory, generation));
  fs::sync_directory(directory);
}

}  // namespace

std::filesystem::path checkpoint_path(const std::filesystem::path& directory, int generation) {
  if (generation == 0) return directory / "checkpoint.h5";
  if (generation == 1) return directory / "checkpoint.prev.h5";
  return directory / ("checkpoint.prev" + std::to_string(generation) + ".h5");
}

std::int64_t write_checkpoint(const std::filesystem::path& directory, const Checkpoint& checkpoint, int keep) {
  return write_checkpoint(directory, checkpoint, keep, DiskRetry{});
}

std::int64_t write_checkpoint(const std::filesystem::path& directory, const Checkpoint& checkpoint, int keep,
                              const DiskRetry& retry) {
  if (keep < 1) throw Error(ExitCode::internal, "at least one checkpoint must be kept");
  const auto path = checkpoint_path(directory, 0);
  const SealedImage image(to_content(checkpoint), path, checkpoint.state.arrays);
  retry_while_full(retry, [&] {
    fs::Temporary temporary(path);
    temporary.write({image.bytes(), image.seal()});
    rotate(directory, temporary, keep);
  });
  return image.size();
}

Checkpoint read_checkpoint_file(const std::filesystem::path& path) {
  if (!std::filesystem::is_regular_file(path))
    throw Error(ExitCode::input_file, "'" + path.string() + "' is not a regular file");
  check_seal_of(path);
  const FileReader file(path);
  const Attributes root = file.attributes("/");
  const auto format = attribute<std::int64_t>(root, "format", path);
  if (format != Checkpoint::format)
    throw Error(ExitCode::input_file, "'" + path.string() + "' has checkpoint format " + std::to_string(format) +
                                          ", this program reads format " + std::to_string(Checkpoint::format) +
                                          ": resume it with the version that wrote it");
  Checkpoint checkpoint;
  checkpoint.simulation = attribute<std::string>(root, "simulation", path);
  checkpoint.backend = attribute<std::string>(root, "backend", path);
  checkpoint.isa = attribute<std::string>(root, "isa", path);
  checkpoint.unit = attribute<std::int64_t>(root, "unit", path);
  checkpoint.finished = attribute<std::int64_t>(root, "finished", path) != 0;
  checkpoint.file = path;
  checkpoint.config = texts(file, "/config", 1, path).front();
  if (file.has("/inputs/path")) {
    const auto paths = file.strings("/inputs/path"), hashes = texts(file, "/inputs/sha256", paths.size(), path);
    for (std::size_t i = 0; i < paths.size(); ++i) checkpoint.inputs[paths[i]] = hashes[i];
  }
  checkpoint.state.attributes = file.attributes("/state");
  const FileObjects objects = file.objects();
  static const std::string prefix = "/state/";
  for (const auto& [name, info] : objects.datasets)
    if (name.starts_with(prefix)) checkpoint.state.arrays[name.substr(prefix.size())] = file.dataset(name);
  return checkpoint;
}

std::optional<Checkpoint> read_checkpoint(const std::filesystem::path& directory,
                                          const std::function<void(const std::string&)>& warn) {
  std::string problems;
  std::error_code ignored;
  // A gap in the generations can be left by a kill between two renames, so look a little past it.
  for (int generation = 0, missing = 0; missing < 3; ++generation) {
    const auto path = checkpoint_path(directory, generation);
    if (!std::filesystem::exists(path, ignored)) {
      ++missing;
      continue;
    }
    missing = 0;
    try {
      Checkpoint checkpoint = read_checkpoint_file(path);
      if (!problems.empty() && warn) warn(problems + "; using '" + path.string() + "' instead");
      return checkpoint;
    } catch (const Error& error) {
      if (error.code() != ExitCode::input_file) throw;
      problems += (problems.empty() ? "" : "; ") + std::string(error.what());
    }
  }
  if (problems.empty()) return std::nullopt;
  throw Error(ExitCode::input_file,
              problems + "; no checkpoint left to resume from: start afresh, or bring a copy back");
}

}  // namespace ergode::io
