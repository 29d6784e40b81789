#include "tests/mpi/launch.hpp"
#include "tests/tools/profile.hpp"

// Ranks share the work of a run and cannot change a bit of it.

using namespace ergode;
using namespace ergode::testing;

namespace {

void check_ranks(const TemporaryDirectory& d, const std::string& config, const std::vector<int>& counts,
                 const std::vector<std::string>& more) {
  const Outcome alone = run_alone(d, run_of(d, config, "alone", more));
  INFO(alone.error);
  REQUIRE(alone.code == 0);
  for (const int ranks : counts) {
    const std::string directory = "ranks" + std::to_string(ranks);
    const Outcome outcome = run_ranks(d, ranks, run_of(d, config, directory, more));
    INFO(ranks << " ranks\n" << outcome.out << outcome.error);
    REQUIRE(outcome.code == 0);
    if (ranks > 1) {
      const std::string log = slurp(d / directory / "run.log");
      CHECK(log.find("rank " + std::to_string(ranks - 1)) != std::string::npos);
      CHECK(slurp(d / directory / "summary.json").find("\"ranks\": " + std::to_string(ranks)) != std::string::npos);
    }
    check_equal(d, "alone", directory);
  }
}

}  // namespace

TEST_CASE("N-body: 1 to 4 ranks give the bits of a run without mpirun") {
  need_mpi();
  const TemporaryDirectory d;
  write_bodies(d);
  check_ranks(d, "bodies.yaml", {1, 2, 3, 4}, {});
}

TEST_CASE("N-body in double, and with fewer tiles than ranks, likewise") {
  need_mpi();
  const TemporaryDirectory d;
  write_bodies(d);
  check_ranks(d, "bodies.yaml", {2}, {"--set", "gravity.precision=double"});
  spill(d / "few.yaml",
        "simulation: nbody\nseed: 3\ndevice: cpu\nunits: nbody\n"
        "initial_conditions: {type: plummer, particles: 100, softening: 0.05}\n"
        "integrator: {scheme: leapfrog, timestep: 0.015625, end_time: 0.125}\n");
  fs::remove_all(d / "alone");
  check_ranks(d, "few.yaml", {3}, {});
}

TEST_CASE("options: ranks give the bits of a run without mpirun") {
  need_mpi();
  const TemporaryDirectory d;
  write_book(d);
  check_ranks(d, "book.yaml", {2, 3, 4}, {});
}

TEST_CASE("options with more paths than a rank gives chunk by chunk, likewise") {
  need_mpi();
  const TemporaryDirectory d;
  spill(d / "long.yaml",
        "simulation: option_pricing\nname: long\nseed: 5\ndevice: cpu\n"
        "monte_carlo: {paths: 3000000, steps_per_year: 2, antithetic: false}\n"
        "market:\n  underlyings:\n"
        "    A: {spot: 100, model: gbm, volatility: 0.2}\n"
        "    B: {spot: 90, model: heston, v0: 0.04, kappa: 2, theta: 0.04, sigma_v: 0.35, rho: -0.7}\n"
        "options:\n"
        "  - {id: call, product: european, type: call, underlying: A, strike: 100, maturity: 1, greeks: [delta]}\n"
        "  - {id: stepped, product: european, type: call, underlying: B, strike: 90, maturity: 1}\n");
  check_ranks(d, "long.yaml", {1, 2, 3, 4}, {});
}

TEST_CASE("options in double, with Sobol points and with a tolerance, likewise") {
  need_mpi();
  for (const char* setting :
       {"monte_carlo.precision=double", "monte_carlo.rng=sobol", "monte_carlo.tolerance={absolute: 0.3}"}) {
    const TemporaryDirectory d;
    write_book(d);
    check_ranks(d, "book.yaml", {3}, {"--set", setting});
  }
}

