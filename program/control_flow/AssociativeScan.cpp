#include "program/control_flow/ControlFlow.h"
#include "program/control_flow/Tensors.h"
#include "program/semantics/Arguments.h"
#include "program/values/RaiseError.h"

#include <ATen/WrapDimUtils.h>

#include <algorithm>
#include <utility>

namespace touchstone::control_flow {
namespace {

using values::Value;
using values::ValueList;

Value number(int64_t value) {
  return Value(value);
}

/// `generic_associative_scan`, along the first dimension: no operator of its own, but others in a tree.
class AssociativeScan {
 public:
  AssociativeScan(const Host& host, Value combine, transforms::TreeSpec spec)
      : host_(host), combine_(std::move(combine)), spec_(std::move(spec)) {}

  // NOLINTNEXTLINE(misc-no-recursion): half as long each time
  ValueList run(const ValueList& elements) const {
    const int64_t count = elements.front().tensor().size(0);
    if (count < 2) {
      return elements;
    }
    const ValueList odd = run(combined(sliced(elements, 0, number(-1), 2), sliced(elements, 1, Value(), 2)));
    const ValueList even =
        combined(count % 2 == 0 ? sliced(odd, 0, number(-1), 1) : odd, sliced(elements, 2, Value(), 2));
    ValueList merged;
    for (size_t i = 0; i < elements.size(); ++i) {
      const Value first = sliced(elements[i], 0, number(1), 1);
      const bool isEmpty = even[i].tensor().numel() == 0;
      merged.push_back(
          interleaved(isEmpty ? first : torch("cat", {Value::list({first, even[i]})}, {{"dim", number(0)}}), odd[i]));
    }
    return merged;
  }

  Value torch(const char* name, const ValueList& positional, const torch_names::KeywordList& keywords = {}) const {
    return torch_names::callNamed(torch_names::NameSpace::kTorch, name, positional, keywords, host_.operators);
  }

 private:
  ValueList combined(const ValueList& left, const ValueList& right) const {
    const Value made =
        host_.callNow(combine_, {transforms::unflatten(left, spec_), transforms::unflatten(right, spec_)});
    return transforms::leavesOf(made);
  }
  Value sliced(const Value& element, int64_t from, const Value& to, int64_t step) const {
    return torch_names::callNamed(torch_names::NameSpace::kAten, "slice",
                                  {element, number(0), number(from), to, number(step)}, {}, host_.operators);
  }
  ValueList sliced(const ValueList& elements, int64_t from, const Value& to, int64_t step) const {
    ValueList slices;
    for (const Value& each : elements) {
      slices.push_back(sliced(each, from, to, step));
    }
    return slices;
  }
  /// `_interleave`
  Value interleaved(const Value& left, const Value& right) const {
    const int64_t count = left.tensor().size(0) + right.tensor().size(0);
    const bool isLonger = left.tensor().size(0) == right.tensor().size(0) + 1;
    Value padded = right;
    if (isLonger) {
      ValueList pads(static_cast<size_t>(right.tensor().dim() * 2), number(0));
      pads.back() = number(1);
      padded = torch_names::callNamed(torch_names::NameSpace::kFunctional, "pad", {right, Value::list(std::move(pads))},
                                      {}, host_.operators);
    }
    const Value stacked = torch("stack", {Value::list({left, padded})}, {{"dim", number(1)}});
    const Value flat = torch("flatten", {stacked}, {{"start_dim", number(0)}, {"end_dim", number(1)}});
    return isLonger ? sliced(flat, 0, number(count), 1) : flat;
  }

  const Host& host_;
  const Value combine_;
  const transforms::TreeSpec spec_;
};

void check(const ValueList& leaves, const Value& dim, const Value& mode) {
  const auto refuse = [](const char* error) { values::raiseError("ValueError", "{}", error); };
  if (leaves.empty()) {
    values::raiseError("IndexError", "list index out of range");
  }
  if (!std::ranges::all_of(leaves, &Value::isTensor)) {
    refuse("xs leaves must be a Tensor");
  }
  const std::string* name = mode.maybe<std::string>();
  if (name == nullptr || (*name != "pointwise" && *name != "generic")) {
    refuse("Combine_mode must either 'pointwise' or 'generic'");
  }
  if (*name == "pointwise") {
    refuse("For combine_mode='pointwise', all input tensors need to be on CUDA or XPU");
  }
  const int64_t at = c10::maybe_wrap_dim(dim.as<int64_t>(), leaves.front().tensor().dim());
  for (const Value& leaf : leaves) {
    if (leaf.tensor().dim() <= at || leaf.tensor().size(at) == 0) {
      refuse("All xs leaves must at least have 'dim' number of dimensions and scan dimension > 0");
    }
  }
}

} // namespace

Value associativeScan(const Host& host, const ValueList& positional, const Keywords& keywords) {
  enum { kFunction, kOver, kDim, kReverse, kMode };
  const semantics::Arguments arguments("associative_scan", {"combine_fn", "xs", "dim", "reverse", "combine_mode"},
                                       positional, keywords, 3);
  const transforms::Tree tree = transforms::flatten(arguments.at(kOver));
  if (!arguments.at(kDim).is<int64_t>()) {
    values::raiseError("ValueError", "Dim must be an int");
  }
  check(tree.leaves, arguments.at(kDim), arguments.find(kMode) ? arguments.at(kMode) : Value(std::string("pointwise")));
  const bool isReverse = arguments.flag(kReverse, false);
  const Value dim = number(c10::maybe_wrap_dim(arguments.at(kDim).as<int64_t>(), tree.leaves.front().tensor().dim()));
  const AssociativeScan made(host, host.vmapped(arguments.at(kFunction)), tree.spec);
  const Value firstDimension = Value::list({number(0)});
  ValueList elements;
  for (const Value& leaf : tree.leaves) {
    const Value moved = made.torch("movedim", {leaf, dim, number(0)});
    elements.push_back(isReverse ? made.torch("flip", {moved, firstDimension}) : moved);
  }
  ValueList results;
  for (const Value& each : made.run(elements)) {
    const Value ordered = isReverse ? made.torch("flip", {each, firstDimension}) : each;
    results.push_back(made.torch("movedim", {ordered, number(0), dim}));
  }
  return transforms::unflatten(results, tree.spec);
}

} // namespace touchstone::control_flow
