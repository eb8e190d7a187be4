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
}

} // namespace touchstone::compare
