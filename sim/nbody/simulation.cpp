#include "sim/nbody/simulation.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>

#include "io/series.hpp"
#include "io/state.hpp"
#include "kernels/device/profile.hpp"
#include "kernels/gravity/tiles.hpp"
#include "sim/nbody/error_watch.hpp"
#include "sim/nbody/initial_conditions.hpp"
#include "sim/nbody/integrators.hpp"
#include "sim/nbody/observation.hpp"
#include "sim/nbody/schedule.hpp"
#include "sim/nbody/snapshot.hpp"
#include "sim/nbody/state_io.hpp"
#include "sim/ranks/engines.hpp"

namespace ergode::sim::nbody {
namespace {

using kernels::NbodyState;
using kernels::Phase;
using kernels::Scope;
using kernels::Vec3;

std::string precision_name(kernels::Precision p) {
  return p == kernels::Precision::mixed ? "mixed" : "double";
}

Schedule checked_schedule(const Settings& s) {
  std::vector<Problem> problems;
  const Schedule schedule = make_schedule(s.integrator, s.output, s.diagnostics, problems);
  if (!problems.empty()) throw io::Error(io::ExitCode::config, problems.front().message);
  return schedule;
}

std::string short_text(double x) {
  std::string s = text(x);
  if (s.size() <= 9) return s;
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, x, std::chars_format::general, 3).ptr};
}

class NbodySimulation final : public Simulation {
 public:
  NbodySimulation(const Settings& settings, const RunContext& context, std::filesystem::path folder)
      : settings_(settings),
        context_(context),
        output_(output_of(context)),
        folder_(std::move(folder)),
        units_(unit_system(settings.units)),
        schedule_(checked_schedule(settings)),
        integrator_(integrator(settings.integrator.scheme)),
        plan_(step_plan(integrator_)),
        watch_(settings.diagnostics, context.warning) {}

  void initialise() override {
    {
      const Scope scope(Phase::host, "initial conditions");
      state_ = initial_state(settings_, context_.seed, folder_);
    }
    start();
    fresh_ = false;
    series_.reset();
  }

  void restore(const io::State& in) override {
    state_ = load(in);
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    step_ = io::integer(in, "step", 0, most);
    observed_ = io::integer(in, "observed", -1, step_);
    rows_ = io::integer(in, "rows", 0, most);
    snapshots_ = io::integer(in, "snapshots", 0, most);
    keep_schedule(in);
    start_energies_ = {io::real(in, "start_kinetic_energy"), io::real(in, "start_potential_energy")};
    start_motion_.momentum = {io::real(in, "start_momentum_x"), io::real(in, "start_momentum_y"),
                              io::real(in, "start_momentum_z")};
    energy_error_ = io::real(in, "relative_energy_error");
    largest_energy_error_ = io::real(in, "largest_relative_energy_error");
    momentum_drift_ = io::real(in, "momentum_drift");
    force_ = {io::real(in, "force_error"), io::real(in, "force_error_median"),
              io::real(in, "force_error_percentile_99")};
    start();
    drop_later_snapshots();
    if (rows_ > 0) series_ = output_->series("series.h5", layout(), rows_);
  }

  io::State save() override {
    flush_series();  // the rows that a checkpoint counts are on the disk before it is
    refresh();
    io::State out;
    store(std::move(state_), out);
    forget();
    auto& a = out.attributes;
    a["step"] = step_;
    a["observed"] = observed_;
    a["rows"] = rows_;
    a["snapshots"] = snapshots_;
    a["timestep"] = schedule_.timestep;
    a["steps"] = schedule_.steps;
    a["series_every"] = schedule_.series_every;
    a["force_check_every"] = schedule_.force_check_every;
    a["start_kinetic_energy"] = start_energies_.kinetic;
    a["start_potential_energy"] = start_energies_.potential;
    a["start_momentum_x"] = start_motion_.momentum.x;
    a["start_momentum_y"] = start_motion_.momentum.y;
    a["start_momentum_z"] = start_motion_.momentum.z;
    a["relative_energy_error"] = energy_error_;
    a["largest_relative_energy_error"] = largest_energy_error_;
    a["momentum_drift"] = momentum_drift_;
    a["force_error"] = force_.e2;
    a["force_error_median"] = force_.median;
    a["force_error_percentile_99"] = force_.percentile_99;
    return out;
  }

