#include "sim/sweep/origin.hpp"

#include <fmt/format.h>

#include <cerrno>

#include "io/error.hpp"
#include "io/fs/file.hpp"
#include "io/run/json.hpp"
#include "io/run/text_file.hpp"
#include "io/sha256.hpp"
#include "sim/runner/resume.hpp"

namespace ergode::sim {
namespace {

namespace fs = std::filesystem;

std::string sha256_of(const std::string& text) {
  return io::sha256(std::as_bytes(std::span(text.data(), text.size())));
}

std::string text_of(const SweepOrigin& origin) {
  io::JsonObject inputs, out;
  for (const auto& [path, hash] : origin.inputs) inputs.set(path, hash);
  out.set("config_sha256", origin.config).set("backend", origin.backend).set("isa", origin.isa);
  out.set("input_sha256", inputs);
  return out.text() + "\n";
}

}  // namespace

std::optional<SweepOrigin> read_origin(const fs::path& sweep) {
  const fs::path file = sweep / origin_name;
  const auto text = io::read_text(file);
  if (!text) return std::nullopt;
  SweepOrigin origin;
  try {
    const io::Document document = io::Document::parse(*text, file.string());  // JSON is YAML too
    origin = {io::peek(document, "config_sha256"), io::peek(document, "backend"), io::peek(document, "isa"), {}};
    if (const io::Node* inputs = document.root().find("input_sha256"))
      for (std::size_t i = 0; i < inputs->keys.size(); ++i) origin.inputs[inputs->keys[i]] = inputs->items[i].text;
  } catch (const io::Error&) {
    origin.config.clear();
  }
  if (origin.config.empty())
    throw io::Error(io::ExitCode::input_file,
                    fmt::format("{}: damaged. It says with which instruction set and input files the sweep was begun: "
                                "bring it back, or remove it if those are the same now",
                                file.string()));
  return origin;
}

SweepOrigin keep_origin(const fs::path& sweep, const SweepOrigin& mine) {
  const fs::path file = sweep / origin_name;
  if (auto kept = read_origin(sweep)) return *kept;
  return io::write_text_once(file, text_of(mine)) ? mine : read_origin(sweep).value_or(mine);
}

std::string config_hash(const SweepPlan& plan) {
  std::string text;
  for (const io::FlatKey& key : plan.config().flat)
    if (!of_the_runner(key.path)) text += key.path + ": " + key.value + "\n";
  return sha256_of(text);
}

std::string member_identity(const SweepPlan& plan, const std::string& config_hash, std::int64_t member) {
  std::string text = fmt::format("{}\nmember {}\n", config_hash, member);
  for (std::size_t c = 0; c < plan.columns().size(); ++c)
    text += plan.columns()[c].path + ": " + plan.value(c, member) + "\n";
  return sha256_of(text);
}

}  // namespace ergode::sim
