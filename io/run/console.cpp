#include "io/run/console.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace ergode::io {
namespace {

/// False when the device is full. A stream that is closed or broken is no failure: nobody is there to be told.
bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(descriptor, text.data(), text.size());
    if (n > 0) {
      text.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno != EINTR) {
      return errno != ENOSPC;
    }
  }
  return true;
}

std::size_t terminal_width(int descriptor) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

}  // namespace

void Console::out(std::string_view text) {
  const std::lock_guard lock(mutex_);
  const std::string bar = bar_;
  erase_bar();
  if (!write_all(out_, std::string(text) + "\n")) lost_output_ = true;
  if (!bar.empty()) {
    bar_ = bar;
    write_all(out_, bar_);
  }
}

void Console::error(std::string_view text) {
  const std::lock_guard lock(mutex_);
  const std::string bar = bar_;
  erase_bar();
  write_all(error_, std::string(text) + "\n");
  if (!bar.empty()) {
    bar_ = bar;
    write_all(out_, bar_);
  }
}

void Console::bar(std::string_view text) {
  const std::lock_guard lock(mutex_);
  erase_bar();
  bar_ = text.substr(0, terminal_width(out_) - 1);
  write_all(out_, bar_);
}

void Console::clear_bar() {
  const std::lock_guard lock(mutex_);
  erase_bar();
}

void Console::erase_bar() {
  if (bar_.empty()) return;
  bar_.clear();
  write_all(out_, "\r\x1b[K");
}

bool Console::interactive() const {
  const char* term = std::getenv("TERM");
  return ::isatty(out_) == 1 && term != nullptr && *term != 0 && std::strcmp(term, "dumb") != 0;
}

void keep_standard_descriptors() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    const int opened = ::open("/dev/null", descriptor == 0 ? O_RDONLY : O_WRONLY);
    if (opened > 2) ::close(opened);
  }
}

}  // namespace ergode::io
