#include "harness/conformance/Causes.h"

#include "harness/probing/ProbeResults.h"
#include "harness/worker/Symptom.h"
#include "program/analysis/ProgramSignature.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <regex>
#include <set>
#include <string_view>
#include <utility>

namespace touchstone::conformance {

namespace {

using language::Outcome;

constexpr size_t kFewest = 8; // operators, or probes of a dtype: of fewer no share is taken
constexpr size_t kLongestText = 160, kLongestRead = 1000;

/// Operators that probes and Programs hold beside what they are about.
const std::set<std::string_view> kGlue = {"clone",   "detach",      "contiguous",     "requires_grad_",
                                          "no_grad", "enable_grad", "inference_mode", "autocast"};

/// What tells a cause before it is known what it has in common.
struct Kind {
  std::string way; // `other strides`, `raises`
  std::string text; // of an exception, or how the process ended
  std::string when; // ` in a later call`
  bool belongsToOperator = false;

  std::string title() const { return way + when + (text.empty() ? "" : ": " + text); }
  auto operator<=>(const Kind&) const = default;
};

/// `SIGABRT, forward` of `Crashed/SIGABRT/forward`.
std::string partsBehind(const std::string& symptom) {
  const size_t slash = symptom.find('/');
  const std::string parts = slash == std::string::npos ? "" : symptom.substr(slash + 1);
  return std::regex_replace(parts, std::regex("/"), ", ");
}

bool isOperator(const std::string& name) {
  return kGlue.count(name) == 0 && (std::isalpha(static_cast<unsigned char>(name.front())) != 0 || name.front() == '_');
}

Kind kindOf(const Observation& seen) {
  const worker::BackendResult& result = seen.result;
  switch (result.outcome) {
    case Outcome::kBackendRejected:
    case Outcome::kInternalError: {
      const probing::Refusal refusal = probing::refusalOf(result);
      const bool isOwn = result.outcome == Outcome::kInternalError;
      const std::string text = withoutParticulars(refusal.text);
      const std::string name = refusal.exceptionClass.empty() ? "an exception" : refusal.exceptionClass;
      return {.way = isOwn                ? "fails with an error of its own"
                     : result.eagerRaises ? "raises another exception than eager"
                                          : "raises",
              .text = text.empty() ? name : name + ": " + text};
    }
    case Outcome::kCrashed: return {.way = "ends the process", .text = partsBehind(result.symptom)};
    case Outcome::kDiffers: break;
    case Outcome::kReadsUninitialized: return {.way = "reads memory that nobody wrote", .belongsToOperator = true};
    case Outcome::kTimedOut: return {.way = "does not come back in time", .belongsToOperator = true};
    case Outcome::kOutOfMemory: return {.way = "runs out of memory", .belongsToOperator = true};
    case Outcome::kOutOfBounds: return {.way = "writes outside a block of memory", .belongsToOperator = true};
    case Outcome::kMissingRefusal: return {.way = "takes what eager refuses", .belongsToOperator = true};
    case Outcome::kNoneBecameZero: return {.way = "a gradient is zeros where eager has None"};
    default: return {.way = std::string(language::outcomeName(result.outcome)), .belongsToOperator = true};
  }
  const std::optional<language::Property> property = propertyOf(result);
  if (!property.has_value()) {
    return {.way = result.text};
  }
  const PropertyFailure& failure = failureOf(*property);
  const bool isAgain = isSeenAgain(result);
  const std::string when = isAgain ? " once it is called again" : result.call > 0 ? " in a later call" : "";
  const bool isOfResults = isAgain && *property == language::Property::kValues;
  return {.way = isOfResults ? "results of an earlier call change" : std::string(failure.says),
          .when = when,
          .belongsToOperator = when.empty() && failure.isOfOperator};
}

std::vector<std::string> ownOperators(const Observation& seen) {
  std::vector<std::string> own;
  for (const std::string& each : seen.operators) {
    if (isOperator(each) && std::ranges::find(own, each) == own.end()) {
      own.push_back(each);
    }
  }
  return own.empty() && !seen.operators.empty() ? std::vector{seen.operators.front()} : own;
}

/// Of a kind that belongs to operators, what is wrong with so many that it belongs to none, or to a dtype.
struct Spread {
  std::set<Kind> everywhere;
  std::set<std::pair<Kind, std::string>> inDtypes;
};

Spread spreadOf(const std::vector<Observation>& observations, const std::vector<JudgedProbe>& judged) {
  std::set<std::string> operators;
  std::map<std::string, std::set<std::string>> ofDtypes;
  for (const JudgedProbe& each : judged) {
    operators.insert(each.operatorName);
    ofDtypes[each.dtype].insert(each.operatorName);
  }
  std::map<Kind, std::set<std::string>> failing;
  std::map<std::pair<Kind, std::string>, std::set<std::string>> failingOfDtypes;
  for (const Observation& each : observations) {
    if (each.isProbe()) {
      const Kind kind = kindOf(each);
      failing[kind].insert(each.operators.begin(), each.operators.end());
      failingOfDtypes[{kind, each.dtype}].insert(each.operators.begin(), each.operators.end());
    }
  }
  Spread spread;
  for (const auto& [kind, names] : failing) {
    if (operators.size() >= kFewest && 2 * names.size() >= operators.size()) {
      spread.everywhere.insert(kind);
    }
  }
  for (const auto& [place, names] : failingOfDtypes) {
    const size_t all = ofDtypes[place.second].size();
    if (all >= kFewest && 5 * names.size() >= 2 * all) {
      spread.inDtypes.insert(place);
    }
  }
  return spread;
}

/// Causes while they grow.
class Grouping {
 public:
  Grouping(const std::vector<Observation>& observations, const std::vector<JudgedProbe>& judged)
      : observations_(observations), spread_(spreadOf(observations, judged)) {}

