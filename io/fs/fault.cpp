#include "io/fs/fault.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/error.hpp"

namespace ergode::io::fs {
namespace {

struct Hook {
  std::atomic<bool> active{false};
  std::mutex mutex;
  Fault fault;
  std::int64_t seen = 0;
};

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const auto end = text.find(':', begin);
    parts.push_back(text.substr(begin, end == std::string_view::npos ? end : end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

template <class T>
bool parse_number(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

Fault parse(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, Call>, 9> calls{{{"open", Call::open},
                                                                           {"write", Call::write},
                                                                           {"fsync", Call::fsync},
                                                                           {"rename", Call::rename},
                                                                           {"mkdir", Call::mkdir},
                                                                           {"fsync_directory", Call::fsync_directory},
                                                                           {"unlink", Call::unlink},
                                                                           {"link", Call::link},
                                                                           {"any", Call::any}}};
  static constexpr std::array<std::pair<std::string_view, int>, 5> errors{
      {{"kill", 0}, {"ENOSPC", ENOSPC}, {"EDQUOT", EDQUOT}, {"EIO", EIO}, {"EACCES", EACCES}}};
  const auto parts = split(text);
  Fault fault;
  bool good = parts.size() == 3 || (parts.size() == 4 && (parts[3] == "always" || parts[3] == "once"));
  if (good) {
    bool call_known = false;
    for (const auto& [name, call] : calls) {
      if (name != parts[0]) continue;
      fault.call = call;
      call_known = true;
    }
    bool error_known = parse_number(parts[2], fault.error) && fault.error > 0;
    for (const auto& [name, number] : errors) {
      if (name != parts[2]) continue;
      fault.error = number;
      error_known = true;
    }
    good = call_known && error_known && parse_number(parts[1], fault.at) && fault.at > 0;
    fault.always = parts.size() == 4 && parts[3] == "always";
  }
  if (!good)
    throw Error(ExitCode::command_line, "ERGODE_FAULT='" + std::string(text) +
                                            "': expected CALL:K:kill or CALL:K:ERROR[:always], such as write:3:ENOSPC");
  return fault;
}

Hook& hook() {
  static Hook instance;
  return instance;
}

void set(Hook& h, const Fault& fault, bool active) {
  const std::lock_guard lock(h.mutex);
  h.fault = fault;
  h.seen = 0;
  h.active = active;
}

void read_environment_once() {
  static const bool done = [] {
    if (const char* text = std::getenv("ERGODE_FAULT"); text != nullptr && *text != '\0')
      set(hook(), parse(text), true);
    return true;
  }();
  (void)done;
}

}  // namespace

void arm(const Fault& fault) {
  read_environment_once();
  set(hook(), fault, true);
}

void disarm() {
  read_environment_once();
  set(hook(), {}, false);
}

std::int64_t calls_seen() {
  const std::lock_guard lock(hook().mutex);
  return hook().seen;
}

int fault_at(Call call) {
  read_environment_once();
  Hook& h = hook();
  if (!h.active.load(std::memory_order_relaxed)) return 0;
  const std::lock_guard lock(h.mutex);
  if (h.fault.call != Call::any && h.fault.call != call) return 0;
  ++h.seen;
  const bool hit = h.fault.at > 0 && (h.seen == h.fault.at || (h.fault.always && h.seen > h.fault.at));
  if (!hit) return 0;
  return h.fault.error == 0 ? -1 : h.fault.error;
}

void die() {
  ::kill(::getpid(), SIGKILL);
  for (;;) ::pause();  // the signal is on its way
}

}  // namespace ergode::io::fs
