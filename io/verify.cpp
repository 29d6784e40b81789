#include "io/verify.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "io/checkpoint.hpp"
#include "io/diff.hpp"
#include "io/hdf5/reader.hpp"
#include "io/hdf5/seal.hpp"

namespace ergode::io {
namespace {

void read_everything(const std::filesystem::path& path) {
  const FileReader file(path);
  const FileObjects objects = file.objects();
  for (const auto& group : objects.groups) (void)file.attributes(group);
  for (const auto& [name, info] : objects.datasets) {
    (void)file.attributes(name);
    if (!info.supported) continue;
    if (info.type)
      (void)file.dataset(name);
    else
      (void)file.strings(name);
  }
}

Verified verify_file(const std::filesystem::path& path) {
  Verified result{path, Verified::State::damaged, path.string() + ": "};
  try {
    const SealReport seal = read_seal(path);
    if (seal.state == SealState::damaged) {
      result.message += seal.expected == seal.found
                            ? "damaged: its seal does not fit it"
                            : "damaged: expected SHA-256 " + seal.expected + ", found " + seal.found;
      return result;
    }
    read_everything(path);
    const bool sealed = seal.state == SealState::intact;
    result.state = sealed ? Verified::State::intact : Verified::State::readable;
    result.message += sealed ? "intact, SHA-256 " + seal.found
                             : "readable, not sealed (a series of a live or stopped run, or a file of another code)";
  } catch (const Error& error) {
    result.message += std::string("damaged: ") + error.what();
  }
  return result;
}

/// The number in `snapshot_0012.hdf5`; nullopt for other names.
std::optional<std::int64_t> snapshot_number(const std::string& name) {
  constexpr std::string_view before = "snapshot_", after = ".hdf5";
  if (!name.starts_with(before) || !name.ends_with(after) || name.size() <= before.size() + after.size())
    return std::nullopt;
  std::int64_t number = 0;
  const char* const end = name.data() + name.size() - after.size();
  const auto read = std::from_chars(name.data() + before.size(), end, number);
  return read.ec == std::errc() && read.ptr == end ? std::optional(number) : std::nullopt;
}

/// How many snapshots there were at the newest checkpoint; 0 when it does not say.
std::int64_t snapshots_at_checkpoint(const std::filesystem::path& directory) {
  try {
    const Attributes state = FileReader(checkpoint_path(directory, 0)).attributes("/state");
    const auto found = state.find("snapshots");
    if (found == state.end() || !std::holds_alternative<std::int64_t>(found->second)) return 0;
    return std::get<std::int64_t>(found->second);
  } catch (const Error&) {
    return 0;  // there is none, or it is damaged, which is said of the file itself
  }
}

}  // namespace

/// Snapshots are numbered from 0 without a gap: those that are not there, one line for each run of numbers.
std::vector<Verified> missing_snapshots(const std::filesystem::path& directory) {
  const std::filesystem::path folder = directory / "snapshots";
  std::set<std::int64_t> numbers;
  std::error_code ignored;
  for (auto it = std::filesystem::directory_iterator(folder, ignored);
       !ignored && it != std::filesystem::directory_iterator(); it.increment(ignored))
    if (const auto number = snapshot_number(it->path().filename().string())) numbers.insert(*number);
  const std::int64_t count = snapshots_at_checkpoint(directory);
  if (count > 0) numbers.insert(count);  // where the first one after the checkpoint would be
  std::vector<Verified> missing;
  std::int64_t expected = 0;
  for (const std::int64_t number : numbers) {
    if (number > expected) {
      const auto name = [](std::int64_t n) { return fmt::format("snapshot_{:04}.hdf5", n); };
      std::string text = (folder / name(expected)).string();
      if (number > expected + 1) text += " to " + name(number - 1);
      missing.push_back({folder / name(expected), Verified::State::damaged, text + ": missing"});
    }
    expected = number + 1;
  }
  return missing;
}

std::vector<Verified> verify(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    throw Error(ExitCode::input_file, "cannot verify '" + path.string() + "': there is no such file or directory");
  if (!std::filesystem::is_directory(path, ignored)) return {verify_file(path)};
  std::vector<Verified> results;
  for (const auto& file : hdf5_files(path)) results.push_back(verify_file(path / file));
  for (Verified& gap : missing_snapshots(path)) results.push_back(std::move(gap));
  return results;
}

}  // namespace ergode::io