  void add(size_t index) {
    const Observation& seen = observations_[index];
    const Kind kind = kindOf(seen);
    Cause& cause = causeFor(kind, seen);
    cause.members.push_back(index);
    cause.level = cause.members.size() == 1 ? seen.level : std::min(cause.level, seen.level);
    cause.isRefusal = seen.result.outcome == Outcome::kBackendRejected && !seen.result.eagerRaises;
    (seen.isProbe() ? cause.probes : cause.cases) += seen.seen;
    for (const std::string& name : ownOperators(seen)) {
      addOnce(cause.operators, name);
    }
    if (seen.isProbe()) {
      addOnce(cause.dtypes, seen.dtype);
    }
  }

  std::vector<Cause> take() {
    std::vector<Cause> causes;
    for (auto& [key, cause] : causes_) {
      cause.id = analysis::shortHash(key);
      // A reduced Case first, then one that is a Case at all.
      std::ranges::stable_sort(cause.members, {}, [&](size_t member) {
        const Observation& seen = observations_[member];
        return std::pair(seen.caseText.empty(), !seen.isReduced);
      });
      causes.push_back(std::move(cause));
    }
    std::ranges::stable_sort(causes, {}, [&](const Cause& cause) {
      const worker::Symptom symptom = worker::symptomOf(observations_[cause.members.front()].result);
      return std::tuple(cause.isRefusal, worker::severityOf(symptom), -(cause.probes + cause.cases));
    });
    return causes;
  }

 private:
  static void addOnce(std::vector<std::string>& list, const std::string& name) {
    if (std::ranges::find(list, name) == list.end()) {
      list.push_back(name);
    }
  }

  Cause& named(const std::string& title) {
    Cause& cause = causes_[title];
    cause.title = title;
    return cause;
  }

  Cause& causeFor(const Kind& kind, const Observation& seen) {
    if (!kind.belongsToOperator || spread_.everywhere.count(kind) != 0) {
      return named(kind.title());
    }
    if (seen.isProbe() && spread_.inDtypes.count({kind, seen.dtype}) != 0) {
      return named(kind.title() + " with " + seen.dtype);
    }
    const std::vector<std::string> own = ownOperators(seen);
    if (!seen.isProbe()) { // of an operator that fails so alone
      for (auto& [key, cause] : causes_) {
        const std::string with = kind.title() + " with ";
        const bool isAlike =
            key.starts_with(kind.title() + " of ") ||
            (key.starts_with(with) && seen.caseText.find("torch." + key.substr(with.size())) != std::string::npos);
        const bool shares = std::ranges::any_of(own, [&](const std::string& name) {
          return std::ranges::find(cause.operators, name) != cause.operators.end();
        });
        if (isAlike && shares && cause.probes > 0) {
          return cause;
        }
      }
    }
    std::vector<std::string> sorted = own;
    std::ranges::sort(sorted);
    return named(fmt::format("{} of {}", kind.title(), fmt::join(sorted, ", ")));
  }

  const std::vector<Observation>& observations_;
  const Spread spread_;
  std::map<std::string, Cause> causes_;
};

} // namespace

std::string withoutParticulars(const std::string& text) {
  std::string chosen = text.substr(0, std::min(text.find('\n'), kLongestRead));
  static const std::vector<std::pair<std::regex, std::string>> kParticulars = {
      {std::regex("\"[^\"]*\"|\\B'[^']*'\\B|`[^`]*`"), "'…'"},
      {std::regex("(/[A-Za-z0-9_.+-]+){2,}"), "PATH"},
      {std::regex("\\b(aten|prims|torch)(::|\\.)[A-Za-z0-9_.]+"), "OPERATOR"},
      {std::regex("\\b(torch\\.)?(u?int|b?float|complex|[suif])(8|16|32|64|128)(_e[0-9]m[0-9][a-z]*)?\\b"), "DTYPE"},
      {std::regex("\\b0x[0-9a-fA-F]+|[0-9]+"), "#"},
      {std::regex("#([x, ]+#)+"), "#"},
      {std::regex("\\s+"), " "},
  };
  for (const auto& [pattern, replacement] : kParticulars) {
    chosen = std::regex_replace(chosen, pattern, replacement);
  }
  return chosen.size() > kLongestText ? chosen.substr(0, std::min(chosen.rfind(' ', kLongestText), kLongestText)) + " …"
                                      : chosen;
}

std::string titleOf(const Observation& seen) {
  return kindOf(seen).title();
}

std::vector<Cause> causesOf(const std::vector<Observation>& observations, const std::vector<JudgedProbe>& judged) {
  Grouping grouping(observations, judged);
  for (const bool probes : {true, false}) { // what an operator does alone is known first
    for (size_t index = 0; index < observations.size(); ++index) {
      if (observations[index].isProbe() == probes) {
        grouping.add(index);
      }
    }
  }
  return grouping.take();
}

} // namespace touchstone::conformance
