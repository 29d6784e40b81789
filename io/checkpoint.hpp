#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "io/array.hpp"
#include "io/disk_retry.hpp"

namespace ergode::io {

struct Checkpoint {
  static constexpr std::int64_t format = 2;  ///< compatibility goes by this number
  std::string simulation;                    ///< "nbody"
  std::string config;                        ///< the text of config.used.yaml
  std::string backend;                       ///< "cpu" or "cuda"
  std::string isa;                           ///< "avx2"; empty on cuda
  std::int64_t unit = 0;                     ///< work done, in the simulation's units (steps)
  bool finished = false;
  std::map<std::string, std::string> inputs;  ///< SHA-256 of the files, by path, that a resume reads again
  State state;
  std::filesystem::path file;  ///< that it was read from
};

/// Seals `checkpoint.h5` in `directory`; the one before becomes `checkpoint.prev.h5` (older ones as `keep` asks, >= 1).
/// A failure at any point leaves at least one whole checkpoint. Returns bytes written.
std::int64_t write_checkpoint(const std::filesystem::path& directory, const Checkpoint& checkpoint, int keep);

/// The same; a full disk is waited for as `retry` says.
std::int64_t write_checkpoint(const std::filesystem::path& directory, const Checkpoint& checkpoint, int keep,
                              const DiskRetry& retry);

/// The newest whole checkpoint. A damaged one is reported through `warn` (with expected and found SHA-256) and the
/// previous one used. nullopt when there is none; throws Error(input_file) when all that exist are bad or of another
/// format.
std::optional<Checkpoint> read_checkpoint(const std::filesystem::path& directory,
                                          const std::function<void(const std::string&)>& warn);

/// `checkpoint.h5`, `checkpoint.prev.h5`, `checkpoint.prev2.h5` ... for generation 0, 1, 2 ...
std::filesystem::path checkpoint_path(const std::filesystem::path& directory, int generation);
/// One file, its seal checked first. Throws Error(input_file).
Checkpoint read_checkpoint_file(const std::filesystem::path& path);

}  // namespace ergode::io
