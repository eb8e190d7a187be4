#include "graph/ir/Unsupported.h"
#include "program/control_flow/ControlFlow.h"
#include "program/control_flow/Joint.h"
#include "program/control_flow/Operands.h"
#include "program/semantics/Arguments.h"
#include "program/values/RaiseError.h"

#include <ATen/ops/is_nonzero.h>
#include <ATen/ops/zeros.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace touchstone::control_flow {
namespace {

struct Branches {
  Body whenTrue, whenFalse;
  const Body& taken(const at::Tensor& predicate) const { return at::is_nonzero(predicate) ? whenTrue : whenFalse; }
  std::string text() const { return whenTrue.text() + whenFalse.text(); }
};

/// Of a predicate, the operands, and a gradient of each result.
class CondBackward final : public Region {
 public:
  CondBackward(std::shared_ptr<const Branches> branches, std::vector<bool> wanted)
      : branches_(std::move(branches)), wanted_(std::move(wanted)) {}

  std::string name() const override { return "cond_backward"; }
  std::string text() const override { return fmt::format("{}{}", branches_->text(), fmt::join(wanted_, "")); }

  TensorList run(const TensorList& arguments) const override {
    const auto tangents = arguments.begin() + static_cast<std::ptrdiff_t>(wanted_.size() + 1);
    return gradientsOf(started(branches_->taken(arguments[0])), {arguments.begin() + 1, tangents}, wanted_,
                       {tangents, arguments.end()});
  }
  std::shared_ptr<const Region> backward(const std::vector<bool>&) const override { return nullptr; }

 private:
  const std::shared_ptr<const Branches> branches_;
  const std::vector<bool> wanted_; // by operand
};

/// Of a predicate and the operands, after `torch/_higher_order_ops/cond.py`.
class Cond final : public Region {
 public:
  /// `views`: whether each result is a view.
  Cond(Branches branches, std::vector<bool> views)
      : branches_(std::make_shared<const Branches>(std::move(branches))), views_(std::move(views)) {}

  std::string name() const override { return "cond"; }
  std::string text() const override { return fmt::format("{}{}", branches_->text(), fmt::join(views_, "")); }
  std::string nodeName() const override { return "CondAutogradOpBackward"; }

  TensorList run(const TensorList& arguments) const override {
    return started(branches_->taken(arguments[0]))(slice(arguments, 1, arguments.size() - 1));
  }
  std::shared_ptr<const Region> backward(const std::vector<bool>& wanted) const override {
    return std::make_shared<CondBackward>(branches_, std::vector<bool>(wanted.begin() + 1, wanted.end()));
  }
  size_t keptArguments() const override { return 1; }
  bool makesView(size_t result) const override { return views_.at(result); }

