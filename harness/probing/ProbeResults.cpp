#include "harness/probing/ProbeResults.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace touchstone::probing {

using language::Outcome;
using nlohmann::json;

namespace {

struct StatusEntry {
  ProbeStatus status;
  std::string_view name;
  char symbol;
  std::string_view meaning;
};
constexpr StatusEntry kStatuses[] = {
    {ProbeStatus::kSupported, "supported", '+', "as eager"},
    {ProbeStatus::kRejected, "rejected", 'R', "raises where eager returns"},
    {ProbeStatus::kWrong, "wrong", 'W', "differs from eager"},
    {ProbeStatus::kCrashed, "crashed", 'C', "ended the process"},
    {ProbeStatus::kTimedOut, "timed_out", 'T', "ran out of time"},
    {ProbeStatus::kExcused, "excused", 'x', "raises; the profile or a rule of the contract excuses it"},
    {ProbeStatus::kUpstream, "upstream", 'u', "fails as its base does"},
    {ProbeStatus::kNotJudged, "not_judged", '?', "nothing compiled, or eager is not steady"},
    {ProbeStatus::kNotApplicable, "not_applicable", '.', "eager has no such Case"},
};

const StatusEntry& entryOf(ProbeStatus status) {
  return *std::find_if(std::begin(kStatuses), std::end(kStatuses),
                       [&](const StatusEntry& each) { return each.status == status; });
}

ProbeStatus statusOf(const worker::BackendResult& result) {
  switch (result.outcome) {
    case Outcome::kAgreed: return ProbeStatus::kSupported;
    case Outcome::kBackendRejected:
    case Outcome::kInternalError: return ProbeStatus::kRejected;
    case Outcome::kDiffers:
    case Outcome::kReadsUninitialized:
    case Outcome::kOutOfBounds:
    case Outcome::kMissingRefusal:
    case Outcome::kNoneBecameZero: return ProbeStatus::kWrong;
    case Outcome::kCrashed:
    case Outcome::kOutOfMemory: return ProbeStatus::kCrashed;
    case Outcome::kTimedOut: return ProbeStatus::kTimedOut;
    case Outcome::kUnsupported:
    case Outcome::kLimit: return ProbeStatus::kExcused;
    case Outcome::kUpstream: return ProbeStatus::kUpstream;
    default: return ProbeStatus::kNotJudged;
  }
}

std::string placeText(const ProbeResult& result) {
  return fmt::format("{} {} {}", result.operatorName, result.dtype, result.pass());
}

/// The same text for what differs in numbers alone.
std::string withoutNumbers(const std::string& text) {
  std::string result;
  for (const char character : text) {
    if (std::isdigit(static_cast<unsigned char>(character)) == 0) {
      result += character;
    } else if (result.empty() || result.back() != '#') {
      result += '#';
    }
  }
  return result;
}

/// Refusals with the same class and text, but for numbers.
using Refusals = std::map<std::pair<std::string, std::string>, std::vector<const ProbeResult*>>;
Refusals refusalsOf(const std::vector<ProbeResult>& results) {
  Refusals refusals;
  for (const ProbeResult& each : results) {
    if (each.status == ProbeStatus::kRejected) {
      refusals[{each.exceptionClass, withoutNumbers(each.text)}].push_back(&each);
    }
  }
  return refusals;
}

/// A regular expression for a text, with any number where one is: `float#` was `float64` each time or is any. Without a text it
/// holds for no exception of the class that has one; empty: there is nothing to tell it by.
std::string patternOf(const std::string& exceptionClass, const std::vector<const ProbeResult*>& refused) {
  const std::string& first = refused.front()->text;
  const bool same = std::all_of(refused.begin(), refused.end(), [&](const auto* each) { return each->text == first; });
  const std::string text = same ? first : withoutNumbers(first);
  if (text.empty()) {
    return exceptionClass.empty() ? "" : exceptionClass + ": $";
  }
  constexpr size_t kLongest = 160;
  std::string pattern = exceptionClass.empty() ? "" : exceptionClass + ": .*";
  for (const char character : text.substr(0, kLongest)) {
    if (character == '#' && !same) {
      pattern += "[0-9]+";
    } else if (std::string_view("\\^$.|?*+()[]{}").find(character) != std::string_view::npos) {
      pattern += std::string("\\") + character;
    } else {
      pattern += character;
    }
  }
  return pattern;
}

/// What is bad among the probes for which `chosen` holds, as a text; empty: something is not, or there are none.
template <class Chosen>
std::string whyAllBad(const std::vector<ProbeResult>& results, Chosen chosen) {
  std::map<std::string, int> kinds;
  for (const ProbeResult& each : results) {
    if (each.status == ProbeStatus::kNotApplicable || each.status == ProbeStatus::kNotJudged || !chosen(each)) {
      continue;
    }
    if (!each.isBad()) {
      return "";
    }
    const std::string text = each.status == ProbeStatus::kRejected
                                 ? fmt::format("{}: {}", each.exceptionClass, each.text)
                                 : std::string(probeStatusName(each.status)) + ": " + each.message;
    ++kinds[text];
  }
  if (kinds.empty()) {
    return "";
  }
  const auto most = std::max_element(kinds.begin(), kinds.end(),
                                     [](const auto& left, const auto& right) { return left.second < right.second; });
  return most->first + (kinds.size() > 1 ? fmt::format(" (and {} other texts)", kinds.size() - 1) : "");
}

void appendNamed(json& profile, const char* key, const std::string& name, const std::string& why) {
  json& list = profile[key];
  list = list.is_null() ? json::array() : list;
  list.push_back({{"name", name}, {"why", why}});
}

std::vector<std::string> distinct(const std::vector<ProbeResult>& results, std::string ProbeResult::*member) {
  std::vector<std::string> names;
  for (const ProbeResult& each : results) {
    if (std::find(names.begin(), names.end(), each.*member) == names.end()) {
      names.push_back(each.*member);
    }
  }
  return names;
}

} // namespace

