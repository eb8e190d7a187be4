#include "backends/capture/FrameCapture.h"

#include "backends/aot_autograd/TorchTracing.h"
#include "backends/aot_autograd/TracedArguments.h"
#include "backends/arguments/ArgumentCopies.h"
#include "backends/arguments/Containers.h"
#include "backends/arguments/ValueTree.h"
#include "backends/capture/DynamoBreaks.h"
#include "backends/capture/GraphBreak.h"
#include "backends/capture/Recorder.h"
#include "backends/capture/StepMachine.h"
#include "backends/fake/DataPointer.h"
#include "backends/fake/FakeTensor.h"
#include "program/evaluator/Hooks.h"
#include "program/values/AutogradNodes.h"
#include "program/values/CompiledProgram.h"
#include "program/values/GeneratorState.h"
#include "program/values/RaisedException.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <set>
#include <utility>

namespace touchstone::capture {

namespace {

using values::Value;

/// Hands on what a Program looks at; what Dynamo does not tell it breaks the Graph.
class DynamoReads final : public evaluator::ReadObserver {
 public:
  explicit DynamoReads(Reads& reads) : reads_(reads) {}
  void whole(const Value& value) override { reads_.whole(value); }
  void item(const Value& container, const std::string& key) override { reads_.item(container, key); }
  void items(const Value& container) override { reads_.items(container); }
  void fact(const at::Tensor& tensor, evaluator::Fact fact) override {
    if (fact == evaluator::Fact::kOffset) {
      throw GraphBreak("`storage_offset()`, which torch._dynamo does not trace");
    }
    reads_.fact(tensor, fact);
  }

 private:
  Reads& reads_;
};

/// Names that a step looks at, bodies left out.
std::vector<std::string> lookedAt(const Step& step, const Steps& steps) {
  // A function that it calls may look at whatever functions inside others read.
  const auto with = [&](std::vector<std::string> names) {
    names.insert(names.end(), steps.captured().begin(), steps.captured().end());
    return names;
  };
  switch (step.kind) {
    case StepKind::kRun: return with(language::namesRead(*step.statement));
    case StepKind::kReturn:
    case StepKind::kBranch:
    case StepKind::kFor:
      return step.statement->value ? with(language::namesRead(*step.statement->value)) : std::vector<std::string>();
    case StepKind::kNext: return {step.items, step.position};
    case StepKind::kEnter: return namesOfRegion(step);
    default: return {};
  }
}

/// An attempt, from the first step to the end or to the step that must not be part of the Graph.
class Attempt {
 public:
  Attempt(const language::Case& theCase, Steps& steps, const std::vector<std::string>& names,
          const values::ValueList& values, fake::Backing backing, const FrameRules& rules)
      : steps_(steps),
        names_(names),
        values_(values),
        rules_(rules),
        tracer_(backing, rules.claimed),
        traced_(aot_autograd::traceArguments(tracer_, values, names)),
        containers_(arguments::containersIn(traced_.values)),
        before_(arguments::mapTrees(traced_.values, [](const at::Tensor& tensor) { return tensor; })),
        given_(visibleGiven()),
        empty_(givenWithoutMemory()),
        reads_(values, traced_.values, given_, visibleFakes()),
        dynamoReads_(reads_),
        recorder_(visibleFakes(), inputNames()),
        dynamo_([this](const at::Tensor& tensor) { return recorder_.inputOf(tensor) >= 0; }),
        evaluator_(theCase, options()),
        machine_(steps, evaluator_, environment()) {}

  /// Given tensors of which the Program knows that they are one, besides those of modules.
  void rememberParameters(const std::vector<at::Tensor>& parameters) {
    evaluator_.rememberParameters(traced_.values);
    const std::vector<at::Tensor> fakes = visibleFakes();
    for (const at::Tensor& parameter : parameters) {
      const auto given =
          std::find_if(given_.begin(), given_.end(), [&](const at::Tensor& each) { return each.is_same(parameter); });
      evaluator_.rememberParameter(fakes.at(static_cast<size_t>(given - given_.begin())));
    }
  }

