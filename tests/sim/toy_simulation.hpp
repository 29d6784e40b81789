#pragma once

// The smallest simulation that has everything: it walks a chain of random numbers that depends on the seed and on the
// state, writes a row every few units and a result at the end. It serves as the example of a plug-in (one folder, one
// line of registration) and as the subject of the tests of what every simulation gets from the runner.

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>

#include "io/config/config.hpp"
#include "io/series.hpp"
#include "kernels/error.hpp"
#include "sim/runner/simulation.hpp"

namespace ergode::toy {

struct Config final : sim::SimulationConfig {
  std::int64_t units = 100;
  std::int64_t interval = 10;
  std::int64_t microseconds = 0;  ///< that a unit takes
  std::int64_t padding = 0;       ///< bytes that make a checkpoint larger
  std::int64_t failure_at = -1;
  std::string input;             ///< a file whose size is added to the sum, read at every start
  std::string failure = "none";  ///< nan, gpu, gpu_memory, memory, bug, unknown, hang; input: at the start

  void declare(io::Section& root) override {
    root.key("units", units, "units of work to do").at_least(0).may_change_on_resume();
    root.key("interval", interval, "units between two rows").at_least(1);
    root.key("microseconds", microseconds, "time that a unit takes").at_least(0).may_change_on_resume();
    root.key("padding", padding, "bytes that make a checkpoint larger").at_least(0);
    root.key("failure_at", failure_at, "unit at which it fails; -1: never").at_least(-1).may_change_on_resume();
    root.key("input", input, "a file whose size is added to the sum");
    root.key("failure", failure, "how it fails").may_change_on_resume();
  }
  sim::Estimate estimate(const kernels::Device&) const override {
    return {.host_bytes = 64 + padding,
            .device_bytes = 0,
            .disk_bytes = 1024,
            .work = static_cast<double>(units),
            .work_unit = "links",
            .largest_arrays = {{"padding", padding}}};
  }
  std::unique_ptr<sim::Simulation> make(const sim::RunContext& context) const override;
  std::vector<sim::InputFile> input_files() const override {
    return input.empty() ? std::vector<sim::InputFile>() : std::vector<sim::InputFile>{{input}};
  }
};

class Toy final : public sim::Simulation {
 public:
  Toy(const Config& config, const sim::RunContext& context)
      : config_(config), context_(context), output_(sim::output_of(context)) {
    if (!config.input.empty()) input_ = static_cast<double>(std::filesystem::file_size(config.input));
  }

  void initialise() override {
    link_ = context_.seed;
    series_ = output_->series("series.h5", layout(), 0);
    if (config_.failure == "input") throw io::Error(io::ExitCode::input_file, "bodies.csv: row 3: not a number");
  }
  void restore(const io::State& state) override {
    unit_ = std::get<std::int64_t>(state.attributes.at("unit"));
    next_ = std::get<std::int64_t>(state.attributes.at("next_observation"));
    link_ = state.arrays.at("link").as<std::uint64_t>()[0];
    sum_ = state.arrays.at("sum").as<double>()[0];
    rows_ = std::get<std::int64_t>(state.attributes.at("rows"));
    series_ = output_->series("series.h5", layout(), rows_);
  }
  io::State save() override {
    io::State state;
    state.attributes["unit"] = unit_;
    state.attributes["next_observation"] = next_;
    state.attributes["rows"] = rows_;
    state.arrays["link"] = io::Array::from<std::uint64_t>(&link_, {1});
    state.arrays["sum"] = io::Array::from<double>(&sum_, {1});
    state.arrays["padding"] = io::Array::from(std::vector<std::uint8_t>(static_cast<std::size_t>(config_.padding), 7));
    if (series_) series_->flush();  // the rows that this state counts must be there when it is resumed
    return state;
  }
  sim::Progress progress() const override { return {unit_, config_.units, "link", ""}; }
  bool done() const override { return unit_ >= config_.units; }
  /// The end is observed too; it is not part of the state, as a resume may move it.
  std::int64_t next_observation() const override { return std::min(next_, std::max(config_.units, unit_)); }
  void observe() override {
    series_->append({static_cast<double>(unit_), static_cast<double>(link_ >> 11), sum_});
    ++rows_;
    next_ = unit_ / config_.interval * config_.interval + config_.interval;
  }
  void advance(std::int64_t units) override {
    for (std::int64_t i = 0; i < units; ++i) {
      if (unit_ == config_.failure_at) fail();
      link_ = mix(link_ + static_cast<std::uint64_t>(unit_));
      sum_ += static_cast<double>(link_ >> 11) * 0x1p-53;
      ++unit_;
    }
    if (config_.microseconds > 0) std::this_thread::sleep_for(std::chrono::microseconds(config_.microseconds * units));
  }
  void finish() override {
    series_->seal();
    io::FileContent content;
    const double sum = sum_ + input_;
    content.datasets["/sum"].data = io::Array::from<double>(&sum, {});
    content.groups["/provenance"] = context_.provenance;
    output_->write("results.h5", std::move(content));
  }
  void suspend() override { series_.reset(); }
  sim::Summary summary() const override { return {{"mean", unit_ > 0 ? sum_ / static_cast<double>(unit_) : 0.5, "1"}}; }

 private:
  /// SplitMix64 (Steele, Lea and Flood 2014), one step.
  static std::uint64_t mix(std::uint64_t z) {
    z += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  io::SeriesLayout layout() const {
    io::SeriesLayout layout;
    layout.scale = {"time", io::Type::float64, "", "1", "units of work"};
    layout.columns = {{"link", io::Type::float64, "", "1", "top bits of the chain"},
                      {"sum", io::Type::float64, "", "1", "sum of the links"}};
    layout.provenance = context_.provenance;
    return layout;
  }
  [[noreturn]] void fail() const {
    const std::string at = " at unit " + std::to_string(unit_);
    if (config_.failure == "nan") throw io::Error(io::ExitCode::numerical, "not a number" + at);
    if (config_.failure == "gpu") throw kernels::Error(kernels::Failure::gpu, "kernel links failed" + at);
    if (config_.failure == "gpu_memory")
      throw kernels::Error(kernels::Failure::out_of_memory, "device memory: too small" + at);
    if (config_.failure == "memory") throw std::bad_alloc();
    if (config_.failure == "unknown") throw 7;
    while (config_.failure == "hang") std::this_thread::sleep_for(std::chrono::hours(1));
    throw std::logic_error("a defect" + at);
  }

  Config config_;
  sim::RunContext context_;
  std::shared_ptr<io::RunOutput> output_;
  std::unique_ptr<io::Series> series_;
  std::int64_t unit_ = 0;
  std::int64_t next_ = 0;
  std::int64_t rows_ = 0;
  std::uint64_t link_ = 0;
  double sum_ = 0, input_ = 0;
};

inline std::unique_ptr<sim::Simulation> Config::make(const sim::RunContext& context) const {
  return std::make_unique<Toy>(*this, context);
}

inline sim::SimulationType simulation_type() {
  return {"toy",
          "a chain of random numbers",
          "simulation: toy\nname: chain\nseed: 1\nunits: 100\ninterval: 10\n",
          [](std::filesystem::path) { return std::make_unique<Config>(); },
          {"results.h5"},
          {"series.h5"}};
}

}  // namespace ergode::toy
