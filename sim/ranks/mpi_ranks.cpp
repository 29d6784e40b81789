#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <fmt/format.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <thread>

#include "kernels/device/profile.hpp"
#include "sim/ranks/ranks.hpp"
#include "sim/ranks/same_run.hpp"

namespace ergode::sim {
namespace {

using std::chrono::steady_clock;

constexpr int data_tag = 1, failure_tag = 2, build_tag = 3;

/// What a rank says first, and the answer of rank 0. This alone must stay as it is, so that every build understands it.
using BuildText = std::array<char, 256>;
enum class BuildAnswer : std::int32_t { welcome, refused };

/// MPI counts in int.
constexpr std::int64_t most_bytes = std::int64_t{1} << 30;

/// What follows counts looks, a millisecond apart, and not the time: a process that was suspended has not waited.
/// A failed rank waits for rank 0 to hear of it, and then for rank 0 to end everything.
constexpr int patience = 4'000, end_patience = 60'000;

/// Ranks wait for the first word of the others: MPI has started all of them by then.
constexpr int build_patience = 30'000;

/// Signals concern the thread that waits for them: not those that MPI starts.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

class MpiRanks final : public Ranks {
 public:
  explicit MpiRanks(std::string build) : build_(std::move(build)) {
    const SignalsBlocked blocked;
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  ~MpiRanks() override { MPI_Finalize(); }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  /// Whether this rank is welcome. Rank 0 throws where the ranks are not of one build. One that is so different that it
  /// says nothing ends all of them.
  bool meet() {
    if (rank_ != 0) return introduce();
    const auto others = static_cast<std::size_t>(size_) - 1;
    std::vector<BuildText> said(others);
    std::vector<MPI_Request> requests(others);
    for (int r = 1; r < size_; ++r)
      MPI_Irecv(said[static_cast<std::size_t>(r) - 1].data(), sizeof(BuildText), MPI_CHAR, r, build_tag, MPI_COMM_WORLD,
                &requests[static_cast<std::size_t>(r) - 1]);
    wait_for_words(requests, "not all of the other ranks say");
    std::vector<std::string> builds{build_};
    for (const BuildText& text : said) builds.emplace_back(text.data());
    const bool same = std::all_of(builds.begin(), builds.end(), [&](const auto& b) { return b == builds[0]; });
    const auto answer = same ? BuildAnswer::welcome : BuildAnswer::refused;
    for (int r = 1; r < size_; ++r) MPI_Send(&answer, sizeof answer, MPI_BYTE, r, build_tag, MPI_COMM_WORLD);
    check_same_build(builds);
    return true;
  }

  void broadcast(Bytes& bytes) override {
    auto size = static_cast<std::int64_t>(bytes.size());
    MPI_Request request;
    MPI_Ibcast(&size, 1, MPI_INT64_T, 0, MPI_COMM_WORLD, &request);
    wait(request, /*idle=*/rank_ != 0);
    bytes.resize(static_cast<std::size_t>(size));
    for (std::int64_t at = 0; at < size; at += most_bytes) {
      MPI_Ibcast(bytes.data() + at, static_cast<int>(std::min(most_bytes, size - at)), MPI_BYTE, 0, MPI_COMM_WORLD,
                 &request);
      wait(request);
    }
  }

  std::vector<Bytes> gather(const Bytes& mine) override {
    const auto size = static_cast<std::int64_t>(mine.size());
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(size_));
    MPI_Request request;
    MPI_Igather(&size, 1, MPI_INT64_T, sizes.data(), 1, MPI_INT64_T, 0, MPI_COMM_WORLD, &request);
    wait(request);
    if (rank_ != 0) {
      transfer(const_cast<std::byte*>(mine.data()), size, 0, start_send);
      return {};
    }
    std::vector<Bytes> all(sizes.size());
    all[0] = mine;
    for (int r = 1; r < size_; ++r) {
      Bytes& piece = all[static_cast<std::size_t>(r)];
      piece.resize(static_cast<std::size_t>(sizes[static_cast<std::size_t>(r)]));
      transfer(piece.data(), std::ssize(piece), r, start_receive);
    }
    return all;
  }

  void all_gather(double* values, std::span<const std::int64_t> bounds) override {
    const std::vector<int> places = int_bounds(bounds);
    std::vector<int> counts;
    for (std::size_t r = 0; r + 1 < places.size(); ++r) counts.push_back(places[r + 1] - places[r]);
    MPI_Request request;
    MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DOUBLE, values, counts.data(), places.data(), MPI_DOUBLE, MPI_COMM_WORLD,
                    &request);
    wait(request);
  }

  void add_up(std::int64_t* values, std::int64_t count) override {
    constexpr std::int64_t most = most_bytes / sizeof(std::int64_t);
    for (std::int64_t at = 0; at < count; at += most) {
      MPI_Request request;
      MPI_Iallreduce(MPI_IN_PLACE, values + at, static_cast<int>(std::min(most, count - at)), MPI_INT64_T, MPI_SUM,
                     MPI_COMM_WORLD, &request);
      wait(request);
    }
  }

  void watch() override {
    if (rank_ == 0) look_for_failure();
  }