  Progress progress() const override {
    std::string detail = "t = " + short_text(schedule_.time(step_));
    if (settings_.diagnostics.energy && observed_ >= 0) detail += "  dE/E = " + short_text(energy_error_);
    return {step_, schedule_.steps, "step", detail};
  }

  bool done() const override { return step_ >= schedule_.steps && observed_ >= schedule_.steps; }
  std::int64_t next_observation() const override { return schedule_.next(observed_); }

  void observe() override {
    refresh();
    const auto& d = settings_.diagnostics;
    const bool row = schedule_.row_due(step_), write = schedule_.snapshot_due(step_);
    std::vector<double> potentials;
    if ((row && d.energy) || (write && settings_.output.snapshots.potential)) potentials = engine_->potentials();
    // What is wrong is written before the run stops for it.
    std::optional<std::string> failure;
    if (row) failure = observe_row(potentials);
    if (write) {
      const std::span<const double> shown =
          settings_.output.snapshots.potential ? std::span<const double>(potentials) : std::span<const double>();
      SnapshotInfo info{
          schedule_.time(step_), step_, context_.name, precision_name(precision_), integrator_.description(),
          context_.provenance};
      state_.acceleration = std::vector<Vec3>();  // not shown, and so not held while the file is made
      state_.tile_order = std::vector<std::int64_t>();
      write_snapshot(snapshot(state_, shown, units_, info));
      forget();
      ++snapshots_;
    }
    observed_ = step_;
    if (failure) {
      flush_series();
      throw io::Error(io::ExitCode::numerical, *failure);
    }
  }

  void advance(std::int64_t count) override {
    const auto begin = std::chrono::steady_clock::now();
    fresh_ = false;
    const kernels::BadBody bad = engine_->integrate(plan_, schedule_.timestep, step_, count);
    if (bad.step >= 0) {
      std::string id = "?";
      refresh();
      if (bad.index >= 0 && bad.index < bodies_) id = std::to_string(state_.id[static_cast<std::size_t>(bad.index)]);
      throw io::Error(io::ExitCode::numerical, "step " + std::to_string(bad.step + 1) +
                                                   " (t = " + text(schedule_.time(bad.step + 1)) +
                                                   "): the position or velocity of the particle with id " + id +
                                                   " (index " + std::to_string(bad.index) +
                                                   ") is not finite any more; a smaller timestep or a larger softening "
                                                   "may mend it");
    }
    step_ += count;
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    steps_here_ += count;
  }

  void finish() override {
    const Scope scope(Phase::files, "series");
    if (series_) series_->seal();
    series_.reset();
  }

  void suspend() override {
    flush_series();
    series_.reset();
  }

  Summary summary() const override {
    Summary s;
    s.push_back({"bodies", bodies_, "1"});
    if (sources_ != bodies_) s.push_back({"test_particles", bodies_ - sources_, "1"});
    s.push_back({"steps", step_, "1"});
    s.push_back({"time", schedule_.time(step_), units_.time});
    s.push_back({"integrator", integrator_.description(), ""});
    s.push_back({"precision", precision_name(precision_), ""});
    if (settings_.diagnostics.energy && observed_ >= 0) {
      s.push_back({"relative_energy_error", energy_error_, "1"});
      s.push_back({"largest_relative_energy_error", largest_energy_error_, "1"});
    }
    s.push_back({"momentum_drift", momentum_drift_, "1"});
    s.push_back({"force_error", force_.e2, "1"});
    s.push_back({"force_error_median", force_.median, "1"});
    s.push_back({"force_error_percentile_99", force_.percentile_99, "1"});
    s.push_back({"interactions", interactions(step_), "1"});
    if (seconds_ > 0 && steps_here_ > 0)
      s.push_back({"interaction_rate", interactions(steps_here_) / seconds_, "s-1", true});
    return s;
  }

