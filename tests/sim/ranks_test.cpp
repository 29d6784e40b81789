#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <limits>
#include <map>

#include "io/error.hpp"
#include "sim/ranks/devices.hpp"
#include "sim/ranks/launch.hpp"
#include "sim/ranks/path_shares.hpp"
#include "sim/ranks/same_run.hpp"

// What is decided about ranks, without any.

using namespace ergode;
using kernels::Backend;
using kernels::Device;
using kernels::Isa;
using kernels::options::Work;
using sim::Bytes;
using sim::RankPlace;

namespace {

constexpr int no_bound = std::numeric_limits<int>::max();

Device gpu(int index, const std::string& uuid) {
  Device device;
  device.backend = Backend::cuda;
  device.index = index;
  device.uuid = uuid;
  device.usable = true;
  return device;
}

RankPlace place(const std::string& host, std::vector<Device> gpus, std::vector<int> processors = {0, 1, 2, 3}) {
  return {host, std::move(processors), no_bound, no_bound, Isa::avx512, std::move(gpus), "no driver"};
}

/// The message and code of a refusal.
std::pair<int, std::string> refusal(const std::string& requested, const std::vector<RankPlace>& places) {
  try {
    sim::assign_devices(requested, places, 0, false);
  } catch (const io::Error& e) {
    return {static_cast<int>(e.code()), e.what()};
  }
  return {0, ""};
}

}  // namespace

TEST_CASE("what a launcher says of its processes") {
  const auto launch = [](std::map<std::string, std::string> variables) {
    return sim::find_launch([&](const char* name) {
      const auto found = variables.find(name);
      return found == variables.end() ? nullptr : found->second.c_str();
    });
  };
  CHECK(launch({}).size == 1);
  const auto open_mpi = launch({{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "3"}});
  CHECK(open_mpi.size == 4);
  CHECK(open_mpi.rank == 3);
  CHECK(launch({{"PMI_SIZE", "2"}, {"PMI_RANK", "1"}}).size == 2);
  CHECK(launch({{"SLURM_STEP_NUM_TASKS", "8"}, {"SLURM_PROCID", "7"}}).rank == 7);
  // The script of a job with 8 tasks is one process.
  CHECK(launch({{"SLURM_NTASKS", "8"}, {"SLURM_PROCID", "0"}}).size == 1);
  CHECK(launch({{"OMPI_COMM_WORLD_SIZE", "1"}, {"OMPI_COMM_WORLD_RANK", "0"}}).size == 1);
  CHECK(launch({{"PMI_SIZE", "2"}, {"PMI_RANK", "5"}}).size == 1);
  CHECK(launch({{"PMI_SIZE", "4abc"}, {"PMI_RANK", "1"}}).size == 1);
  CHECK(launch({{"PMI_SIZE", "4"}, {"PMI_RANK", "1 "}}).size == 1);
  CHECK(launch({{"PMI_SIZE", "4"}}).size == 1);
  // What one launcher says badly another may say well.
  CHECK(launch({{"PMI_SIZE", ""}, {"SLURM_STEP_NUM_TASKS", "2"}, {"SLURM_PROCID", "1"}}).rank == 1);
}

TEST_CASE("each rank of a host gets a GPU of its own, whether it sees all or one") {
  const std::vector<Device> both{gpu(0, "GPU-a"), gpu(1, "GPU-b")};
  const auto all = sim::assign_devices("auto", {place("n1", both), place("n1", both), place("n2", both)}, 0, false);
  CHECK(all.devices[0].uuid == "GPU-a");
  CHECK(all.devices[1].uuid == "GPU-b");
  CHECK(all.devices[2].uuid == "GPU-a");
  CHECK(all.table.size() == 3);
  const auto own =
      sim::assign_devices("cuda", {place("n1", {gpu(0, "GPU-a")}), place("n1", {gpu(0, "GPU-b")})}, 0, false);
  CHECK(own.devices[0].uuid == "GPU-a");
  CHECK(own.devices[1].uuid == "GPU-b");
}