std::string_view probeStatusName(ProbeStatus status) {
  return entryOf(status).name;
}

// Out of `Outcome/Class` and the judge's message.
Refusal refusalOf(const worker::BackendResult& result) {
  const std::string kind = result.shows.empty() ? "" : result.shows[0];
  const size_t slash = kind.find('/');
  Refusal refusal{slash == std::string::npos ? "" : kind.substr(slash + 1), result.message};
  const size_t compiled = result.message.find("; compiled ");
  if (compiled != std::string::npos) {
    refusal.text = result.message.substr(compiled + std::string_view("; compiled ").size());
  }
  const size_t name =
      refusal.exceptionClass.empty() ? std::string::npos : refusal.text.find(refusal.exceptionClass + ": ");
  if (name != std::string::npos) {
    refusal.text = refusal.text.substr(name + refusal.exceptionClass.size() + 2);
  }
  return refusal;
}

std::string delegationOf(const worker::BackendResult& result) {
  ir::OperatorShare all;
  for (const auto& [name, share] : result.operatorShares) {
    if (name != "clone") {
      all += share;
    }
  }
  if (result.delegation.empty() || all.calls == 0) { // a counter does not tell operators
    return result.delegation;
  }
  const auto kind = all.own == all.calls ? ir::DelegationKind::kDelegated
                    : all.own == 0       ? ir::DelegationKind::kUndelegated
                                         : ir::DelegationKind::kPartly;
  return std::string(ir::delegationName(kind));
}

ProbeSymbol probeSymbolOf(std::string_view statusName) {
  const StatusEntry& entry = *std::ranges::find(kStatuses, statusName, &StatusEntry::name);
  return {entry.symbol, entry.meaning};
}

bool ProbeResult::isFinding() const {
  return status == ProbeStatus::kWrong || status == ProbeStatus::kCrashed || status == ProbeStatus::kTimedOut ||
         internalError;
}

bool ProbeResult::isBad() const {
  const bool refused = status == ProbeStatus::kRejected && !internalError;
  return refused || status == ProbeStatus::kCrashed || status == ProbeStatus::kTimedOut;
}

