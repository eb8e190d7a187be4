#include "oracles/compare/Comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string_view>

namespace touchstone::compare {

using language::Property;
using observe::LaterChange;

void compareLaterLooks(const Comparison& comparison, LaterChange::Of of, int index, const observe::Location& where,
                       Property property, CallFindings& findings) {
  const bool looksAgain = of == LaterChange::Of::kGradient ? comparison.gradientsLookAgain : comparison.looksAgain;
  if (!looksAgain) {
    return;
  }
  std::set<int> looks; // that changed something on either side
  for (const observe::CallObservation* side : {&comparison.eager, &comparison.compiled}) {
    for (const LaterChange& change : side->changes) {
      if (change.of == of && change.index == index) {
        looks.insert(change.after);
      }
    }
  }
  const size_t before = findings.differences.size();
  for (const int after : looks) {
    const observe::TensorSlot slot = observe::slotAt(LaterChange{of, index, after});
    compareValues(comparison, slot, where, property, observe::valuesAt(comparison.eager, slot),
                  observe::valuesAt(comparison.compiled, slot), fmt::format("{}{}", kLookedAtAgain, after), findings);
    if (findings.differences.size() > before) {
      return;
    }
  }
}

namespace {

/// What the last look that changed it has shown; null: it is as it was at the end of the forward.
const LaterChange* lastChange(const observe::CallObservation& call, const observe::Location& where) {
  const auto of =
      where.role == observe::Location::Role::kArgument ? LaterChange::Of::kArgument : LaterChange::Of::kWatched;
  const LaterChange* last = nullptr;
  for (const LaterChange& change : call.changes) {
    if (change.of == of && change.index == where.index) {
      last = &change;
    }
  }
  return last;
}

/// An input as both sides saw it last behind the backward.
class LaterLayout {
 public:
  LaterLayout(const Comparison& comparison, const observe::Location& where, CallFindings& findings)
      : where_(where),
        findings_(findings),
        eagerFirst_(*observe::observationAt(comparison.eager, observe::slotAt(where))),
        compiledFirst_(*observe::observationAt(comparison.compiled, observe::slotAt(where))),
        eager_(lastChange(comparison.eager, where)),
        compiled_(lastChange(comparison.compiled, where)) {}

  /// True: they are the same.
  bool compareSizes() {
    const auto &eager = eager_ ? eager_->sizes : eagerFirst_.sizes,
               &compiled = compiled_ ? compiled_->sizes : compiledFirst_.sizes;
    if (eager != compiled) {
      report(Property::kInputMetadata, "shape", eager, compiled);
    }
    return eager == compiled;
  }
  /// Strides that one side has changed, and whether the version counts what eager wrote.
  void compareStridesAndVersion() {
    const auto &eager = eager_ ? eager_->strides : eagerFirst_.strides,
               &compiled = compiled_ ? compiled_->strides : compiledFirst_.strides;
    if ((eager != eagerFirst_.strides || compiled != compiledFirst_.strides) && eager != compiled) {
      report(Property::kInputMetadata, "strides", eager, compiled);
    } else if (eager_ && compiled_ && eager_->versionBumped && !compiled_->versionBumped) {
      report(Property::kVersion, "version bumped", true, false);
    }
  }

 private:
  template <class Field>
  void report(Property property, std::string_view label, const Field& eager, const Field& compiled) {
    findings_.add(property, where_.text(),
                  fmt::format("{} {} when looked at again behind the backward: eager {}, compiled {}", where_.text(),
                              label, eager, compiled));
  }

  const observe::Location& where_;
  CallFindings& findings_;
  const observe::TensorObservation &eagerFirst_, &compiledFirst_; // at the end of the forward
  const LaterChange *eager_, *compiled_;
};

void compareInputsLater(const Comparison& comparison, CallFindings& findings) {
  if (!comparison.looksAgain) {
    return;
  }
  const auto compareInputs = [&](LaterChange::Of of, observe::Location::Role role, size_t count) {
    for (size_t index = 0; index < count; ++index) {
      const observe::Location where{role, static_cast<int>(index)};
      const auto differsAlready = [&](const Difference& each) { return each.where == where.text(); };
      if (std::ranges::none_of(findings.differences, differsAlready)) {
        LaterLayout layout(comparison, where, findings);
        if (layout.compareSizes()) {
          compareLaterLooks(comparison, of, where.index, where, Property::kInputValues, findings);
          layout.compareStridesAndVersion();
        }
      }
    }
  };
  compareInputs(LaterChange::Of::kArgument, observe::Location::Role::kArgument,
                std::min(comparison.eager.arguments.size(), comparison.compiled.arguments.size()));
  compareInputs(LaterChange::Of::kWatched, observe::Location::Role::kWatched,
                std::min(comparison.eager.watched.size(), comparison.compiled.watched.size()));
}

} // namespace

void compareAfterBackward(const Comparison& comparison, CallFindings& findings) {
  const auto differs = [&](const observe::GradientObservation& gradient) {
    return std::ranges::any_of(findings.differences,
                               [&](const Difference& each) { return each.where == gradient.leaf.text(); });
  };
  const std::vector<observe::GradientObservation>&eager = comparison.eager.gradients,
        &compiled = comparison.compiled.gradients;
  for (size_t index = 0; index < std::min(eager.size(), compiled.size()); ++index) {
    if (eager[index].gradient && compiled[index].gradient && !differs(eager[index])) {
      compareLaterLooks(comparison, LaterChange::Of::kGradient, static_cast<int>(index), eager[index].leaf,
                        Property::kGradientValues, findings);
    }
  }
  const size_t tangents = std::min(comparison.eager.tangents.size(), comparison.compiled.tangents.size());
  for (size_t index = 0; index < tangents; ++index) {
    const auto position = static_cast<int>(index);
    compareLaterLooks(comparison, LaterChange::Of::kTangent, position, {observe::Location::Role::kTangent, position},
                      Property::kInputValues, findings);
  }
  compareInputsLater(comparison, findings);
}

void compareInputsAfterBackward(const Comparison& comparison, CallFindings& findings) {
  const auto next = static_cast<size_t>(comparison.call) + 1;
  if (next >= comparison.theCase.calls.size() || !comparison.theCase.takesEarlierObjects(next)) {
    compareInputsLater(comparison, findings);
  }
}

} // namespace touchstone::compare
