#pragma once

#include <ATen/core/boxing/KernelFunction.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace touchstone::decompositions {

/// Thrown by a decomposition for a call that it does not take: the operator stays.
struct NotDecomposed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// How operators are computed by simpler ones. A decomposition takes the operator's arguments and returns what it returns,
/// equal in value (within rounding), dtype and sizes; its strides and its effects on memory are nobody's promise: it writes to
/// nothing that it is given, and draws no random numbers. It runs on fake tensors, below autograd.
class DecompositionTable {
 public:
  /// `compute`, a lambda or a function, takes and returns what a kernel of the operator would:
  /// `at::Tensor(const at::Tensor&, const at::Scalar&)`.
  /// `target` as a Graph names it: `aten::addcmul`. Throws std::invalid_argument when it is there already.
  template <class Compute>
  void add(const std::string& target, Compute compute) {
    if constexpr (std::is_pointer_v<Compute>) {
      insert(target, {c10::KernelFunction::makeFromUnboxedRuntimeFunction(compute)});
    } else {
      insert(target, {c10::KernelFunction::makeFromUnboxedLambda(std::move(compute))});
    }
  }
  /// `compute` gets a stack with the arguments and leaves the results there; it takes the place of what is there already.
  void replace(const std::string& target, std::function<void(torch::jit::Stack&)> compute);
  /// By the operator's own kernel that is written in terms of others (CompositeExplicitAutograd). Throws c10::Error when it
  /// has none.
  void addComposite(const std::string& target);

  bool contains(const std::string& target) const { return entries_.count(target) != 0; }
  std::vector<std::string> targets() const;

  /// `stack` holds the arguments, then the results. Throws NotDecomposed, and std::out_of_range for a target that is not there.
  void call(const std::string& target, torch::jit::Stack& stack) const;

  /// Those of these targets that are there.
  DecompositionTable only(const std::vector<std::string>& targets) const;

 private:
  struct Entry {
    c10::KernelFunction kernel;
    bool isComposite = false;
    std::function<void(torch::jit::Stack&)> boxed; // instead of the kernel
  };
  void insert(const std::string& target, Entry entry);
  std::map<std::string, Entry> entries_;
};

/// Every decomposition that gives eager's values.
std::shared_ptr<const DecompositionTable> allDecompositions();
/// What Inductor decomposes before it partitions (torch/_inductor/decomposition.py, select_decomp_table), as far as it is
/// here: docs/decompositions.md lists the rest.
std::shared_ptr<const DecompositionTable> inductorDecompositions();
/// What core_aten_decompositions() (torch/_decomp/__init__.py) decomposes, as far as it is here.
std::shared_ptr<const DecompositionTable> coreDecompositions();
/// default_decompositions (torch/_functorch/compilers.py), all of it: some of it in no other table, docs/decompositions.md has how far
/// these differ from eager.
std::shared_ptr<const DecompositionTable> defaultDecompositions();
/// Those of it that give eager's values.
std::shared_ptr<const DecompositionTable> exactDefaultDecompositions();

} // namespace touchstone::decompositions
