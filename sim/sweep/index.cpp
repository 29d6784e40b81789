#include "sim/sweep/index.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "io/hdf5/sealed_file.hpp"
#include "io/run/json.hpp"
#include "io/run/text_file.hpp"

namespace ergode::sim {
namespace {

namespace fs = std::filesystem;
using Status = MemberRecord::Status;

template <class T>
std::optional<T> as_number(const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// All texts as numbers; empty when one of them is none.
template <class T>
std::vector<T> all_numbers(const std::vector<std::string>& texts) {
  std::vector<T> numbers;
  for (const std::string& text : texts) {
    const auto value = as_number<T>(text);
    if (!value) return {};
    numbers.push_back(*value);
  }
  return numbers;
}

/// Text where the config has one, else integers where all values are, else numbers, else text.
void add_parameter(io::FileContent& content, const std::string& name, std::vector<std::string> texts, bool is_text,
                   std::int64_t axis) {
  const std::string path = "/parameters/" + name;
  const io::Attributes attributes{{"axis", axis}};
  if (const auto integers = all_numbers<std::int64_t>(texts); !is_text && !integers.empty()) {
    content.datasets[path] = {io::Array::from(integers), attributes};
  } else if (const auto numbers = all_numbers<double>(texts); !is_text && !numbers.empty()) {
    content.datasets[path] = {io::Array::from(numbers), attributes};
  } else {
    content.strings[path] = std::move(texts);
    content.string_attributes[path] = attributes;
  }
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

std::string csv_number(double x) {
  return std::isnan(x) ? "" : std::isinf(x) ? (x > 0 ? "inf" : "-inf") : io::json_number(x);
}

void write_summary(const SweepPlan& plan, const fs::path& sweep, const SweepCounts& counts) {
  io::JsonObject out;
  const char* state = counts.pending() > 0 ? "stopped" : counts.failed > 0 ? "failed" : "finished";
  out.set("simulation", plan.config().common.simulation).set("name", plan.config().common.name).set("state", state);
  out.set("members", counts.members).set("done", counts.done).set("failed", counts.failed);
  out.set("pending", counts.pending());
  io::write_text(sweep / "summary.json", out.text() + "\n");
}

}  // namespace

SweepCounts count(const std::vector<MemberRecord>& records) {
  SweepCounts counts;
  counts.members = std::ssize(records);
  for (const MemberRecord& record : records) {
    counts.done += record.status == Status::done ? 1 : 0;
    counts.failed += record.status == Status::failed ? 1 : 0;
  }
  return counts;
}

io::FileContent index_content(const SweepPlan& plan, const std::vector<MemberRecord>& records) {
  io::FileContent content;
  content.groups["/"] = {{"ergode_file", std::string("sweep")}, {"name", plan.config().common.name}};
  std::vector<std::int64_t> members;
  std::vector<std::string> status, directory, file, group, error;
  for (const MemberRecord& record : records) {
    const bool done = record.status == Status::done;
    members.push_back(record.member);
    status.emplace_back(name(record.status));
    directory.push_back(record.packed ? "" : record.place);
    file.push_back(record.packed ? record.place : "");
    group.push_back(record.packed && done ? packed_member_group(record.member) : "");
    error.push_back(record.error);
  }
  content.datasets["/member"].data = io::Array::from(members);
  content.links["/index/member"] = "/member";
  content.strings["/index/status"] = std::move(status);
  content.strings["/index/directory"] = std::move(directory);
  content.strings["/index/file"] = std::move(file);
  content.strings["/index/group"] = std::move(group);
  content.strings["/index/error"] = std::move(error);
  for (std::size_t c = 0; c < plan.columns().size(); ++c) {
    std::vector<std::string> texts;
    for (const MemberRecord& record : records) texts.push_back(plan.value(c, record.member));
    add_parameter(content, plan.columns()[c].path, std::move(texts), plan.is_text(c), plan.columns()[c].axis);
  }
  add_results(content, records);
  // At the root the scale is seen from every group.
  for (const auto& [path, dataset] : content.datasets)
    if (path != "/member") content.scales[path] = {"/member"};
  for (const auto& [path, texts] : content.strings) content.scales[path] = {"/member"};
  return content;
}

std::string index_csv(const SweepPlan& plan, const std::vector<MemberRecord>& records) {
  const std::vector<ResultColumn> results = result_columns(records);
  std::string text = "member,status";
  for (const SweepColumn& column : plan.columns()) text += "," + csv_field(column.path);
  for (const ResultColumn& column : results) text += "," + csv_field(column.name);
  text += ",place,error\n";
  for (std::size_t row = 0; row < records.size(); ++row) {
    const MemberRecord& record = records[row];
    text += std::to_string(record.member) + "," + name(record.status);
    for (std::size_t c = 0; c < plan.columns().size(); ++c) text += "," + csv_field(plan.value(c, record.member));
    for (const ResultColumn& column : results)
      text += "," + (column.text ? csv_field(column.texts[row]) : csv_number(column.numbers[row]));
    text += "," + csv_field(record.place) + "," + csv_field(record.error) + "\n";
  }
  return text;
}

std::vector<MemberRecord> write_index(
    const SweepPlan& plan, const fs::path& sweep,
    const std::function<void(const fs::path& file, const std::string& why)>& damaged) {
  constexpr int rounds = 3;  // others may record faster than an index is written
  PackedRecords known;
  std::vector<MemberRecord> records = read_records(plan, sweep, damaged, known);
  for (int round = 1;; ++round) {
    io::write_sealed(sweep / "sweep.h5", index_content(plan, records));
    io::write_text(sweep / "sweep.csv", index_csv(plan, records));
    write_summary(plan, sweep, count(records));
    if (round == rounds) return records;
    std::vector<MemberRecord> now = read_records(plan, sweep, damaged, known);
    if (same_records(now, records)) return records;
    records = std::move(now);
  }
}

}  // namespace ergode::sim
