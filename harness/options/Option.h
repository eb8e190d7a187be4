#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace touchstone::options {

/// What a value is that an option cannot take; the message is told with the option's name. Thrown by what takes it.
class BadValue : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A flag that makes something false.
struct Off {
  bool* target;
};
/// What is done with a value, or, without one, when a flag is given.
template <class... Value>
struct Takes {
  std::function<void(const Value&...)> take;
};

/// Where the value goes. What it points to lives as long as the command does. A `bool` is a flag.
using Target =
    std::variant<bool*, int*, uint64_t*, double*, std::string*, std::vector<std::string>*, std::optional<int>*,
                 std::optional<int64_t>*, std::optional<uint64_t>*, std::optional<double>*, Off, Takes<>,
                 Takes<std::string>, Takes<std::vector<std::string>>, Takes<int64_t>>;

/// What is seldom said of an option. Written as a chain: `aboveZero().shown()`.
struct Traits {
  std::function<std::string(const std::string&)> complaint = {}; // about a value; empty: it is good. None: all are
  std::string values = {}; // which are good, for the help
  bool showsDefault = false; // the help says what the target holds
  bool isRequired = false;
  bool isSplit = false; // at commas
  bool isOneEach = false; // a list takes one item from each time that it is given, so that what follows may be a file
  std::vector<std::string> follows = {}; // the values that may follow; where none does, it is the first
  size_t most = 0; // of a list without a name: so many or fewer; 0: one or more
  std::string excluded = {}; // the name of an option before it, that may not be given as well
  std::string group = {}; // heading in the help; empty: that of most

  Traits shown() const { return with(&Traits::showsDefault, true); }
  Traits oneEach() const { return with(&Traits::isOneEach, true); }
  Traits excluding(std::string name) const { return with(&Traits::excluded, std::move(name)); }
  Traits inGroup(std::string heading) const { return with(&Traits::group, std::move(heading)); }

 private:
  template <class Value>
  Traits with(Value Traits::*member, Value value) const {
    Traits changed = *this;
    changed.*member = std::move(value);
    return changed;
  }
};
inline Traits shown() {
  return {.showsDefault = true};
}
inline Traits required() {
  return {.isRequired = true};
}
inline Traits split() {
  return {.isSplit = true};
}
inline Traits atMost(size_t most) {
  return {.most = most};
}

// What a value must be.
Traits aboveZero();
/// Of unsigned options, which would take a number below zero for a large one.
Traits notNegative();
/// Of signed ones.
Traits nonNegativeNumber();
Traits between(int low, int high);
Traits between(double low, double high);
Traits oneOf(const std::vector<std::string>& names);

/// One option of a command.
struct Option {
  std::string names; // `--jobs,-j`; `case`: without a dash by its place
  Target target;
  std::string help;
  Traits traits = {};

  /// `--jobs` of `--jobs,-j`.
  std::string name() const { return names.substr(0, names.find(',')); }
};

/// Options in the order in which the help shows them. Written as a list of rows, and of lists that several commands share.
class OptionList {
 public:
  OptionList() = default;
  OptionList(Option option);
  OptionList(std::string names, Target target, std::string help, Traits traits = {});
  OptionList(std::initializer_list<OptionList> parts);

  auto begin() const { return options_.begin(); }
  auto end() const { return options_.end(); }

 private:
  std::vector<Option> options_;
};

// Options that several commands have.

/// `--seed` and `--start` of Cases that are made.
Option seed(Target seed, std::string help, bool showsDefault = true);
Option start(uint64_t& start, std::string help = "Index of the first Case");
constexpr const char* kJobs = "Worker processes (for each family of backends)";
Option jobs(int& workers, std::string help = kJobs, bool showsDefault = true);
/// A list of backends.
Option backends(std::vector<std::string>& names, std::string help);
Option jsonFlag(bool& json, std::string help = "Print one JSON object on standard output; see docs/json.md");
/// What a command is about.
Option caseFile(std::string& path);
Option caseFiles(std::vector<std::string>& paths);

} // namespace touchstone::options