 private:
  void start() {
    kernels::GravityOptions options;
    options.gravitational_constant = units_.gravitational_constant;
    // So few bodies share one tile, whose origin may be far from close pairs: double costs them nothing.
    if (state_.sources <= kernels::target_tile) precision_ = kernels::Precision::float64;
    options.precision = precision_;
    engine_ = make_gravity_engine(context_, options);
    engine_->upload(state_);
    if (kernels::sums_over_pairs(context_.device.backend, precision_, state_.mass, state_.sources))
      context_.info("forces: each pair of bodies once, added up in fixed point");
    bodies_ = state_.size();
    sources_ = state_.sources;
  }

  // Directed pairs, as the field counts them: every body feels every source.
  double interactions(std::int64_t steps) const {
    return static_cast<double>(sources_) * static_cast<double>(bodies_) * integrator_.stages() *
           static_cast<double>(steps);
  }

  void refresh() {
    if (fresh_) return;
    engine_->download(state_);
    fresh_ = true;
  }

  // Many bodies are held once less while files are made of them.
  void forget() {
    state_ = {};
    fresh_ = false;
  }

  // A resume goes on in the same time step, and with the same rows where their interval is left to us. What only the
  // former end asked for, a row or snapshot off its interval, goes.
  void keep_schedule(const io::State& in) {
    const double timestep = io::real(in, "timestep");
    if (std::fabs(timestep / schedule_.timestep - 1) > 1e-12)
      throw io::Error(io::ExitCode::config, "the checkpoint has a time step of " + text(timestep) + ", the config " +
                                                text(schedule_.timestep) +
                                                ": with another integrator.end_time set integrator.steps to " +
                                                std::to_string(std::llround(settings_.integrator.end_time / timestep)));
    schedule_.timestep = timestep;
    if (!settings_.output.series.interval) {
      schedule_.series_every = io::integer(in, "series_every", 1, schedule_.steps);
      schedule_.force_check_every = io::integer(in, "force_check_every", 1, schedule_.steps);
    }
    if (observed_ != io::integer(in, "steps")) return;
    if (!schedule_.row_due(observed_)) --rows_;
    if (!schedule_.snapshot_due(observed_)) --snapshots_;
  }

  void flush_series() {
    const Scope scope(Phase::files, "series");
    if (series_) series_->flush();
  }

  void append_to_series(const Observation& o) {
    const Scope scope(Phase::files, "series");
    if (!series_) series_ = output_->series("series.h5", layout(), 0);
    series_->append(series_row(settings_.diagnostics, o));
    ++rows_;
  }

  void write_snapshot(io::FileContent content) {
    double bytes = 0;
    for (const auto& [name, dataset] : content.datasets) bytes += static_cast<double>(dataset.data.bytes.size());
    const Scope scope(Phase::files, "snapshots", bytes);
    output_->write(snapshot_name(snapshots_), std::move(content));
  }

  static std::string snapshot_name(std::int64_t number) {
    char name[64];
    std::snprintf(name, sizeof name, "snapshots/snapshot_%04lld.hdf5", static_cast<long long>(number));
    return name;
  }

  io::SeriesLayout layout() const {
    const io::Attributes attributes{{"units", units_.name},
                                    {"gravitational_constant", units_.gravitational_constant},
                                    {"integrator", integrator_.description()},
                                    {"timestep", schedule_.timestep},
                                    {"precision", precision_name(precision_)}};
    return series_layout(settings_.diagnostics, units_, attributes, context_.provenance);
  }

  // Those are the future of the restored point: a run that goes another way there (a later end) must not keep them.
  void drop_later_snapshots() const {
    std::error_code error;
    std::vector<std::filesystem::path> later;
    for (const auto& entry : std::filesystem::directory_iterator(context_.directory / "snapshots", error)) {
      long long number = -1;
      if (std::sscanf(entry.path().filename().c_str(), "snapshot_%lld.hdf5", &number) == 1 && number >= snapshots_)
        later.push_back(entry.path());
    }
    for (const auto& path : later) std::filesystem::remove(path, error);
  }

