#include "io/run/log.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/basic_file_sink.h>

#include "io/error.hpp"

namespace ergode::io {

struct Log::File {
  spdlog::logger logger;
  explicit File(const std::filesystem::path& path)
      : logger("run", std::make_shared<spdlog::sinks::basic_file_sink_mt>(path.string(), /*truncate=*/false)) {
    logger.set_level(spdlog::level::debug);
    logger.set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %-7l %v");
    logger.flush_on(spdlog::level::debug);  // a killed run must leave its last line
    logger.set_error_handler([](const std::string&) {});
  }
};

Log::Log(Console& console, Verbosity verbosity) : console_(console), verbosity_(verbosity) {}
Log::~Log() = default;

void Log::open(const std::filesystem::path& path) {
  const auto status = std::filesystem::symlink_status(path);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw Error(ExitCode::io, path.string() + ": is no regular file, so the log cannot be written to it; remove it");
  try {
    file_ = std::make_unique<File>(path);
  } catch (const spdlog::spdlog_ex& e) {
    throw Error(ExitCode::io, path.string() + ": the log cannot be opened: " + e.what());
  }
  for (const Line& line : early_) record(line.level, line.text);
  early_.clear();
}

void Log::close() {
  file_.reset();
}

void Log::record(int level, std::string_view line) {
  if (!file_) {
    early_.push_back({level, std::string(line)});
    return;
  }
  file_->logger.log(static_cast<spdlog::level::level_enum>(level), spdlog::string_view_t(line.data(), line.size()));
}

void Log::detail(std::string_view line) {
  if (verbosity_ == Verbosity::verbose) console_.out(line);
  record(spdlog::level::debug, line);
}
void Log::info(std::string_view line) {
  if (verbosity_ != Verbosity::quiet) console_.out(line);
  record(spdlog::level::info, line);
}
void Log::result(std::string_view line) {
  console_.out(line);
  record(spdlog::level::info, line);
}
void Log::warning(std::string_view line) {
  console_.error("warning: " + who_ + std::string(line));
  record(spdlog::level::warn, line);
}
void Log::error(std::string_view line) {
  console_.error("error: " + who_ + std::string(line));
  record(spdlog::level::err, line);
}
void Log::file_only(std::string_view line) {
  record(spdlog::level::info, line);
}

}  // namespace ergode::io
