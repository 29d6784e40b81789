#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "io/config/config.hpp"
#include "kernels/gravity/engine.hpp"
#include "sim/nbody/units.hpp"

namespace ergode::sim::nbody {

/// One body of `bodies`: Cartesian, or elements about a primary named before it.
struct BodySettings {
  std::string name;
  double mass = 0;
  std::optional<double> softening;
  std::optional<std::array<double, 3>> position, velocity;
  std::optional<std::string> primary;
  std::optional<double> semi_major_axis;
  double eccentricity = 0, inclination = 0, longitude_of_ascending_node = 0, argument_of_periapsis = 0;
  std::optional<double> true_anomaly, mean_anomaly;
  void declare(io::Section& s);
};

struct BodiesSettings {
  static constexpr const char* tag = "bodies";
  static constexpr const char* meaning = "bodies one by one: Cartesian, or orbital elements about a primary";
  static constexpr const char* implied_by = "bodies";
  std::vector<BodySettings> bodies;
  void declare(io::Section& s);
};

struct PlummerSettings {
  static constexpr const char* tag = "plummer";
  static constexpr const char* meaning = "isotropic Plummer sphere (Plummer 1911; Aarseth, Henon & Wielen 1974)";
  std::int64_t particles = 0;
  double mass = 1, scale_radius = 0.5890486225480862;
  std::optional<double> truncation_radius;
  bool recentre = true;
  void declare(io::Section& s);
};

struct HernquistSettings {
  static constexpr const char* tag = "hernquist";
  static constexpr const char* meaning = "isotropic Hernquist sphere, velocities from the distribution function (Hernquist 1990)";
  std::int64_t particles = 0;
  double mass = 1, scale_radius = 1;
  std::optional<double> truncation_radius;
  bool recentre = true;
  void declare(io::Section& s);
};

struct UniformSphereSettings {
  static constexpr const char* tag = "uniform_sphere";
  static constexpr const char* meaning = "homogeneous sphere, at rest or with isotropic velocities";
  std::int64_t particles = 0;
  double mass = 1, radius = 1, virial_ratio = 0;
  bool recentre = true;
  void declare(io::Section& s);
};

struct TwoBodySettings {
  static constexpr const char* tag = "two_body";
  static constexpr const char* meaning = "two bodies on a Kepler orbit, their centre of mass at rest at the origin";
  std::vector<double> masses;
  double semi_major_axis = 1;
  double eccentricity = 0, inclination = 0, longitude_of_ascending_node = 0, argument_of_periapsis = 0;
  std::optional<double> true_anomaly, mean_anomaly;
  void declare(io::Section& s);
};

struct FileSettings {
  static constexpr const char* tag = "file";
  static constexpr const char* meaning = "a snapshot of ours, a Gadget-HDF5 file, or CSV with a header";
  static constexpr const char* implied_by = "file";
  std::filesystem::path file;
  void declare(io::Section& s);
};

/// One item of `initial_conditions`, placed and moved by offsets.
struct Component {
  std::variant<BodiesSettings, PlummerSettings, HernquistSettings, UniformSphereSettings, TwoBodySettings, FileSettings> source;
  std::string name;
  std::optional<double> softening;
  std::array<double, 3> position{}, velocity{};
  void declare(io::Section& s);
};

struct GravitySettings {
  double softening = 0;
  kernels::Precision precision = kernels::Precision::mixed;
  std::string method = "direct";
  void declare(io::Section& s);
};

struct IntegratorSettings {
  std::string scheme = "leapfrog";
  std::optional<double> timestep;
  std::optional<std::int64_t> steps;
  double end_time = 0;
  void declare(io::Section& s);
};

struct SeriesSettings {
  std::optional<double> interval;
  void declare(io::Section& s);
};

struct SnapshotSettings {
  std::optional<double> interval;
  bool potential = false;
  void declare(io::Section& s);
};

struct OutputSettings {
  SeriesSettings series;
  SnapshotSettings snapshots;
  void declare(io::Section& s);
};

struct ForceCheckSettings {
  std::int64_t sample = 256;
  std::optional<double> every;
  void declare(io::Section& s);
};

struct DiagnosticsSettings {
  bool energy = true;
  std::vector<double> lagrangian_radii;
  std::optional<double> escapers;
  std::optional<ForceCheckSettings> force_check;
  std::optional<double> max_relative_energy_error, max_force_error;
  void declare(io::Section& s);
};

/// The keys of `simulation: nbody` beside the common ones.
struct Settings {
  Units units = Units::nbody;
  std::vector<Component> initial_conditions;
  GravitySettings gravity;
  IntegratorSettings integrator;
  OutputSettings output;
  DiagnosticsSettings diagnostics;
  void declare(io::Section& root);
};

}  // namespace ergode::sim::nbody
