#include "sim/sweep/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>

#include "io/config/document.hpp"
#include "io/hdf5/reader.hpp"
#include "io/hdf5/sealed_file.hpp"
#include "io/run/text_file.hpp"
#include "sim/sweep/origin.hpp"

namespace ergode::sim {
namespace {

namespace fs = std::filesystem;
using Status = MemberRecord::Status;

constexpr double none = std::numeric_limits<double>::quiet_NaN();

double number(const SummaryItem& item) {
  if (const auto* count = std::get_if<std::int64_t>(&item.value)) return static_cast<double>(*count);
  const auto* real = std::get_if<double>(&item.value);
  return real != nullptr ? *real : none;
}

Status status_of(const std::string& name) {
  return name == "done" ? Status::done : name == "failed" ? Status::failed : Status::pending;
}

void keep(std::vector<MemberRecord>& records, MemberRecord record) {
  if (record.member < 0 || record.member >= std::ssize(records)) return;
  MemberRecord& known = records[static_cast<std::size_t>(record.member)];
  const auto rank = [](Status s) { return s == Status::done ? 2 : s == Status::failed ? 1 : 0; };
  if (known.status != Status::done && rank(record.status) >= rank(known.status)) known = std::move(record);
}

const std::string& text_of(const io::Attribute& value, const std::string& name) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  throw io::Error(io::ExitCode::input_file, fmt::format("its attribute '{}' is no text", name));
}

/// All columns of a file have a row for each of its members.
void check_rows(const std::string& path, std::size_t rows, std::size_t members) {
  if (rows != members)
    throw io::Error(io::ExitCode::input_file, fmt::format("data set '{}' in it has {} rows, expected {}, as "
                                                          "'/index/status' has",
                                                          path, rows, members));
}

/// The headline figure `name` of a packed file for each of `found` that is done.
void read_column(const io::FileReader& file, const std::string& name, std::vector<MemberRecord>& found) {
  const std::string path = "/results/" + name;
  const bool numeric = file.info(path).type.has_value();
  const io::Attributes attributes = file.attributes(path);
  const auto units = attributes.find("units");
  const std::vector<std::string> texts = numeric ? std::vector<std::string>() : file.strings(path);
  const io::Array numbers = numeric ? file.dataset(path, io::Type::float64) : io::Array();
  check_rows(path, numeric ? numbers.as<double>().size() : texts.size(), found.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].status != Status::done) continue;
    SummaryItem item{name, 0.0, units == attributes.end() ? "" : text_of(units->second, "units")};
    if (numeric)
      item.value = numbers.as<double>()[i];
    else
      item.value = texts[i];
    found[i].results.push_back(std::move(item));
  }
}

std::vector<MemberRecord> read_packed(const fs::path& sweep, const fs::path& file) {
  if (io::check_seal(sweep / file) != io::SealState::intact)
    throw io::Error(io::ExitCode::input_file, "its SHA-256 is not that of its seal");
  const io::FileReader reader(sweep / file);
  const io::Array members = reader.dataset("/index/member", io::Type::int64);
  const std::vector<std::string> status = reader.strings("/index/status"), error = reader.strings("/index/error");
  const bool named = reader.has("/index/identity");
  const std::vector<std::string> identity = named ? reader.strings("/index/identity") : std::vector<std::string>();
  check_rows("/index/member", members.as<std::int64_t>().size(), status.size());
  check_rows("/index/error", error.size(), status.size());
  if (named) check_rows("/index/identity", identity.size(), status.size());
  std::vector<MemberRecord> found(status.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    found[i].member = members.as<std::int64_t>()[i];
    found[i].status = status_of(status[i]);
    found[i].error = error[i];
    if (found[i].status == Status::done) found[i].place = file.string();
    found[i].packed = true;
    if (named) found[i].identity = identity[i];
  }
  for (const std::string& name : result_names(reader.attributes("/results"))) read_column(reader, name, found);
  return found;
}

SummaryItem read_item(const std::string& name, const io::Node& entry) {
  SummaryItem item{name, none, ""};
  if (const io::Node* units = entry.find("units")) item.units = units->text;
  const io::Node* value = entry.find("value");
  if (value == nullptr || value->kind != io::Node::Kind::scalar) return item;  // null: not a number
  if (value->quoted) {
    item.value = value->text;
  } else {
    double x = none;
    std::from_chars(value->text.data(), value->text.data() + value->text.size(), x);
    item.value = x;
  }
  return item;
}