  /// The number of the step that cannot be part of the Graph, and why; nothing: the function has ended, or stopped before
  /// step number `stop`. `by`: what the step there breaks the Graph for.
  std::optional<size_t> run(StepPtr step, std::optional<size_t> stop, BrokenBy by, BreakReason& reason) {
    fake::Tracer::Scope scope(tracer_);
    const aot_autograd::TorchTracing asPyTorch(rules_.asPyTorch);
    for (size_t number = 0; step != nullptr; ++number) {
      if (stop == number) {
        if (by != BrokenBy::kNothing) {
          noteLookedAt(*step);
          for (const std::string& name : lookedAt(*step, steps_)) {
            if (const Value* value = machine_.environment().find(name)) {
              reads_.whole(*value);
            }
          }
          if (by == BrokenBy::kDifferentiableInputs) {
            noteHooks();
            readNamesWithGrad();
          }
          readsMemory_ = true;
        }
        stopped_ = step;
        return std::nullopt;
      }
      number_ = number;
      dynamo_.beginStatement();
      try {
        noteReads(*step);
        step = machine_.run(step);
      } catch (...) {
        readWhy(reason);
        machine_.closeRegions(); // here, where the thread is as they have found it
        return number;
      }
    }
    return std::nullopt;
  }

  /// A leaf that gradients flow to got other sizes. Whether autograd then still expects gradients of the old ones hangs on
  /// how long the tensors live that were computed from it before, and code that was captured lets go of them earlier.
  bool turnsUsedLeaf() const { return turnsUsedLeaf_; }

  /// After run(): what was captured. A GraphBreak asks for a stop at brokenAt().
  FrameCapture take() {
    FrameCapture capture;
    capture.stop = stopped_;
    capture.regions = machine_.regions();
    capture.gradModeInside = c10::GradMode::is_enabled();
    {
      fake::Tracer::Scope scope(tracer_);
      machine_.leaveRegions();
    }
    if (c10::GradMode::is_enabled() != gradMode_) {
      capture.gradModeAfter = !gradMode_;
    }
    noteChangedInputs();
    for (const std::string& name : names_) {
      capture.isRead.push_back(read_.contains(name));
    }
    takeValues(capture);
    std::vector<size_t> used;
    capture.graph = recorder_.take(outputs_, used);
    capture.inputs = given_;
    for (size_t position : used) {
      capture.examples.push_back(given_[position]);
      reads_.whole(Value(traced_.inputs[position].fake));
    }
    capture.readsIdentity = readsIdentity_;
    capture.integers = std::move(integers_);
    capture.readsMemory = readsMemory_ || reads_.asksForSharing();
    reads_.finish();
    capture.reads = std::move(reads_);
    return capture;
  }

 private:
  /// What the code reads of a tensor may be what a change of another one has made of it: then they must stay as distinct,
  /// and as far apart, as they are.
  void noteChangedInputs() {
    for (size_t i = 0; i < given_.size(); ++i) {
      const at::Tensor &fake = traced_.inputs[i].fake, &before = given_[i];
      readsIdentity_ = readsIdentity_ || fake.sizes() != before.sizes() || fake.strides() != before.strides();
      readsMemory_ = readsMemory_ || fake.requires_grad() != before.requires_grad();
      if (fake.sizes() != before.sizes() && fake.is_leaf() && torch::autograd::impl::try_get_grad_accumulator(fake)) {
        turnsUsedLeaf_ = true;
      }
    }
  }

  /// By visibleFakes().
  std::vector<at::Tensor> visibleGiven() const {
    std::vector<at::Tensor> given = aot_autograd::inputTensors(values_);
    given.resize(visibleFakes().size());
    return given;
  }

  std::vector<at::Tensor> visibleFakes() const {
    std::vector<at::Tensor> fakes;
    for (const aot_autograd::TracedInput& input : traced_.inputs) {
      if (!input.isHidden) {
        fakes.push_back(input.fake);
      }
    }
    return fakes;
  }

