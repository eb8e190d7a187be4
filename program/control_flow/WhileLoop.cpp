#include "graph/ir/Unsupported.h"
#include "program/control_flow/ControlFlow.h"
#include "program/control_flow/Joint.h"
#include "program/control_flow/Operands.h"
#include "program/semantics/Arguments.h"
#include "program/values/RaiseError.h"
#include "program/values/RaisedException.h"

#include <ATen/ops/add.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/is_nonzero.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros_like.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace touchstone::control_flow {
namespace {

constexpr size_t kMostSteps = 10'000;

struct Loop {
  Body goesOn, step;
  size_t carried;

  std::string text() const { return fmt::format("{}{}{}", goesOn.text(), step.text(), carried); }
  TensorList around(const TensorList& arguments, size_t count) const {
    return slice(arguments, carried, count - carried);
  }
  /// What is carried into each step, and out of the last one.
  std::vector<TensorList> run(TensorList carriedFirst, const TensorList& around) const {
    const auto runner = goesOn.branch.runner(nullptr);
    const TensorFunction next = started(step);
    std::vector<TensorList> all = {std::move(carriedFirst)};
    while (holds(goesOn.call(runner, joined({all.back(), around})))) {
      if (all.size() > kMostSteps) {
        values::RaisedException error("RuntimeError", "A torch.while_loop of a case makes at most 10,000 steps.");
        error.isLimit = true;
        throw error;
      }
      all.push_back(next(joined({all.back(), around})));
    }
    return all;
  }

 private:
  static bool holds(const values::Value& value) {
    return value.is<bool>() ? value.as<bool>() : at::is_nonzero(value.tensor());
  }
};

TensorList copies(TensorList tensors) {
  for (at::Tensor& each : tensors) {
    each = each.clone();
  }
  return tensors;
}

/// `WhileLoopAutogradOp.backward`: the joint of each step, last first. Of a loop that has made no step, that of one; a carried tensor
/// that starts without a gradient has none in between either.
class WhileLoopBackward final : public Region {
 public:
  WhileLoopBackward(std::shared_ptr<const Loop> loop, std::vector<bool> wanted)
      : loop_(std::move(loop)), wanted_(std::move(wanted)) {}

  std::string name() const override { return "while_loop_backward"; }
  std::string text() const override { return fmt::format("{} {}", loop_->text(), fmt::join(wanted_, "")); }

  TensorList run(const TensorList& arguments) const override {
    std::vector<TensorList> carried =
        loop_->run(slice(arguments, 0, loop_->carried), loop_->around(arguments, wanted_.size()));
    if (carried.size() > 1) {
      carried.pop_back();
    }
    return joints(carried, arguments);
  }
  TensorList fake(const TensorList& arguments) const override { // of one step: with zeros a loop may have no end
    const TensorList zeros = zerosFor(arguments);
    return withoutValues(joints({slice(zeros, 0, loop_->carried)}, zeros));
  }
  std::shared_ptr<const Region> backward(const std::vector<bool>&) const override { return nullptr; }

 private:
  TensorList joints(const std::vector<TensorList>& carried, const TensorList& arguments) const {
    const TensorList around = loop_->around(arguments, wanted_.size());
    TensorList gradients, ofAround;
    for (size_t i = 0; i < loop_->carried; ++i) {
      if (arguments[i].is_floating_point()) {
        gradients.push_back(arguments[wanted_.size() + i].clone(at::MemoryFormat::Contiguous));
      }
    }
    for (size_t i = loop_->carried; i < wanted_.size(); ++i) {
      if (wanted_[i]) {
        ofAround.push_back(at::zeros_like(arguments[i]));
      }
    }
    const TensorFunction step = started(loop_->step);
    for (auto before = carried.rbegin(); before != carried.rend(); ++before) {
      const TensorList made = gradientsOf(step, joined({*before, around}), wanted_, gradients);
      size_t next = 0, position = 0;
      for (size_t i = 0; i < loop_->carried; ++i) {
        if (arguments[i].is_floating_point()) {
          gradients[position++] = wanted_[i] ? made[next] : at::zeros_like((*before)[i]);
        }
        next += wanted_[i] ? 1 : 0;
      }
      for (at::Tensor& each : ofAround) {
        each = at::add(made[next++], each);
      }
    }
    TensorList wanted;
    size_t position = 0;
    for (size_t i = 0; i < loop_->carried; ++i) {
      if (wanted_[i]) {
        wanted.push_back(gradients[position]);
      }
      position += arguments[i].is_floating_point() ? 1 : 0;
    }
    return joined({wanted, ofAround});
  }

