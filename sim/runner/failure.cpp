#include "sim/runner/failure.hpp"

#include <filesystem>
#include <new>
#include <stdexcept>
#include <system_error>

#include "kernels/error.hpp"

namespace ergode::sim {
namespace {

io::ExitCode exit_code(kernels::Failure failure) {
  switch (failure) {
    case kernels::Failure::no_device:
      return io::ExitCode::no_device;
    case kernels::Failure::out_of_memory:
      return io::ExitCode::out_of_memory;
    case kernels::Failure::gpu:
      return io::ExitCode::gpu;
  }
  return io::ExitCode::internal;
}

}  // namespace

Failure explain(std::exception_ptr problem) noexcept {
  try {
    std::rethrow_exception(problem);
  } catch (const io::Error& e) {
    return {e.code(), e.what()};
  } catch (const kernels::Error& e) {
    return {exit_code(e.failure()), e.what()};
  } catch (const std::bad_alloc&) {
    return {io::ExitCode::out_of_memory,
            "out of host memory: `ergode validate CONFIG` says how much the run needs; use fewer bodies, or "
            "paths of early exercise, or another machine"};
  } catch (const std::length_error&) {
    return {io::ExitCode::out_of_memory,
            "more memory than can be addressed: `ergode validate CONFIG` says how much the run needs"};
  } catch (const std::filesystem::filesystem_error& e) {
    return {io::ExitCode::io, e.what()};
  } catch (const std::system_error& e) {
    if (e.code() == std::errc::resource_unavailable_try_again)
      return {io::ExitCode::out_of_memory,
              std::string("no further thread can be started (ulimit -u, -v): ") + e.what()};
    return {io::ExitCode::io, e.what()};
  } catch (const std::exception& e) {
    return {io::ExitCode::internal, std::string("internal error, please report it with run.log: ") + e.what()};
  } catch (...) {
    return {io::ExitCode::internal, "internal error of unknown kind, please report it with run.log"};
  }
}

}  // namespace ergode::sim
