#include <dlfcn.h>
#include <nccl.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "kernels/device/cuda_check.cuh"
#include "kernels/device/device_sum.hpp"

namespace ergode::kernels {
namespace {

/// NCCL, looked for when it is first wanted: it is large, and a node without it can run all else.
struct Nccl {
  decltype(&ncclGetVersion) get_version = nullptr;
  decltype(&ncclGetUniqueId) get_unique_id = nullptr;
  decltype(&ncclCommInitRankConfig) init = nullptr;
  decltype(&ncclCommGetAsyncError) async_error = nullptr;
  decltype(&ncclCommAbort) abort = nullptr;
  decltype(&ncclAllReduce) all_reduce = nullptr;
  decltype(&ncclGetErrorString) error_string = nullptr;
  int version = 0;  ///< 0: it is not there, or older than what is used here
};

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

Nccl load() {
  Nccl n;
  void* library = ::dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) library = ::dlopen(ERGODE_NCCL_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return n;
  const bool all = find(library, "ncclGetVersion", n.get_version) &&
                   find(library, "ncclGetUniqueId", n.get_unique_id) &&
                   find(library, "ncclCommInitRankConfig", n.init) &&
                   find(library, "ncclCommGetAsyncError", n.async_error) && find(library, "ncclCommAbort", n.abort) &&
                   find(library, "ncclAllReduce", n.all_reduce) && find(library, "ncclGetErrorString", n.error_string);
  if (!all || n.get_version(&n.version) != ncclSuccess) n.version = 0;
  return n;
}

const Nccl& nccl() {
  static const Nccl library = load();
  return library;
}

void nccl_check(ncclResult_t result, const char* what) {
  if (result == ncclSuccess || result == ncclInProgress) return;
  cuda_lost() = true;
  throw Error(Failure::gpu, std::string(what) + ": " + nccl().error_string(result) +
                                " (the environment's NCCL_DEBUG=INFO says more)");
}

class NcclSum final : public DeviceSum {
 public:
  NcclSum(const ncclUniqueId& meeting, int part, int parts, const std::function<void()>& watch) {
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    nccl_check(nccl().init(&communicator_, parts, meeting, part, &config), "ncclCommInitRank");
    try {
      wait("ncclCommInitRank", watch);
    } catch (...) {
      nccl().abort(communicator_);
      throw;
    }
  }
  /// Without a word to the others, of whom some may be gone.
  ~NcclSum() override { nccl().abort(communicator_); }

  void add_up(std::int64_t* device_values, std::int64_t count) override {
    nccl_check(nccl().all_reduce(device_values, device_values, static_cast<std::size_t>(count), ncclInt64, ncclSum,
                                 communicator_, nullptr),
               "ncclAllReduce");
    wait("ncclAllReduce", [] {});  // until it is in the stream
  }

  void check() override { state("ncclAllReduce"); }

 private:
  ncclResult_t state(const char* what) {
    ncclResult_t now = ncclSuccess;
    nccl_check(nccl().async_error(communicator_, &now), what);
    nccl_check(now, what);
    return now;
  }
  void wait(const char* what, const std::function<void()>& watch) {
    while (state(what) == ncclInProgress) {
      watch();
      std::this_thread::yield();
    }
  }

  ncclComm_t communicator_ = nullptr;
};

}  // namespace

std::string device_sum_library() {
  const int v = nccl().version;
  if (v == 0) return {};
  return "NCCL " + std::to_string(v / 10000) + "." + std::to_string(v / 100 % 100) + "." + std::to_string(v % 100);
}

std::string device_sum_meeting() {
  ncclUniqueId id;
  nccl_check(nccl().get_unique_id(&id), "ncclGetUniqueId");
  return {id.internal, sizeof id.internal};
}

std::unique_ptr<DeviceSum> join_device_sum(const std::string& meeting, int part, int parts,
                                           const std::function<void()>& watch) {
  ncclUniqueId id{};
  std::memcpy(id.internal, meeting.data(), std::min(meeting.size(), sizeof id.internal));
  return std::make_unique<NcclSum>(id, part, parts, watch);
}

}  // namespace ergode::kernels
