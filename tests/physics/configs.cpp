#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <filesystem>

#include "io/config/document.hpp"
#include "sim/nbody/diagnostics.hpp"
#include "sim/nbody/initial_conditions.hpp"
#include "sim/nbody/simulation.hpp"
#include "tests/physics/engines.hpp"

using namespace ergode;

namespace {

/// Reads a config's own keys and, loosely, the common ones.
sim::nbody::Settings read(const io::Document& document) {
  struct Root {
    sim::nbody::Settings settings;
    std::string simulation, name;
    std::uint32_t seed = 0;
    struct Output {
      std::filesystem::path directory;
      void declare(io::Section& s) { s.key("directory", directory, "run directory"); }
    } output;
    void declare(io::Section& s) {
      s.key("simulation", simulation, "type");
      s.key("name", name, "name");
      s.key("seed", seed, "seed");
      s.section("output", output, "output");
      settings.declare(s);
    }
  } root;
  io::read_config(document, [&](io::Section& s) { root.declare(s); });
  return root.settings;
}

}  // namespace

TEST_CASE("every shipped N-body config is valid and has bodies") {
  const std::filesystem::path folder = std::filesystem::path(ERGODE_SOURCE_DIR) / "configs" / "nbody";
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".yaml") continue;
    INFO(entry.path().string());
    const auto document = io::Document::load(entry.path());
    if (document.root().find("sweep") != nullptr) continue;  // what it lacks its members have: see tests/tools
    const auto settings = read(document);
    CHECK(sim::nbody::count_bodies(settings, folder).first > 1);
    CHECK(sim::nbody::estimate(settings, kernels::cpu_device(kernels::Isa::baseline), folder).work > 0);
    ++count;
  }
  CHECK(count >= 6);
  CHECK(read(io::Document::parse(sim::nbody::simulation_type().example, "example")).initial_conditions.size() == 1);
}

TEST_CASE("the engine in double and the naive sum give the same accelerations and potentials") {
  sim::nbody::Settings s;
  sim::nbody::HernquistSettings h;
  h.particles = 300;
  s.initial_conditions.resize(1);
  s.initial_conditions[0].source = h;
  s.gravity.softening = 0.01;
  auto state = sim::nbody::initial_state(s, 3, ".");
  auto engine = test::double_engine();
  test::NaiveEngine naive(1);
  engine->upload(state);
  naive.upload(state);
  const auto phi = engine->potentials(), expected = naive.potentials();
  auto theirs = state;
  engine->download(state);
  naive.download(theirs);
  for (std::size_t i = 0; i < phi.size(); ++i) {
    REQUIRE(std::fabs(phi[i] / expected[i] - 1) < 1e-13);
  }
  const auto error = sim::nbody::force_error(state.acceleration, theirs.acceleration);
  CHECK(error.e2 < 1e-13);
  CHECK(error.percentile_99 < 1e-12);
}
