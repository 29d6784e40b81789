#pragma once

#include <exception>
#include <string>

#include "io/error.hpp"

namespace ergode::sim {

/// What an exception means for the process and the person.
struct Failure {
  io::ExitCode code = io::ExitCode::internal;
  std::string message;
};

/// The one place where exceptions get their exit class: io::Error and kernels::Error carry it, std::bad_alloc is memory
/// (6), anything else is a defect of ours (70).
Failure explain(std::exception_ptr problem) noexcept;

}  // namespace ergode::sim