  const std::shared_ptr<const Loop> loop_;
  const std::vector<bool> wanted_; // by argument
};

/// After `torch/_higher_order_ops/while_loop.py`.
class WhileLoop final : public Region {
 public:
  /// `stacks`: results are the last parts of what all steps have made, as in a call that has a backward.
  WhileLoop(Loop loop, bool stacks) : loop_(std::make_shared<const Loop>(std::move(loop))), stacks_(stacks) {}

  std::string name() const override { return "while_loop"; }
  std::string text() const override { return loop_->text() + (stacks_ ? " stacked" : ""); }
  std::string nodeName() const override { return "WhileLoopAutogradOpBackward"; }

  TensorList run(const TensorList& arguments) const override {
    const TensorList around = loop_->around(arguments, arguments.size());
    std::vector<TensorList> all = loop_->run(slice(arguments, 0, loop_->carried), around);
    if (!stacks_) {
      return all.size() > 1 ? all.back() : copies(all.back());
    }
    TensorList results;
    if (all.size() == 1) {
      for (const at::Tensor& each : all.front()) {
        results.push_back(each.unsqueeze(0).clone().select(0, -1));
      }
      return results;
    }
    all.erase(all.begin());
    for (size_t i = 0; i < loop_->carried; ++i) {
      TensorList steps;
      for (const TensorList& each : all) {
        steps.push_back(each[i]);
      }
      results.push_back(at::stack(steps).select(0, -1));
    }
    return results;
  }
  TensorList fake(const TensorList& arguments) const override {
    TensorList results;
    for (const at::Tensor& each : slice(arguments, 0, loop_->carried)) {
      results.push_back(stacks_ ? at::empty_like(each, each.options(), at::MemoryFormat::Contiguous)
                                : at::empty_like(each));
    }
    return results;
  }
  std::shared_ptr<const Region> backward(const std::vector<bool>& wanted) const override {
    return std::make_shared<WhileLoopBackward>(loop_, wanted);
  }
  bool makesView(size_t) const override { return stacks_; }
  bool savesArguments() const override { return false; }

 private:
  const std::shared_ptr<const Loop> loop_;
  const bool stacks_;
};

void checkCondition(const Examination& condition) {
  const bool isTensor = condition.results.size() == 1 && condition.spec.kind == transforms::TreeSpec::Kind::kLeaf;
  if (!isTensor || !condition.results.front().sizes.empty() || condition.results.front().dtype != at::kBool) {
    refuse("torch.while_loop", "unsupported cond_fn return type");
  }
}

} // namespace

values::Value whileLoop(const Host& host, const values::ValueList& positional, const Keywords& keywords) {
  enum { kCondition, kStep, kCarried };
  const semantics::Arguments arguments("while_loop", {"cond_fn", "body_fn", "carried_inputs"}, positional, keywords, 3);
  const values::Value& carried = arguments.at(kCarried);
  const transforms::Tree tree = transforms::flatten(carried);
  for (const values::Value& leaf : tree.leaves) {
    if (leaf.isNumber()) {
      throw ir::Unsupported("torch.while_loop carries a number");
    }
    if (leaf.isNone()) {
      values::raiseError("AssertionError", "what torch.while_loop carries must not be None");
    }
    if (!leaf.isTensor()) {
      values::raiseError("RuntimeError",
                         "Expect carried_inputs to be a tuple of possibly nested dict/list/tuple that "
                         "onlyconsists of tensor or int leaves");
    }
  }
  if (carried.items() == nullptr) {
    throw ir::Unsupported("torch.while_loop carries a " + carried.typeName());
  }
  Operands operands;
  TensorList first;
  Body condition{.branch = host.branch(arguments.at(kCondition)), .positional = tree.spec};
  Body step{.branch = host.branch(arguments.at(kStep)), .positional = tree.spec};
  for (const values::Value& leaf : tree.leaves) {
    first.push_back(leaf.tensor());
    condition.leaves.push_back(operands.addOwn(leaf.tensor()));
  }
  step.leaves = condition.leaves;
  operands.addAround(condition);
  operands.addAround(step);
  const Examination ofCondition = examine(condition, operands.tensors(), "torch.while_loop");
  const Examination ofStep = examine(step, operands.tensors(), "torch.while_loop");
  checkCondition(ofCondition);
  checkCarried(first, ofStep.results, "body_fn_output and carried_inputs");
  const TensorList given =
      operands.given({&ofCondition, &ofStep}, "torch.while_loop", {.taken = first.size(), .apart = first.size()});
  const auto region =
      std::make_shared<WhileLoop>(Loop{std::move(condition), std::move(step), first.size()}, wantsGradients(given));
  return valueOf(host.dispatch(region, given), ofStep.spec);
}

} // namespace touchstone::control_flow