  std::vector<std::string> inputNames() const {
    std::vector<std::string> names;
    for (const aot_autograd::TracedInput& input : traced_.inputs) {
      names.push_back(input.name);
    }
    return names;
  }

  evaluator::Environment environment() const {
    evaluator::Environment environment;
    environment.function = rules_.function;
    for (size_t i = 0; i < names_.size(); ++i) {
      evaluator::refuseVariablesAround(traced_.values[i]);
      environment.names.emplace(names_[i], traced_.values[i]);
    }
    return environment;
  }

  evaluator::EvaluatorOptions options() {
    evaluator::EvaluatorOptions options;
    options.onOperation = [this](const c10::OperatorHandle& op, torch::jit::Stack& stack) { return record(op, stack); };
    options.onCallable = [this](const runtime::CallableCall& call) {
      if (call.name == "autograd::grad") {
        meetHooks();
      }
      Value result = recorder_.record(call);
      std::vector<at::Tensor> given;
      values::collectTensors(result, given);
      if (std::any_of(given.begin(), given.end(),
                      [](const at::Tensor& each) { return each.is_inference() && each.grad_fn() != nullptr; })) {
        throw GraphBreak("a custom autograd function makes an inference tensor the result of a node");
      }
      noteChangedInputs();
      if (result.is<values::HandlePtr>()) {
        handleMadeAt_ = number_;
      }
      return result;
    };
    options.onUncapturable = [this](const std::string& what) {
      if (!recorder_.isPaused()) {
        throw GraphBreak(what);
      }
    };
    options.onIdentity = [this] { readsIdentity_ = true; };
    if (rules_.tellsIntegers) {
      options.onIntegers = [this](const std::string& op, int64_t left, int64_t right) {
        integers_.push_back({op, left, right, line_});
      };
    }
    options.reads = rules_.asPyTorch ? static_cast<evaluator::ReadObserver*>(&dynamoReads_) : &reads_;
    options.onStatement = [this](const language::Statement& statement, int) {
      if (statement.place.line > 0) {
        line_ = statement.place.line;
        recorder_.setLine(line_);
      }
      dynamo_.beginStatement();
    };
    return options;
  }

  /// Autograd leads from one of these to another, or they are results of one operator.
  static bool isAnyBehindAnother(const std::vector<at::Tensor>& tensors) {
    torch::autograd::edge_list ends; // holds the nodes of leaves, which nothing else may hold
    std::set<torch::autograd::Node*> nodes;
    std::vector<torch::autograd::Node*> next;
    for (const at::Tensor& tensor : tensors) {
      ends.push_back(torch::autograd::impl::gradient_edge(tensor));
      if (!ends.back().is_valid()) {
        continue; // a view made under no_grad of what requires grad
      }
      if (!nodes.insert(ends.back().function.get()).second) {
        return true;
      }
      for (const torch::autograd::Edge& edge : ends.back().function->next_edges()) {
        next.push_back(edge.function.get());
      }
    }
    const std::unordered_set<torch::autograd::Node*> behind = values::nodesBehind(std::move(next));
    return std::any_of(nodes.begin(), nodes.end(), [&](torch::autograd::Node* node) { return behind.contains(node); });
  }

  /// Whether the tensors that require grad are leaves and have hooks is guarded. Gives them, as the call has them.
  std::vector<at::Tensor> noteHooks() {
    const std::vector<at::Tensor> given = visibleGiven(), fakes = visibleFakes();
    std::vector<at::Tensor> differentiable;
    for (size_t i = 0; i < fakes.size(); ++i) {
      if (given[i].requires_grad()) {
        differentiable.push_back(given[i]);
        reads_.fact(fakes[i], evaluator::Fact::kLeaf);
        reads_.fact(fakes[i], evaluator::Fact::kHooks);
      }
    }
    return differentiable;
  }

