#include "sim/ranks/same_run.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "io/run/build_info.hpp"

namespace ergode::sim {
namespace {

std::string text_of(const Bytes& wanted) {
  std::string text;
  Reader(wanted).get(text);
  return text;
}

}  // namespace

Bytes wanted_run(const RunOptions& options) {
  // The same name means another file where ranks were started in different folders.
  std::string text = std::filesystem::absolute(options.config).lexically_normal().string();
  for (const std::string& override : options.overrides) text += " --set " + override;
  if (options.isa != "auto") text += " --isa " + options.isa;
  if (options.resume) text += " --resume";
  if (options.exists != Exists::fail)
    text += options.exists == Exists::backup ? " --exists backup" : " --exists overwrite";
  if (options.max_walltime) text += fmt::format(" --max-walltime {}", *options.max_walltime);
  if (options.share_devices) text += " --share-devices";
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

std::string build_name() {
  const io::BuildInfo build = io::build_info();
  return fmt::format("{} (commit {})", build.version, build.commit);
}

void check_same_build(const std::vector<std::string>& builds) {
  for (std::size_t r = 1; r < builds.size(); ++r)
    if (builds[r] != builds[0])
      throw io::Error(io::ExitCode::command_line,
                      fmt::format("the processes that were started together are different builds of this program:\n"
                                  "  rank 0: ergode {}\n  rank {}: ergode {}\nstart the same program on all nodes",
                                  builds[0], r, builds[r]));
}

}  // namespace ergode::sim
