#include "backends/capture/SymbolicTrace.h"

#include "backends/sources/LocalSources.h"
#include "graph/ir/Unsupported.h"
#include "graph/runtime/Interpreter.h"
#include "graph/symbols/Assignments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <iterator>

namespace touchstone::capture {

using symbols::Assignment;
using symbols::Condition;
using symbols::Expression;
using values::ValueList;

namespace {

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
    sources_.push_back(sources::sourceOfLocal(names_.back()));
  }
  while (true) {
    sources::SymbolicLocals locals = localsOf([](const sources::SizeSource&) { return true; });
    if (locals.sources().empty()) {
      return;
    }
    std::string reason;
    symbolic_ = attempt(trace, locals, reason);
    if (symbolic_) {
      for (const Condition& condition : symbolic_->conditions) {
        guards_.push_back(condition.text());
      }
      return;
    }
    const auto isPossibleAlone = [&](const sources::SizeSource& source, std::string& why) {
      const sources::SymbolicLocals alone =
          localsOf([&](const sources::SizeSource& each) { return each.hint == source.hint; });
      return attempt(trace, alone, why).has_value();
    };
    for (const auto& [source, why] : blamedOf(locals.sources(), reason, isPossibleAlone)) {
      givenUp_.insert(source.hint);
      guards_.push_back(fmt::format("{} == {}: {}", source.text, source.hint, why));
    }
  }
}

sources::SymbolicLocals SymbolicTrace::localsOf(const IsWanted& isWanted) const {
  const auto dynamismOf = [&](const sources::SizeSource& source) {
    return source.isSize() && !givenUp_.contains(source.hint) && isWanted(source) ? sources::Dynamism::kShared
                                                                                  : sources::Dynamism::kNumber;
  };
  return {names_, ValueList(examples_.begin(), examples_.end()), dynamismOf, {}};
}

std::optional<SymbolicTrace::ForSymbols> SymbolicTrace::attempt(const Trace& trace,
                                                                const sources::SymbolicLocals& locals,
                                                                std::string& reason) const {
  std::optional<ForSymbols> made = attemptWith(trace, locals, false, reason);
  // Smaller sizes may be another function, as where an index is out of range.
  return made ? std::move(made) : attemptWith(trace, locals, true, reason);
}

std::optional<SymbolicTrace::ForSymbols> SymbolicTrace::attemptWith(const Trace& trace,
                                                                    const sources::SymbolicLocals& locals,
                                                                    bool isFromHintsOn, std::string& reason) const {
  std::vector<Condition> conditions;
  for (size_t i = 0; i < locals.sources().size(); ++i) {
    const int64_t least = isFromHintsOn ? locals.sources()[i].hint : 2;
    conditions.push_back(Condition::of("<=", least, Expression::ofSymbol(static_cast<symbols::Symbol>(i))));
  }
  try {
    const size_t count = std::clamp<size_t>(locals.sources().size() + 2, 5, 8);
    symbols::Fitting fitting(
        symbols::assignmentsLike(locals.hints(), count, conditions, symbols::largestSize(locals.largestRank())));
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
    return ForSymbols{locals, conditions, symbols::SymbolicGraph(graphs, fitting, runtime::constantTensors())};
  } catch (const std::exception& error) { // of a sample: the examples themselves raise nothing
    reason = error.what();
    return std::nullopt;
  }
}

std::string SymbolicTrace::text(const std::string& name) const {
  return symbolic_ ? symbolic_->graph.text(name) : ir::printGraph(hinted_, name);
}

sources::SymbolicLocals::Tensor SymbolicTrace::expectedOf(size_t input) const {
  const sources::SymbolicLocals::Tensor* symbolic = symbolic_ ? symbolic_->locals.tensor(sources_[input]) : nullptr;
  return symbolic != nullptr ? *symbolic
                             : sources::SymbolicLocals::Tensor{numbersAsExpressions(examples_[input].sizes()),
                                                               numbersAsExpressions(examples_[input].strides()),
                                                               examples_[input].storage_offset()};
}

Assignment SymbolicTrace::assignmentOf(const std::vector<at::Tensor>& inputs) const {
  Assignment assignment = symbolic_ ? symbolic_->locals.hints() : Assignment();
  for (size_t i = 0; i < inputs.size(); ++i) {
    const sources::SymbolicLocals::Tensor expected = expectedOf(i);
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
    const sources::SymbolicLocals::Tensor expected = expectedOf(i);
    const at::Tensor &given = inputs[i], &example = examples_[i];
    const bool isLike = given.dtype() == example.dtype() && given.device() == example.device() &&
                        given.requires_grad() == example.requires_grad() && given.layout() == at::kStrided &&
                        given.storage_offset() == expected.offset.at(assignment);
    if (!isLike || !areAt(expected.sizes, assignment, given.sizes()) ||
        !areAt(expected.strides, assignment, given.strides())) {
      throw ir::Unsupported(fmt::format("{} is not like what was traced: sizes [{}], strides [{}]", names_[i],
                                        fmt::join(given.sizes(), ", "), fmt::join(given.strides(), ", ")));
    }
  }
  if (!symbolic_) {
    return hinted_;
  }
  for (const Condition& condition : symbolic_->conditions) {
    if (!condition.holds(assignment)) {
      throw ir::Unsupported("traced for other sizes: " + condition.text() + " does not hold");
    }
  }
  return symbolic_->graph.at(assignment);
}

} // namespace touchstone::capture