  // Every run measures its force error at its start and end; `force_check` asks for more, and for columns in the
  // series.
  bool force_check_due() const {
    return settings_.diagnostics.force_check ? schedule_.force_check_due(step_)
                                             : step_ == 0 || step_ == schedule_.steps;
  }

  Observation measure(const std::vector<double>& potentials) {
    const auto& d = settings_.diagnostics;
    const Scope scope(Phase::host, "diagnostics");
    Observation o;
    o.time = schedule_.time(step_);
    o.step = step_;
    o.motion = motion(state_);
    if (step_ == 0) start_motion_ = o.motion;
    o.momentum_drift = momentum_drift(o.motion, start_motion_.momentum);
    momentum_drift_ = larger(momentum_drift_, o.momentum_drift);
    if (d.energy) {
      o.energies = energies(state_, potentials);
      if (step_ == 0) start_energies_ = *o.energies;
      o.relative_energy_error = relative_energy_error(*o.energies, start_energies_);
      energy_error_ = o.relative_energy_error;
      largest_energy_error_ = larger(largest_energy_error_, std::fabs(energy_error_));
    }
    if (!d.lagrangian_radii.empty() || d.escapers) {
      const Vec3 middle = centre(state_);
      o.lagrangian_radii = lagrangian_radii(state_, middle, d.lagrangian_radii);
      if (d.escapers) o.escapers = escapers(state_, potentials, middle, *d.escapers);
    }
    if (force_check_due()) {
      const auto wanted = d.force_check ? d.force_check->sample : ForceCheckSettings{}.sample;
      const auto sample = force_check_sample(state_.size(), wanted, context_.seed, step_);
      std::vector<Vec3> used;
      for (const auto i : sample) used.push_back(state_.acceleration[static_cast<std::size_t>(i)]);
      force_ = force_error(used, engine_->reference_accelerations(sample));
      o.force = force_;
    }
    return o;
  }

  // The message when a bound is exceeded.
  std::optional<std::string> observe_row(const std::vector<double>& potentials) {
    const Observation o = measure(potentials);
    append_to_series(o);
    if (!warned_twice_ && engine_->passes_done_twice() > 0) {
      warned_twice_ = true;
      context_.warning(
          "bodies came so near to each other, or some are so far from the rest, that fixed-point sums "
          "could not hold their forces: such force passes are done twice (by step " +
          std::to_string(step_) + ", " + std::to_string(engine_->passes_done_twice()) +
          " of them), which takes more than twice the time; softening avoids it");
    }
    return watch_.look(o, precision_);
  }

  Settings settings_;
  RunContext context_;
  std::shared_ptr<io::RunOutput> output_;
  std::filesystem::path folder_;
  UnitSystem units_;
  Schedule schedule_;
  const Integrator& integrator_;
  kernels::StepPlan plan_;

  NbodyState state_;    // of the last refresh()
  bool fresh_ = false;  // whether that is the present one, and whole
  std::int64_t bodies_ = 0, sources_ = 0;
  std::unique_ptr<kernels::GravityEngine> engine_;
  std::unique_ptr<io::Series> series_;
  kernels::Precision precision_ = settings_.gravity.precision;  // used
  std::int64_t step_ = 0, observed_ = -1, rows_ = 0, snapshots_ = 0, steps_here_ = 0;
  Energies start_energies_;
  Motion start_motion_;
  double energy_error_ = 0, largest_energy_error_ = 0, momentum_drift_ = 0, seconds_ = 0;
  ForceError force_;
  ErrorWatch watch_;
  bool warned_twice_ = false;
};

