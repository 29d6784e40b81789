#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ergode::sim {

/// A file whose content the results depend on, and of which the config has the path alone.
struct InputFile {
  std::filesystem::path path;
  bool at_start = false;  ///< read for the first state and not again on a resume
};

/// SHA-256 by path.
using InputHashes = std::map<std::string, std::string>;

/// Files that cannot be read are left out: whoever needs one says what is wrong with it.
InputHashes hash_inputs(const std::vector<std::filesystem::path>& files);

/// Throws io::Error(config) naming the files in both whose content is another one. `whose`: "the checkpoint".
void check_inputs(const InputHashes& then, const InputHashes& now, const std::string& whose);

/// The same over the time of many runs: a file is hashed again when its size or time of modification is another one.
class InputWatch {
 public:
  InputWatch() = default;
  explicit InputWatch(const std::vector<InputFile>& files);
  const InputHashes& hashes() const { return hashes_; }
  /// Throws io::Error(config) naming the files that are not what they were.
  void check(const std::vector<InputFile>& files) const;

 private:
  struct Stamp {
    std::uintmax_t size = 0;
    std::filesystem::file_time_type modified;
    bool operator==(const Stamp&) const = default;
  };
  static Stamp stamp(const std::filesystem::path& file);
  InputHashes hashes_;
  std::map<std::string, Stamp> stamps_;
};

}  // namespace ergode::sim
