#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "sim/runner/inputs.hpp"
#include "sim/sweep/plan.hpp"

namespace ergode::sim {

/// What the results of a sweep depend on beside its config: kept in its directory by the process that begins it, and
/// held to by all later ones.
struct SweepOrigin {
  std::string config;   ///< SHA-256 of the config, without what may change
  std::string backend;  ///< "cpu", "cuda"
  std::string isa;      ///< instruction set of a CPU
  InputHashes inputs;
};

constexpr const char* origin_name = "origin.json";

/// nullopt when there is none; throws io::Error(input_file) for one that is damaged.
std::optional<SweepOrigin> read_origin(const std::filesystem::path& sweep);

/// Keeps `mine` unless another process kept its own before. Returns what is kept.
SweepOrigin keep_origin(const std::filesystem::path& sweep, const SweepOrigin& mine);

/// SHA-256 of the config of a sweep, without the keys that may change while its members are made.
std::string config_hash(const SweepPlan& plan);

/// What stands with the results of each member, so that they are not taken for those of another one: it depends on the
/// sweep's config, the member's number and its values.
std::string member_identity(const SweepPlan& plan, const std::string& config_hash, std::int64_t member);

}  // namespace ergode::sim
