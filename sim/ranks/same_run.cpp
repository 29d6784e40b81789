#include "sim/ranks/same_run.hpp"

#include <fmt/format.h>

namespace ergode::sim {
namespace {

std::string text_of(const Bytes& wanted) {
  std::string text;
  Reader(wanted).get(text);
  return text;
}

}  // namespace

Bytes wanted_run(const std::filesystem::path& config, const std::vector<std::string>& overrides) {
  // The same name means another file where ranks were started in different folders.
  std::string text = std::filesystem::absolute(config).lexically_normal().string();
  for (const std::string& override : overrides) text += " --set " + override;
  return Writer().put(text).bytes();
}

void check_same_run(const std::vector<Bytes>& wanted) {
  for (std::size_t r = 1; r < wanted.size(); ++r)
    if (wanted[r] != wanted[0])
      throw io::Error(io::ExitCode::command_line,
                      fmt::format("the processes that were started together share one run, but were not given the same "
                                  "one:\n  rank 0: {}\n  rank {}: {}\nfor one run give all of them the same config and "
                                  "options; for several, start each by an mpirun or srun of its own, or write them as "
                                  "a sweep",
                                  text_of(wanted[0]), r, text_of(wanted[r])));
}

}  // namespace ergode::sim