/// From the summary.json of a member's run directory, which is YAML too.
MemberRecord read_directory(const fs::path& sweep, std::int64_t member) {
  MemberRecord record;
  record.member = member;
  const fs::path place = member_directory(member);
  const auto text = io::read_text(sweep / place / "summary.json");
  if (!text) return record;
  record.place = place.string();
  try {
    const io::Document summary = io::Document::parse(*text, "summary.json");
    const std::string state = io::peek(summary, "state");
    record.identity = io::peek(summary, "identity");
    if (state == "failed") {
      record.status = Status::failed;
      record.error = io::peek(summary, "message");
    }
    if (state != "finished") return record;
    record.status = Status::done;
    if (const io::Node* results = summary.root().find("results"))
      for (std::size_t i = 0; i < results->keys.size(); ++i)
        if (results->items[i].find("timing") == nullptr)
          record.results.push_back(read_item(results->keys[i], results->items[i]));
  } catch (const io::Error&) {
    record.status = Status::pending;  // damaged: the run directory itself is looked at when the member is run again
  }
  return record;
}

/// Tells the results of a sweep's members from others.
class Owner {
 public:
  Owner(const SweepPlan& plan, const fs::path& sweep) : plan_(plan) {
    const auto origin = read_origin(sweep);
    config_ = origin ? origin->config : config_hash(plan);
  }

  MemberRecord checked(MemberRecord record) const {
    if (owns(record)) return record;
    record.status = Status::failed;
    record.error = "its directory holds the results of another member or of another sweep";
    record.results.clear();
    return record;
  }

  std::vector<MemberRecord> all_its(std::vector<MemberRecord> records) const {
    for (const MemberRecord& record : records)
      if (!owns(record))
        throw io::Error(io::ExitCode::input_file,
                        fmt::format("{} in it is of another sweep, or of other values", member_name(record.member)));
    return records;
  }

 private:
  bool owns(const MemberRecord& record) const {
    if (record.identity.empty()) return true;
    return record.member < plan_.members() && record.identity == member_identity(plan_, config_, record.member);
  }
  const SweepPlan& plan_;
  std::string config_;
};

