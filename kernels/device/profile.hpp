#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace ergode::kernels {

/// What the time of a run goes to.
enum class Phase {
  kernels,  ///< computing: loops on the CPU; on a GPU launches, and waiting for them
  copies,   ///< between host and device
  files,    ///< reading and writing
  waiting,  ///< for other ranks, for the driver to open a device
  host,     ///< all else
};
std::string_view name(Phase phase);

/// Where the time of one thread goes, from when the profile is made, in that thread, to stop(). At any moment it is in
/// one scope, the innermost, so that the seconds of all add up to the wall time. Beside it the time of kernels by a
/// device's own clock. Profiling changes neither the order nor the result of anything.
class Profile {
 public:
  struct Total {
    std::int64_t calls = 0;
    double seconds = 0;     ///< without scopes inside
    double amount = 0;      ///< of work done
    std::string_view unit;  ///< of the amount: "B", "interactions"; empty: not known
  };
  using Key = std::pair<Phase, std::string_view>;

  /// The begin or end of a scope, for a trace.
  struct Event {
    std::string_view name;
    Phase phase;
    double at;  ///< seconds from the start
    bool begin;
  };
  /// Beyond so many a track, scopes are counted and not traced, so that a profile's memory has a bound.
  static constexpr std::size_t most_events = std::size_t{1} << 17;

  explicit Profile(std::chrono::steady_clock::time_point start);
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;
  ~Profile();

  /// That of this thread, null: none is made.
  static Profile* current() { return current_; }

  double now() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

  /// `name` lives as long as the profile, as a literal does.
  void enter(Phase phase, const char* name);
  void leave(double amount, std::string_view unit);
  /// A kernel, or several, that ran on the device from `begin` to `end`. To be called in the order of time, without
  /// overlap.
  void ran_on_device(const char* name, double begin, double end, double amount, std::string_view unit);
  /// The end of what is profiled: all scopes but the outermost are left.
  void stop();

  double wall_seconds() const { return stopped_; }
  const std::map<Key, Total>& totals() const { return totals_; }
  const std::map<std::string_view, Total>& device_totals() const { return device_totals_; }
  const std::vector<Event>& events() const { return events_; }
  const std::vector<Event>& device_events() const { return device_events_; }
  std::int64_t untraced() const { return untraced_; }

 private:
  struct Open {
    Key key;
    bool traced;
  };
  void charge(double now);

  static thread_local Profile* current_;
  std::chrono::steady_clock::time_point start_;
  double charged_ = 0;  ///< up to when time has been charged to scopes
  double stopped_ = 0;
  std::vector<Open> open_;
  std::map<Key, Total> totals_;
  std::map<std::string_view, Total> device_totals_;
  std::vector<Event> events_, device_events_;
  std::int64_t untraced_ = 0;
};

/// A part of the program whose time counts for `phase`. Without a profile it costs a comparison.
class Scope {
 public:
  Scope(Phase phase, const char* name) : profile_(Profile::current()) {
    if (profile_ != nullptr) profile_->enter(phase, name);
  }
  Scope(Phase phase, const char* name, double bytes) : Scope(phase, name) { did(bytes, "B"); }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  ~Scope() {
    if (profile_ != nullptr) profile_->leave(amount_, unit_);
  }

  /// What the scope's work was, for a rate.
  void did(double amount, std::string_view unit) {
    amount_ = amount;
    unit_ = unit;
  }

 private:
  Profile* profile_;
  double amount_ = 0;
  std::string_view unit_;
};

}  // namespace ergode::kernels
