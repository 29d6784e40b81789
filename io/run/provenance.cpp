#include "io/run/provenance.hpp"

#include "io/run/build_info.hpp"
#include "io/run/process.hpp"

namespace ergode::io {

Attributes attributes(const Provenance& p) {
  const BuildInfo build = build_info();
  const ProcessIdentity process = this_process();
  Attributes out;
  auto add = [&](const char* key, const std::string& value) {
    std::string ascii = value;
    for (char& c : ascii)
      if (static_cast<unsigned char>(c) >= 0x80 || static_cast<unsigned char>(c) < 0x20) c = '?';
    if (!ascii.empty()) out[key] = ascii;
  };
  add("ergode_version", build.version);
  add("git_commit", build.commit);
  add("compiler", build.compiler);
  add("compiler_flags", build.flags);
  add("build_type", build.build_type);
  add("cuda_compiler", build.cuda_compiler);
  add("hdf5_version", build.hdf5);
  add("host", process.host);
  add("user", user_name());
  add("job", process.job);
  add("command_line", p.command_line);
  add("config", p.config_path);
  add("device", p.device);
  add("device_uuid", p.device_uuid);
  add("backend", p.backend);
  add("isa", p.isa);
  add("gpu_architecture", p.architecture);
  add("device_requested", p.device_requested);
  add("device_fallback", p.device_fallback);
  add("cuda_driver", p.cuda_driver);
  add("cuda_runtime", p.cuda_runtime);
  add("started", p.started);
  out["threads"] = p.threads;
  out["ranks"] = p.ranks;
  return out;
}

JsonObject json(const Attributes& provenance) {
  JsonObject out;
  for (const auto& [key, value] : provenance) {
    if (const auto* text = std::get_if<std::string>(&value)) out.set(key, *text);
    if (const auto* number = std::get_if<double>(&value)) out.set(key, *number);
    if (const auto* count = std::get_if<std::int64_t>(&value)) out.set(key, *count);
  }
  return out;
}

}  // namespace ergode::io
