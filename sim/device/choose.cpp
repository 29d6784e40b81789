#include "sim/device/choose.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "io/error.hpp"

namespace ergode::sim {
namespace {

using kernels::CudaInventory;
using kernels::Device;
using kernels::Isa;

[[noreturn]] void refuse(const DeviceChoice& choice, const CudaInventory& inventory, const std::string& reason) {
  std::string text = fmt::format("{} ({}) cannot be had: {}", choice.requested, choice.source, reason);
  if (inventory.built && !inventory.architectures.empty())
    text += fmt::format(" (GPU code in this binary: {})", inventory.architectures);
  throw io::Error(io::ExitCode::no_device,
                  text + ". `ergode devices` lists what is there; `--device cpu` runs on the CPU");
}

}  // namespace

std::optional<int> cuda_index(const std::string& text) {
  if (!text.starts_with("cuda:") || text.size() == 5) return std::nullopt;
  int index = -1;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data() + 5, end, index);
  return result.ec == std::errc() && result.ptr == end ? index : -1;
}

std::string why_no_gpu(const CudaInventory& inventory) {
  if (!inventory.built) return "this binary was built without CUDA";
  if (!inventory.problem.empty()) return inventory.problem;
  std::string reasons;
  for (const Device& device : inventory.devices)
    if (!device.usable)
      reasons += fmt::format("{}cuda:{} {}: {}", reasons.empty() ? "" : "; ", device.index, device.name, device.reason);
  return reasons.empty() ? "no CUDA device was found" : reasons;
}

bool is_device_name(const std::string& text) {
  if (text == "auto" || text == "cpu" || text == "cuda") return true;
  return text.starts_with("cuda:") && text.size() > 5 && cuda_index(text).value_or(-1) >= 0;
}

DeviceChoice requested_device(const DeviceRequest& request) {
  DeviceChoice choice{.device = {}, .requested = "auto", .source = "default", .fallback = {}};
  if (request.flag) {
    choice.requested = *request.flag, choice.source = "--device";
  } else if (request.config != "auto") {
    choice.requested = request.config, choice.source = "device in the config";
  } else if (request.environment && !request.environment->empty()) {
    choice.requested = *request.environment, choice.source = "ERGODE_DEVICE";
  }
  if (!is_device_name(choice.requested))
    throw io::Error(
        choice.source == "--device" ? io::ExitCode::command_line : io::ExitCode::no_device,
        fmt::format("{}: `{}` is no device; allowed are auto, cpu, cuda and cuda:N", choice.source, choice.requested));
  return choice;
}

DeviceChoice choose_device(const DeviceRequest& request, const std::function<CudaInventory()>& inventory_of,
                           const std::function<Device()>& cpu) {
  DeviceChoice choice = requested_device(request);
  if (choice.requested == "cpu") {
    choice.device = cpu();
    return choice;
  }
  const CudaInventory inventory = inventory_of();
  if (choice.requested == "auto") {
    for (const Device& device : inventory.devices) {
      if (!device.usable) continue;
      choice.device = device;
      if (&device != &inventory.devices.front()) choice.fallback = why_no_gpu(inventory);
      return choice;
    }
    choice.device = cpu();
    choice.fallback = why_no_gpu(inventory);
    return choice;
  }
  if (!inventory.built || inventory.devices.empty()) refuse(choice, inventory, why_no_gpu(inventory));
  const auto index = cuda_index(choice.requested);
  for (const Device& device : inventory.devices) {
    if (index && device.index != *index) continue;
    if (device.usable) {
      choice.device = device;
      if (!index && &device != &inventory.devices.front()) choice.fallback = why_no_gpu(inventory);
      return choice;
    }
    if (index) refuse(choice, inventory, fmt::format("{}: {}", device.name, device.reason));
  }
  refuse(choice, inventory,
         index ? fmt::format("there are {} CUDA device(s), numbered from 0", inventory.devices.size())
               : why_no_gpu(inventory));
}

Isa choose_isa(const std::string& flag, const std::string& kept, Isa best, const std::string& whose) {
  if (flag != "auto" && !kept.empty() && flag != kept)
    throw io::Error(
        io::ExitCode::command_line,
        fmt::format("--isa {}: {} was computed with {}, and another instruction set gives other bits; leave --isa "
                    "out, or start a new run",
                    flag, whose, kept));
  const std::string wanted = flag != "auto" ? flag : kept;
  if (wanted.empty()) return best;
  for (const Isa isa : std::array{Isa::baseline, Isa::avx2, Isa::avx512}) {
    if (kernels::name(isa) != wanted) continue;
    if (isa <= best) return isa;
    throw io::Error(io::ExitCode::no_device,
                    fmt::format("instruction set {} ({}) is not supported by this processor, whose best is {}; {}",
                                wanted, flag != "auto" ? "--isa" : whose + "'s", kernels::name(best),
                                flag != "auto" ? "leave --isa out" : "resume on a processor that has it"));
  }
  throw io::Error(io::ExitCode::input_file,
                  fmt::format("`{}` is no instruction set; known are baseline, avx2 and avx512", wanted));
}

std::string describe(const Device& device) {
  if (device.backend == kernels::Backend::cpu)
    return fmt::format("{} (cpu, {})", device.name, kernels::name(device.isa));
  return fmt::format("{} (cuda:{}, {}, {})", device.name, device.index, device.uuid, device.architecture);
}

}  // namespace ergode::sim
