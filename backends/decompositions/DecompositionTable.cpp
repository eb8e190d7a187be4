#include "backends/decompositions/DecompositionTable.h"

#include "backends/decompositions/Families.h"
#include "backends/decompositions/TorchSelection.h"
#include "backends/fake/OperatorTraits.h"

namespace touchstone::decompositions {

void DecompositionTable::insert(const std::string& target, Entry entry) {
  fake::operatorOf(target); // it exists
  if (!entries_.emplace(target, std::move(entry)).second) {
    throw std::invalid_argument("`" + target + "` has a decomposition already");
  }
}

void DecompositionTable::replace(const std::string& target, std::function<void(torch::jit::Stack&)> compute) {
  fake::operatorOf(target); // it exists
  entries_.insert_or_assign(target, Entry{.boxed = std::move(compute)});
}

void DecompositionTable::addComposite(const std::string& target) {
  TORCH_CHECK(fake::operatorOf(target).hasKernelForDispatchKey(c10::DispatchKey::CompositeExplicitAutograd), "`",
              target, "` has no kernel that is written in terms of other operators");
  insert(target, {.isComposite = true});
}

std::vector<std::string> DecompositionTable::targets() const {
  std::vector<std::string> names;
  for (const auto& [target, entry] : entries_) {
    names.push_back(target);
  }
  return names;
}

void DecompositionTable::call(const std::string& target, torch::jit::Stack& stack) const {
  const Entry& entry = entries_.at(target);
  const c10::OperatorHandle& op = fake::operatorOf(target);
  for (size_t i = stack.size() - op.schema().arguments().size(); i < stack.size(); ++i) {
    if (stack[i].isTensor() && at::isBarebonesUnsignedType(stack[i].toTensor().scalar_type())) {
      throw NotDecomposed("of a type that few kernels know");
    }
  }
  if (entry.isComposite) {
    op.callBoxedForDispatchKey(c10::DispatchKey::CompositeExplicitAutograd, stack);
  } else if (entry.boxed) {
    entry.boxed(stack);
  } else {
    entry.kernel.callBoxed(op, c10::DispatchKeySet(), &stack);
  }
}

DecompositionTable DecompositionTable::only(const std::vector<std::string>& targets) const {
  DecompositionTable table;
  for (const std::string& target : targets) {
    const auto known = entries_.find(target);
    if (known != entries_.end()) {
      table.entries_.insert(*known);
    }
  }
  return table;
}

std::shared_ptr<const DecompositionTable> allDecompositions() {
  static const auto kTable = [] {
    auto table = std::make_shared<DecompositionTable>();
    addActivations(*table);
    addActivationGradients(*table);
    addElementwise(*table);
    addLimits(*table);
    addSelections(*table);
    addLosses(*table);
    addClassLosses(*table);
    addReductions(*table);
    addNorms(*table);
    addSoftmax(*table);
    addViewCopies(*table);
    addViewGradients(*table);
    addIndexing(*table);
    addRearrangements(*table);
    addPadding(*table);
    addSlidingBlocks(*table);
    addBatchNormalization(*table);
    addNormalization(*table);
    addProducts(*table);
    addPooling(*table);
    addInterpolation(*table);
    addGridSampler(*table);
    addAttention(*table);
    return table;
  }();
  return kTable;
}

std::shared_ptr<const DecompositionTable> inductorDecompositions() {
  static const auto kTable = std::make_shared<const DecompositionTable>(allDecompositions()->only(inductorSelection()));
  return kTable;
}

std::shared_ptr<const DecompositionTable> coreDecompositions() {
  static const auto kTable = std::make_shared<const DecompositionTable>(allDecompositions()->only(coreSelection()));
  return kTable;
}

std::shared_ptr<const DecompositionTable> defaultDecompositions() {
  static const auto kTable = [] {
    auto table = std::make_shared<DecompositionTable>(*exactDefaultDecompositions());
    addDefaultsAlone(*table);
    return table;
  }();
  return kTable;
}

std::shared_ptr<const DecompositionTable> exactDefaultDecompositions() {
  static const auto kTable = std::make_shared<const DecompositionTable>(allDecompositions()->only(defaultSelection()));
  return kTable;
}

} // namespace touchstone::decompositions
