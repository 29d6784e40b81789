#include "sim/ranks/devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "io/run/process.hpp"
#include "sim/device/choose.hpp"

namespace ergode::sim {
namespace {

using kernels::Backend;
using kernels::Device;
using kernels::Isa;

void put(Writer& out, const Device& d) {
  out.put(d.backend).put(d.isa).put(d.index).put(d.name).put(d.uuid).put(d.memory_free).put(d.memory_total);
  out.put(d.architecture).put(d.usable).put(d.reason);
}
Device get_device(Reader& in) {
  Device d;
  d.backend = in.get<Backend>();
  d.isa = in.get<Isa>();
  d.index = in.get<int>();
  in.get(d.name), in.get(d.uuid);
  d.memory_free = in.get<std::int64_t>();
  d.memory_total = in.get<std::int64_t>();
  in.get(d.architecture);
  d.usable = in.get<bool>();
  in.get(d.reason);
  return d;
}

RankPlace get_place(const Bytes& bytes) {
  Reader in(bytes);
  RankPlace place;
  in.get(place.host), in.get(place.processors);
  place.quota = in.get<int>();
  place.wanted_threads = in.get<int>();
  place.best_isa = in.get<Isa>();
  place.gpus.resize(in.get<std::uint64_t>());
  for (Device& gpu : place.gpus) gpu = get_device(in);
  in.get(place.why_no_gpu);
  return place;
}

/// What the ranks of one host have together.
struct Host {
  int ranks = 0;
  std::set<int> processors;
  std::set<std::string> taken;  ///< UUIDs
};

std::string row(std::size_t rank, const RankPlace& place, const std::string& what) {
  return fmt::format("rank {:<4} {:<16} {}", rank, place.host, what);
}

std::string joined(const std::vector<std::string>& table) {
  std::string text;
  for (const std::string& line : table) text += "\n  " + line;
  return text;
}

/// The first GPU that no rank of the host has, else, for one that is shared, the next in turn.
const Device& next_gpu(const std::vector<Device>& gpus, const Host& host, bool& shared) {
  for (const Device& gpu : gpus)
    if (!host.taken.contains(gpu.uuid)) return gpu;
  shared = true;
  return gpus[static_cast<std::size_t>(host.ranks) % gpus.size()];
}

void assign_gpus(const std::vector<RankPlace>& places, const std::vector<std::vector<Device>>& gpus, bool share,
                 RankDevices& out) {
  std::map<std::string, Host> hosts;
  bool shared = false;
  for (std::size_t r = 0; r < places.size(); ++r) {
    Host& host = hosts[places[r].host];
    const Device& gpu = next_gpu(gpus[r], host, shared);
    ++host.ranks;
    host.taken.insert(gpu.uuid);
    out.devices.push_back(gpu);
    out.table.push_back(
        row(r, places[r], fmt::format("cuda:{} {} {} {}", gpu.index, gpu.uuid, gpu.architecture, gpu.name)));
  }
  if (shared && !share)
    throw io::Error(io::ExitCode::no_device,
                    "there are more ranks than GPUs on a node, and these would share one:" + joined(out.table) +
                        "\nstart as many ranks on a node as it has GPUs, or allow it with --share-devices");
  const auto unlike = [&](const Device& gpu) { return gpu.architecture != out.devices.front().architecture; };
  if (std::any_of(out.devices.begin(), out.devices.end(), unlike))
    throw io::Error(
        io::ExitCode::no_device,
        "the GPUs of the ranks are of unlike architecture, and would not give the same bits:" + joined(out.table) +
            "\ntake nodes with GPUs of one kind (with Slurm --gres=gpu:KIND:N), or --device cpu");
}

void assign_threads(const std::vector<RankPlace>& places, int threads, RankDevices& out) {
  std::map<std::string, Host> hosts;
  for (const RankPlace& place : places) {
    Host& host = hosts[place.host];
    ++host.ranks;
    host.processors.insert(place.processors.begin(), place.processors.end());
  }
  for (const RankPlace& place : places) {
    const Host& host = hosts[place.host];
    const int of_host = std::min(static_cast<int>(host.processors.size()), place.quota);
    const int own = std::min({of_host / host.ranks, static_cast<int>(place.processors.size()), place.wanted_threads});
    out.threads.push_back(threads > 0 ? threads : std::max(1, own));
  }
}

}  // namespace

RankDevices assign_devices(const std::string& requested, const std::vector<RankPlace>& places, int threads,
                           bool share) {
  RankDevices out;
  out.best_isa = places.front().best_isa;
  for (const RankPlace& place : places) out.best_isa = std::min(out.best_isa, place.best_isa);
  assign_threads(places, threads, out);

  const std::optional<int> index = cuda_index(requested);
  std::vector<std::vector<Device>> gpus;
  std::vector<std::string> without;
  for (std::size_t r = 0; r < places.size(); ++r) {
    std::vector<Device> own;
    for (const Device& gpu : places[r].gpus)
      if (!index || gpu.index == *index) own.push_back(gpu);
    if (own.empty())
      without.push_back(
          row(r, places[r], places[r].gpus.empty() ? places[r].why_no_gpu : fmt::format("{} is not there", requested)));
    gpus.push_back(std::move(own));
  }
  if (requested != "cpu" && without.empty()) {
    assign_gpus(places, gpus, share, out);
    return out;
  }
  if (requested != "cpu" && requested != "auto")
    throw io::Error(
        io::ExitCode::no_device,
        fmt::format("{} cannot be had by every rank:{}\n`--device cpu` runs on the CPUs", requested, joined(without)));
  if (requested == "auto")
    out.fallback =
        without.size() == places.size() ? places.front().why_no_gpu : "not every rank has one:" + joined(without);
  for (std::size_t r = 0; r < places.size(); ++r) {
    out.devices.push_back(Device{});
    out.table.push_back(
        row(r, places[r], fmt::format("cpu, {} thread{}", out.threads[r], out.threads[r] == 1 ? "" : "s")));
  }
  return out;
}

Bytes survey(const std::string& requested) {
  kernels::CudaInventory inventory;
  if (requested != "cpu") inventory = kernels::cuda_inventory();
  std::vector<Device> usable;
  std::copy_if(inventory.devices.begin(), inventory.devices.end(), std::back_inserter(usable),
               [](const Device& d) { return d.usable; });
  Writer out;
  out.put(io::this_process().host).put(allowed_processors()).put(processor_quota()).put(wanted_threads());
  out.put(kernels::best_isa()).put(static_cast<std::uint64_t>(usable.size()));
  for (const Device& device : usable) put(out, device);
  out.put(usable.empty() && requested != "cpu" ? why_no_gpu(inventory) : std::string());
  return out.bytes();
}

RankDevices settle_devices(Leader& leader, const std::string& requested, int threads, bool share) {
  const auto answers =
      leader.call(Writer().put(Call::survey).put(requested), [&] { return leader.ranks().gather(survey(requested)); });
  std::vector<RankPlace> places;
  for (const Bytes& answer : answers) places.push_back(get_place(answer));
  const RankDevices found = assign_devices(requested, places, threads, share);
  Writer message;
  message.put(Call::assign);
  for (std::size_t r = 0; r < places.size(); ++r) {
    const Device& device = found.devices[r];
    message.put(device.backend).put(device.index).put(device.name).put(found.threads[r]);
  }
  leader.call(message, [] {});
  std::set<std::string> gpus;
  for (const Device& device : found.devices)
    if (device.backend == Backend::cuda) gpus.insert(device.uuid);
  leader.set_gpu_each(gpus.size() == places.size());
  return found;
}

}  // namespace ergode::sim
