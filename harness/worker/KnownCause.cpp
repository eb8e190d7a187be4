#include "harness/worker/KnownCause.h"

#include "backends/Registry.h"
#include "backends/compilers/KnownDefects.h"
#include "program/language/Outcome.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace touchstone::worker {

namespace {

using compare::CaseVerdict;
using compilers::KnownDefect;
using Names = std::set<std::string_view>;

constexpr std::string_view kBetween = " and "; // of the names of defects

bool begins(const std::string& text, std::string_view beginning) {
  return text.rfind(beginning, 0) == 0;
}

bool shows(const CaseVerdict& verdict, const KnownDefect& defect) {
  const std::string text = verdict.text();
  const bool isOfGradient = begins(text, "Differs/gradient") || begins(text, "BackendRejected/backward");
  return (defect.symptom.empty() ? !isOfGradient : begins(text, defect.symptom)) &&
         verdict.worst().message.find(defect.message) != std::string::npos;
}

/// One of a defect's symptoms, where the one that is asked for may hide another one.
bool showsAnyOf(const CaseVerdict& verdict, std::string_view name) {
  const std::vector<KnownDefect>& table = compilers::knownDefects();
  return std::any_of(table.begin(), table.end(),
                     [&](const KnownDefect& defect) { return defect.name == name && shows(verdict, defect); });
}

bool isSame(const CaseVerdict& left, const CaseVerdict& right) {
  return left.text() == right.text() && left.worst().message == right.worst().message;
}

using Operators = compilers::DefectsAvoided::Operators;

Operators either(Operators left, Operators right) {
  return [left = std::move(left), right = std::move(right)](const ir::Graph& graph, const ir::Node& node) {
    return left(graph, node) || right(graph, node);
  };
}

/// What is left of one finding, with more and more defects avoided.
class Search {
 public:
  Search(Judgements& judgements, const std::string& backend, const std::function<CaseVerdict(CaseVerdict)>& ownOf,
         const CaseVerdict& verdict)
      : judgements_(judgements), backend_(backend), ownOf_(ownOf), cause_{"", verdict} {
    met_ = judgeWithout({}).second;
  }

  KnownCause cause() {
    while (language::isFinding(cause_.left.outcome) && avoidsSome()) {
    }
    return std::move(cause_);
  }

 private:
  using Judged = std::pair<CaseVerdict, Names>; // with the defects that the Case's Graphs have met

  Judged judgeWithout(const Names& avoided) const {
    const compilers::DefectsAvoided scope(avoided);
    CaseVerdict verdict = judgements_.anew(backend_).verdict;
    return {std::move(verdict), scope.met()};
  }

  /// What is found without these, too, where that is something else.
  std::optional<CaseVerdict> changedWithout(const Names& names) const {
    Names avoided = avoided_;
    avoided.insert(names.begin(), names.end());
    CaseVerdict left = ownOf_(judgeWithout(avoided).first);
    return language::isFinding(left.outcome) && isSame(left, cause_.left) ? std::nullopt
                                                                          : std::optional(std::move(left));
  }

  /// Whether a finding with a symptom of the defect is left where TorchScript has nothing but these operators.
  bool showsAmong(const KnownDefect& defect, Operators operators) const {
    const compilers::DefectsAvoided scope = compilers::DefectsAvoided::allBut(std::move(operators));
    const CaseVerdict verdict = judgements_.anew(backend_).verdict;
    return language::isFinding(verdict.outcome) && showsAnyOf(verdict, defect.name);
  }

  /// Those of some operators that no defect is about that is avoided already.
  Operators unavoided(Operators some) const {
    return [this, some = std::move(some)](const ir::Graph& graph, const ir::Node& node) {
      const std::vector<KnownDefect>& table = compilers::knownDefects();
      return some(graph, node) && std::none_of(table.begin(), table.end(), [&](const KnownDefect& defect) {
               return avoided_.contains(defect.name) && defect.concerns(graph, node);
             });
    };
  }

  /// Whether it shows itself where TorchScript has nothing but what it is about, and what it shows in.
  bool showsItself(const KnownDefect& defect) const {
    return showsAmong(defect,
                      defect.seenBy == nullptr ? defect.concerns : either(defect.concerns, unavoided(defect.seenBy)));
  }

