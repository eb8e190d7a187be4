#include "oracles/compare/Comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace touchstone::compare {

namespace {

using language::Property;

std::string listText(const std::vector<int64_t>& list) {
  return fmt::format("[{}]", fmt::join(list, ", "));
}

int64_t elementsOf(const observe::TensorObservation& tensor) {
  int64_t count = 1;
  for (int64_t size : tensor.sizes) {
    count *= size;
  }
  return count;
}

/// What of `eager` and `compiled` differs in kind: dtype, device, conj and neg bits. Empty: nothing.
std::string kindDifference(const observe::TensorObservation& eager, const observe::TensorObservation& compiled) {
  const auto bit = [](const char* name, bool left, bool right) {
    return fmt::format("{}: eager {}, compiled {}", name, left, right);
  };
  if (eager.dtype != compiled.dtype) {
    return fmt::format("dtype: eager {}, compiled {}", c10::toString(eager.dtype), c10::toString(compiled.dtype));
  }
  if (eager.device != compiled.device) {
    return fmt::format("device: eager {}, compiled {}", eager.device, compiled.device);
  }
  if (eager.conjugate != compiled.conjugate) {
    return bit("conj bit", eager.conjugate, compiled.conjugate);
  }
  if (eager.negative != compiled.negative) {
    return bit("neg bit", eager.negative, compiled.negative);
  }
  return "";
}

/// The first difference in autograd state, with the property it has on an output.
std::optional<Difference> autogradDifference(const Comparison& comparison, const observe::TensorObservation& eager,
                                             const observe::TensorObservation& compiled, CallFindings& findings) {
  if (!eager.autogradError.empty() && comparison.has(Rule::kA9)) {
    if (eager.autogradError != compiled.autogradError) {
      findings.allowed.set(static_cast<size_t>(Rule::kA9));
    }
    return std::nullopt;
  }
  const auto differs = [](Property property, const char* name, bool left, bool right) {
    return Difference{property, "", fmt::format("{}: eager {}, compiled {}", name, left, right)};
  };
  if (eager.autogradError.empty() != compiled.autogradError.empty()) {
    return Difference{Property::kGradFn, "",
                      fmt::format("reading grad_fn: eager {}, compiled {}",
                                  eager.autogradError.empty() ? "works" : "raises " + eager.autogradError,
                                  compiled.autogradError.empty() ? "works" : "raises " + compiled.autogradError)};
  }
  if (eager.requiresGrad != compiled.requiresGrad) {
    return differs(Property::kRequiresGrad, "requires_grad", eager.requiresGrad, compiled.requiresGrad);
  }
  if (eager.isLeaf != compiled.isLeaf) {
    return differs(Property::kLeaf, "is_leaf", eager.isLeaf, compiled.isLeaf);
  }
  if (eager.inference != compiled.inference) {
    return differs(Property::kLeaf, "is_inference", eager.inference, compiled.inference);
  }
  if (eager.hasGradFn != compiled.hasGradFn) {
    return differs(Property::kGradFn, "has a grad_fn", eager.hasGradFn, compiled.hasGradFn);
  }
  return std::nullopt;
}

/// Strides and offset, by A6; of tensors of equal sizes.
std::optional<Difference> layoutDifference(const Comparison& comparison, const observe::TensorObservation& eager,
                                           const observe::TensorObservation& compiled, CallFindings& findings) {
  const auto allow = [&] { findings.allowed.set(static_cast<size_t>(Rule::kA6)); };
  if (eager.strides != compiled.strides) {
    const bool significant = stridesDifferSignificantly(eager, compiled);
    bool excused = comparison.has(Rule::kA6) && !significant;
    if (comparison.has(Rule::kA6) && significant && !promisesStrides(comparison.set) &&
        comparison.baseHasEagerStrides) {
      excused = comparison.baseHasEagerStrides(comparison.call).value_or(false);
    }
    if (!excused) {
      return Difference{Property::kStrides, "",
                        fmt::format("strides: eager {}, compiled {} (sizes {})", listText(eager.strides),
                                    listText(compiled.strides), listText(eager.sizes))};
    }
    allow();
  }
  if (eager.offset != compiled.offset) {
    if (!comparison.has(Rule::kA6) || elementsOf(eager) > 0) {
      return Difference{Property::kOffset, "",
                        fmt::format("storage offset: eager {}, compiled {}", eager.offset, compiled.offset)};
    }
    allow();
  }
  return std::nullopt;
}

std::string shapeText(const observe::TensorObservation& eager, const observe::TensorObservation& compiled) {
  return fmt::format("shape: eager {}, compiled {}", listText(eager.sizes), listText(compiled.sizes));
}

void compareOutput(const Comparison& comparison, int index, CallFindings& findings) {
  const observe::TensorObservation& eager = comparison.eager.outputs[static_cast<size_t>(index)];
  const observe::TensorObservation& compiled = comparison.compiled.outputs[static_cast<size_t>(index)];
  const observe::Location where{observe::Location::Role::kOutput, index};
  const std::string name = where.text();
  const auto add = [&](Property property, const std::string& text) { findings.add(property, name, name + " " + text); };

  const std::string kind = kindDifference(eager, compiled);
  if (!kind.empty()) {
    add(Property::kDtype, kind);
  }
  if (eager.sizes != compiled.sizes) {
    add(Property::kShape, shapeText(eager, compiled));
  } else {
    if (const auto layout = layoutDifference(comparison, eager, compiled, findings)) {
      add(layout->property, layout->message);
    }
    if (eager.dtype == compiled.dtype) {
      const size_t before = findings.differences.size();
      compareValues(comparison, {observe::TensorSlot::Kind::kOutput, index}, where, Property::kValues, eager.values,
                    compiled.values, "", findings);
      const observe::TensorSlot late{observe::TensorSlot::Kind::kLateOutput, index};
      const at::Tensor eagerLate = observe::valuesAt(comparison.eager, late),
                       compiledLate = observe::valuesAt(comparison.compiled, late);
      const bool unchanged = eagerLate.is_same(eager.values) && compiledLate.is_same(compiled.values);
      if (!unchanged && comparison.looksAgain && findings.differences.size() == before) {
        compareValues(comparison, late, where, Property::kValues, eagerLate, compiledLate,
                      " when looked at again after the last call", findings);
      }
    }
  }
  if (const auto autograd = autogradDifference(comparison, eager, compiled, findings)) {
    add(autograd->property, autograd->message);
  }
}

void compareVersion(const Comparison& comparison, const observe::Location& where,
                    const observe::TensorObservation& eager, const observe::TensorObservation& compiled,
                    CallFindings& findings) {
  if (eager.versionBumped == compiled.versionBumped) {
    return;
  }
  bool excused = false;
  if (comparison.has(Rule::kA1)) {
    excused = compiled.versionBumped;
    if (!excused && comparison.reference) {
      // Not bumped at all: only a bug where eager wrote data.
      const std::vector<observe::Location>& written = comparison.reference->trace(comparison.call).dataWritten;
      const std::optional<int> storage = observe::storageOf(comparison.eager, where);
      excused = std::none_of(written.begin(), written.end(), [&](const observe::Location& each) {
        return observe::storageOf(comparison.eager, each) == storage;
      });
    }
  }
  if (excused) {
    findings.allowed.set(static_cast<size_t>(Rule::kA1));
    return;
  }
  findings.add(Property::kVersion, where.text(),
               fmt::format("{} version bumped: eager {}, compiled {}", where.text(), eager.versionBumped,
                           compiled.versionBumped));
}

void compareInput(const Comparison& comparison, observe::TensorSlot slot, const observe::Location& where,
                  const observe::TensorObservation& eager, const observe::TensorObservation& compiled,
                  CallFindings& findings) {
  const std::string name = where.text();
  const auto add = [&](const std::string& text) { findings.add(Property::kInputMetadata, name, name + " " + text); };
  const std::string kind = kindDifference(eager, compiled);
  if (!kind.empty()) {
    add(kind);
  }
  if (eager.sizes != compiled.sizes) {
    add(shapeText(eager, compiled));
  } else {
    if (const auto layout = layoutDifference(comparison, eager, compiled, findings)) {
      add(layout->message);
    }
    if (eager.dtype == compiled.dtype) {
      compareValues(comparison, slot, where, Property::kInputValues, eager.values, compiled.values, "", findings);
    }
  }
  if (const auto autograd = autogradDifference(comparison, eager, compiled, findings)) {
    add(autograd->message);
  }
  compareVersion(comparison, where, eager, compiled, findings);
  if (eager.storageBytes != compiled.storageBytes) {
    findings.add(
        Property::kStorageBytes, name,
        fmt::format("{} bytes of storage: eager {}, compiled {}", name, eager.storageBytes, compiled.storageBytes));
  }
}

/// The storages of inputs with their gaps, where no input in them is known to differ already.
void compareStorages(const Comparison& comparison, CallFindings& findings) {
  std::map<int, observe::Location> firstMember;
  std::map<int, bool> differsAlready;
  for (const observe::StorageMember& member : comparison.eager.partition) {
    firstMember.emplace(member.storage, member.location);
    for (const Difference& difference : findings.differences) {
      if (difference.where == member.location.text() && difference.property >= Property::kInputValues) {
        differsAlready[member.storage] = true;
      }
    }
  }
  const size_t count = std::min(comparison.eager.inputStorages.size(), comparison.compiled.inputStorages.size());
  for (size_t index = 0; index < count; ++index) {
    const auto storage = static_cast<int>(index);
    const at::Tensor &eager = comparison.eager.inputStorages[index],
                     &compiled = comparison.compiled.inputStorages[index];
    if (differsAlready[storage] || !eager.defined() || !compiled.defined() || !firstMember.contains(storage)) {
      continue;
    }
    if (eager.scalar_type() != compiled.scalar_type() || eager.numel() != compiled.numel()) {
      continue;
    }
    compareValues(comparison, {observe::TensorSlot::Kind::kStorage, storage}, firstMember.at(storage),
                  Property::kStorageBytes, eager, compiled, " storage", findings);
  }
}

template <class CompareOne>
void forEachInput(const Comparison& comparison, CallFindings& findings, const CompareOne& compareOne) {
  const auto walk = [&](const std::vector<observe::TensorObservation>& eager,
                        const std::vector<observe::TensorObservation>& compiled, observe::Location::Role role,
                        observe::TensorSlot::Kind kind) {
    if (eager.size() != compiled.size()) {
      findings.add(Property::kInputMetadata, "",
                   fmt::format("tensors among the inputs: eager {}, compiled {}", eager.size(), compiled.size()));
      return;
    }
    for (size_t index = 0; index < eager.size(); ++index) {
      const auto position = static_cast<int>(index);
      compareOne(observe::TensorSlot{kind, position}, observe::Location{role, position}, eager[index], compiled[index]);
    }
  };
  walk(comparison.eager.arguments, comparison.compiled.arguments, observe::Location::Role::kArgument,
       observe::TensorSlot::Kind::kArgument);
  walk(comparison.eager.watched, comparison.compiled.watched, observe::Location::Role::kWatched,
       observe::TensorSlot::Kind::kWatched);
}

/// A17: nothing compiled ran, and the input is to the last bit what it was before the call.
bool isUntouched(const Comparison& comparison, observe::TensorSlot slot, const observe::Location& where,
                 const observe::TensorObservation& compiled) {
  if (!comparison.has(Rule::kA17) || !comparison.reference || compiled.versionBumped ||
      comparison.compiled.compiledRuns > 0) {
    return false;
  }
  const observe::CallObservation& before = comparison.reference->untouched(comparison.call);
  const observe::TensorObservation* input = observe::observationAt(before, slot);
  if (!input) {
    return false;
  }
  const Comparison strict{comparison.theCase,      comparison.call, before, comparison.compiled, {},
                          ir::RuleSet::kReference, nullptr,         nullptr};
  CallFindings changes;
  compareInput(strict, slot, where, *input, compiled, changes);
  return changes.differences.empty();
}

} // namespace

