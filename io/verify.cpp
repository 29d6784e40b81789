#include "io/verify.hpp"

#include <system_error>

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

}  // namespace

std::vector<Verified> verify(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    throw Error(ExitCode::input_file, "cannot verify '" + path.string() + "': there is no such file or directory");
  if (!std::filesystem::is_directory(path, ignored)) return {verify_file(path)};
  std::vector<Verified> results;
  for (const auto& file : hdf5_files(path)) results.push_back(verify_file(path / file));
  return results;
}

}  // namespace ergode::io
