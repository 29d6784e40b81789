#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/ranks/launch.hpp"
#include "sim/ranks/message.hpp"
#include "sim/runner/failure.hpp"

namespace ergode::sim {

/// The processes that share a run. All make the same calls in the same order, from their main thread. Rank 0 throws
/// io::Error from any of them when another rank has reported that it failed; the calls can then not be gone on with.
class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Rank 0's bytes, to all. The others wait without using a processor.
  virtual void broadcast(Bytes& bytes) = 0;
  /// Each rank's bytes to rank 0, in the order of the ranks; nothing elsewhere.
  virtual std::vector<Bytes> gather(const Bytes& mine) = 0;
  /// Of `values`, rank r has [bounds[r], bounds[r + 1]); after the call each has all.
  virtual void all_gather(double* values, std::span<const std::int64_t> bounds) = 0;

  /// values[i] becomes the sum over all ranks, in each.
  virtual void add_up(std::int64_t* values, std::int64_t count) = 0;
  /// Of rank 0: throws when another rank has reported that it failed. Elsewhere nothing.
  virtual void watch() = 0;

  /// Of a rank other than 0: tells rank 0 what went wrong, which ends all processes, this one here. Where rank 0 does
  /// not hear it within seconds, it is said on stderr and all are ended here.
  virtual void fail(const Failure& failure) = 0;
  /// Ends all ranks at once, with `code` as the launcher's exit status where it lets that through.
  virtual void abort(io::ExitCode code) = 0;
};

/// The MPI by which ranks meet, "Open MPI v4.1.4"; empty in a binary without one.
std::string mpi_version();

/// Meets the other processes of the launch; at the end of the object all part. Throws io::Error(command_line) with what
/// to do where that cannot be. Where `build`, this one's, is not that of all, rank 0 throws, and null is what the
/// others get: they end without an error, for which a launcher would kill rank 0 before it has said what is wrong.
std::unique_ptr<Ranks> connect_ranks(const Launch& launch, const std::string& build);

}  // namespace ergode::sim
