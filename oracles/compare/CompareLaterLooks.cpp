#include "oracles/compare/Comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

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
    const observe::TensorSlot slot = observe::slotAt(LaterChange{of, index, after, at::Tensor()});
    compareValues(comparison, slot, where, property, observe::valuesAt(comparison.eager, slot),
                  observe::valuesAt(comparison.compiled, slot),
                  fmt::format(" when looked at again after call {}", after), findings);
    if (findings.differences.size() > before) {
      return;
    }
  }
}

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
  const auto compareInputs = [&](LaterChange::Of of, observe::Location::Role role, size_t count) {
    for (size_t index = 0; index < count; ++index) {
      const observe::Location where{role, static_cast<int>(index)};
      const auto differsAlready = [&](const Difference& each) { return each.where == where.text(); };
      if (std::ranges::none_of(findings.differences, differsAlready)) {
        compareLaterLooks(comparison, of, where.index, where, Property::kInputValues, findings);
      }
    }
  };
  compareInputs(LaterChange::Of::kArgument, observe::Location::Role::kArgument,
                std::min(comparison.eager.arguments.size(), comparison.compiled.arguments.size()));
  compareInputs(LaterChange::Of::kWatched, observe::Location::Role::kWatched,
                std::min(comparison.eager.watched.size(), comparison.compiled.watched.size()));
}

} // namespace touchstone::compare
