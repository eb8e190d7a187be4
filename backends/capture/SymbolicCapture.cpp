#include "backends/capture/SymbolicCapture.h"

#include "backends/CompileAttempts.h"
#include "backends/capture/CompiledForSizes.h"
#include "backends/capture/LocalSources.h"
#include "graph/ir/Subgraph.h"
#include "graph/runtime/Interpreter.h"
#include "graph/symbols/Assignments.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <optional>
#include <set>
#include <stdexcept>

namespace touchstone::capture {

using symbols::Assignment;
using symbols::Condition;
using symbols::NotSymbolic;
using values::ValueList;

SymbolicCode::SymbolicCode(std::shared_ptr<const backends::SymbolicCompiledGraph> graph, ValueTemplate values,
                           symbols::Numbers integers)
    : graph_(std::move(graph)), values_(std::move(values)), integers_(std::move(integers)) {}

std::shared_ptr<const CodeForSizes> SymbolicCode::at(const Assignment& assignment) const {
  constexpr size_t kKnown = 256; // beyond that the sizes that come anew are put in once more
  const std::lock_guard<std::mutex> lock(mutex_);
  if (known_.size() > kKnown) {
    known_.clear();
  }
  std::shared_ptr<const CodeForSizes>& code = known_[assignment];
  if (code == nullptr) {
    std::vector<int64_t> integers = values_.integers();
    std::vector<int64_t*> places;
    std::transform(integers.begin(), integers.end(), std::back_inserter(places), [](int64_t& each) { return &each; });
    integers_.put(places, assignment);
    code = std::make_shared<const CodeForSizes>(
        CodeForSizes{graph_ == nullptr ? nullptr : graph_->at(assignment), values_.withIntegers(integers)});
  }
  return code;
}

namespace {

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

using Conditions = std::vector<SizeCondition>;

std::vector<Condition> forSampling(const SymbolicLocals& symbolic, const Conditions& conditions) {
  std::vector<Condition> plain = symbolic.limits();
  std::transform(conditions.begin(), conditions.end(), std::back_inserter(plain),
                 [](const SizeCondition& each) { return each.condition; });
  return plain;
}

/// What was captured under an assignment, and of what.
struct Sample {
  ValueList locals;
  FrameCapture capture;
};

using Samples = std::map<Assignment, Sample>;

/// One attempt to make one code of captures under several assignments.
class Union {
 public:
  /// `isThorough`: under as many assignments that each symbol is the least that it may be in one of them; otherwise under few,
  /// which say enough unless isUnsure().
  Union(const std::vector<std::string>& names, const SymbolicLocals& symbolic, const CaptureSteps& steps,
        const Conditions& conditions, bool isThorough)
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

