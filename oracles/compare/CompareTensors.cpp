#include "oracles/compare/Comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>

namespace touchstone::compare {

namespace {

using language::Property;

int64_t elementsOf(const observe::TensorObservation& tensor) {
  int64_t count = 1;
  for (int64_t size : tensor.sizes) {
    count *= size;
  }
  return count;
}

/// The fields in the order of their properties.
const std::vector<const observe::TensorField*>& fieldsInOrder() {
  static const std::vector<const observe::TensorField*> fields = [] {
    std::vector<const observe::TensorField*> list;
    for (const observe::TensorField& field : observe::kTensorFields) {
      list.push_back(&field);
    }
    std::ranges::stable_sort(list, std::less(), &observe::TensorField::property);
    return list;
  }();
  return fields;
}

/// One tensor of both sides: an output, an argument or a watched one.
class TensorComparison {
 public:
  TensorComparison(const Comparison& comparison, observe::Location where, CallFindings& findings)
      : comparison_(comparison),
        where_(where),
        slot_(observe::slotAt(where)),
        eager_(*observe::observationAt(comparison.eager, slot_)),
        compiled_(*observe::observationAt(comparison.compiled, slot_)),
        findings_(findings),
        isOutput_(where.role == observe::Location::Role::kOutput) {}

  void run() {
    compareGroup(FieldGroup::kKind);
    if (!compareGroup(FieldGroup::kShape)) {
      compareGroup(FieldGroup::kLayout);
      if (eager_.dtype == compiled_.dtype) {
        compareElements();
      }
    }
    compareAutograd();
    for (const observe::TensorField* field : fieldsInOrder()) {
      if (field->group == FieldGroup::kAlone || (field->group == FieldGroup::kOfInput && !isOutput_)) {
        compareField(*field);
      }
    }
  }

 private:
  using FieldGroup = observe::FieldGroup;

  void add(Property property, FieldGroup group, const std::string& text) {
    const std::string name = where_.text();
    findings_.add(isOutput_ || group == FieldGroup::kOfInput ? property : Property::kInputMetadata, name,
                  name + " " + text);
  }

  /// True: they differ, and no rule excuses that.
  bool compareField(const observe::TensorField& field) {
    if (!observe::differsIn(field, eager_, compiled_) || isExcused(field.property)) {
      return false;
    }
    std::string text = fmt::format("{}: eager {}, compiled {}", field.label, observe::textOf(field, eager_),
                                   observe::textOf(field, compiled_));
    if (field.property == Property::kStrides) {
      text += fmt::format(" (sizes {})", eager_.sizes);
    }
    add(field.property, field.group, text);
    return true;
  }

  /// True: there is a difference; the first one tells the others.
  bool compareGroup(FieldGroup group) {
    return std::ranges::any_of(fieldsInOrder(), [&](const observe::TensorField* field) {
      return field->group == group && compareField(*field);
    });
  }

  void compareElements() {
    const Property property = isOutput_ ? Property::kValues : Property::kInputValues;
    const size_t before = findings_.differences.size();
    compareValues(comparison_, slot_, where_, property, eager_.values, compiled_.values, "", findings_);
    if (!isOutput_) {
      return;
    }
    if (findings_.differences.size() == before) {
      compareLaterLooks(comparison_, observe::LaterChange::Of::kOutput, slot_.index, where_, property, findings_);
    }
  }

  void compareAutograd() {
    const std::string &eager = eager_.autogradError, &compiled = compiled_.autogradError;
    if (!eager.empty() && comparison_.has(Rule::kA9)) {
      if (eager != compiled) {
        findings_.allow(Rule::kA9);
      }
    } else if (eager.empty() != compiled.empty()) {
      add(Property::kGradFn, FieldGroup::kAutograd,
          fmt::format("reading grad_fn: eager {}, compiled {}", eager.empty() ? "works" : "raises " + eager,
                      compiled.empty() ? "works" : "raises " + compiled));
    } else {
      compareGroup(FieldGroup::kAutograd);
    }
  }

  /// Whether a rule allows the difference in this property; counts the rule.
  bool isExcused(Property property) {
    const auto allowIf = [&](Rule rule, bool excused) {
      if (excused) {
        findings_.allow(rule);
      }
      return excused;
    };
    switch (property) {
      case Property::kStrides: return allowIf(Rule::kA6, comparison_.has(Rule::kA6) && mayHaveOtherStrides());
      case Property::kOffset:
        return allowIf(Rule::kA6, comparison_.has(Rule::kA6) && !comparison_.strictNumerics && elementsOf(eager_) == 0);
      case Property::kVersion: return allowIf(Rule::kA1, comparison_.has(Rule::kA1) && mayCountOtherwise());
      default: return false;
    }
  }

