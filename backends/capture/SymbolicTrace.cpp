#include "backends/capture/SymbolicTrace.h"

#include "backends/capture/LocalSources.h"
#include "graph/ir/Unsupported.h"
#include "graph/runtime/Interpreter.h"
#include "graph/symbols/Assignments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <exception>
#include <iterator>

namespace touchstone::capture {

using symbols::Assignment;
using symbols::Condition;
using symbols::Expression;
using values::ValueList;

namespace {

/// Products of many sizes stay small.
int64_t largestSizeOf(const SymbolicLocals& locals) {
  constexpr std::array<int64_t, 6> kByRank{60, 60, 60, 32, 14, 9};
  return kByRank[std::min(locals.largestRank(), kByRank.size() - 1)];
}

std::vector<at::Tensor> tensorsOf(const ValueList& locals) {
  std::vector<at::Tensor> tensors;
  std::transform(locals.begin(), locals.end(), std::back_inserter(tensors),
                 [](const values::Value& value) { return value.tensor(); });
  return tensors;
}

bool areAt(const std::vector<Expression>& expressions, const Assignment& assignment, at::IntArrayRef numbers) {
  return expressions.size() == numbers.size() &&
         std::equal(expressions.begin(), expressions.end(), numbers.begin(),
                    [&](const Expression& each, int64_t number) { return each.at(assignment) == number; });
}

std::vector<Expression> numbersAsExpressions(at::IntArrayRef numbers) {
  return {numbers.begin(), numbers.end()};
}

} // namespace

SymbolicTrace::SymbolicTrace(const Trace& trace, const std::vector<at::Tensor>& examples)
    : examples_(examples), hinted_(trace(examples)) {
  for (size_t i = 0; i < examples_.size(); ++i) {
    names_.push_back(fmt::format("x{}", i));
    sources_.push_back(sourceOfLocal(names_.back()));
  }
  while (true) {
    SymbolicLocals locals = localsOf([](const SizeSource&) { return true; });
    if (locals.sources().empty()) {
      return;
    }
    std::string reason;
    if (attempt(trace, locals, false, reason) || attempt(trace, locals, true, reason)) {
      return;
    }
    giveUp(trace, locals, reason);
  }
}

SymbolicLocals SymbolicTrace::localsOf(const IsWanted& isWanted) const {
  return {names_,
          ValueList(examples_.begin(), examples_.end()),
          [&](const SizeSource& source) { return !givenUp_.contains(source.hint) && isWanted(source); },
          {}};
}

/// `isFromHintsOn`: smaller sizes may be another function, as where an index is out of range.
bool SymbolicTrace::attempt(const Trace& trace, const SymbolicLocals& locals, bool isFromHintsOn, std::string& reason) {
  std::vector<Condition> conditions;
  for (size_t i = 0; i < locals.sources().size(); ++i) {
    const int64_t least = isFromHintsOn ? locals.sources()[i].hint : 2;
    conditions.push_back(Condition::of("<=", least, Expression::ofSymbol(static_cast<symbols::Symbol>(i))));
  }
  try {
    const size_t count = std::clamp<size_t>(locals.sources().size() + 2, 5, 8);
    symbols::Fitting fitting(symbols::assignmentsLike(locals.hints(), count, conditions, largestSizeOf(locals)));
    if (fitting.samples().size() < 3) {
      throw symbols::NotSymbolic("no other sizes keep the guards");
    }
    std::vector<ir::Graph> traced;
    for (size_t i = 1; i < fitting.samples().size(); ++i) {
      traced.push_back(trace(tensorsOf(locals.at(fitting.samples()[i]))));
    }
    std::vector<const ir::Graph*> graphs{&hinted_};
    std::transform(traced.begin(), traced.end(), std::back_inserter(graphs),
                   [](const ir::Graph& each) { return &each; });
    symbols::SymbolicGraph graph(graphs, fitting, runtime::constantTensors());
    graph_.emplace(std::move(graph));
  } catch (const std::exception& error) { // of a sample: the examples themselves raise nothing
    reason = error.what();
    return false;
  }
  locals_.emplace(locals);
  conditions_ = conditions;
  for (const Condition& condition : conditions_) {
    guards_.push_back(condition.text());
  }
  return true;
}

/// The sizes that are to blame keep their numbers.
void SymbolicTrace::giveUp(const Trace& trace, const SymbolicLocals& locals, const std::string& reason) {
  std::vector<const SizeSource*> blamed;
  for (const SizeSource& source : locals.sources()) {
    const SymbolicLocals alone = localsOf([&](const SizeSource& each) { return each.hint == source.hint; });
    const std::vector<std::string> guards = guards_;
    std::string ofAlone;
    if (locals.sources().size() == 1 ||
        !(attempt(trace, alone, false, ofAlone) || attempt(trace, alone, true, ofAlone))) {
      blamed.push_back(&source);
    }
    guards_ = guards;
  }
  graph_.reset();
  locals_.reset();
  conditions_.clear();
  for (const SizeSource& source : locals.sources()) {
    if (blamed.empty() || std::find(blamed.begin(), blamed.end(), &source) != blamed.end()) {
      givenUp_.insert(source.hint);
      guards_.push_back(fmt::format("{} == {}: {}", source.text, source.hint, reason));
    }
  }
}

std::string SymbolicTrace::text(const std::string& name) const {
  return graph_ ? graph_->text(name) : ir::printGraph(hinted_, name);
}

SymbolicLocals::Tensor SymbolicTrace::expectedOf(size_t input) const {
  const SymbolicLocals::Tensor* symbolic = locals_ ? locals_->tensor(sources_[input]) : nullptr;
  return symbolic != nullptr ? *symbolic
                             : SymbolicLocals::Tensor{numbersAsExpressions(examples_[input].sizes()),
                                                      numbersAsExpressions(examples_[input].strides())};
}

Assignment SymbolicTrace::assignmentOf(const std::vector<at::Tensor>& inputs) const {
  Assignment assignment = locals_ ? locals_->hints() : Assignment();
  for (size_t i = 0; i < inputs.size(); ++i) {
    const SymbolicLocals::Tensor expected = expectedOf(i);
    for (size_t d = 0; d < expected.sizes.size() && static_cast<int64_t>(expected.sizes.size()) == inputs[i].dim();
         ++d) {
      if (const std::optional<symbols::Symbol> symbol = expected.sizes[d].symbol()) {
        assignment.at(static_cast<size_t>(*symbol)) = inputs[i].size(static_cast<int64_t>(d));
      }
    }
  }
  return assignment;
}

ir::Graph SymbolicTrace::at(const std::vector<at::Tensor>& inputs) const {
  if (inputs.size() != examples_.size()) {
    throw ir::Unsupported(fmt::format("traced for {} tensors, and given {}", examples_.size(), inputs.size()));
  }
  const Assignment assignment = assignmentOf(inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const SymbolicLocals::Tensor expected = expectedOf(i);
    const at::Tensor &given = inputs[i], &example = examples_[i];
    const bool isLike = given.dtype() == example.dtype() && given.device() == example.device() &&
                        given.requires_grad() == example.requires_grad() && given.layout() == at::kStrided &&
                        given.storage_offset() == example.storage_offset();
    if (!isLike || !areAt(expected.sizes, assignment, given.sizes()) ||
        !areAt(expected.strides, assignment, given.strides())) {
      throw ir::Unsupported(fmt::format("{} is not like what was traced: sizes [{}], strides [{}]", names_[i],
                                        fmt::join(given.sizes(), ", "), fmt::join(given.strides(), ", ")));
    }
  }
  for (const Condition& condition : conditions_) {
    if (!condition.holds(assignment)) {
      throw ir::Unsupported("traced for other sizes: " + condition.text() + " does not hold");
    }
  }
  return graph_ ? graph_->at(assignment) : hinted_;
}

} // namespace touchstone::capture
