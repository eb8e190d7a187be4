#include "program/control_flow/ControlFlow.h"
#include "program/control_flow/Joint.h"
#include "program/control_flow/Operands.h"
#include "program/semantics/Arguments.h"
#include "program/values/RaiseError.h"

#include <ATen/ops/add.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros_like.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace touchstone::control_flow {
namespace {

/// A function of what is carried, of one slice and of what is around it; makes what is carried on and a slice of each result.
struct ScanBody {
  Body body;
  size_t carried, sliced;

  std::string text() const { return fmt::format("{}{} {}", body.text(), carried, sliced); }
};

/// Slices that are put together along a new first dimension, contiguously.
class Stacks {
 public:
  explicit Stacks(int64_t count) : count_(count) {}

  void put(int64_t index, const TensorList& slices) {
    if (stacks.empty()) {
      for (const at::Tensor& each : slices) {
        std::vector<int64_t> sizes = {count_};
        sizes.insert(sizes.end(), each.sizes().begin(), each.sizes().end());
        stacks.push_back(at::empty(sizes, each.options()));
      }
    }
    for (size_t i = 0; i < slices.size(); ++i) {
      stacks[i].select(0, index).copy_(slices[i]);
    }
  }

  TensorList stacks;

 private:
  const int64_t count_;
};

/// The arguments of a scan by what they are.
struct ScanArguments {
  TensorList carried, sliced, around;

  ScanArguments(const ScanBody& body, const TensorList& arguments, size_t count)
      : carried(slice(arguments, 0, body.carried)),
        sliced(slice(arguments, body.carried, body.sliced)),
        around(slice(arguments, body.carried + body.sliced, count - body.carried - body.sliced)) {}
  int64_t length() const { return sliced.front().size(0); }
};

/// `call_backward`: the joint of each step, last first.
class ScanBackward final : public Region {
 public:
  ScanBackward(std::shared_ptr<const ScanBody> body, std::vector<bool> wanted)
      : body_(std::move(body)), wanted_(std::move(wanted)) {}

  std::string name() const override { return "scan_backward"; }
  std::string text() const override { return fmt::format("{} {}", body_->text(), fmt::join(wanted_, "")); }

  TensorList run(const TensorList& arguments) const override {
    const ScanArguments given(*body_, arguments, wanted_.size());
    const TensorFunction step = started(body_->body);
    const std::vector<TensorList> carried = carriedBefore(given, step);
    std::vector<bool> wanted = wanted_;
    for (size_t i = 0; i < body_->carried; ++i) {
      wanted[i] = given.carried[i].is_floating_point() || given.carried[i].is_complex(); // also one that starts without
    }
    TensorList gradients = slice(arguments, wanted_.size(), body_->carried);
    const size_t first = wanted_.size() + body_->carried;
    const TensorList ofResults = slice(arguments, first, arguments.size() - first);
    TensorList around;
    for (size_t i = 0; i < given.around.size(); ++i) {
      if (wanted_[body_->carried + body_->sliced + i]) {
        around.push_back(at::zeros_like(given.around[i]));
      }
    }
    Stacks stacks(given.length());
    for (int64_t i = given.length() - 1; i >= 0; --i) {
      const TensorList primals = joined({carried[static_cast<size_t>(i)], selected(given.sliced, i), given.around});
      const TensorList made = gradientsOf(step, primals, wanted, joined({gradients, selected(ofResults, i)}));
      gradients = slice(made, 0, body_->carried);
      stacks.put(i, slice(made, body_->carried, made.size() - body_->carried - around.size()));
      for (size_t k = 0; k < around.size(); ++k) {
        around[k] = at::add(around[k], made[made.size() - around.size() + k]);
      }
    }
    TensorList ofCarried;
    for (size_t i = 0; i < body_->carried; ++i) {
      if (wanted_[i]) {
        ofCarried.push_back(gradients[i]);
      }
    }
    return joined({ofCarried, stacks.stacks, around});
  }
  std::shared_ptr<const Region> backward(const std::vector<bool>&) const override { return nullptr; }

 private:
  std::vector<TensorList> carriedBefore(const ScanArguments& given, const TensorFunction& step) const {
    std::vector<TensorList> carried = {given.carried};
    for (int64_t i = 0; i + 1 < given.length(); ++i) {
      const TensorList made = step(joined({carried.back(), selected(given.sliced, i), given.around}));
      carried.push_back(slice(made, 0, body_->carried));
    }
    return carried;
  }

  const std::shared_ptr<const ScanBody> body_;
  const std::vector<bool> wanted_; // by argument
};

/// After `torch/_higher_order_ops/scan.py`, along the first dimension.
class Scan final : public Region {
 public:
  /// `views`: whether each tensor that is carried is a view behind a step.
  Scan(ScanBody body, std::vector<bool> views)
      : body_(std::make_shared<const ScanBody>(std::move(body))), views_(std::move(views)) {}

  std::string name() const override { return "scan"; }
  std::string text() const override { return fmt::format("{} {}", body_->text(), fmt::join(views_, "")); }
  std::string nodeName() const override { return "ScanAutogradOpBackward"; }

  TensorList run(const TensorList& arguments) const override {
    const ScanArguments given(*body_, arguments, arguments.size());
    const TensorFunction step = started(body_->body);
    TensorList carried = given.carried;
    Stacks stacks(given.length());
    for (int64_t i = 0; i < given.length(); ++i) {
      const TensorList made = step(joined({carried, selected(given.sliced, i), given.around}));
      carried = slice(made, 0, body_->carried);
      stacks.put(i, slice(made, body_->carried, made.size() - body_->carried));
    }
    return joined({carried, stacks.stacks});
  }
  std::shared_ptr<const Region> backward(const std::vector<bool>& wanted) const override {
    return std::make_shared<ScanBackward>(body_, wanted);
  }
  bool isDifferentiableAgain() const override { return true; }
  bool makesView(size_t result) const override { return result < views_.size() && views_[result]; }