  /// Rule A6.
  bool mayHaveOtherStrides() const {
    if (!comparison_.strictNumerics && !stridesDifferSignificantly(eager_, compiled_)) {
      return true;
    }
    return !promisesStrides(comparison_.set) && comparison_.baseHasEagerStrides &&
           comparison_.baseHasEagerStrides(comparison_.call).value_or(false);
  }

  /// Rule A1. Not bumped at all: only a bug where eager wrote data.
  bool mayCountOtherwise() const {
    if (compiled_.versionBumped || !comparison_.reference) {
      return compiled_.versionBumped;
    }
    const std::vector<observe::Location>& written = comparison_.reference->trace(comparison_.call).dataWritten;
    const std::optional<int> storage = observe::storageOf(comparison_.eager, where_);
    return std::ranges::none_of(
        written, [&](const observe::Location& each) { return observe::storageOf(comparison_.eager, each) == storage; });
  }

  const Comparison& comparison_;
  const observe::Location where_;
  const observe::TensorSlot slot_;
  const observe::TensorObservation &eager_, &compiled_;
  CallFindings& findings_;
  const bool isOutput_;
};

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

/// Calls it with the place of each argument and watched tensor.
template <class CompareOne>
void forEachInput(const Comparison& comparison, CallFindings& findings, const CompareOne& compareOne) {
  const auto walk = [&](observe::Location::Role role, size_t eager, size_t compiled) {
    if (eager != compiled) {
      findings.add(Property::kInputMetadata, "",
                   fmt::format("tensors among the inputs: eager {}, compiled {}", eager, compiled));
      return;
    }
    for (size_t index = 0; index < eager; ++index) {
      compareOne(observe::Location{role, static_cast<int>(index)});
    }
  };
  walk(observe::Location::Role::kArgument, comparison.eager.arguments.size(), comparison.compiled.arguments.size());
  walk(observe::Location::Role::kWatched, comparison.eager.watched.size(), comparison.compiled.watched.size());
}

/// A17: nothing compiled ran, and the input is to the last bit what it was before the call.
bool isUntouched(const Comparison& comparison, const observe::Location& where) {
  const observe::TensorSlot slot = observe::slotAt(where);
  if (!comparison.has(Rule::kA17) || !comparison.reference || comparison.compiled.compiledRuns > 0 ||
      observe::observationAt(comparison.compiled, slot)->versionBumped) {
    return false;
  }
  const observe::CallObservation& before = comparison.reference->untouched(comparison.call);
  if (!observe::observationAt(before, slot)) {
    return false;
  }
  const Comparison strict{comparison.theCase,      comparison.call, before, comparison.compiled, {},
                          ir::RuleSet::kReference, nullptr,         nullptr};
  CallFindings changes;
  TensorComparison(strict, where, changes).run();
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
    TensorComparison(comparison, {observe::Location::Role::kOutput, static_cast<int>(index)}, findings).run();
  }
}

void compareInputs(const Comparison& comparison, CallFindings& findings) {
  forEachInput(comparison, findings,
               [&](const observe::Location& where) { TensorComparison(comparison, where, findings).run(); });
  if (comparison.eager.argumentStructure != comparison.compiled.argumentStructure) {
    findings.add(Property::kInputMetadata, "",
                 fmt::format("arguments afterwards: eager {}, compiled {}", comparison.eager.argumentStructure,
                             comparison.compiled.argumentStructure));
  }
  compareStorages(comparison, findings);
}

void compareInputsAfterRaise(const Comparison& comparison, CallFindings& findings) {
  forEachInput(comparison, findings, [&](const observe::Location& where) {
    CallFindings ofInput;
    TensorComparison(comparison, where, ofInput).run();
    if (!ofInput.differences.empty() && isUntouched(comparison, where)) {
      findings.allow(Rule::kA17);
      return;
    }
    findings.allowed |= ofInput.allowed;
    // A write through overlapping memory that raised midway has left it to chance what is there.
    const bool byChance = comparison.has(Rule::kA14) && comparison.eager.overlapRaised;
    for (Difference& difference : ofInput.differences) {
      if (byChance && difference.property == Property::kInputValues) {
        findings.allow(Rule::kA14);
      } else {
        findings.differences.push_back(std::move(difference));
      }
    }
  });
}

} // namespace touchstone::compare
