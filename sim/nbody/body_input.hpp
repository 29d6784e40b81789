#pragma once

#include <filesystem>
#include <span>

#include "sim/nbody/body_set.hpp"
#include "sim/nbody/settings.hpp"

namespace ergode::sim::nbody {

/// `bodies` and `two_body`.
BodySet explicit_bodies(const BodiesSettings& settings, double gravitational_constant, double default_softening);
BodySet two_body(const TwoBodySettings& settings, double gravitational_constant);

/// A file of bodies by its ending: .csv, else HDF5. Every failure is an Error(input_file) that names path and row or
/// object.
BodySet read_bodies(const std::filesystem::path& path, const UnitSystem& units);
/// CSV: a header with x, y, z, vx, vy, vz, mass and optionally id, softening, in any order; lines of `#` are comments.
BodySet read_csv(const std::filesystem::path& path);
/// A snapshot of ours or a Gadget-HDF5 file of another code: all of PartType0 ... PartType5 in that order.
BodySet read_gadget(const std::filesystem::path& path, const UnitSystem& units);

struct BodyCount {
  std::int64_t all = 0, massive = 0;
};
/// How many bodies a file gives. Of an HDF5 file only the header and the shapes of the datasets are looked at, and
/// refused as read_bodies() would: the bodies of another code's file are taken to have mass. CSV is read.
BodyCount count_bodies_of(const std::filesystem::path& path, const UnitSystem& units);
BodyCount count_gadget(const std::filesystem::path& path, const UnitSystem& units);

/// Throws Error(input_file) for a non-finite number, a negative mass or softening, or an id used twice. `rows` holds
/// the numbers by which the user knows the bodies (empty: 0, 1, ...), `row_name` what they are called ("line",
/// "particle").
void check_bodies(const BodySet& bodies, const std::filesystem::path& path, std::span<const std::int64_t> rows,
                  const char* row_name);

}  // namespace ergode::sim::nbody