  void fail(const Failure& failure) override {
    const Bytes bytes = Writer().put(failure.code).put(fmt::format("{}: {}", name(), failure.message)).bytes();
    // Synchronous: complete when rank 0 has it.
    MPI_Request request;
    MPI_Issend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, 0, failure_tag, MPI_COMM_WORLD, &request);
    int heard = 0;
    for (int looks = 0; looks < (heard != 0 ? end_patience : patience); ++looks) {
      if (heard == 0) MPI_Test(&request, &heard, MPI_STATUS_IGNORE);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    const std::string said = fmt::format("error: {}: {}\n", name(), failure.message);
    static_cast<void>(!::write(2, said.data(), said.size()));
    abort(failure.code);
  }

  void abort(io::ExitCode code) override { end_all(code); }

 private:
  [[noreturn]] static void end_all(io::ExitCode code) {
    wait_until_read(2);
    MPI_Abort(MPI_COMM_WORLD, static_cast<int>(code));
    ::_exit(static_cast<int>(code));
  }

  /// A pipe brings the launcher what was said, another way the news of an abort: if that came first, what was said
  /// would be shown after it, or never. The launcher has the time to empty the pipe, and a moment to pass it on.
  static void wait_until_read(int pipe) {
    int unread = 0;
    for (int looks = 0; looks < patience && ::ioctl(pipe, FIONREAD, &unread) == 0 && unread > 0; ++looks)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }

  bool introduce() const {
    BuildText mine{};
    build_.copy(mine.data(), mine.size() - 1);
    auto answer = BuildAnswer::welcome;
    std::vector<MPI_Request> requests(2);
    MPI_Isend(mine.data(), sizeof mine, MPI_CHAR, 0, build_tag, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&answer, sizeof answer, MPI_BYTE, 0, build_tag, MPI_COMM_WORLD, &requests[1]);
    wait_for_words(requests, "rank 0 does not say");
    return answer == BuildAnswer::welcome;
  }

  void wait_for_words(std::vector<MPI_Request>& requests, const char* silent) const {
    for (int looks = 0;; ++looks, std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
      int done = 0;
      MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
      if (done != 0) return;
      if (looks < build_patience) continue;
      const std::string said =
          fmt::format("error: {}: ergode {}; {} of which build it is: start the same program on all nodes\n", name(),
                      build_, silent);
      static_cast<void>(!::write(2, said.data(), said.size()));
      end_all(io::ExitCode::command_line);
    }
  }

  static int start_send(std::byte* data, int count, int peer, MPI_Request* request) {
    return MPI_Isend(data, count, MPI_BYTE, peer, data_tag, MPI_COMM_WORLD, request);
  }
  static int start_receive(std::byte* data, int count, int peer, MPI_Request* request) {
    return MPI_Irecv(data, count, MPI_BYTE, peer, data_tag, MPI_COMM_WORLD, request);
  }

  template <class Start>
  void transfer(std::byte* data, std::int64_t size, int peer, const Start& start) {
    for (std::int64_t at = 0; at < size; at += most_bytes) {
      MPI_Request request;
      start(data + at, static_cast<int>(std::min(most_bytes, size - at)), peer, &request);
      wait(request);
    }
  }

  /// No call waits inside MPI: it would neither see that another rank failed nor leave the processor to others.
  void wait(MPI_Request& request, bool idle = false) {
    const kernels::Scope scope(kernels::Phase::waiting, "for other ranks");
    const auto start = steady_clock::now();
    for (;;) {
      int done = 0;
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done != 0) return;
      watch();
      if (idle && steady_clock::now() - start > std::chrono::milliseconds(1))
        std::this_thread::sleep_for(std::chrono::microseconds(100));
      else
        ::sched_yield();
    }
  }

  void look_for_failure() {
    int there = 0, count = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, failure_tag, MPI_COMM_WORLD, &there, &status);
    if (there == 0) return;
    MPI_Get_count(&status, MPI_BYTE, &count);
    Bytes bytes(static_cast<std::size_t>(count));
    MPI_Recv(bytes.data(), count, MPI_BYTE, status.MPI_SOURCE, failure_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    Reader reader(bytes);
    const auto code = reader.get<io::ExitCode>();
    std::string message;
    reader.get(message);
    throw io::Error(code, message);
  }

  std::string name() const {
    char host[MPI_MAX_PROCESSOR_NAME] = {};
    int length = 0;
    MPI_Get_processor_name(host, &length);
    return fmt::format("rank {} on {}", rank_, host);
  }

  std::string build_;
  int rank_ = 0, size_ = 1;
};

}  // namespace

std::string mpi_version() {
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(version, &length);
  const std::string text(version);
  return text.substr(0, text.find_first_of(",\n"));
}

std::unique_ptr<Ranks> connect_ranks(const Launch& launch, const std::string& build) {
  auto ranks = std::make_unique<MpiRanks>(build);
  if (ranks->size() == launch.size) return ranks->meet() ? std::move(ranks) : nullptr;
  throw io::Error(
      io::ExitCode::command_line,
      fmt::format("started {} times together ({}={}), but MPI sees {} of them: the launcher is of another MPI "
                  "than this binary was built with ({}); use the mpirun of that one, or srun with the "
                  "`--mpi` that it needs",
                  launch.size, launch.source, launch.size, ranks->size(), mpi_version()));
}

}  // namespace ergode::sim
