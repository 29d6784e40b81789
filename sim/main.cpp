#include <unistd.h>

#include <exception>

#include "io/run/console.hpp"
#include "sim/cli/command_line.hpp"

int main(int argc, char** argv) {
  ergode::io::keep_standard_descriptors();
  // An exception that found no one to catch it is a defect of ours, and says so by its exit code.
  std::set_terminate([] {
    static constexpr char text[] = "error: internal error (an exception was not caught), please report it\n";
    static_cast<void>(!::write(2, text, sizeof text - 1));
    ::_exit(70);
  });
  return ergode::sim::command_line(argc, argv, ergode::sim::simulation_types());
}