  void readNamesWithGrad() {
    for (size_t i = 0; i < names_.size(); ++i) {
      std::vector<at::Tensor> tensors;
      values::collectTensors(values_[i], tensors);
      if (std::ranges::any_of(tensors, [](const at::Tensor& tensor) { return tensor.requires_grad(); })) {
        read_.insert(names_[i]);
        reads_.whole(traced_.values[i]);
      }
    }
  }

  /// Gradients are asked for inside the Program: of what has hooks from elsewhere these would have to run.
  void meetHooks() {
    if (!rules_.traceGradients) {
      throw GraphBreak("torch.autograd.grad");
    }
    const std::vector<at::Tensor> differentiable = noteHooks();
    if (std::ranges::any_of(differentiable, evaluator::hasHooks)) {
      throw GraphBreak("torch.autograd.grad where an argument has a hook", BrokenBy::kDifferentiableInputs);
    }
    if (isAnyBehindAnother(differentiable)) {
      throw GraphBreak("torch.autograd.grad where one argument was computed from another",
                       BrokenBy::kDifferentiableInputs);
    }
  }

  bool record(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
    const c10::FunctionSchema& schema = op.schema();
    const bool isView =
        !schema.is_mutable() && !schema.returns().empty() && schema.returns()[0].alias_info() != nullptr;
    if (isView && !c10::GradMode::is_enabled() && !std::exchange(readsBases_, true)) {
      for (const at::Tensor& fake : visibleFakes()) {
        if (fake.requires_grad()) {
          reads_.fact(fake, evaluator::Fact::kBase);
        }
      }
    }
    if (const auto fact = evaluator::factAskedBy(schema.name().substr(schema.name().rfind(':') + 1))) {
      reads_.fact(stack.at(stack.size() - schema.arguments().size()).toTensor(), *fact);
    }
    const bool isTold = rules_.asPyTorch && !recorder_.isPaused();
    if (isTold) {
      noteMadeLeaf(schema, stack);
      dynamo_.before(op, stack);
    }
    const bool mayGrow = schema.is_mutable() && !recorder_.isPaused();
    const bool isRecorded = recorder_.record(op, stack);
    if (isTold) {
      dynamo_.after(op, stack);
    }
    if (schema.is_mutable()) {
      noteChangedInputs();
    }
    if (mayGrow &&
        std::any_of(empty_.begin(), empty_.end(), [](const c10::Storage& each) { return each.nbytes() > 0; })) {
      throw GraphBreak("an argument's storage of no bytes grows",
                       BrokenBy::kInputsOfStep); // who shares it has to see that
    }
    return isRecorded;
  }

  /// Storages of arguments.
  std::vector<c10::Storage> givenWithoutMemory() const {
    std::vector<c10::Storage> empty;
    for (const at::Tensor& fake : visibleFakes()) {
      const at::Tensor& backing = fake::fakeOf(fake)->backing();
      if (backing.has_storage() && backing.storage().nbytes() == 0) {
        empty.push_back(backing.storage());
      }
    }
    return empty;
  }

  /// As under torch._dynamo, a tensor that the code makes may come to require grad, unless it, or what is computed from it,
  /// leaves the Graph (torch/_dynamo/output_graph.py, _check_requires_grad_intermediates).
  void noteMadeLeaf(const c10::FunctionSchema& schema, const torch::jit::Stack& stack) {
    if (schema.name() != "aten::requires_grad_" || !stack.back().toBool()) {
      return;
    }
    const at::Tensor& tensor = stack.at(stack.size() - 2).toTensor();
    if (!tensor.requires_grad() && recorder_.inputOf(tensor) < 0) {
      if (madeLeaves_.empty()) {
        leafMadeAt_ = number_;
      }
      madeLeaves_.insert(recorder_.nodeOf(tensor));
    }
  }

