#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/config/document.hpp"
#include "sim/runner/common_config.hpp"

namespace ergode::sim {

/// One parameter along an axis.
struct SweepColumn {
  std::string path;
  std::int64_t axis = 0;
};

/// What reading every member's config tells.
struct SweepCheck {
  std::vector<std::string> warnings;  ///< that member 0 does not have
  std::vector<InputFile> inputs;      ///< of all members, each file once
};

/// A config with a sweep, taken apart into members. Member numbers count the combinations of the axes, the last axis
/// fastest; the seeds are the first axis, zipped parameters are one axis together.
class SweepPlan {
 public:
  /// Reads and checks the config and the sweep (with the values of member 0); the other members are for check(). Throws
  /// as load_config().
  SweepPlan(const std::filesystem::path& path, const std::vector<std::string>& overrides,
            const std::vector<SimulationType>& types);
  SweepPlan(const SweepPlan&) = delete;
  SweepPlan& operator=(const SweepPlan&) = delete;

  /// Reads every member's config; throws io::Error(config) with what is wrong, naming the members.
  SweepCheck check() const;

  const LoadedConfig& config() const { return used_; }  ///< of the sweep itself; its text runs the same sweep again
  const SweepSettings& settings() const { return *used_.common.sweep; }
  std::filesystem::path directory() const { return used_.common.output.directory; }

  std::int64_t members() const { return members_; }
  const std::vector<SweepColumn>& columns() const { return columns_; }
  const std::vector<std::int64_t>& axes() const { return lengths_; }  ///< their lengths
  std::string value(std::size_t column, std::int64_t member) const;   ///< as text
  bool is_text(std::size_t column) const;           ///< what it is by the config, whatever it looks like
  std::string describe(std::int64_t member) const;  ///< "member 12 (seed = 3, softening = 0.1)"

  /// The config of one member, whose run directory is that of member_directory().
  LoadedConfig load_member(std::int64_t member) const;

 private:
  io::Document member_document(std::int64_t member) const;
  void put_values(io::Document& document, std::int64_t member) const;
  std::int64_t position(std::int64_t axis, std::int64_t member) const;
  void make_axes(const SweepSettings& settings);

  std::filesystem::path path_;
  io::Document base_;  ///< without the sweep
  SimulationType type_;
  LoadedConfig used_;
  std::uint32_t first_seed_ = 0;
  std::vector<std::int64_t> lengths_, strides_;
  std::vector<SweepColumn> columns_;
  std::vector<const SweepParameter*> parameters_;  ///< of the columns; null: the seeds
  SweepSettings swept_;
  std::int64_t members_ = 1;
};

/// Whether the config at `path`, with `overrides`, has a sweep. Throws as load_config() where it cannot be read.
bool has_sweep(const std::filesystem::path& path, const std::vector<std::string>& overrides);

/// "member_000012"
std::string member_name(std::int64_t member);
/// The number in such a name; nullopt of any other.
std::optional<std::int64_t> member_number(const std::string& name);
/// "members/member_000012": its run directory in the sweep's.
std::filesystem::path member_directory(std::int64_t member);

}  // namespace ergode::sim
