#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

namespace fs = std::filesystem;

namespace {

std::string output_of(const std::string& command) {
  std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  std::array<char, 4096> buffer;
  for (std::size_t n; pipe && (n = fread(buffer.data(), 1, buffer.size(), pipe.get())) > 0;)
    text.append(buffer.data(), n);
  return text;
}

}  // namespace

// The linker keeps one copy of a weak symbol, whichever object it comes from: a caller for any processor could be
// handed AVX-512 code. So the objects of one instruction set may define none, but for DW.ref.*, a pointer to the C++
// runtime.
TEST_CASE("Objects built for one instruction set define no weak symbols") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  SKIP("sanitizers add weak symbols of their own");
#endif
  if (output_of("nm --version 2>/dev/null").empty()) SKIP("no nm on this machine");
  const fs::path objects = fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "CMakeFiles";
  int seen = 0;
  for (const char* isa : {"baseline", "avx2", "avx512"}) {
    const fs::path folder = objects / (std::string("ergode_kernels_") + isa + ".dir");
    REQUIRE(fs::is_directory(folder));
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.path().extension() != ".o") continue;
      ++seen;
      const std::string weak =
          output_of("nm -C --defined-only '" + entry.path().string() + "' | grep ' [WVu] ' | grep -v ' DW.ref.'");
      CAPTURE(entry.path().string(), weak);
      CHECK(weak.empty());
      CHECK(output_of("nm -C --defined-only '" + entry.path().string() + "'").find(isa) != std::string::npos);
    }
  }
  CHECK(seen >= 3);
}
