#pragma once

#include "generators/catalogue/Exclusions.h"
#include "oracles/compare/Rules.h"
#include "program/language/Case.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::worker {

/// A profile asks for what this machine or this version cannot do; `what()` says what. Exit status 3.
class ProfileUnavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// How one backend is to be tested; docs/profiles.md has the keys. An empty one changes nothing.
struct Profile {
  /// A text of an exception that makes a refusal of the backend Unsupported.
  struct Pattern {
    std::string text; // a regular expression
    std::string entry; // `unsupported does not take float64`, as it is counted
  };
  enum class Feature { kBackward, kMutation, kAliasedInputs, kRandom, kModules, kDataBranches, kCustomOperators };

  std::string text; // the object as JSON on one line; empty: there is none
  std::string backend; // that the entries on judging are about; empty: there are none
  std::vector<std::string> imports, pythonPath;
  std::vector<std::string> load; // shared libraries with backends, by path
  std::vector<std::string> loaded; // the names of their backends, once this process knows them
  std::map<std::string, std::string> environment;
  bool warmUp = true;
  std::string proof; // how `backend` shows that it executes what it is handed; empty: it is not asked
  std::string base;
  std::string device; // where tensors live; empty: where a Case says, else on the CPU
  std::optional<ir::RuleSet> ruleSet;
  compare::Rules rulesOn, rulesOff;
  bool strictNumerics = false;
  std::vector<Pattern> unsupported;
  catalogue::Exclusions exclusions;
  std::vector<std::pair<Feature, std::string>> without; // with the entry
  std::vector<Feature> always; // of kBackward, kMutation, kAliasedInputs, kCustomOperators: Cases without are made anew
  std::optional<int> minimumOperations, maximumOperations, maximumRank;
  std::optional<int64_t> maximumElements;
  std::optional<double> eagerSeconds, backendSeconds;
  std::optional<int64_t> memoryMebibytes;
  bool setsDynamic = false, setsFullgraph = false;
  bool compilesBackwards = false; // every backward runs under compiled autograd
  language::CompileSpec compile; // with the two flags above; `options` go to `backend` alone
  std::vector<std::string> entries; // that take something away, in the order of the file: what summaries count

  bool isOnDevice() const { return !device.empty() && !device.starts_with("cpu"); } // another than the CPU
  bool lacks(Feature feature) const; // switched off, or no operator is left that could
  /// The first pattern that is found in `Class: message` of an exception; null: none.
  const Pattern* unsupportedBy(const std::string& exception) const;
  /// Names of entries that steer how random Cases are made; empty: none does.
  std::vector<std::string> generating() const;
  /// Names of entries that are about one backend.
  std::vector<std::string> judging() const;
};

/// A profile from a JSON text. `source`, a file or a command's flags, begins every complaint. Throws std::invalid_argument
/// for text that is not JSON, unknown keys and names, and wrong types, naming the key and what is allowed;
/// ProfileUnavailable.
Profile readProfile(const std::string& text, const std::string& source);
Profile readProfile(const nlohmann::json& object, const std::string& source);

/// `float32` → at::kFloat; none: no dtype of Cases is called so.
std::optional<at::ScalarType> dtypeFromName(const std::string& name);
std::string dtypeName(at::ScalarType dtype);

/// Makes the process know the profile's backend under these names: one that an imported module registers, or a known one
/// with another base or other rules.
void declareBackend(const Profile& profile);

} // namespace touchstone::worker