TEST_CASE("a GPU for two ranks is refused with the table, unless it is asked for") {
  const std::vector<Device> one{gpu(0, "GPU-a")};
  const auto [code, message] = refusal("auto", {place("n1", one), place("n1", one)});
  CHECK(code == 5);
  CHECK(message.find("rank 0") != std::string::npos);
  CHECK(message.find("rank 1") != std::string::npos);
  CHECK(message.find("GPU-a") != std::string::npos);
  CHECK(message.find("--share-devices") != std::string::npos);
  CHECK(refusal("cuda:1",
                {place("n1", {gpu(0, "GPU-a"), gpu(1, "GPU-b")}), place("n1", {gpu(0, "GPU-a"), gpu(1, "GPU-b")})})
            .first == 5);
  const std::vector<Device> both{gpu(0, "GPU-a"), gpu(1, "GPU-b")};
  const auto shared = sim::assign_devices(
      "cuda", {place("n1", both), place("n1", both), place("n1", both), place("n1", both)}, 0, true);
  CHECK(shared.devices[2].uuid == "GPU-a");
  CHECK(shared.devices[3].uuid == "GPU-b");
}

TEST_CASE("GPUs of unlike architecture are refused with the table, on one host or several") {
  Device old = gpu(0, "GPU-a"), recent = gpu(1, "GPU-b");
  old.architecture = "sm_80";
  recent.architecture = "sm_90";
  const std::vector<Device> both{old, recent};
  for (const auto& places :
       {std::vector{place("n1", both), place("n1", both)}, std::vector{place("n1", {old}), place("n2", {recent})}})
    for (const char* requested : {"auto", "cuda"}) {
      const auto [code, message] = refusal(requested, places);
      INFO(message);
      CHECK(code == 5);
      for (const char* said : {"rank 0", "rank 1", "GPU-a", "GPU-b", "sm_80", "sm_90", "unlike"})
        CHECK(message.find(said) != std::string::npos);
    }
  // What no rank takes does not matter.
  CHECK(refusal("cuda", {place("n1", both), place("n2", {old})}).first == 0);
}

TEST_CASE("all ranks take one backend") {
  const std::vector<RankPlace> places{place("n1", {gpu(0, "GPU-a")}), place("n2", {})};
  const auto found = sim::assign_devices("auto", places, 0, false);
  CHECK(found.devices[0].backend == Backend::cpu);
  CHECK(found.devices[1].backend == Backend::cpu);
  CHECK(found.fallback.find("n2") != std::string::npos);
  CHECK(refusal("cuda", places).first == 5);
  CHECK(refusal("cuda", places).second.find("no driver") != std::string::npos);
}

TEST_CASE("ranks share the processors of their host, and the least instruction set") {
  std::vector<RankPlace> places{place("n1", {}), place("n1", {}), place("n2", {}, {0, 1})};
  places[2].best_isa = Isa::avx2;
  const auto found = sim::assign_devices("cpu", places, 0, false);
  CHECK(found.threads == std::vector<int>{2, 2, 2});
  CHECK(found.best_isa == Isa::avx2);
  CHECK(sim::assign_devices("cpu", places, 3, false).threads == std::vector<int>{3, 3, 3});
  // Bound to processors of their own already.
  CHECK(sim::assign_devices("cpu", {place("n1", {}, {0, 1}), place("n1", {}, {2, 3})}, 0, false).threads ==
        std::vector<int>{2, 2});
  places = {place("n1", {}), place("n1", {})};
  places[0].quota = places[1].quota = 1;
  CHECK(sim::assign_devices("cpu", places, 0, false).threads == std::vector<int>{1, 1});
}

TEST_CASE("ranks that were started for different runs are refused, and two of them named") {
  const auto wanted = [](const std::string& config, std::vector<std::string> overrides,
                         const std::function<void(sim::RunOptions&)>& change = {}) {
    sim::RunOptions options;
    options.config = config;
    options.overrides = std::move(overrides);
    if (change) change(options);
    return sim::wanted_run(options);
  };
  const Bytes first = wanted("/runs/a.yaml", {"seed=1"});
  CHECK_NOTHROW(sim::check_same_run({first, first, wanted("/runs/x/../a.yaml", {"seed=1"}),
                                     wanted("/runs/a.yaml", {"seed=1"}, [](auto& o) { o.profile = true; })}));
  const auto with = [&](const std::function<void(sim::RunOptions&)>& change) {
    return wanted("/runs/a.yaml", {"seed=1"}, change);
  };
  for (const Bytes& other :
       {wanted("/runs/b.yaml", {"seed=1"}), wanted("/runs/a.yaml", {"seed=2"}), wanted("/runs/a.yaml", {}),
        wanted("a.yaml", {"seed=1"}), with([](auto& o) { o.isa = "avx2"; }), with([](auto& o) { o.resume = true; }),
        with([](auto& o) { o.exists = sim::Exists::backup; }), with([](auto& o) { o.max_walltime = 60; }),
        with([](auto& o) { o.share_devices = true; })})
    try {
      sim::check_same_run({first, first, other, first});
      FAIL("accepted");
    } catch (const io::Error& e) {
      const std::string message = e.what();
      INFO(message);
      CHECK(static_cast<int>(e.code()) == 2);
      CHECK(message.find("rank 0: /runs/a.yaml --set seed=1\n") != std::string::npos);
      CHECK(message.find("rank 2: ") != std::string::npos);
    }
}

