#include "sim/runner/profile_report.hpp"

#include <fmt/format.h>

#include <iterator>

#include "io/error.hpp"
#include "io/run/json.hpp"
#include "io/run/progress.hpp"
#include "io/run/text_file.hpp"

namespace ergode::sim {
namespace {

using kernels::Profile;
using Total = Profile::Total;

/// Of the parts whose work is known; `seconds` are theirs.
std::string rate_text(const Total& t, double seconds) {
  if (t.unit.empty() || !(seconds > 0) || !(t.amount > 0)) return {};
  if (t.unit == "B") return io::short_number(1e-6 * t.amount / seconds) + " MB/s";
  return fmt::format("{} {}/s", io::short_number(t.amount / seconds), t.unit);
}

std::string row(std::string_view name, const Total& t, double wall, const std::string& rate) {
  std::string line = fmt::format("  {:<26} {:>9} {:>11.3f} {:>6.1f} %  {}", name, t.calls, t.seconds,
                                 wall > 0 ? 100 * t.seconds / wall : 0, rate);
  while (line.back() == ' ') line.pop_back();
  return line;
}

/// The rows of some parts below one of their sum.
class Section {
 public:
  explicit Section(double wall) : wall_(wall) {}
  void add(std::string_view name, const Total& part) {
    sum_.calls += part.calls;
    sum_.seconds += part.seconds;
    if (!part.unit.empty()) {
      sum_.amount += part.amount;
      sum_.unit = part.unit;
      known_seconds_ += part.seconds;
    }
    parts_.push_back(row(fmt::format("  {}", name), part, wall_, rate_text(part, part.seconds)));
  }
  void finish(std::string_view name, std::vector<std::string>& lines) const {
    lines.push_back(row(name, sum_, wall_, rate_text(sum_, known_seconds_)));
    lines.insert(lines.end(), parts_.begin(), parts_.end());
  }

 private:
  double wall_, known_seconds_ = 0;
  Total sum_;
  std::vector<std::string> parts_;
};

io::JsonObject json(std::string_view phase, std::string_view name, const Total& t) {
  io::JsonObject out;
  out.set("phase", phase).set("name", name).set("calls", t.calls).set("seconds", t.seconds);
  if (!t.unit.empty()) out.set("amount", t.amount).set("unit", t.unit);
  return out;
}

void add_track(std::string& out, int track, const char* name, const std::vector<Profile::Event>& events) {
  fmt::format_to(std::back_inserter(out),
                 R"({{"name":"thread_name","ph":"M","pid":0,"tid":{},"args":{{"name":"{}"}}}})", track, name);
  for (const Profile::Event& event : events)
    fmt::format_to(std::back_inserter(out),
                   ",\n"
                   R"({{"name":{},"cat":"{}","ph":"{}","ts":{:.3f},"pid":0,"tid":{}}})",
                   io::json_quote(event.name), kernels::name(event.phase), event.begin ? 'B' : 'E', 1e6 * event.at,
                   track);
}

}  // namespace

std::vector<std::string> profile_table(const Profile& profile) {
  const double wall = profile.wall_seconds();
  std::vector<std::string> lines{fmt::format("  {:<26} {:>9} {:>11} {:>8}  rate", "time", "calls", "seconds", "share")};
  Total all;
  const auto& totals = profile.totals();
  for (auto part = totals.begin(); part != totals.end();) {
    const kernels::Phase phase = part->first.first;
    Section section(wall);
    for (; part != totals.end() && part->first.first == phase; ++part) {
      section.add(part->first.second, part->second);
      all.calls += part->second.calls;
      all.seconds += part->second.seconds;
    }
    section.finish(kernels::name(phase), lines);
  }
  lines.push_back(row("all", all, wall, {}));
  if (profile.device_totals().empty()) return lines;
  Section device(wall);
  for (const auto& [name, total] : profile.device_totals()) device.add(name, total);
  device.finish("on the device, meanwhile", lines);
  return lines;
}

std::string profile_json(const Profile& profile) {
  std::vector<io::JsonObject> phases, device;
  for (const auto& [key, total] : profile.totals()) phases.push_back(json(kernels::name(key.first), key.second, total));
  for (const auto& [name, total] : profile.device_totals()) device.push_back(json("device", name, total));
  io::JsonObject other;
  other.set("wall_seconds", profile.wall_seconds()).set("untraced_scopes", profile.untraced());
  other.set("phases", phases).set("device", device);
  std::string out = "{\"displayTimeUnit\": \"ms\",\n\"otherData\": " + other.text() + ",\n\"traceEvents\": [\n";
  add_track(out, 0, "host", profile.events());
  if (!profile.device_events().empty()) {
    out += ",\n";
    add_track(out, 1, "device", profile.device_events());
  }
  return out + "\n]}\n";
}

void report_profile(io::Log& log, const std::filesystem::path& directory) {
  Profile* const profile = Profile::current();
  if (profile == nullptr) return;
  profile->stop();
  for (const std::string& line : profile_table(*profile)) log.info(line);
  try {
    io::write_text(directory / "profile.json", profile_json(*profile));
  } catch (const io::Error& e) {
    log.warning(std::string("profile.json could not be written: ") + e.what());
  }
}

}  // namespace ergode::sim