bool stridesDifferSignificantly(const observe::TensorObservation& eager, const observe::TensorObservation& compiled) {
  if (elementsOf(eager) <= 1 || eager.strides.size() != compiled.strides.size()) {
    return eager.strides.size() != compiled.strides.size();
  }
  for (size_t dim = 0; dim < eager.sizes.size(); ++dim) {
    if (eager.sizes[dim] > 1 && eager.strides[dim] != compiled.strides[dim]) {
      return true;
    }
  }
  return false;
}

void compareOutputs(const Comparison& comparison, CallFindings& findings) {
  const observe::CallObservation &eager = comparison.eager, &compiled = comparison.compiled;
  if (eager.structure != compiled.structure) {
    findings.add(Property::kStructure, "",
                 fmt::format("returned: eager {}, compiled {}", eager.structure, compiled.structure));
  }
  if (eager.outputs.size() != compiled.outputs.size()) {
    return;
  }
  for (size_t index = 0; index < eager.outputs.size(); ++index) {
    compareOutput(comparison, static_cast<int>(index), findings);
  }
}

void compareInputs(const Comparison& comparison, CallFindings& findings) {
  forEachInput(comparison, findings,
               [&](observe::TensorSlot slot, const observe::Location& where, const auto& eager, const auto& compiled) {
                 compareInput(comparison, slot, where, eager, compiled, findings);
               });
  if (comparison.eager.argumentStructure != comparison.compiled.argumentStructure) {
    findings.add(Property::kInputMetadata, "",
                 fmt::format("arguments afterwards: eager {}, compiled {}", comparison.eager.argumentStructure,
                             comparison.compiled.argumentStructure));
  }
  compareStorages(comparison, findings);
}

void compareInputsAfterRaise(const Comparison& comparison, CallFindings& findings) {
  forEachInput(comparison, findings,
               [&](observe::TensorSlot slot, const observe::Location& where, const auto& eager, const auto& compiled) {
                 CallFindings ofInput;
                 compareInput(comparison, slot, where, eager, compiled, ofInput);
                 if (!ofInput.differences.empty() && isUntouched(comparison, slot, where, compiled)) {
                   findings.allowed.set(static_cast<size_t>(Rule::kA17));
                   return;
                 }
                 findings.allowed |= ofInput.allowed;
                 // A write through overlapping memory that raised midway has left it to chance what is there.
                 const bool byChance = comparison.has(Rule::kA14) && comparison.eager.overlapRaised;
                 for (Difference& difference : ofInput.differences) {
                   if (byChance && difference.property == Property::kInputValues) {
                     findings.allowed.set(static_cast<size_t>(Rule::kA14));
                   } else {
                     findings.differences.push_back(std::move(difference));
                   }
                 }
               });
}

} // namespace touchstone::compare
