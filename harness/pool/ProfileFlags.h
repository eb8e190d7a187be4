#pragma once

#include "harness/options/Option.h"
#include "harness/pool/WorkerPool.h"
#include "harness/worker/Profile.h"

#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <vector>

namespace touchstone::pool {

/// How the names of the files begin in which a campaign keeps its profile.
constexpr const char* kStoredProfile = "profile-";
/// `profile-94f590a0.json`: one that a campaign stored beside its findings.
bool isStoredProfile(const std::string& fileName);

/// A profile as a command line gives it: a file, and flags that say what the file's keys say, and win.
struct ProfileFlags {
  std::string file;
  std::shared_ptr<nlohmann::json> flags = std::make_shared<nlohmann::json>(nlohmann::json::object());

  /// Reads the file and applies the flags; an empty profile where there are neither. Throws WrongUse, std::invalid_argument
  /// and ProfileUnavailable, which name the file and the key.
  ///
  /// `backends`: those that the command line names; the profile's own where it names none. With several, the profile's has
  /// to be one of them; with one, that is the profile's. Tells this process of the profile's backend.
  worker::Profile read(std::vector<std::string>& backends) const;
  /// The same with one backend, or none where it is empty.
  worker::Profile read(const std::string& backend = "") const;
  /// The same for a list that is left as it is where nobody gave it and the profile names none. Names each backend once.
  worker::Profile read(std::vector<std::string>& backends, bool areGiven) const;
  /// ` --profile FILE --dynamic`: what to type to give the same again, for a shell; empty: nothing.
  std::string commandLine() const;
  /// These, and where they name no file, that of the profile which `touchstone fuzz` put beside the findings, where these files
  /// and folders are all of one folder. Not one about another backend than those that are named, nor one that may run code,
  /// nor one of several; standard error is told.
  ProfileFlags orStoredBeside(const std::vector<std::string>& findings, const std::vector<std::string>& backends) const;
  /// The same file, with those flags alone that do not steer how Cases are made.
  ProfileFlags withoutGeneratingFlags() const;
};

/// The text as one word for a shell.
std::string shellWord(const std::string& text);

/// The one name, or none where it is empty.
std::vector<std::string> namesOf(const std::string& backend);
/// The names in their order, each once.
std::vector<std::string> withoutRepeats(const std::vector<std::string>& names);

/// The options that a command takes: of `run` and `reduce` those alone that do not steer how Cases are made.
enum class ProfileScope { kEverything, kJudging };
options::OptionList profileOptions(ProfileFlags& flags, ProfileScope scope);

/// `--dynamic` alone, for a command without a profile: `true`, `false` or `auto`; what it points to is left where it is not given.
options::Option dynamicOption(std::string& value);

/// The options that set limits.
options::OptionList limitOptions(LimitOptions& limits);

/// The limits of the profile where the command line gives none.
LimitOptions limitsOf(const worker::Profile& profile, LimitOptions given);

} // namespace touchstone::pool