  void keepMadeLeavesInside(const at::Tensor& tensor, ir::NodeId node) {
    if (!madeLeaves_.empty() && tensor.requires_grad() && recorder_.dependsOn(node, madeLeaves_)) {
      handleMadeAt_ = leafMadeAt_;
      throw GraphBreak("a tensor that came to require grad here leaves the Graph");
    }
  }

  void noteReads(const Step& step) {
    if (step.statement != nullptr && step.statement->place.line > 0) {
      stepLine_ = step.statement->place.line;
    }
    if (step.kind != StepKind::kRun && step.statement != nullptr && step.statement->place.line > 0) {
      line_ = step.statement->place.line;
      recorder_.setLine(line_);
    }
    noteLookedAt(step);
    if (step.kind == StepKind::kRun) {
      for (const std::string& name : language::namesWritten(*step.statement)) {
        bound_.insert(name);
      }
    } else if (step.kind == StepKind::kNext) {
      for (const language::ExprPtr& target : step.statement->targets) {
        noteBound(*target);
      }
    }
  }

  void noteLookedAt(const Step& step) {
    for (const std::string& name : lookedAt(step, steps_)) {
      if (!bound_.contains(name)) {
        read_.insert(name);
      }
    }
  }

  void noteBound(const language::Expr& target) {
    if (target.kind == language::ExprKind::kName) {
      bound_.insert(target.text);
    }
    for (const language::ExprPtr& child : target.children) {
      if (child) {
        noteBound(*child);
      }
    }
  }

  /// Inside a catch block: the exception in flight as the reason of a break.
  void readWhy(BreakReason& reason) const {
    reason.line = line_;
    reason.stack = {{.line = stepLine_}};
    const std::vector<ir::FrameSummary> calls = evaluator_.raisedThrough();
    reason.stack.insert(reason.stack.end(), calls.begin(), calls.end());
    try {
      throw;
    } catch (const GraphBreak& error) {
      reason.text = error.what();
      reason.by = error.by();
    } catch (const ir::UnsupportedInputs& error) {
      reason.text = error.what();
      reason.by = BrokenBy::kInputsOfStep;
    } catch (const ir::Unsupported& error) {
      reason.text = error.what();
    } catch (...) {
      const values::RaisedException raised = values::currentException();
      reason.text = raised.message();
      reason.by = BrokenBy::kInputsOfStep; // for others it may not raise, or another kernel may run
      if (fake::isOfDataPointer(reason.text)) {
        reason.text = "values are read from tensor data: " + reason.text;
      } else {
        reason.raised = std::current_exception();
      }
    }
  }

  /// Of the values of all locals, those that the code looks at; the others may be of any structure in a later call.
  values::ValueList readOf(const values::ValueList& values) const {
    values::ValueList read;
    for (size_t i = 0; i < names_.size(); ++i) {
      if (read_.contains(names_[i])) {
        read.push_back(values[i]);
      }
    }
    return read;
  }

  void takeValues(FrameCapture& capture) {
    const std::vector<Value> allBefore = arguments::containersIn(before_);
    std::vector<Value> given, before = arguments::containersIn(readOf(before_));
    for (const Value& each : before) {
      const auto place = std::find_if(allBefore.begin(), allBefore.end(),
                                      [&](const Value& other) { return arguments::sameContainer(each, other); });
      given.push_back(containers_[static_cast<size_t>(place - allBefore.begin())]);
    }
    capture.values =
        std::make_unique<ValueTemplate>(given, [this](const at::Tensor& tensor) -> ValueTemplate::TensorSource {
          const int input = recorder_.inputOf(tensor);
          if (input >= 0) {
            return {true, static_cast<size_t>(input)};
          }
          const ir::NodeId node = recorder_.nodeOf(tensor);
          keepMadeLeavesInside(tensor, node);
          const auto known = std::find(outputs_.begin(), outputs_.end(), node);
          const auto index = static_cast<size_t>(known - outputs_.begin());
          if (known == outputs_.end()) {
            outputs_.push_back(node);
          }
          return {false, index};
        });
    if (stopped_ == nullptr) {
      capture.values->add(machine_.taken(machine_.returned()));
    } else {
      std::set<std::string> live = steps_.liveNames(stopped_);
      for (const StepPtr& region : capture.regions) { // a return leaves them without a step
        const std::vector<std::string> names = namesOfRegion(*region);
        live.insert(names.begin(), names.end());
      }
      for (const auto& [name, value] : machine_.environment().names) {
        if (!live.contains(name)) {
          continue;
        }
        const bool isGiven = std::find(names_.begin(), names_.end(), name) != names_.end();
        if (isGiven && !read_.contains(name) && !bound_.contains(name)) {
          capture.passed.push_back(name);
        } else {
          capture.names.push_back(name);
          capture.values->add(machine_.taken(value));
        }
      }
    }
    for (size_t i = 0; i < given.size(); ++i) {
      if (!arguments::sameContents(i, before, given)) {
        capture.values->addContentsOfGiven(i);
        reads_.items(given[i]);
      }
    }
    capture.values->finish();
  }

