#include <algorithm>
#include <map>

#include "io/state.hpp"
#include "sim/options/task.hpp"

namespace ergode::sim::options {
namespace {

using Members = std::vector<std::size_t>;  ///< numbers in the book

Members members_of(const io::State& state, std::size_t task, std::size_t options) {
  const std::string name = state_prefix(task) + "instruments";
  Members members;
  for (const double x : io::numbers<double>(state, name)) {
    const auto least = members.empty() ? 0 : static_cast<std::int64_t>(members.back()) + 1;
    members.push_back(
        static_cast<std::size_t>(io::whole_number(name, x, least, static_cast<std::int64_t>(options) - 1)));
  }
  return members;
}

/// The options, as a person knows them.
class Book {
 public:
  explicit Book(const std::vector<Task>& tasks) {
    for (const Task& t : tasks)
      for (std::size_t i = 0; i < t.group.instruments.size(); ++i)
        names_[t.group.instruments[i]] =
            t.group.items[i].option.id + " (" + std::to_string(t.group.choices.paths) + " paths)";
  }
  std::size_t size() const { return names_.size(); }
  const std::string& name(std::size_t option) const { return names_.at(option); }
  std::string others(const Members& members, std::size_t than) const {
    std::string text;
    for (const std::size_t option : members)
      if (option != than) text += (text.empty() ? "" : ", ") + name(option);
    return text.empty() ? "no other" : text;
  }

 private:
  std::map<std::size_t, std::string> names_;
};

/// How often each option is in a group: once, and once for each scenario.
std::vector<std::int64_t> appearances(const std::vector<Members>& groups, std::size_t options) {
  std::vector<std::int64_t> counts(options, 0);
  for (const Members& members : groups)
    for (const std::size_t option : members) ++counts[option];
  return counts;
}

const Members& group_with(const std::vector<Members>& groups, std::size_t option) {
  return *std::find_if(groups.begin(), groups.end(),
                       [&](const Members& m) { return std::find(m.begin(), m.end(), option) != m.end(); });
}

}  // namespace

void check_groups(const io::State& state, std::size_t saved, const std::vector<Task>& tasks) {
  const Book book(tasks);
  std::vector<Members> then, now;
  for (std::size_t i = 0; i < saved; ++i) then.push_back(members_of(state, i, book.size()));
  for (const Task& t : tasks) now.push_back(t.group.instruments);
  if (then == now) return;
  const std::string place = "data sets '/state/" + state_prefix(0) + "instruments' and so on ";
  const auto had = appearances(then, book.size()), has = appearances(now, book.size());
  for (std::size_t option = 0; option < book.size(); ++option)
    if (had[option] != has[option])
      throw io::StateError(place + "have option number " + std::to_string(option) + " " + std::to_string(had[option]) +
                           " times, expected " + std::to_string(has[option]));
  for (std::size_t option = 0; option < book.size(); ++option) {
    const Members &before = group_with(then, option), &present = group_with(now, option);
    if (before == present) continue;
    throw io::Error(io::ExitCode::config,
                    "option " + book.name(option) + " shared its draws with " + book.others(before, option) +
                        " in the checkpoint, and shares them with " + book.others(present, option) +
                        " now. Options share draws where their `paths`, of a tolerance `max_paths`, are equal: on a "
                        "resume raise them such that equal ones stay equal and different ones different, restore "
                        "their numbers, or start a new run in another directory (-o DIR)");
  }
  throw io::StateError(place + "are not in the order of the book");
}

}  // namespace ergode::sim::options