ProbeResult probeResultOf(const worker::Probe& probe, const worker::JobResult& result) {
  ProbeResult probed{.operatorName = probe.operatorName, .dtype = probe.dtype, .backward = probe.backward};
  if (!result.error.empty()) {
    probed.status = ProbeStatus::kNotJudged;
    probed.message = result.error;
    return probed;
  }
  if (result.making.notApplicable || result.backends.empty()) {
    return probed;
  }
  const worker::BackendResult& found = result.backends[0];
  probed.status = statusOf(found);
  probed.internalError = found.outcome == Outcome::kInternalError;
  probed.outcome = found.text;
  probed.delegation = delegationOf(found);
  if (probed.status != ProbeStatus::kSupported) {
    probed.message = found.message;
    probed.caseText = result.caseText;
    probed.result = found;
  }
  if (probed.status == ProbeStatus::kRejected) {
    const Refusal refusal = refusalOf(found);
    probed.exceptionClass = refusal.exceptionClass;
    probed.text = refusal.text.substr(0, refusal.text.find('\n'));
  }
  return probed;
}

std::string probeTable(const std::vector<ProbeResult>& results, bool all) {
  const std::vector<std::string> dtypes = distinct(results, &ProbeResult::dtype);
  std::map<std::string, std::map<std::string, std::array<char, 2>>> cells;
  std::set<std::string> shown;
  std::set<char> used;
  size_t width = 8;
  for (const ProbeResult& each : results) {
    const char symbol = entryOf(each.status).symbol;
    auto& cell = cells[each.operatorName].try_emplace(each.dtype, std::array<char, 2>{'.', '.'}).first->second;
    cell[each.backward ? 1 : 0] = symbol;
    if (all || (each.status != ProbeStatus::kSupported && each.status != ProbeStatus::kNotApplicable)) {
      shown.insert(each.operatorName);
      width = std::max(width, each.operatorName.size());
    }
  }
  std::string text;
  if (!shown.empty()) {
    text += fmt::format("{:{}}", "", width);
    for (const std::string& dtype : dtypes) {
      text += fmt::format("  {:9}", dtype);
    }
    text += "\n";
  }
  for (const std::string& name : distinct(results, &ProbeResult::operatorName)) {
    if (shown.count(name) == 0) {
      continue;
    }
    text += fmt::format("{:{}}", name, width);
    for (const std::string& dtype : dtypes) {
      const auto& cell = cells[name].try_emplace(dtype, std::array<char, 2>{'.', '.'}).first->second;
      text += fmt::format("  {:9}", fmt::format("{}{}", cell[0], cell[1]));
      used.insert(cell.begin(), cell.end());
    }
    text += "\n";
  }
  const size_t hidden = cells.size() - shown.size();
  if (hidden > 0) {
    text += fmt::format("{} {} not shown: supported wherever eager has a Case (--all shows them)\n", hidden,
                        hidden == 1 ? "operator is" : "operators are");
  }
  if (!shown.empty()) {
    text += "Of each dtype the forward and the backward:\n";
    for (const StatusEntry& entry : kStatuses) {
      if (used.count(entry.symbol) != 0) {
        text += fmt::format("  {} {}: {}\n", entry.symbol, entry.name, entry.meaning);
      }
    }
  }
  return text;
}

std::string probeDetails(const std::vector<ProbeResult>& results) {
  constexpr size_t kShownPlaces = 6;
  std::string text;
  for (const auto& [kind, refused] : refusalsOf(results)) {
    std::vector<std::string> places;
    for (const ProbeResult* each : refused) {
      places.push_back(placeText(*each));
    }
    const size_t more = places.size() - std::min(places.size(), kShownPlaces);
    places.resize(places.size() - more);
    text += fmt::format("\nrejected {} times with {}: {}\n  {}{}\n", refused.size(), kind.first, refused.front()->text,
                        fmt::join(places, "; "), more > 0 ? fmt::format("; and {} more", more) : "");
  }
  for (const ProbeResult& each : results) {
    if (each.isFinding()) {
      text += fmt::format("\nFINDING {} ({})\n  {}\n", placeText(each), each.outcome, each.message);
    }
  }
  std::map<ProbeStatus, int> counts;
  for (const ProbeResult& each : results) {
    ++counts[each.status];
  }
  std::vector<std::string> parts;
  for (const StatusEntry& entry : kStatuses) {
    if (counts[entry.status] > 0) {
      parts.push_back(fmt::format("{} {}", entry.name, counts[entry.status]));
    }
  }
  return text + fmt::format("\n{}\n", fmt::join(parts, ", "));
}

