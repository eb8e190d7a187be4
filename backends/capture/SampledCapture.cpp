#include "backends/capture/SampledCapture.h"

#include "backends/capture/CompiledForSizes.h"
#include "graph/ir/Subgraph.h"
#include "graph/runtime/Interpreter.h"
#include "graph/symbols/Assignments.h"
#include "program/operators/OperatorFacts.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <stdexcept>
#include <utility>

namespace touchstone::capture {

using sources::SizeSource;
using sources::SymbolicLocals;
using symbols::Assignment;
using symbols::Condition;
using symbols::NotSymbolic;
using values::ValueList;

namespace {

constexpr size_t kLeast = 3; // assignments

bool holds(const std::string& comparison, int64_t left, int64_t right) {
  return Condition::of(comparison, left, right).holds({});
}

/// Stands for what a Graph would be compiled to as another one was.
class AsCompiled final : public backends::CompiledGraph {
 public:
  explicit AsCompiled(std::shared_ptr<const backends::CompiledGraph> like) : like_(std::move(like)) {}
  std::vector<at::Tensor> run(std::vector<at::Tensor>) const override {
    throw std::logic_error("a sample of a Graph for symbols runs");
  }
  bool isCompiled() const override { return like_->isCompiled(); }
  std::vector<backends::Assumption> assumptions() const override { return like_->assumptions(); }