class Config final : public SimulationConfig {
 public:
  explicit Config(std::filesystem::path folder) : folder_(std::move(folder)) {}
  void declare(io::Section& root) override { settings_.declare(root); }
  Estimate estimate(const kernels::Device& device) const override {
    return nbody::estimate(settings_, device, folder_);
  }
  std::unique_ptr<Simulation> make(const RunContext& context) const override {
    return make_simulation(settings_, context, folder_);
  }
  std::vector<InputFile> input_files() const override {
    std::vector<InputFile> files;
    for (const std::filesystem::path& file : nbody::input_files(settings_, folder_)) files.push_back({file, true});
    return files;
  }

 private:
  std::filesystem::path folder_;
  Settings settings_;
};

constexpr const char* example =
    R"(# A star cluster in equilibrium: 1,024 bodies of a Plummer sphere in Henon units (G = M = 1).
simulation: nbody
name: plummer-1k
seed: 42                     # the same seed gives the same bodies everywhere
units: nbody                 # or si, solar (AU, solar mass, day), galactic (kpc, 1e10 solar masses, km/s)
initial_conditions:
  type: plummer              # or bodies, hernquist, uniform_sphere, two_body, file; a list of several is allowed
  particles: 1024
  mass: 1
gravity:
  softening: 0.02
  precision: mixed           # or double
integrator:
  scheme: leapfrog           # or yoshida4, yoshida6, yoshida8
  timestep: 0.0078125
  end_time: 5
output:
  directory: runs/plummer-1k
  series: {interval: 0.125}
  snapshots: {interval: 1}
diagnostics:
  lagrangian_radii: [0.1, 0.5, 0.9]
  max_relative_energy_error: 0.01   # the run stops when it is worse
)";

}  // namespace

std::unique_ptr<Simulation> make_simulation(const Settings& settings, const RunContext& context,
                                            const std::filesystem::path& folder) {
  return std::make_unique<NbodySimulation>(settings, context, folder);
}

Estimate estimate(const Settings& settings, const kernels::Device& device, const std::filesystem::path& folder) {
  const Schedule s = checked_schedule(settings);
  const auto [bodies, sources] = count_bodies(settings, folder);
  const auto need = kernels::gravity_memory(bodies, sources, settings.gravity.precision, device);
  constexpr std::int64_t state_bytes = 3 * sizeof(Vec3) + 4 * 8, shown_bytes = 2 * sizeof(Vec3) + 3 * 8;
  const std::int64_t gadget_bytes = 2 * 24 + 2 * 8 + (settings.output.snapshots.potential ? 8 : 0);
  const std::int64_t view_bytes = sources == 0 || sources == bodies ? 0 : 2 * 24 + 2 * 8;  // else links
  const std::int64_t file_bytes = 16384 + bodies * (gadget_bytes + view_bytes);
  Estimate e;
  e.largest_arrays = need.arrays;
  e.largest_arrays.emplace_back("checkpoint being written", 2 * bodies * state_bytes);
  e.largest_arrays.emplace_back("snapshot being written", bodies * shown_bytes + 2 * file_bytes);
  std::stable_sort(e.largest_arrays.begin(), e.largest_arrays.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  // Beside the engine: a copy of the state, or of what is shown of it, with the file's arrays and its image.
  e.host_bytes = std::max(2 * bodies * state_bytes, bodies * (shown_bytes + 8) + 2 * file_bytes);
  (device.backend == kernels::Backend::cpu ? e.host_bytes : e.device_bytes) += need.total;
  const std::int64_t snapshots = s.steps / s.snapshot_every + 1 + (s.steps % s.snapshot_every != 0);
  e.disk_bytes = snapshots * file_bytes + 2 * bodies * state_bytes + (s.steps / s.series_every + 2) * 200;
  e.work = static_cast<double>(bodies) * static_cast<double>(sources) *
           integrator(settings.integrator.scheme).stages() * static_cast<double>(s.steps);
  e.work_unit = "interactions";
  return e;
}

SimulationType simulation_type() {
  return {"nbody", "bodies under their own gravity, by direct summation",
          example, [](std::filesystem::path folder) { return std::make_unique<Config>(std::move(folder)); },
          {},      {"series.h5"}};
}

}  // namespace ergode::sim::nbody