json proposedProfile(const std::vector<ProbeResult>& results, const json& base, bool excludeWrong) {
  json profile = base;
  std::set<std::string> dtypesOut, operatorsOut;
  const auto remains = [&](const ProbeResult& each) {
    return dtypesOut.count(each.dtype) == 0 && operatorsOut.count(each.operatorName) == 0;
  };
  const std::vector<std::string> dtypes = distinct(results, &ProbeResult::dtype);
  for (const std::string& dtype : dtypes) {
    const std::string why = whyAllBad(results, [&](const ProbeResult& each) { return each.dtype == dtype; });
    // A backend that takes nothing at all has no dtype to be blamed.
    const bool others = std::any_of(results.begin(), results.end(), [&](const ProbeResult& each) {
      return each.dtype != dtype && each.status == ProbeStatus::kSupported;
    });
    if (!why.empty() && others) {
      dtypesOut.insert(dtype);
      appendNamed(profile, "excluded_dtypes", dtype, why);
    }
  }
  const auto isBackward = [&](const ProbeResult& each) { return each.backward && remains(each); };
  const std::string whyNoBackward = whyAllBad(results, isBackward);
  if (!whyNoBackward.empty()) {
    profile["features"]["backward"] = false;
  }
  for (const std::string& name : distinct(results, &ProbeResult::operatorName)) {
    const auto concerned = [&](const ProbeResult& each) {
      return each.operatorName == name && dtypesOut.count(each.dtype) == 0 && (whyNoBackward.empty() || !each.backward);
    };
    std::string why = whyAllBad(results, concerned);
    for (const ProbeResult& each : results) {
      const bool ends = each.status == ProbeStatus::kCrashed || each.status == ProbeStatus::kTimedOut ||
                        (excludeWrong && each.status == ProbeStatus::kWrong);
      if (why.empty() && ends && concerned(each)) {
        why = fmt::format("{} with {} {}: {}", probeStatusName(each.status), each.dtype, each.pass(), each.message);
      }
    }
    if (!why.empty()) {
      operatorsOut.insert(name);
      appendNamed(profile, "excluded_operators", name, why);
    }
  }
  for (const auto& [kind, refused] : refusalsOf(results)) {
    std::vector<const ProbeResult*> own; // an assertion of the backend's own stays a finding
    std::copy_if(refused.begin(), refused.end(), std::back_inserter(own),
                 [](const ProbeResult* each) { return !each->internalError; });
    const std::string pattern = own.empty() ? "" : patternOf(kind.first, own);
    if (pattern.empty()) {
      continue;
    }
    json& list = profile["unsupported"];
    list = list.is_null() ? json::array() : list;
    list.push_back({{"pattern", pattern},
                    {"why", fmt::format("rejected {} times, first {}", own.size(), placeText(*own.front()))}});
  }
  return profile;
}

json probeResultsJson(const std::vector<ProbeResult>& results) {
  json list = json::array();
  for (const ProbeResult& each : results) {
    if (each.status == ProbeStatus::kNotApplicable) {
      continue;
    }
    list.push_back({{"operator", each.operatorName},
                    {"dtype", each.dtype},
                    {"pass", each.pass()},
                    {"status", probeStatusName(each.status)},
                    {"finding", each.isFinding()},
                    {"outcome", each.outcome},
                    {"class", each.exceptionClass},
                    {"text", each.text},
                    {"message", each.message}});
  }
  return list;
}

} // namespace touchstone::probing
