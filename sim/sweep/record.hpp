#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "io/array.hpp"
#include "io/run/run_output.hpp"
#include "sim/runner/simulation.hpp"
#include "sim/sweep/plan.hpp"

namespace ergode::sim {

/// What is known of one member.
struct MemberRecord {
  enum class Status { pending, done, failed };
  std::int64_t member = 0;
  Status status = Status::pending;
  std::string error;     ///< why it failed
  Summary results;       ///< headline figures of a member that is done
  std::string place;     ///< the run directory, relative to the sweep's; of a packed member the file
  bool packed = false;   ///< `place` is a file, which holds it in the group packed_member_group()
  std::string identity;  ///< whose results they are, see member_identity(); empty: not said
};

const char* name(MemberRecord::Status status);

/// "/member_000012"
std::string packed_member_group(std::int64_t member);

/// One headline figure of all members: NaN, or "" of a text, where a member has none.
struct ResultColumn {
  std::string name, units;
  bool text = false;
  std::vector<double> numbers;
  std::vector<std::string> texts;
};
std::vector<ResultColumn> result_columns(const std::vector<MemberRecord>& records);

/// Those columns as /results/NAME, numbers as float64; their order is in the group's attribute `names`.
void add_results(io::FileContent& content, const std::vector<MemberRecord>& records);
std::vector<std::string> result_names(const io::Attributes& attributes);

/// Members that are computed in memory and written together: one group a member beside a table of them all.
class MemberBatch {
 public:
  explicit MemberBatch(io::Attributes provenance) : provenance_(std::move(provenance)) {}

  void add(MemberRecord record, std::map<std::string, io::FileContent> files);
  bool empty() const { return records_.empty(); }
  std::size_t size() const { return records_.size(); }
  std::int64_t bytes() const { return bytes_; }

  /// Writes `members/members_NNNNNN.h5`, of the number of the first member, in `sweep`; returns the records with that
  /// place, and is empty after. Throws io::Error(io), and then still holds them.
  std::vector<MemberRecord> seal(const std::filesystem::path& sweep, const io::DiskRetry& retry);

 private:
  io::Attributes provenance_;
  std::vector<MemberRecord> records_;
  io::FileContent content_;
  std::int64_t bytes_ = 0;
};

/// The number of the first member of a packed file, by its name; 0 where it has none.
std::int64_t first_member(const std::filesystem::path& packed);

/// What packed files say, by their names. They are written once, so that none needs to be read twice.
using PackedRecords = std::map<std::string, std::vector<MemberRecord>>;

using DamagedFile = std::function<void(const std::filesystem::path& file, const std::string& why)>;

/// What is recorded in the directory of a sweep, in the order of the members: whatever its files say, so that nothing
/// is lost with an index. A member that is done counts before one that failed. A packed file that is damaged, or holds
/// results of another sweep or of other values, is told to `damaged` and counts for nothing; a member whose directory
/// has such results counts as failed. Packed files in `known` are not read again, others are added to it.
std::vector<MemberRecord> read_records(const SweepPlan& plan, const std::filesystem::path& sweep,
                                       const DamagedFile& damaged, PackedRecords& known);
std::vector<MemberRecord> read_records(const SweepPlan& plan, const std::filesystem::path& sweep,
                                       const DamagedFile& damaged);

/// Whether the packed file (relative to `sweep`) is whole and of this sweep.
bool is_usable(const SweepPlan& plan, const std::filesystem::path& sweep, const std::filesystem::path& file);

/// Whether the same is recorded; the headline figures of a member that is done do not change.
bool same_records(const std::vector<MemberRecord>& a, const std::vector<MemberRecord>& b);

}  // namespace ergode::sim
