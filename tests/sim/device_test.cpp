#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <functional>

#include "io/error.hpp"
#include "kernels/device/cuda_reasons.hpp"
#include "sim/device/choose.hpp"
#include "tests/io/files/temporary_directory.hpp"

// The choice of a device, among inventories that are made up.

using namespace ergode;
using kernels::CudaInventory;
using kernels::Device;
using kernels::Isa;
using sim::DeviceChoice;
using sim::DeviceRequest;

namespace {

Device gpu(int index, const std::string& reason = "") {
  Device device;
  device.backend = kernels::Backend::cuda;
  device.index = index;
  device.name = "Imagined GPU";
  device.uuid = "GPU-" + std::to_string(index);
  device.architecture = "sm_90";
  device.usable = reason.empty();
  device.reason = reason;
  return device;
}

CudaInventory with(std::vector<Device> devices) {
  CudaInventory inventory;
  inventory.built = true;
  inventory.architectures = "80-real 90-real";
  inventory.devices = std::move(devices);
  return inventory;
}

CudaInventory without(const std::string& problem) {
  CudaInventory inventory = with({});
  inventory.problem = problem;
  return inventory;
}

DeviceChoice choose(const DeviceRequest& request, const CudaInventory& inventory) {
  return sim::choose_device(
      request, [&] { return inventory; }, [] { return kernels::cpu_device(Isa::baseline); });
}

DeviceRequest flag(const std::string& text) {
  return {.flag = text, .config = "auto", .environment = {}};
}

struct Refusal {
  int code = 0;  ///< 0: it was not refused
  std::string message;
};

Refusal refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const io::Error& e) {
    return {static_cast<int>(e.code()), e.what()};
  }
  return {};
}

