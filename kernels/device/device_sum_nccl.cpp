#include <nccl.h>

#include <cstring>

#include "kernels/device/cuda_check.cuh"
#include "kernels/device/device_sum.hpp"

namespace ergode::kernels {
namespace {

void nccl_check(ncclResult_t result, const char* what) {
  if (result == ncclSuccess) return;
  cuda_lost() = true;
  throw Error(Failure::gpu, std::string(what) + ": " + ncclGetErrorString(result) + " (" + ncclGetLastError(nullptr) +
                                "); NCCL_DEBUG=INFO says more");
}

class NcclSum final : public DeviceSum {
 public:
  NcclSum(const ncclUniqueId& meeting, int part, int parts) {
    nccl_check(ncclCommInitRank(&communicator_, parts, meeting, part), "ncclCommInitRank");
  }
  /// Without a word to the others, of whom some may be gone.
  ~NcclSum() override { ncclCommAbort(communicator_); }

  void add_up(std::int64_t* device_values, std::int64_t count) override {
    nccl_check(ncclAllReduce(device_values, device_values, static_cast<std::size_t>(count), ncclInt64, ncclSum,
                             communicator_, nullptr),
               "ncclAllReduce");
  }

 private:
  ncclComm_t communicator_ = nullptr;
};

}  // namespace

std::string device_sum_library() {
  int version = 0;
  nccl_check(ncclGetVersion(&version), "ncclGetVersion");
  return "NCCL " + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

std::string device_sum_meeting() {
  ncclUniqueId id;
  nccl_check(ncclGetUniqueId(&id), "ncclGetUniqueId");
  return {id.internal, sizeof id.internal};
}

std::unique_ptr<DeviceSum> join_device_sum(const std::string& meeting, int part, int parts) {
  ncclUniqueId id{};
  std::memcpy(id.internal, meeting.data(), std::min(meeting.size(), sizeof id.internal));
  return std::make_unique<NcclSum>(id, part, parts);
}

}  // namespace ergode::kernels