 public:
  /// The step that made what cannot leave the Graph.
  size_t handleMadeAt() const { return handleMadeAt_; }

 private:
  Steps& steps_;
  const std::vector<std::string>& names_;
  const values::ValueList& values_;
  const FrameRules rules_;
  fake::Tracer tracer_; // outlives every fake tensor below
  aot_autograd::TracedArguments traced_;
  const std::vector<Value> containers_;
  const values::ValueList before_; // of all locals, with containers of their own

  const std::vector<at::Tensor> given_; // the call's tensors, by visibleFakes()
  const std::vector<c10::Storage> empty_; // of these, those of no bytes
  Reads reads_;
  DynamoReads dynamoReads_; // told with FrameRules::asPyTorch
  Recorder recorder_;
  DynamoBreaks dynamo_; // asked with FrameRules::asPyTorch
  std::set<ir::NodeId> madeLeaves_;
  size_t leafMadeAt_ = 0;
  std::set<std::string> read_, bound_;
  bool readsIdentity_ = false, readsMemory_ = false, readsBases_ = false, turnsUsedLeaf_ = false;
  int line_ = 0, stepLine_ = 0; // a step may call a function with lines of its own
  size_t number_ = 0, handleMadeAt_ = 0;
  const bool gradMode_ = c10::GradMode::is_enabled();
  evaluator::Evaluator evaluator_;
  StepMachine machine_;
  StepPtr stopped_;
  std::vector<ir::NodeId> outputs_;
  std::vector<IntegerUse> integers_;
};

} // namespace

FrameCapture captureFrame(const language::Case& theCase, Steps& steps, const StepPtr& step,
                          const std::vector<std::string>& names, const values::ValueList& values, fake::Backing backing,
                          const FrameRules& rules) {
  values::GeneratorStateScope generator;
  std::optional<size_t> stop;
  std::optional<BreakReason> why;
  for (;;) {
    c10::AutoGradMode restored(c10::GradMode::is_enabled());
    Attempt attempt(theCase, steps, names, values, backing, rules);
    attempt.rememberParameters(rules.parameters);
    BreakReason reason;
    const std::optional<size_t> broken = attempt.run(step, stop, why ? why->by : BrokenBy::kNothing, reason);
    if (attempt.turnsUsedLeaf()) {
      throw ir::Unsupported("a leaf is used, then gets other sizes in place");
    }
    if (broken) {
      stop = broken;
      why = std::move(reason);
      continue;
    }
    try {
      FrameCapture capture = attempt.take();
      if (why && why->stack.empty()) {
        why->line = capture.stop->statement != nullptr ? capture.stop->statement->place.line : 0;
        why->stack = {{.line = why->line}};
      }
      capture.reason = std::move(why);
      return capture;
    } catch (const GraphBreak& error) {
      stop = attempt.handleMadeAt();
      why = BreakReason{.text = error.what()};
    }
  }
}

} // namespace touchstone::capture