TEST_CASE("ranks of two builds are refused, and both named") {
  CHECK_NOTHROW(sim::check_same_build({sim::build_name(), sim::build_name()}));
  try {
    sim::check_same_build({"0.1.0 (commit a)", "0.1.0 (commit a)", "0.1.0 (commit b)"});
    FAIL("accepted");
  } catch (const io::Error& e) {
    const std::string message = e.what();
    INFO(message);
    CHECK(static_cast<int>(e.code()) == 2);
    CHECK(message.find("rank 0: ergode 0.1.0 (commit a)") != std::string::npos);
    CHECK(message.find("rank 2: ergode 0.1.0 (commit b)") != std::string::npos);
  }
}

TEST_CASE("bounds that MPI cannot count to are refused") {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  CHECK(sim::int_bounds(std::vector<std::int64_t>{0, 7, most}) == std::vector<int>{0, 7, no_bound});
  CHECK_THROWS_AS(sim::int_bounds(std::vector<std::int64_t>{0, 7, most + 1}), io::Error);
}

TEST_CASE("folded work is shared by whole blocks, and what is left over goes on in turn") {
  const std::vector<Work> work{{0, 64, 7 * 64, true}, {0, 512, 5}, {1, 128, 64, true}, {2, 64, 100 * 64, true}};
  for (const int size : {1, 2, 3, 4, 7, 9}) {
    std::vector<std::int64_t> next, blocks(static_cast<std::size_t>(size));
    for (const Work& w : work) next.push_back(w.first);
    for (int rank = 0; rank < size; ++rank) {
      const auto mine = sim::share_of(work, rank, size);
      REQUIRE(mine.size() == work.size());
      for (std::size_t w = 0; w < work.size(); ++w) {
        CHECK(mine[w].folded == work[w].folded);
        CHECK(mine[w].first == next[w]);
        CHECK(mine[w].count % work[w].chunks_a_row() == 0);
        next[w] += mine[w].count;
        blocks[static_cast<std::size_t>(rank)] += mine[w].rows();
      }
    }
    for (std::size_t w = 0; w < work.size(); ++w) CHECK(next[w] == work[w].first + work[w].count);
    const auto [least, most] = std::minmax_element(blocks.begin(), blocks.end());
    CHECK(*most - *least <= 1);
  }
}

TEST_CASE("every chunk is of one rank, in the order of the ranks, and small works are spread") {
  const std::vector<Work> work{{0, 5, 7}, {1, 0, 1}, {2, 3, 1}, {3, 0, 1}, {4, 0, 0}, {5, 10, 100}};
  for (const int size : {1, 2, 3, 4, 7}) {
    std::vector<std::int64_t> total(static_cast<std::size_t>(size));
    std::vector<std::int64_t> next;
    for (const Work& w : work) next.push_back(w.first);
    for (int rank = 0; rank < size; ++rank) {
      const auto mine = sim::share_of(work, rank, size);
      REQUIRE(mine.size() == work.size());
      for (std::size_t w = 0; w < work.size(); ++w) {
        CHECK(mine[w].group == work[w].group);
        CHECK(mine[w].first == next[w]);
        next[w] += mine[w].count;
        total[static_cast<std::size_t>(rank)] += mine[w].count;
      }
    }
    for (std::size_t w = 0; w < work.size(); ++w) CHECK(next[w] == work[w].first + work[w].count);
    const auto [least, most] = std::minmax_element(total.begin(), total.end());
    CHECK(*most - *least <= 1);
  }
}