TEST_CASE("a run is resumed with another number of ranks") {
  need_mpi();
  const TemporaryDirectory d;
  write_bodies(d);
  REQUIRE(run_alone(d, run_of(d, "bodies.yaml", "alone")).code == 0);
  REQUIRE(run_ranks(d, 3, run_of(d, "bodies.yaml", "run", {"--set", "integrator.end_time=0.125"})).code == 0);
  REQUIRE(run_alone(d, run_of(d, "bodies.yaml", "run", {"--resume", "--set", "integrator.end_time=0.25"})).code == 0);
  const Outcome last = run_ranks(d, 2, run_of(d, "bodies.yaml", "run", {"--resume"}));
  INFO(last.error);
  REQUIRE(last.code == 0);
  check_equal(d, "alone", "run");
}

TEST_CASE("ranks on a GPU", "[gpu]") {
  need_mpi();
  const TemporaryDirectory d;
  if (run_alone(d, {"devices"}).out.find("cuda:0") == std::string::npos) SKIP("there is no GPU");
  write_bodies(d);
  write_book(d);
  const Outcome refused = run_ranks(d, 2, run_of(d, "bodies.yaml", "run", {"--device", "cuda:0"}));
  INFO(refused.error);
  CHECK(refused.code == 5);
  CHECK(refused.error.find("rank 1") != std::string::npos);
  CHECK(refused.error.find("GPU-") != std::string::npos);
  CHECK_FALSE(fs::exists(d / "run"));
  for (const char* config : {"bodies.yaml", "book.yaml"}) {
    fs::remove_all(d / "alone");
    check_ranks(d, config, {2}, {"--device", "cuda:0", "--share-devices"});
    fs::remove_all(d / "ranks2");
  }
  // So many bodies that forces are sums over pairs, which here go through the hosts.
  fs::remove_all(d / "alone");
  check_ranks(d, "bodies.yaml", {2},
              {"--device", "cuda:0", "--share-devices", "--set", "initial_conditions.0.particles=13000"});
  fs::remove_all(d / "ranks2");
  // What a rank pins of the host's memory for the exchange.
  const Outcome full =
      run_ranks(d, 2, run_of(d, "bodies.yaml", "full", {"--device", "cuda:0", "--share-devices"}), {1, "host_alloc:1"});
  INFO(full.error);
  CHECK(full.code == 6);
  CHECK(full.error.find("out of host memory") != std::string::npos);
}

/// Enough bodies that forces are summed over pairs, which is what GPUs exchange among themselves.
TEST_CASE("ranks with a GPU each", "[gpu]") {
  need_mpi();
  const TemporaryDirectory d;
  if (run_alone(d, {"devices"}).out.find("cuda:1") == std::string::npos) SKIP("there are not two GPUs");
  const std::vector<std::string> many{"--device", "cuda", "--set", "initial_conditions.0.particles=20000"};
  write_bodies(d);
  write_book(d);
  check_ranks(d, "bodies.yaml", {2}, many);
  const bool with_nccl = run_alone(d, {"--version"}).out.find("NCCL") != std::string::npos;
  CHECK((slurp(d / "ranks2" / "run.log").find("sums between GPUs: NCCL") != std::string::npos) == with_nccl);
  const Outcome failed = run_ranks(d, 2, run_of(d, "bodies.yaml", "failed", many), {1, "kernel:20"});
  INFO(failed.error);
  CHECK(failed.code == 9);
  CHECK(failed.error.find("rank 1") != std::string::npos);
  fs::remove_all(d / "alone");
  fs::remove_all(d / "ranks2");
  check_ranks(d, "book.yaml", {2}, {"--device", "cuda"});
}

TEST_CASE("the profile of ranks is rank 0's, with its waiting for the others, and leaves the bits alone") {
  need_mpi();
  const TemporaryDirectory d;
  write_bodies(d);
  const Outcome alone = run_alone(d, run_of(d, "bodies.yaml", "alone"));
  REQUIRE(alone.code == 0);
  const Outcome outcome = run_ranks(d, 2, run_of(d, "bodies.yaml", "ranks", {"--profile"}));
  INFO(outcome.error);
  REQUIRE(outcome.code == 0);
  check_profile(d, "ranks", outcome, "ranks");
  check_equal(d, "alone", "ranks");
}