 private:
  const std::shared_ptr<const ScanBody> body_;
  const std::vector<bool> views_;
};

struct ScanCall {
  values::Value function, start, over;
  int64_t dim = 0;
  bool isReverse = false;
};

ScanCall readCall(const values::ValueList& positional, const Keywords& keywords) {
  enum { kFunction, kStart, kOver, kDim, kReverse };
  const semantics::Arguments arguments("scan", {"combine_fn", "init", "xs", "dim", "reverse"}, positional, keywords, 3);
  ScanCall call{arguments.at(kFunction), arguments.at(kStart), arguments.at(kOver)};
  const auto is = [&](int index, const char* error, bool isGood) {
    if (arguments.find(static_cast<size_t>(index)) != nullptr && !isGood) {
      values::raiseError("RuntimeError", "{}", error);
    }
  };
  is(kDim, "Dim must be an int", !arguments.find(kDim) || arguments.at(kDim).is<int64_t>());
  is(kReverse, "Reverse must be a bool", !arguments.find(kReverse) || arguments.at(kReverse).is<bool>());
  call.dim = arguments.integer(kDim, 0);
  call.isReverse = arguments.flag(kReverse, false);
  return call;
}

/// The operators of tensors around the scan itself.
class Around {
 public:
  explicit Around(const Host& host) : host_(host) {}

  TensorList movedDim(TensorList tensors, int64_t from, int64_t to) const {
    for (at::Tensor& each : tensors) {
      if (from != to && std::max(from, to) < each.dim()) {
        each = call("movedim", {values::Value(each), values::Value(from), values::Value(to)});
      }
    }
    return tensors;
  }
  TensorList flipped(TensorList tensors) const {
    for (at::Tensor& each : tensors) {
      each = call("flip", {values::Value(each), values::Value::list({values::Value(int64_t{0})})});
    }
    return tensors;
  }

 private:
  at::Tensor call(const char* name, const values::ValueList& arguments) const {
    return torch_names::callNamed(torch_names::NameSpace::kTorch, name, arguments, {}, host_.operators).tensor();
  }

  const Host& host_;
};

void checkSlices(const TensorList& tensors, int64_t dim) {
  for (const at::Tensor& each : tensors) {
    if (each.dim() <= dim || each.size(dim) == 0) {
      values::raiseError("RuntimeError",
                         "All xs leaves must at least have 'dim' number of dimensions and scan dimension > 0");
    }
  }
}

} // namespace

values::Value scan(const Host& host, const values::ValueList& positional, const Keywords& keywords) {
  const ScanCall call = readCall(positional, keywords);
  const values::ValueList leaves = transforms::leavesOf(call.over);
  if (leaves.empty()) {
    return values::Value::tuple({call.start, values::Value::list({})});
  }
  const TensorList original = tensorLeaves(call.over, "RuntimeError", "All xs leaves must be a Tensor");
  const int64_t rank = original.front().dim();
  const int64_t dim = c10::maybe_wrap_dim(call.dim, rank);
  const TensorList start = tensorLeaves(call.start, "RuntimeError", "All init leaves must be a Tensor");
  if (start.empty()) {
    values::raiseError("RuntimeError", "scan() operator requires init leaves.");
  }
  checkSlices(original, dim);
  checkSelected(original);
  const Around around(host);
  TensorList over = around.movedDim(original, dim, 0);
  over = call.isReverse ? around.flipped(std::move(over)) : over;

  Operands operands;
  Body body{.branch = host.branch(call.function),
            .positional = transforms::flatten(values::Value::tuple({call.start, call.over})).spec};
  for (const at::Tensor& each : joined({start, over})) {
    body.leaves.push_back(operands.addOwn(each));
  }
  const size_t own = body.leaves.size();
  operands.addAround(body);
  const TensorList known = slice(operands.tensors(), own, operands.tensors().size() - own);
  const Examination step = examine(body, joined({start, firstCopies(over), known}), "scan");
  if (step.spec.kind != transforms::TreeSpec::Kind::kTuple || step.spec.children.size() != 2) {
    refuse("scan", "the function returns no pair");
  }
  const auto& [carriedSpec, resultSpec] = std::pair(step.spec.children[0], step.spec.children[1]);
  if (carriedSpec != transforms::flatten(call.start).spec) {
    refuse("scan", "the function carries on " + transforms::shortSpecText(carriedSpec));
  }
  checkCarried(start, {step.results.begin(), step.results.begin() + static_cast<std::ptrdiff_t>(start.size())},
               "init and carry");
  const TensorList arguments = operands.given({&step}, "scan", {.taken = own, .apart = own});
  const bool isWhole = std::ranges::any_of(
      step.results, [](const Examination::Result& each) { return !c10::isFloatingType(each.dtype); });
  if (isWhole && wantsGradients(arguments)) {
    values::raiseError("AssertionError", "outs_to_grad length != tangents length");
  }
  std::vector<bool> views;
  for (size_t i = 0; i < start.size(); ++i) {
    views.push_back(step.results[i].isView);
  }
  const TensorList results = host.dispatch(
      std::make_shared<Scan>(ScanBody{std::move(body), start.size(), over.size()}, std::move(views)), arguments);
  TensorList stacked = slice(results, start.size(), results.size() - start.size());
  stacked = call.isReverse ? around.flipped(std::move(stacked)) : stacked;
  return values::Value::tuple({valueOf(slice(results, 0, start.size()), carriedSpec),
                               valueOf(around.movedDim(std::move(stacked), 0, dim), resultSpec)});
}

} // namespace touchstone::control_flow
