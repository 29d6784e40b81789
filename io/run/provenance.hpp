#pragma once

#include <string>

#include "io/array.hpp"
#include "io/run/json.hpp"

namespace ergode::io {

/// Where a result comes from. Goes to `/provenance` of every file and to summary.json, and never into what `ergode
/// diff` compares.
struct Provenance {
  std::string command_line;
  std::string config_path;
  std::string device;  ///< model name
  std::string device_uuid;
  std::string backend;           ///< "cpu", "cuda"
  std::string isa;               ///< CPU only
  std::string architecture;      ///< "sm_90"
  std::string device_requested;  ///< "auto (default)"
  std::string device_fallback;   ///< why `auto` took no (or another) GPU; empty otherwise
  std::string cuda_driver;
  std::string cuda_runtime;
  std::int64_t threads = 0;  ///< of each rank, or of rank 0 where they differ
  std::int64_t ranks = 1;
  std::string started;  ///< UTC
};

/// Build, host and user are added here. Empty entries are left out; everything is ASCII ('?' for the rest).
Attributes attributes(const Provenance& provenance);
JsonObject json(const Attributes& provenance);

}  // namespace ergode::io
