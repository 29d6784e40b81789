#include "sim/runner/inputs.hpp"

#include <fmt/format.h>

#include <system_error>

#include "io/error.hpp"
#include "io/fs/file.hpp"
#include "io/sha256.hpp"

namespace ergode::sim {
namespace {

namespace fs = std::filesystem;

std::string hash(const fs::path& path) {
  const io::fs::File file = io::fs::File::open(path);
  io::Sha256 hash;
  std::vector<std::byte> buffer(std::size_t{1} << 20);
  for (std::int64_t at = 0;;) {
    const std::size_t n = file.read(buffer, at);
    if (n == 0) return hash.hex();
    hash.update(std::span(buffer).first(n));
    at += static_cast<std::int64_t>(n);
  }
}

}  // namespace

InputHashes hash_inputs(const std::vector<fs::path>& files) {
  InputHashes hashes;
  for (const fs::path& file : files) {
    const auto [entry, is_new] = hashes.try_emplace(file.string());
    if (!is_new) continue;
    try {
      entry->second = hash(file);
    } catch (const io::Error&) {
      hashes.erase(entry);
    }
  }
  return hashes;
}

void check_inputs(const InputHashes& then, const InputHashes& now, const std::string& whose) {
  std::string changed;
  for (const auto& [path, old] : then)
    if (const auto found = now.find(path); found != now.end() && found->second != old)
      changed += fmt::format("\n  {}: its SHA-256 was {}, and is {}", path, old, found->second);
  if (!changed.empty())
    throw io::Error(io::ExitCode::config,
                    fmt::format("an input file is not what it was when {} was begun:{}\nbring it back, or start a new "
                                "run in another directory (-o DIR)",
                                whose, changed));
}

InputWatch::InputWatch(const std::vector<InputFile>& files) {
  std::vector<fs::path> paths;
  for (const InputFile& file : files) {
    paths.push_back(file.path);
    stamps_[file.path.string()] = stamp(file.path);  // before its content is read
  }
  hashes_ = hash_inputs(paths);
}

void InputWatch::check(const std::vector<InputFile>& files) const {
  std::vector<fs::path> touched;
  for (const InputFile& file : files)
    if (const auto found = stamps_.find(file.path.string());
        found != stamps_.end() && !(found->second == stamp(file.path)))
      touched.push_back(file.path);
  check_inputs(hashes_, hash_inputs(touched), "this sweep");
}

InputWatch::Stamp InputWatch::stamp(const fs::path& file) {
  std::error_code ignored;
  return {fs::file_size(file, ignored), fs::last_write_time(file, ignored)};
}

}  // namespace ergode::sim
