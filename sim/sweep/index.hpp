#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "io/array.hpp"
#include "sim/sweep/plan.hpp"
#include "sim/sweep/record.hpp"

namespace ergode::sim {

struct SweepCounts {
  std::int64_t members = 0, done = 0, failed = 0;
  std::int64_t pending() const { return members - done - failed; }
};
SweepCounts count(const std::vector<MemberRecord>& records);

/// sweep.h5, one value a member in each dataset, over the scale /member:
///   /index/{member, status, directory, file, group, error}   where its results are; paths relative to the sweep
///   /parameters/<key.path>   attribute `axis`: the number of the sweep's axis
///   /results/<name>          headline figures, attribute `units`
io::FileContent index_content(const SweepPlan& plan, const std::vector<MemberRecord>& records);

/// The same as text: a header, then a line a member, quoted as in RFC 4180.
std::string index_csv(const SweepPlan& plan, const std::vector<MemberRecord>& records);

/// Makes sweep.h5, sweep.csv and summary.json in `sweep` from what its members' files say, and again should another
/// task have recorded something meanwhile, three times at most: whoever ends last leaves the whole. Returns what it
/// wrote.
std::vector<MemberRecord> write_index(
    const SweepPlan& plan, const std::filesystem::path& sweep,
    const std::function<void(const std::filesystem::path& file, const std::string& why)>& damaged);

}  // namespace ergode::sim