  /// A formula that is wrong is wrong also where TorchScript differentiates these operators alone. What else disappears
  /// with them, as fewer are differentiated together, does not go back to them.
  bool isCause(const KnownDefect& defect) const {
    return !defect.showsAlone ||
           (showsItself(defect) && (defect.seenBy == nullptr || !showsAmong(defect, unavoided(defect.seenBy))));
  }

  /// Those that may have to do with what is left.
  std::vector<KnownDefect> candidates() const {
    std::vector<KnownDefect> found;
    for (const KnownDefect& defect : compilers::knownDefects()) {
      if (met_.contains(defect.name) && !avoided_.contains(defect.name) && shows(cause_.left, defect)) {
        found.push_back(defect);
      }
    }
    return found;
  }

  void avoid(const Names& names, CaseVerdict left) {
    cause_.left = std::move(left);
    for (const std::string_view name : names) {
      avoided_.insert(name);
      cause_.defects += std::string(cause_.defects.empty() ? "" : kBetween) + std::string(name);
    }
  }

  /// One that is the cause; else two formulas.
  bool avoidsSome() {
    std::vector<KnownDefect> formulas, needed; // needed: without them it is another finding
    for (const KnownDefect& defect : candidates()) {
      std::optional<CaseVerdict> left = changedWithout({defect.name});
      if (left && isCause(defect)) {
        avoid({defect.name}, std::move(*left));
        return true;
      }
      if (defect.showsAlone) {
        formulas.push_back(defect);
      }
      if (defect.showsAlone && left) {
        needed.push_back(defect);
      }
    }
    return avoidsPair(needed,
                      [this](const KnownDefect& one, const KnownDefect& other) {
                        return showsAmong(other, either(one.concerns, other.concerns)); // neither shows it alone
                      }) ||
           avoidsHidden(std::move(formulas));
  }

  /// Two formulas with the same symptom, of which each hides that the other one is avoided.
  bool avoidsHidden(std::vector<KnownDefect> formulas) {
    std::erase_if(formulas, [this](const KnownDefect& defect) { return !showsItself(defect); }); // pairs are many
    return avoidsPair(formulas, [this](const KnownDefect& one, const KnownDefect& other) {
      return one.name != other.name && isCauseWithout(one, other) && isCauseWithout(other, one);
    });
  }

  /// The first two whose avoidance changes what is left, and that hold.
  template <typename Holds>
  bool avoidsPair(const std::vector<KnownDefect>& defects, const Holds& hold) {
    for (size_t second = 0; second < defects.size(); ++second) {
      for (size_t first = 0; first < second; ++first) {
        const Names names{defects[first].name, defects[second].name};
        std::optional<CaseVerdict> left = changedWithout(names);
        if (left && hold(defects[first], defects[second])) {
          avoid(names, std::move(*left));
          return true;
        }
      }
    }
    return false;
  }

  bool isCauseWithout(const KnownDefect& other, const KnownDefect& defect) {
    avoided_.insert(other.name);
    const bool is = isCause(defect);
    avoided_.erase(other.name);
    return is;
  }

  Judgements& judgements_;
  const std::string& backend_;
  const std::function<CaseVerdict(CaseVerdict)>& ownOf_;
  KnownCause cause_;
  Names met_, avoided_;
};

} // namespace

std::vector<std::string> filesOfDefects(const std::string& defects) {
  std::vector<std::string> files;
  for (size_t begin = 0; begin <= defects.size();) {
    const size_t end = std::min(defects.find(kBetween, begin), defects.size());
    const std::string name = defects.substr(begin, end - begin);
    const std::vector<KnownDefect>& table = compilers::knownDefects();
    if (std::none_of(table.begin(), table.end(), [&](const KnownDefect& each) { return each.name == name; })) {
      return {};
    }
    files.push_back(fmt::format("corpus/known/{}.py", name));
    begin = end + kBetween.size();
  }
  return files;
}

std::string whereDefectsAre(const std::string& defects) {
  const std::vector<std::string> files = filesOfDefects(defects);
  return files.empty() ? "" : fmt::format(": see {} and docs/torchscript.md", fmt::join(files, ", "));
}

KnownCause knownCauseOf(Judgements& judgements, const std::string& backend, const CaseVerdict& verdict,
                        const std::function<CaseVerdict(CaseVerdict)>& ownOf) {
  if (backends::backendInfo(backend).rules != ir::RuleSet::kNativeScript) {
    return {"", verdict};
  }
  return Search(judgements, backend, ownOf, verdict).cause();
}

} // namespace touchstone::worker