 private:
  const std::shared_ptr<const Branches> branches_;
  const std::vector<bool> views_;
};

/// `_merge_output`: raises RuntimeError for results that one graph cannot have of either branch.
void checkAlike(const Examination::Result& left, const Examination::Result& right) {
  const auto check = [](bool isAlike, const char* what) {
    if (!isAlike) {
      values::raiseError("RuntimeError", "When merging two branches' output in torch.cond, expected same {}", what);
    }
  };
  check(left.dtype == right.dtype, "dtype");
  check(left.device == right.device, "device");
  check(left.sizes.size() == right.sizes.size(), "dim");
  check(left.offset == right.offset, "storage_offset");
}

/// A dimension of size 1 has another stride than where the tensor is contiguous: what fake tensors of the installed PyTorch give it depends on
/// the operator, and with it whether the branches are alike.
bool hasStrideOfItsOwn(const Examination::Result& result) {
  int64_t contiguous = 1;
  for (size_t i = result.sizes.size(); i-- > 0;) {
    if (result.sizes[i] == 1 && result.strides[i] != contiguous) {
      return true;
    }
    contiguous *= std::max<int64_t>(result.sizes[i], 1);
  }
  return false;
}

/// `_bound_stride`: the same order of strides, each the product of a smaller one and its size.
void checkStrides(const Examination::Result& left, const Examination::Result& right) {
  const auto order = [](const Examination::Result& result) {
    std::vector<size_t> indices(result.strides.size());
    for (size_t i = 0; i < indices.size(); ++i) {
      indices[i] = indices.size() - 1 - i;
    }
    std::ranges::stable_sort(indices, {}, [&](size_t index) { return result.strides[index]; });
    return indices;
  };
  const std::vector<size_t> sorted = order(left);
  if (sorted != order(right)) {
    values::raiseError("RuntimeError",
                       "The sorted order of strides of the two branches' output doesn't match.this indicates the "
                       "contiguousness of the two branches are different. ");
  }
  for (const Examination::Result* each : {&left, &right}) {
    std::vector<int64_t> known = {0, 1};
    for (const size_t index : sorted) {
      if (std::ranges::find(known, each->strides[index]) == known.end()) {
        values::raiseError(
            "RuntimeError",
            "It seems one of cond's output stride is not a simple accumulative multiplication of sizes. ");
      }
      known.push_back(each->strides[index] * each->sizes[index]);
    }
  }
}

/// One tensor is as good as a tuple of one.
bool areAlike(const transforms::TreeSpec& left, const transforms::TreeSpec& right) {
  using Kind = transforms::TreeSpec::Kind;
  const auto isPair = [](const transforms::TreeSpec& leaf, const transforms::TreeSpec& tuple) {
    return leaf.kind == Kind::kLeaf && tuple.kind == Kind::kTuple && tuple.children.size() == 1 &&
           tuple.children[0].kind == Kind::kLeaf;
  };
  return left == right || isPair(left, right) || isPair(right, left);
}

void checkResults(const Examination& whenTrue, const Examination& whenFalse) {
  if (!areAlike(whenTrue.spec, whenFalse.spec)) {
    refuse("torch.cond", fmt::format("the branches return {} and {}", transforms::shortSpecText(whenTrue.spec),
                                     transforms::shortSpecText(whenFalse.spec)));
  }
  bool isAlike = true;
  for (size_t i = 0; i < whenTrue.results.size(); ++i) {
    const Examination::Result &left = whenTrue.results[i], &right = whenFalse.results[i];
    checkAlike(left, right);
    if (hasStrideOfItsOwn(left) || hasStrideOfItsOwn(right)) {
      throw ir::Unsupported("a branch of torch.cond returns a dimension of size 1 with a stride of its own");
    }
    checkStrides(left, right);
    isAlike = isAlike && left.sizes == right.sizes && left.strides == right.strides;
  }
  if (!isAlike) {
    throw ir::Unsupported("the branches of torch.cond return tensors of different sizes");
  }
}

/// How the gradients are laid out that a branch makes of values and gradients that are zeros.
std::vector<std::vector<int64_t>> gradientStrides(const Body& body, const Examination& examination,
                                                  const TensorList& operands) {
  const c10::impl::ExcludeDispatchKeyGuard withoutTrace(c10::DispatchKey::Fake);
  TensorList tangents;
  std::vector<bool> wanted;
  for (const at::Tensor& operand : operands) {
    wanted.push_back(operand.requires_grad());
  }
  for (const Examination::Result& result : examination.results) {
    tangents.push_back(at::zeros(result.sizes, result.dtype));
  }
  std::vector<std::vector<int64_t>> strides;
  for (const at::Tensor& gradient : gradientsOf(started(body), zerosFor(operands), wanted, tangents)) {
    strides.push_back(gradient.strides().vec());
  }
  return strides;
}

/// A Graph has one layout for what either branch makes.
void checkGradients(const Host& host, const Branches& branches, const Examination& whenTrue,
                    const Examination& whenFalse, const TensorList& operands) {
  const bool haveGradients = std::ranges::all_of(
      whenTrue.results, [](const Examination::Result& each) { return c10::isFloatingType(each.dtype); });
  if (host.isCaptured && wantsGradients(operands) && haveGradients &&
      gradientStrides(branches.whenTrue, whenTrue, operands) !=
          gradientStrides(branches.whenFalse, whenFalse, operands)) {
    host.cannotCapture("the branches of torch.cond make gradients of different strides");
  }
}

/// Whether each result is a view: of a Graph either way.
std::vector<bool> viewsOf(const Host& host, const Examination& whenTrue, const Examination& whenFalse) {
  std::vector<bool> views;
  for (size_t i = 0; i < whenTrue.results.size(); ++i) {
    views.push_back(whenTrue.results[i].isView);
    if (host.isCaptured && views[i] != whenFalse.results[i].isView) {
      host.cannotCapture("one branch of torch.cond returns a view, the other does not");
    }
  }
  return views;
}

bool isCallable(const values::Value& value) {
  return value.is<values::FunctionPtr>() || value.is<values::ModulePtr>();
}

} // namespace