/// Names in `members/`, sorted, so that what is read first does not depend on the file system.
std::vector<std::string> entries(const fs::path& sweep) {
  std::vector<std::string> names;
  std::error_code problem;
  for (fs::directory_iterator it(sweep / "members", problem), end; !problem && it != end; it.increment(problem))
    names.push_back(it->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

bool is_packed_file(const std::string& name) {
  return name.starts_with("members_") && name.ends_with(".h5");
}

/// Members that are run again begin a file of their own beside the one that they failed in.
std::string free_name(const fs::path& sweep, std::int64_t first) {
  std::string name = fmt::format("members/members_{:06}.h5", first);
  for (int number = 2; fs::exists(sweep / name); ++number)
    name = fmt::format("members/members_{:06}_{}.h5", first, number);
  return name;
}

std::int64_t bytes_of(const io::FileContent& content) {
  std::size_t bytes = 512 * content.groups.size();
  for (const auto& [path, dataset] : content.datasets) bytes += dataset.data.bytes.size() + 512;
  return static_cast<std::int64_t>(bytes);
}

}  // namespace

const char* name(Status status) {
  return status == Status::done ? "done" : status == Status::failed ? "failed" : "pending";
}

std::string packed_member_group(std::int64_t member) {
  return "/" + member_name(member);
}

std::vector<ResultColumn> result_columns(const std::vector<MemberRecord>& records) {
  std::vector<ResultColumn> columns;
  for (std::size_t row = 0; row < records.size(); ++row)
    for (const SummaryItem& item : records[row].results) {
      if (item.timing) continue;
      auto column =
          std::find_if(columns.begin(), columns.end(), [&](const ResultColumn& c) { return c.name == item.name; });
      const auto* text = std::get_if<std::string>(&item.value);
      if (column == columns.end())
        column = columns.insert(columns.end(), {item.name, item.units, text != nullptr, {}, {}});
      column->numbers.resize(records.size(), none);
      column->texts.resize(records.size());
      column->numbers[row] = number(item);
      if (text != nullptr) column->texts[row] = *text;
    }
  return columns;
}

void add_results(io::FileContent& content, const std::vector<MemberRecord>& records) {
  std::string names;
  for (ResultColumn& column : result_columns(records)) {
    names += (names.empty() ? "" : "\n") + column.name;
    const std::string path = "/results/" + column.name;
    const io::Attributes units{{"units", column.units}};
    if (column.text) {
      content.strings[path] = std::move(column.texts);
      content.string_attributes[path] = units;
    } else {
      content.datasets[path] = {io::Array::from(column.numbers), units};
    }
  }
  content.groups["/results"]["names"] = names;
}

std::vector<std::string> result_names(const io::Attributes& attributes) {
  const auto found = attributes.find("names");
  if (found == attributes.end()) return {};
  return io::lines_of(text_of(found->second, "names"));
}

void MemberBatch::add(MemberRecord record, std::map<std::string, io::FileContent> files) {
  for (const auto& [name, content] : files) bytes_ += bytes_of(content);
  if (record.status == Status::done)
    io::pack(content_, packed_member_group(record.member), {{"member", record.member}}, std::move(files));
  record.packed = true;
  records_.push_back(std::move(record));
}

std::vector<MemberRecord> MemberBatch::seal(const fs::path& sweep, const io::DiskRetry& retry) {
  const std::string place = free_name(sweep, records_.front().member);
  std::vector<std::int64_t> members;
  std::vector<std::string> status, error, identity;
  for (const MemberRecord& record : records_) {
    members.push_back(record.member);
    identity.push_back(record.identity);
    status.emplace_back(name(record.status));
    error.push_back(record.error);
  }
  content_.groups["/"] = {{"ergode_file", std::string("sweep members")}};
  content_.groups["/provenance"] = provenance_;
  content_.datasets["/index/member"].data = io::Array::from(members);
  content_.strings["/index/status"] = std::move(status);
  content_.strings["/index/error"] = std::move(error);
  content_.strings["/index/identity"] = std::move(identity);
  add_results(content_, records_);
  content_.many_small = true;
  io::DirectoryOutput(sweep, retry).write(place, content_);
  for (MemberRecord& record : records_)
    if (record.status == Status::done) record.place = place;
  content_ = {};
  bytes_ = 0;
  return std::exchange(records_, {});
}

std::int64_t first_member(const fs::path& packed) {
  constexpr std::size_t before = std::string_view("members_").size();
  const std::string name = packed.filename().string();
  std::int64_t member = 0;
  if (is_packed_file(name)) std::from_chars(name.data() + before, name.data() + name.size(), member);
  return std::max<std::int64_t>(member, 0);
}

std::vector<MemberRecord> read_records(const SweepPlan& plan, const fs::path& sweep, const DamagedFile& damaged,
                                       PackedRecords& known) {
  const Owner owner(plan, sweep);
  std::vector<MemberRecord> records(static_cast<std::size_t>(plan.members()));
  for (std::int64_t m = 0; m < plan.members(); ++m) records[static_cast<std::size_t>(m)].member = m;
  for (const std::string& entry : entries(sweep)) {
    if (const auto member = member_number(entry)) keep(records, owner.checked(read_directory(sweep, *member)));
    if (!is_packed_file(entry)) continue;
    const auto [packed, unread] = known.try_emplace(entry);
    try {
      if (unread) packed->second = owner.all_its(read_packed(sweep, fs::path("members") / entry));
    } catch (const io::Error& e) {
      damaged(fs::path("members") / entry, e.what());
    }
    for (const MemberRecord& record : packed->second) keep(records, record);
  }
  return records;
}

std::vector<MemberRecord> read_records(const SweepPlan& plan, const fs::path& sweep, const DamagedFile& damaged) {
  PackedRecords known;
  return read_records(plan, sweep, damaged, known);
}

bool is_usable(const SweepPlan& plan, const fs::path& sweep, const fs::path& file) {
  try {
    Owner(plan, sweep).all_its(read_packed(sweep, file));
    return true;
  } catch (const io::Error&) {
    return false;
  }
}

bool same_records(const std::vector<MemberRecord>& a, const std::vector<MemberRecord>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const MemberRecord& x, const MemberRecord& y) {
    return x.member == y.member && x.status == y.status && x.place == y.place && x.error == y.error;
  });
}

}  // namespace ergode::sim
