#pragma once

#include <mutex>
#include <string>
#include <string_view>

namespace ergode::io {

/// What the person sees: lines on stdout, warnings and errors on stderr, and at most one line that is redrawn in place.
/// A stream that is closed, full or a broken pipe is given up quietly: no output can end a run.
class Console {
 public:
  Console(int out_descriptor = 1, int error_descriptor = 2) : out_(out_descriptor), error_(error_descriptor) {}
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;
  ~Console() { clear_bar(); }

  void out(std::string_view text);    ///< a line; the newline is added
  void error(std::string_view text);  ///< a line on stderr
  void bar(std::string_view text);    ///< redraws the line at the bottom; cut to the terminal's width
  void clear_bar();

  /// A bar can be drawn: stdout is a terminal that understands it (TERM set and not "dumb").
  bool interactive() const;
  /// A line was lost because what stdout leads to is full.
  bool lost_output() const { return lost_output_; }

 private:
  void erase_bar();
  std::mutex mutex_;
  int out_;
  int error_;
  std::string bar_;
  bool lost_output_ = false;
};

/// Descriptors 0 to 2 that the caller closed are opened on /dev/null: a data file must never get the number of stdout,
/// or what is printed would be written into it. To be called first in main().
void keep_standard_descriptors();

}  // namespace ergode::io