 private:
  std::shared_ptr<const backends::CompiledGraph> like_;
};

std::vector<Condition> forSampling(const SymbolicLocals& symbolic, const Conditions& conditions) {
  std::vector<Condition> plain = symbolic.limits();
  std::transform(conditions.begin(), conditions.end(), std::back_inserter(plain),
                 [](const SizeCondition& each) { return each.condition; });
  return plain;
}

/// Each symbol is to be the least once.
size_t mostFor(const SymbolicLocals& symbolic) {
  constexpr size_t kMost = 8, kOthers = 3;
  return std::max(kMost, symbolic.sources().size() + kOthers);
}

/// The sizes of tensors of many dimensions are few, so that more of them say less.
size_t leastFor(const SymbolicLocals& symbolic) {
  constexpr size_t kFewDimensions = 3;
  return symbolic.largestRank() <= kFewDimensions ? kLeast : kLeast + 2;
}

std::optional<symbols::Expression> resultOf(const std::string& operation, const symbols::Expression& left,
                                            const symbols::Expression& right) {
  if (operation == "+") {
    return left + right;
  }
  if (operation == "-") {
    return left - right;
  }
  if (operation == "*") {
    return left * right;
  }
  if (operation == "//" && right.constant() != 0) {
    return floorDivision(left, right);
  }
  if (operation == "%" && right.constant() != 0) {
    return remainder(left, right);
  }
  return std::nullopt;
}

/// In what two captures are more than other sizes; empty: in nothing.
std::string difference(const FrameCapture& one, const FrameCapture& other) {
  if (one.stop != other.stop || one.regions != other.regions || one.gradModeAfter != other.gradModeAfter ||
      one.gradModeInside != other.gradModeInside) {
    return "where the graph ends" + (other.reason ? ": " + other.reason->text : "");
  }
  if (one.isRead != other.isRead || one.readsIdentity != other.readsIdentity || one.readsMemory != other.readsMemory ||
      one.names != other.names || one.passed != other.passed) {
    return "what is read";
  }
  return one.values->sameStructure(*other.values) ? "" : "what is returned";
}

/// Elementwise operators and products of two matrices: what is made of them, derivatives too, has sizes and strides, and no other
/// numbers that hang on sizes, nor another order (as `chain_matmul` has).
bool isOfPlainSizes(const ir::Graph& graph) {
  return std::ranges::all_of(graph.nodes(), [](const ir::Node& node) {
    const std::string_view name = operators::atenName(node.target);
    const bool isPlain = operators::has(name, operators::kElementwise) ||
                         operators::has(name, operators::kAddsProduct) ||
                         (operators::has(name, operators::kProduct) && operators::has(name, operators::kLinear)) ||
                         name == "t" || name == "transpose";
    return node.kind == ir::NodeKind::kPlaceholder || node.kind == ir::NodeKind::kConstant ||
           (node.kind == ir::NodeKind::kOperator && isPlain);
  });
}

} // namespace

SampledCapture::SampledCapture(const std::vector<std::string>& names, const SymbolicLocals& symbolic,
                               const CaptureSteps& steps, const Conditions& conditions, bool isThorough)
    : names_(names),
      symbolic_(symbolic),
      steps_(steps),
      conditions_(conditions),
      isThorough_(isThorough),
      fitting_(symbols::assignmentsLike(symbolic.hints(), isThorough ? mostFor(symbolic) : leastFor(symbolic),
                                        forSampling(symbolic, conditions),
                                        symbols::largestSize(symbolic.largestRank()))) {
  if (fitting_.samples().size() < kLeast) {
    throw NotSymbolic("no other sizes keep the guards");
  }
  for (const auto& [source, tensor] : symbolic.tensors()) {
    std::ranges::for_each(tensor.strides, [&](const symbols::Expression& stride) { fitting_.know(stride); });
  }
  for (size_t symbol = 0; symbol < symbolic.sources().size(); ++symbol) {
    const int64_t hint = symbolic.sources()[symbol].hint;
    if (std::ranges::all_of(fitting_.samples(), [&](const Assignment& each) { return each[symbol] == hint; })) {
      conditions_.push_back( // what hangs on it is taken for a number
          {Condition::of("==", symbols::Expression::ofSymbol(static_cast<symbols::Symbol>(symbol)), hint)});
    }
  }
}

std::optional<SizeCondition> SampledCapture::capture(Samples earlier) {
  for (const Assignment& assignment : fitting_.samples()) {
    auto known = earlier.find(assignment);
    if (known == earlier.end()) {
      ValueList locals = symbolic_.at(assignment);
      FrameCapture captured = steps_.capture(locals);
      known = earlier.emplace(assignment, Sample{std::move(locals), std::move(captured)}).first;
    }
    locals_.push_back(std::move(known->second.locals));
    captures_.push_back(std::move(known->second.capture));
  }
  for (size_t i = 0;; ++i) {
    const auto isThere = [&](const FrameCapture& each) { return i < each.integers.size(); };
    const auto count = std::count_if(captures_.begin(), captures_.end(), isThere);
    if (count == 0) {
      return std::nullopt;
    }
    if (count < static_cast<std::ptrdiff_t>(captures_.size())) {
      throw NotSymbolic("what is computed of ints");
    }
    if (std::optional<SizeCondition> otherwise = decide(i)) {
      return otherwise;
    }
  }
}

bool SampledCapture::isUnsure() {
  refuseOtherCode();
  std::vector<const ir::Graph*> graphs;
  for (const FrameCapture& capture : captures_) {
    graphs.push_back(&capture.graph);
  }
  symbols::numbersByNode(graphs, fitting_, runtime::constantTensors());
  return wasUnsure() || symbols::cutsSizes(graphs);
}

Samples SampledCapture::takeSamples() {
  Samples samples;
  for (size_t i = 0; i < captures_.size(); ++i) {
    samples.emplace(fitting_.samples()[i], Sample{std::move(locals_[i]), std::move(captures_[i])});
  }
  return samples;
}

std::shared_ptr<CapturedCode> SampledCapture::compile(const backends::GraphCompiler& compiler,
                                                      ir::CompileReport& report, const ir::GraphBreakReport* brokenBy) {
  refuseOtherCode();
  if (brokenBy != nullptr) {
    captures_[0].graph.brokenBy = *brokenBy;
  }
  captured_ = captures_[0].graph;
  std::vector<std::shared_ptr<CapturedCode>> codes{
      makeCode(std::move(captures_[0]), names_, locals_[0], compiler, report, &symbolic_)};
  for (size_t i = 1; i < captures_.size(); ++i) {
    const auto keep = [&](ir::Graph graph, const std::vector<at::Tensor>& examples) {
      others_.push_back({std::move(graph), examples});
      return std::make_shared<const AsCompiled>(codes[0]->graph);
    };
    ir::CompileReport ofOthers;
    codes.push_back(makeCode(std::move(captures_[i]), names_, locals_[i], keep, ofOthers));
  }
  std::shared_ptr<CapturedCode> code = united(codes);
  const std::vector<const ir::Graph*> graphs = compiledGraphs();
  ir::forEachReference(captured_.output, [&](ir::NodeId output) {
    code->dynamicDimensions.push_back(symbols::varyingSizes(graphs, output));
  });
  return code;
}

backends::SymbolicSamples SampledCapture::takeShown() {
  std::vector<std::string> symbols;
  for (const SizeSource& source : symbolic_.sources()) {
    symbols.push_back(source.text);
  }
  std::vector<ir::Graph> captured{std::move(captured_)};
  for (backends::GraphSample& other : others_) {
    captured.push_back(std::move(other.graph));
  }
  return {std::move(symbols), std::move(captured), std::move(fitting_)};
}

std::optional<SizeCondition> SampledCapture::decide(size_t number) {
  const IntegerUse& first = captures_[0].integers[number];
  std::vector<int64_t> left, right;
  for (const FrameCapture& capture : captures_) {
    const IntegerUse& each = capture.integers[number];
    if (each.operation != first.operation || each.line != first.line) {
      throw NotSymbolic("what is computed of ints");
    }
    left.push_back(each.left);
    right.push_back(each.right);
  }
  const std::optional<symbols::Expression> one = fitting_.fit(left), other = fitting_.fit(right);
  if (!one || !other) {
    throw NotSymbolic(fmt::format("no expression gives what line {} computes with", first.line));
  }
  if (!Condition::isComparison(first.operation)) {
    if (const std::optional<symbols::Expression> result = resultOf(first.operation, *one, *other)) {
      fitting_.know(*result);
      guardUnseen(*result, first.line);
    }
    return std::nullopt;
  }
  const bool isTrue = holds(first.operation, first.left, first.right);
  Condition condition = Condition::of(first.operation, *one, *other, isTrue);
  for (size_t i = 0; i < left.size(); ++i) {
    if (holds(first.operation, left[i], right[i]) != isTrue) {
      return SizeCondition{std::move(condition), first.line};
    }
  }
  addCondition({std::move(condition), first.line});
  return std::nullopt;
}

void SampledCapture::guardUnseen(const symbols::Expression& result, int line) {
  if (result.constant()) {
    return;
  }
  std::set<int64_t> values;
  for (const Assignment& each : fitting_.samples()) {
    values.insert(result.at(each));
  }
  const bool hasNone = *values.begin() <= 0, hasOne = values.contains(1);
  if (values.size() == 1) {
    requireSeen(Condition::of("==", result, *values.begin()), line);
  } else if (result.least().value_or(0) >= 2 || (hasNone && hasOne)) {
    return;
  } else if (hasNone) {
    requireSeen(Condition::of("!=", result, 1), line);
  } else {
    requireSeen(Condition::of("<=", hasOne ? 1 : 2, result), line);
  }
}

void SampledCapture::requireSeen(Condition condition, int line) {
  isSeenInPart_ = true;
  if (isThorough_) {
    addCondition({std::move(condition), line});
  }
}

void SampledCapture::addCondition(SizeCondition condition) {
  const bool isKnown = std::ranges::any_of(
      conditions_, [&](const SizeCondition& each) { return each.condition == condition.condition; });
  if (!condition.condition.isTautology() && !isKnown) {
    conditions_.push_back(std::move(condition));
  }
}

void SampledCapture::refuseOtherCode() const {
  for (const FrameCapture& capture : captures_) {
    if (const std::string differs = difference(captures_[0], capture); !differs.empty()) {
      throw NotSymbolic(differs);
    }
  }
}

std::shared_ptr<CapturedCode> SampledCapture::united(const std::vector<std::shared_ptr<CapturedCode>>& codes) {
  const std::shared_ptr<CapturedCode>& first = codes[0];
  std::vector<const Guards*> guards;
  std::vector<std::vector<int64_t>> integers;
  for (const std::shared_ptr<CapturedCode>& code : codes) {
    if (code->graphInputs != first->graphInputs || code->valueInputs != first->valueInputs ||
        (code->graph == nullptr) != (first->graph == nullptr) || code->isCompiled != first->isCompiled) {
      throw NotSymbolic("what the graph reads");
    }
    guards.push_back(code->guards.get());
    integers.push_back(code->values->integers());
  }
  std::shared_ptr<const backends::SymbolicCompiledGraph> graph;
  if (first->graph != nullptr) {
    if (others_.size() + 1 != codes.size()) { // constants alone, which nobody compiles
      throw NotSymbolic("a graph of constants");
    }
    graph = graphForSymbols(first->graph);
  }
  first->guards->unite(guards, fitting_);
  symbols::Numbers returned(integers, fitting_, [](size_t) { return "an int that is returned"; });
  first->symbolic = std::make_shared<const SymbolicCode>(std::move(graph), *first->values, std::move(returned));
  return first;
}

std::vector<const ir::Graph*> SampledCapture::compiledGraphs() const {
  std::vector<const ir::Graph*> graphs{&captured_};
  std::ranges::transform(others_, std::back_inserter(graphs), [](const auto& each) { return &each.graph; });
  return graphs;
}

std::shared_ptr<const backends::SymbolicCompiledGraph> SampledCapture::graphOfTwo(
    const backends::CompiledGraph& compiled) {
  if (isThorough_ || !steps_.observers.empty() || !isOfPlainSizes(captured_)) {
    return nullptr;
  }
  symbols::Fitting two = fitting_.ofFirst(2);
  try {
    auto graph = two.isUnsure() ? nullptr : compiled.forSymbols({others_[0]}, two);
    return two.isUnsure() ? nullptr : graph;
  } catch (const NotSymbolic&) { // more assignments may tell more
    return nullptr;
  }
}

std::shared_ptr<const backends::SymbolicCompiledGraph> SampledCapture::graphForSymbols(
    const std::shared_ptr<const backends::CompiledGraph>& compiled) {
  if (auto graph = graphOfTwo(*compiled)) {
    return graph;
  }
  try {
    return compiled->forSymbols(others_, fitting_);
  } catch (const symbols::NoSymbolicForm&) {
    return compiledForEachSizes({compiledGraphs(), fitting_, runtime::constantTensors()}, steps_.compiler,
                                {fitting_.samples()[0], compiled});
  }
}

} // namespace touchstone::capture