  /// `earlier`: what was captured before, the first assignment among it. Returns what must hold that a comparison, which another
  /// assignment decides otherwise, is decided as for the first; nothing: all are.
  std::optional<SizeCondition> capture(Samples earlier) {
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

  /// What was fitted so far, and the captured Graphs, leave a doubt whether another expression is meant.
  bool isUnsure() {
    refuseOtherCode();
    std::vector<const ir::Graph*> graphs;
    for (const FrameCapture& capture : captures_) {
      graphs.push_back(&capture.graph);
    }
    symbols::numbersByNode(graphs, fitting_, runtime::constantTensors());
    return wasUnsure() || symbols::cutsSizes(graphs);
  }
  bool wasUnsure() const { return isSeenInPart_ || fitting_.isUnsure(); }

  /// What was captured, for a further attempt. This one is over.
  Samples takeSamples() {
    Samples samples;
    for (size_t i = 0; i < captures_.size(); ++i) {
      samples.emplace(fitting_.samples()[i], Sample{std::move(locals_[i]), std::move(captures_[i])});
    }
    return samples;
  }

  std::shared_ptr<CapturedCode> compile(const backends::GraphCompiler& compiler, ir::CompileReport& report,
                                        const ir::GraphBreakReport* brokenBy) {
    refuseOtherCode();
    if (brokenBy != nullptr) {
      captures_[0].graph.brokenBy = *brokenBy;
    }
    captured_ = captures_[0].graph;
    std::vector<std::vector<int64_t>> dynamicDimensions = dynamicDimensionsOfOutputs();
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
    code->dynamicDimensions = std::move(dynamicDimensions);
    return code;
  }

  /// What was captured and compiled. This attempt is over.
  backends::SymbolicSamples takeShown() {
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

  /// What the code needs, besides those that it was begun with.
  const Conditions& conditions() const { return conditions_; }

 private:
  static constexpr size_t kLeast = 3;

  /// Each symbol is to be the least once.
  static size_t mostFor(const SymbolicLocals& symbolic) {
    constexpr size_t kMost = 8, kOthers = 3;
    return std::max(kMost, symbolic.sources().size() + kOthers);
  }

  /// The sizes of tensors of many dimensions are few, so that more of them say less.
  static size_t leastFor(const SymbolicLocals& symbolic) {
    constexpr size_t kFewDimensions = 3;
    return symbolic.largestRank() <= kFewDimensions ? kLeast : kLeast + 2;
  }

  static std::vector<std::vector<int64_t>> sizesOfOutputs(const ir::Graph& graph) {
    std::vector<std::vector<int64_t>> sizes;
    ir::forEachReference(graph.output, [&](ir::NodeId id) {
      const std::optional<ir::TensorMetadata>& metadata = graph.node(id).metadata;
      sizes.push_back(metadata ? metadata->sizes : std::vector<int64_t>());
    });
    return sizes;
  }

  std::vector<std::vector<int64_t>> dynamicDimensionsOfOutputs() const {
    const std::vector<std::vector<int64_t>> first = sizesOfOutputs(captures_[0].graph);
    std::vector<std::set<int64_t>> varying(first.size());
    for (const FrameCapture& capture : captures_) {
      const std::vector<std::vector<int64_t>> sizes = sizesOfOutputs(capture.graph);
      for (size_t i = 0; i < first.size(); ++i) {
        for (size_t d = 0; i < sizes.size() && sizes[i].size() == first[i].size() && d < first[i].size(); ++d) {
          if (sizes[i][d] != first[i][d]) {
            varying[i].insert(static_cast<int64_t>(d));
          }
        }
      }
    }
    std::vector<std::vector<int64_t>> dimensions;
    for (const std::set<int64_t>& each : varying) {
      dimensions.emplace_back(each.begin(), each.end());
    }
    return dimensions;
  }

  /// What the operation with this number gives is known from then on; a comparison is guarded.
  std::optional<SizeCondition> decide(size_t number) {
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

  static std::optional<symbols::Expression> resultOf(const std::string& operation, const symbols::Expression& left,
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

  /// What is one number under all assignments, and no constant: where it is another one, an operator may be other code. So it
  /// may be for a size of 0 or 1 that it has under none.
  void guardUnseen(const symbols::Expression& result, int line) {
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

  void requireSeen(Condition condition, int line) {
    isSeenInPart_ = true;
    if (isThorough_) {
      addCondition({std::move(condition), line});
    }
  }

  void addCondition(SizeCondition condition) {
    const bool isKnown = std::ranges::any_of(
        conditions_, [&](const SizeCondition& each) { return each.condition == condition.condition; });
    if (!condition.condition.isTautology() && !isKnown) {
      conditions_.push_back(std::move(condition));
    }
  }

  void refuseOtherCode() const {
    for (const FrameCapture& capture : captures_) {
      if (const std::string differs = difference(captures_[0], capture); !differs.empty()) {
        throw NotSymbolic(differs);
      }
    }
  }

  /// In what two captures are more than other sizes; empty: in nothing.
  static std::string difference(const FrameCapture& one, const FrameCapture& other) {
    if (one.stop != other.stop || one.regions != other.regions || one.gradModeAfter != other.gradModeAfter ||
        one.gradModeInside != other.gradModeInside) {
      return "where the graph ends" + (other.reason ? ": " + other.reason->text : "");
    }
    if (one.isRead != other.isRead || one.readsIdentity != other.readsIdentity ||
        one.readsMemory != other.readsMemory || one.names != other.names || one.passed != other.passed) {
      return "what is read";
    }
    return one.values->sameStructure(*other.values) ? "" : "what is returned";
  }

  std::shared_ptr<CapturedCode> united(const std::vector<std::shared_ptr<CapturedCode>>& codes) {
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

  std::shared_ptr<const backends::SymbolicCompiledGraph> graphForSymbols(
      const std::shared_ptr<const backends::CompiledGraph>& compiled) {
    try {
      return compiled->forSymbols(others_, fitting_);
    } catch (const symbols::NoSymbolicForm&) {
      std::vector<const ir::Graph*> graphs{&captured_};
      std::transform(others_.begin(), others_.end(), std::back_inserter(graphs),
                     [](const auto& each) { return &each.graph; });
      return compiledForEachSizes({graphs, fitting_, runtime::constantTensors()}, steps_.compiler,
                                  {fitting_.samples()[0], compiled});
    }
  }

  const std::vector<std::string>& names_;
  const SymbolicLocals& symbolic_;
  const CaptureSteps& steps_;
  Conditions conditions_;
  const bool isThorough_;
  bool isSeenInPart_ = false;
  symbols::Fitting fitting_;
  std::vector<ValueList> locals_;
  std::vector<FrameCapture> captures_;
  ir::Graph captured_; // by the first of them
  std::vector<backends::GraphSample> others_; // the same by the others
};

/// Its symbol may be that of other sizes.
bool isShared(const SizeSource& source) {
  return source.isSize() && !source.isOwn;
}

/// Symbols that were given up: sizes that are shared by what they are, others by source.
struct GivenUp {
  std::set<int64_t> shared;
  std::set<std::string> others;

  bool isEmpty() const { return shared.empty() && others.empty(); }
  bool has(const SizeSource& source) const {
    return isShared(source) ? shared.contains(source.hint) : others.contains(source.text);
  }
  void add(const SizeSource& source) {
    if (isShared(source)) {
      shared.insert(source.hint);
    } else {
      others.insert(source.text);
    }
  }
};

bool isOneSymbol(const SizeSource& one, const SizeSource& other) {
  return one.kind == other.kind && isShared(one) == isShared(other) &&
         (isShared(one) ? one.hint == other.hint : one.text == other.text);
}

class Making {
 public:
  Making(const std::vector<std::string>& names, const ValueList& locals, const DynamismOf& dynamismOf,
         const std::vector<at::Tensor>& parameters, const CaptureSteps& steps, ir::CompileReport& report)
      : names_(names),
        locals_(locals),
        dynamismOf_(dynamismOf),
        parameters_(parameters),
        steps_(steps),
        report_(report),
        attempts_(steps.compiler, steps.observers) {}

  std::shared_ptr<const CapturedCode> run() {
    hinted_ = steps_.capture(locals_);
    if (hinted_->stop != nullptr) {
      brokenBy_ = steps_.noteBreak(*hinted_);
    }
    while (dynamismOf_) {
      const SymbolicLocals symbolic = symbolicLocals([&](const SizeSource&) { return true; });
      if (givenUp_.isEmpty() && shared_.empty()) {
        report_.specializations.insert(report_.specializations.end(), symbolic.kept().begin(), symbolic.kept().end());
      }
      if (symbolic.sources().empty()) {
        break;
      }
      std::string reason;
      std::optional<Made> made = attempt(symbolic, reason);
      const bool wasOwn = !made && shareEqual(symbolic);
      made = wasOwn ? attemptSharing() : std::move(made);
      if (made) {
        report_ += made->report;
        return made->code;
      }
      if (!wasOwn) {
        giveUp(symbolic, reason);
      }
    }
    FrameCapture captured = takeHinted();
    captured.graph.brokenBy = brokenBy_;
    std::shared_ptr<CapturedCode> code = makeCode(std::move(captured), names_, locals_, attempts_.compiler(), report_);
    const std::vector<std::string> texts = code->guards->texts();
    report_.guards.insert(report_.guards.end(), texts.begin(), texts.end());
    return code;
  }

  /// Null: making code has failed.
  void tellKept(const CapturedCode* code) { attempts_.tell(code == nullptr ? std::nullopt : code->attempt); }

 private:
  struct Made {
    std::shared_ptr<const CapturedCode> code;
    ir::CompileReport report;
  };

  std::shared_ptr<CapturedCode> compileAttempt(Union& all, ir::CompileReport& report) {
    const size_t before = attempts_.count();
    try {
      std::shared_ptr<CapturedCode> code = all.compile(attempts_.compiler(), report, brokenBy_ ? &*brokenBy_ : nullptr);
      if (attempts_.count() > before) {
        code->attempt = before;
      }
      return code;
    } catch (const std::exception& error) {
      if (attempts_.count() > before) {
        attempts_.giveUp(error.what());
      }
      throw;
    }
  }

  /// Of what was not given up, those that `isWanted`.
  SymbolicLocals symbolicLocals(const std::function<bool(const SizeSource&)>& isWanted) const {
    return {names_, locals_,
            [&](SizeSource source) {
              const bool isPlace = source.kind == SizeSource::Kind::kPlace; // as the sizes of its tensor
              const Dynamism asked = isPlace ? Dynamism::kShared : dynamismOf_(source);
              source.isOwn =
                  asked == Dynamism::kOwn && source.isSize() && source.isApart && !shared_.contains(source.text);
              if (asked == Dynamism::kNumber || givenUp_.has(source) || !isWanted(source)) {
                return Dynamism::kNumber;
              }
              return source.isOwn ? Dynamism::kOwn : Dynamism::kShared;
            },
            parameters_};
  }

  /// Sizes that are symbols of their own and equal others are symbols with these from then on. False: there are none.
  bool shareEqual(const SymbolicLocals& symbolic) {
    equal_.clear();
    for (const SizeSource& source : symbolic.sources()) {
      const auto isEqual = [&](const SizeSource& each) { return each.isSize() && each.hint == source.hint; };
      const auto symbols = std::ranges::count_if(symbolic.sources(), isEqual);
      if (source.isOwn && symbols > 1) {
        Equal& equal = equal_[source.hint];
        equal.isPair = symbols == 2;
        equal.own.push_back(source.text);
        shared_.insert(source.text);
      }
    }
    return !equal_.empty();
  }

  /// Where it is code with these shared: with as few of them as it needs.
  std::optional<Made> attemptSharing() {
    std::optional<Made> made = attemptAll();
    if (!made || (equal_.size() == 1 && equal_.begin()->second.isPair)) {
      return made;
    }
    std::vector<std::string> free;
    for (const auto& [size, equal] : equal_) {
      for (const std::string& source : equal.own) {
        shared_.erase(source);
        if (attemptAll()) {
          free.push_back(source);
        }
        shared_.insert(source);
        if (equal.isPair) { // of the other one it is the same
          break;
        }
      }
    }
    std::ranges::for_each(free, [&](const std::string& source) { shared_.erase(source); });
    if (std::optional<Made> better = free.empty() ? std::nullopt : attemptAll()) {
      return better;
    }
    return made;
  }

  std::optional<Made> attemptAll() {
    std::string unused;
    return attempt(symbolicLocals([](const SizeSource&) { return true; }), unused);
  }

  /// The capture for the sizes that there are, made anew once it is used up.
  FrameCapture takeHinted() {
    FrameCapture taken = hinted_ ? std::move(*hinted_) : steps_.capture(locals_);
    hinted_.reset();
    return taken;
  }

  /// Nothing where the code is not one code for all sizes.
  std::optional<Made> attempt(const SymbolicLocals& symbolic, std::string& reason) {
    Conditions bounds;
    for (const Condition& condition : symbolic.conditions()) {
      bounds.push_back({condition});
    }
    if (std::optional<Made> made = attemptWith(symbolic, bounds, reason)) {
      return made;
    }
    // Smaller sizes may be other code: an index out of range, an empty slice.
    const size_t before = bounds.size();
    for (size_t i = 0; i < symbolic.sources().size(); ++i) {
      const SizeSource& source = symbolic.sources()[i];
      if (source.hint > 2 && source.kind != SizeSource::Kind::kPlace) {
        bounds.push_back(
            {Condition::of("<=", source.hint, symbols::Expression::ofSymbol(static_cast<symbols::Symbol>(i)))});
      }
    }
    return bounds.size() == before ? std::nullopt : attemptWith(symbolic, std::move(bounds), reason);
  }

  std::optional<Made> attemptWith(const SymbolicLocals& symbolic, Conditions conditions, std::string& reason) {
    constexpr int kRounds = 16;
    Samples samples;
    bool isThorough = false;
    for (int round = 0; round < kRounds; ++round) {
      try {
        Union all(names_, symbolic, steps_, conditions, isThorough);
        if (samples.empty()) {
          samples.emplace(symbolic.hints(), Sample{locals_, takeHinted()});
        }
        if (std::optional<SizeCondition> decided = all.capture(std::move(samples))) {
          conditions.push_back(std::move(*decided));
          samples = all.takeSamples();
          continue;
        }
        if (!isThorough && all.isUnsure()) {
          isThorough = true;
          samples = all.takeSamples();
          continue;
        }
        ir::CompileReport compiled;
        std::shared_ptr<CapturedCode> code = compileAttempt(all, compiled);
        if (!isThorough && all.wasUnsure()) { // of what a compiler makes
          attempts_.giveUp("it was not sure which expressions are meant");
          isThorough = true;
          samples.clear();
          continue;
        }
        code->guards->require(all.conditions());
        compiled.guards = code->guards->texts();
        if (attempts_.isShown()) {
          attempts_.show(all.takeShown());
        }
        return Made{std::move(code), std::move(compiled)};
      } catch (const symbols::TooFewAssignments& error) {
        reason = error.what();
        if (isThorough) {
          return std::nullopt;
        }
        isThorough = true;
        samples.clear();
      } catch (const NotSymbolic& error) {
        reason = error.what();
        return std::nullopt;
      } catch (const std::exception& error) { // of a sample: what the first raises, it raises again without symbols
        reason = error.what();
        return std::nullopt;
      }
    }
    reason = "too many comparisons of sizes";
    return std::nullopt;
  }

  /// The symbols that are to blame stay what they are.
  void giveUp(const SymbolicLocals& symbolic, const std::string& reason) {
    const auto isPlace = [](const SizeSource& source) { return source.kind == SizeSource::Kind::kPlace; };
    std::string unused;
    if (std::ranges::any_of(symbolic.sources(), isPlace) &&
        attempt(symbolicLocals([&](const SizeSource& source) { return !isPlace(source); }), unused)) {
      for (const SizeSource& source : symbolic.sources()) {
        if (isPlace(source)) {
          blame(source, reason);
        }
      }
      return;
    }
    const auto isPossibleAlone = [&](const SizeSource& source, std::string& why) {
      const SymbolicLocals alone =
          symbolicLocals([&](const SizeSource& each) { return isPlace(each) || isOneSymbol(each, source); });
      return isPlace(source) || attempt(alone, why).has_value();
    };
    for (const auto& [source, why] : blamedOf(symbolic.sources(), reason, isPossibleAlone)) {
      blame(source, why);
    }
  }

  void blame(const SizeSource& source, const std::string& why) {
    report_.specializations.push_back(fmt::format("{} == {}: {}", source.text, source.hint, why));
    givenUp_.add(source);
  }

  const std::vector<std::string>& names_;
  const ValueList& locals_;
  const DynamismOf& dynamismOf_;
  const std::vector<at::Tensor>& parameters_;
  const CaptureSteps& steps_;
  ir::CompileReport& report_;
  struct Equal {
    std::vector<std::string> own; // sources of symbols that are to be their own
    bool isPair = false; // of all symbols of this size
  };

  GivenUp givenUp_;
  std::set<std::string> shared_; // sizes that are no symbols of their own after all
  std::map<int64_t, Equal> equal_; // by size: those that came to be shared last
  std::optional<FrameCapture> hinted_;
  std::optional<ir::GraphBreakReport> brokenBy_;
  backends::CompileAttempts attempts_;
};

} // namespace

std::shared_ptr<const CapturedCode> makeSymbolicCode(const std::vector<std::string>& names, const ValueList& locals,
                                                     const DynamismOf& dynamismOf,
                                                     const std::vector<at::Tensor>& parameters,
                                                     const CaptureSteps& steps, ir::CompileReport& report) {
  Making making(names, locals, dynamismOf, parameters, steps, report);
  try {
    std::shared_ptr<const CapturedCode> code = making.run();
    making.tellKept(code.get());
    return code;
  } catch (const std::exception&) {
    making.tellKept(nullptr);
    throw;
  }
}

} // namespace touchstone::capture