Refusal refusal(const DeviceRequest& request, const CudaInventory& inventory) {
  return refusal([&] { choose(request, inventory); });
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("auto takes the first GPU and has nothing to explain") {
  const DeviceChoice choice = choose({}, with({gpu(0), gpu(1)}));
  CHECK(choice.device.uuid == "GPU-0");
  CHECK(choice.requested == "auto");
  CHECK(choice.source == "default");
  CHECK(choice.fallback.empty());
}

TEST_CASE("auto without a GPU takes the CPU and keeps the reason") {
  for (const char* reason : {"no NVIDIA driver is loaded", "the NVIDIA driver is too old"}) {
    const DeviceChoice choice = choose({}, without(reason));
    CHECK(choice.device.backend == kernels::Backend::cpu);
    CHECK(choice.fallback == reason);
  }
  CHECK(has(choose({}, CudaInventory{}).fallback, "built without CUDA"));
  const DeviceChoice busy = choose({}, with({gpu(0, "is busy"), gpu(1, "has no code")}));
  CHECK(busy.device.backend == kernels::Backend::cpu);
  CHECK(has(busy.fallback, "cuda:0 Imagined GPU: is busy"));
  CHECK(has(busy.fallback, "cuda:1 Imagined GPU: has no code"));
}

TEST_CASE("a GPU that cannot be used is passed over, and that is said") {
  for (const char* wanted : {"auto", "cuda"}) {
    const DeviceChoice choice = choose(flag(wanted), with({gpu(0, "its compute mode is 'prohibited'"), gpu(1)}));
    CHECK(choice.device.uuid == "GPU-1");
    CHECK(has(choice.fallback, "cuda:0"));
    CHECK(has(choice.fallback, "prohibited"));
  }
}

TEST_CASE("cuda that cannot be had ends with 5, the reason and what would help") {
  const Refusal driver = refusal(flag("cuda"), without("no NVIDIA driver is loaded"));
  CHECK(driver.code == 5);
  CHECK(has(driver.message, "no NVIDIA driver is loaded"));
  CHECK(has(driver.message, "--device cpu"));

  const Refusal built = refusal(flag("cuda"), CudaInventory{});
  CHECK(built.code == 5);
  CHECK(has(built.message, "built without CUDA"));

  const Refusal code =
      refusal(flag("cuda"), with({gpu(0, kernels::no_code_reason("sm_75", "80-real 90-real", "error"))}));
  CHECK(code.code == 5);
  CHECK(has(code.message, "sm_75"));
  CHECK(has(code.message, "GPU code in this binary: 80-real 90-real"));
}

TEST_CASE("cuda:N is that device or none") {
  const CudaInventory two = with({gpu(0, "is busy"), gpu(1)});
  CHECK(choose(flag("cuda:1"), two).device.uuid == "GPU-1");
  CHECK(choose(flag("cuda:1"), two).fallback.empty());
  const Refusal busy = refusal(flag("cuda:0"), two);
  CHECK(busy.code == 5);
  CHECK(has(busy.message, "is busy"));
  const Refusal beyond = refusal(flag("cuda:2"), two);
  CHECK(beyond.code == 5);
  CHECK(has(beyond.message, "2 CUDA device(s)"));
}

TEST_CASE("the flag counts before the config, that before ERGODE_DEVICE") {
  const CudaInventory three = with({gpu(0), gpu(1), gpu(2)});
  DeviceRequest request{.flag = "cuda:2", .config = "cuda:1", .environment = "cpu"};
  CHECK(choose(request, three).device.uuid == "GPU-2");
  CHECK(choose(request, three).source == "--device");
  request.flag.reset();
  CHECK(choose(request, three).device.uuid == "GPU-1");
  CHECK(has(choose(request, three).source, "config"));
  request.config = "auto";
  CHECK(choose(request, three).device.backend == kernels::Backend::cpu);
  CHECK(choose(request, three).source == "ERGODE_DEVICE");
  request.environment = "";
  CHECK(choose(request, three).device.uuid == "GPU-0");
  // `--device auto` is a wish too: what comes after it does not count.
  request = {.flag = "auto", .config = "cpu", .environment = "cpu"};
  CHECK(choose(request, three).device.uuid == "GPU-0");
}

TEST_CASE("what is no device is refused with what is allowed, and CUDA is not asked for the CPU") {
  for (const char* text : {"gpu", "cuda:", "cuda:-1", "cuda:1x", "cuda1", "CUDA", "cuda: 1", "cuda:99999999999", ""}) {
    INFO(text);
    CHECK_FALSE(sim::is_device_name(text));
    CHECK(refusal(flag(text), with({gpu(0)})).code == 2);
  }
  const Refusal environment = refusal({.flag = {}, .config = "auto", .environment = "gpu"}, with({gpu(0)}));
  CHECK(environment.code == 5);
  CHECK(has(environment.message, "ERGODE_DEVICE"));
  CHECK(has(environment.message, "cuda:N"));

  bool asked = false;
  const DeviceChoice cpu = sim::choose_device(
      flag("cpu"), [&] { return asked = true, CudaInventory{}; }, [] { return kernels::cpu_device(Isa::baseline); });
  CHECK(cpu.device.backend == kernels::Backend::cpu);
  CHECK_FALSE(asked);
}

TEST_CASE("no driver, an old driver, hidden devices and no GPU are told apart") {
  // Without a driver CUDA gives the error code of one too old.
  kernels::NoCudaDevices facts{.driver_version = 0,
                               .runtime_version = 12090,
                               .insufficient_driver = true,
                               .no_device = false,
                               .error_text = "CUDA driver version is insufficient for CUDA runtime version",
                               .visible_devices = {}};
  CHECK(has(kernels::no_devices_reason(facts), "no NVIDIA driver is loaded"));
  facts.driver_version = 11040;
  CHECK(has(kernels::no_devices_reason(facts), "too old: it serves CUDA 11.4, this binary needs 12.9"));
  facts.driver_version = 13000;
  facts.insufficient_driver = false;
  facts.no_device = true;
  facts.error_text = "no CUDA-capable device is detected";
  CHECK(has(kernels::no_devices_reason(facts), "sees no GPU"));
  for (const char* visible : {"", "-1", "7", "nonsense"}) {
    facts.visible_devices = visible;
    CHECK(has(kernels::no_devices_reason(facts), "CUDA_VISIBLE_DEVICES is '" + std::string(visible) + "'"));
  }
  facts = {.driver_version = 13000,
           .runtime_version = 12090,
           .insufficient_driver = false,
           .no_device = false,
           .error_text = "out of luck",
           .visible_devices = {}};
  CHECK(has(kernels::no_devices_reason(facts), "out of luck"));
  CHECK(has(kernels::not_opened_reason("all CUDA-capable devices are busy", true), "one process"));
  CHECK_FALSE(has(kernels::not_opened_reason("all CUDA-capable devices are busy", false), "one process"));
}

TEST_CASE("the instruction set is the flag's, else the checkpoint's, else the best") {
  CHECK(sim::choose_isa("auto", "") == kernels::best_isa());
  CHECK(sim::choose_isa("baseline", "") == Isa::baseline);
  CHECK(sim::choose_isa("auto", "baseline") == Isa::baseline);
  CHECK(sim::choose_isa("baseline", "baseline") == Isa::baseline);

  const Refusal differ = refusal([] { sim::choose_isa("avx2", "baseline"); });
  CHECK(differ.code == 2);
  CHECK(has(differ.message, "baseline"));
  const Refusal lacking = refusal([] { sim::choose_isa("auto", "avx512", Isa::avx2, "the sweep"); });
  CHECK(lacking.code == 5);
  CHECK(has(lacking.message, "avx512 (the sweep's) is not supported"));
  CHECK(has(lacking.message, "whose best is avx2"));
  CHECK(refusal([] { sim::choose_isa("sse9", ""); }).code != 0);
  CHECK(refusal([] { sim::choose_isa("auto", "sse9"); }).code == 4);
  for (const Isa isa : {Isa::avx2, Isa::avx512}) {
    const std::string name(kernels::name(isa));
    if (kernels::isa_supported(isa)) {
      CHECK(sim::choose_isa(name, "") == isa);
      CHECK(sim::choose_isa("auto", name) == isa);
    } else {
      CHECK(refusal([&] { sim::choose_isa(name, ""); }).code == 5);
      CHECK(has(refusal([&] { sim::choose_isa("auto", name); }).message, "resume on a processor"));
    }
  }
}

TEST_CASE("cores are told by which threads share one, and where nothing tells, each thread is a core") {
  const test::TemporaryDirectory system;
  const auto siblings = [&](int processor, const char* list) {
    const auto folder = system.path() / ("cpu" + std::to_string(processor)) / "topology";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "thread_siblings_list") << list << "\n";
  };
  CHECK(sim::cores_of({0, 1, 2, 3}, system.path()) == 4);
  siblings(0, "0,2");
  siblings(1, "1,3");
  siblings(2, "0,2");
  siblings(3, "1,3");
  CHECK(sim::cores_of({0, 1, 2, 3}, system.path()) == 2);
  CHECK(sim::cores_of({0, 2}, system.path()) == 1);
  CHECK(sim::cores_of({0, 1, 9}, system.path()) == 3);
}