values::Value cond(const Host& host, const values::ValueList& positional, const Keywords& keywords) {
  enum { kPredicate, kTrue, kFalse, kOperands };
  const semantics::Arguments arguments("cond", {"pred", "true_fn", "false_fn", "operands"}, positional, keywords, 3);
  const values::Value& predicate = arguments.at(kPredicate);
  const values::Value operands = arguments.find(kOperands) ? arguments.at(kOperands) : values::Value::tuple({});
  const bool isNumber = predicate.is<bool>() || predicate.is<int64_t>() || predicate.is<double>();
  if (isNumber) {
    const bool holds = predicate.is<bool>()      ? predicate.as<bool>()
                       : predicate.is<int64_t>() ? predicate.as<int64_t>() != 0
                                                 : predicate.as<double>() != 0;
    if (operands.items() == nullptr) {
      values::raiseError("TypeError", "Value after * must be an iterable, not {}", operands.typeName());
    }
    return host.callNow(arguments.at(holds ? kTrue : kFalse), *operands.items());
  }
  if (!predicate.isTensor()) {
    values::raiseError("RuntimeError", "Expected pred to be bool or tensor, but got {}.", predicate.typeName());
  }
  if (predicate.tensor().numel() != 1) {
    values::raiseError("RuntimeError", "Expected pred to be bool or single-element tensor, but got a tensor.");
  }
  if (!isCallable(arguments.at(kTrue)) || !isCallable(arguments.at(kFalse))) {
    values::raiseError("RuntimeError", "Expect both branches to be callable.");
  }
  if (operands.items() == nullptr || !std::ranges::all_of(transforms::leavesOf(operands), &values::Value::isTensor)) {
    values::raiseError("RuntimeError",
                       "Expect operands to be a tuple of possibly nested dict/list/tuple that only consists of tensor "
                       "leaves, but got {}.",
                       operands.typeName());
  }
  Operands given;
  const values::Value taken = values::Value::tuple(*operands.items());
  Body whenTrue = given.body(host.branch(arguments.at(kTrue)), taken);
  Body whenFalse = given.body(host.branch(arguments.at(kFalse)), taken);
  const Examination ofTrue = examine(whenTrue, given.tensors(), "torch.cond");
  const Examination ofFalse = examine(whenFalse, given.tensors(), "torch.cond");
  checkResults(ofTrue, ofFalse);
  const TensorList used = given.given({&ofTrue, &ofFalse}, "torch.cond", {});
  Branches branches{std::move(whenTrue), std::move(whenFalse)};
  checkGradients(host, branches, ofTrue, ofFalse, used);
  const std::vector<bool> views =
      wantsGradients(used) ? viewsOf(host, ofTrue, ofFalse) : std::vector<bool>(ofTrue.results.size());
  TensorList results =
      host.dispatch(std::make_shared<Cond>(std::move(branches), views), joined({{predicate.tensor()}, used}));
  for (at::Tensor& result : results) {
    if (isExamined() && result.storage_offset() != 0) { // what is merged of two branches begins at its memory
      result = copyOf(result);
    }
  }
  return valueOf(results, ofTrue.spec);
}

} // namespace touchstone::control_flow
