#include "oracles/observe/CallRunner.h"

#include "oracles/observe/BackwardPass.h"
#include "oracles/observe/CallModes.h"
#include "oracles/observe/EffectProbe.h"
#include "oracles/observe/ExceptionReading.h"
#include "oracles/observe/LaterLooks.h"
#include "oracles/observe/TensorBytes.h"
#include "oracles/observe/TensorReading.h"
#include "oracles/taint/OverlapWrites.h"
#include "program/values/CompiledProgram.h"
#include "program/values/DefaultDevice.h"
#include "program/values/GeneratorState.h"

#include <c10/util/Exception.h>

#include <algorithm>

namespace touchstone::observe {
namespace {

using Role = Location::Role;

struct CallBeforeRaised {}; // and so has no outputs that could be fed

void flattenTensors(const values::ValueList& values, std::vector<at::Tensor>& tensors) {
  for (const values::Value& value : values) {
    values::collectTensors(value, tensors);
  }
}

bool sameObjects(const std::vector<at::Tensor>& left, const std::vector<at::Tensor>& right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const at::Tensor& a, const at::Tensor& b) { return a.is_same(b); });
}

/// Lists and modules may hold other tensors after the call: they count as arguments too, after those of before.
void addNewTensors(const values::ValueList& values, std::vector<at::Tensor>& tensors) {
  std::vector<at::Tensor> now;
  flattenTensors(values, now);
  if (sameObjects(now, tensors)) {
    return;
  }
  for (const at::Tensor& tensor : now) {
    if (std::none_of(tensors.begin(), tensors.end(), [&](const at::Tensor& known) { return known.is_same(tensor); })) {
      tensors.push_back(tensor);
    }
  }
}

c10::DeviceType deviceOf(const std::vector<at::Tensor>& tensors) {
  return tensors.empty() ? c10::DeviceType::CPU : tensors.front().device().type();
}

/// Performs the calls of one Case.
class CallSequence {
 public:
  CallSequence(const language::Case& theCase, values::Callable& program, const RunOptions& options)
      : case_(theCase), program_(program), options_(options), evaluator_(theCase, withMarks(options.evaluator)) {}

  CaseObservation run();

 private:
  /// The program is told what inputs are marked.
  evaluator::EvaluatorOptions withMarks(evaluator::EvaluatorOptions options) {
    options.onMark = [this](const at::Tensor& tensor, const values::DimensionMark& mark) {
      program_.mark(tensor, mark);
    };
    return options;
  }
  void runCall(int index);
  void makeInputs(int index);
  evaluator::InputSet inputsOf(const language::CallSpec& call);
  void feed(int index);
  values::Value runForward(int index);
  void observeForward(int index, const values::Value* result);
  void runBetween(int index);
  void runBackwardOf(int index);
  void probe(int index);

  void step(int index, const char* name) const {
    if (options_.onStep) {
      options_.onStep(index, name);
    }
  }
  const language::CallSpec& spec(int index) const { return case_.calls[static_cast<size_t>(index)]; }
  CallTensors& tensors(int index) { return tensors_[static_cast<size_t>(index)]; }
  CallObservation& observed(int index) { return observation_.calls[static_cast<size_t>(index)]; }

  const language::Case& case_;
  values::Callable& program_;
  const RunOptions& options_;
  evaluator::Evaluator evaluator_;
  CaseObservation observation_;
  std::vector<CallTensors> tensors_;
  bool writes_ = false; // so far
  std::vector<Versions> versions_;
  LaterLooks later_;
  std::vector<int> backwardAt_; // the call after whose forward each call's backward runs
};

CaseObservation CallSequence::run() {
  const int count =
      std::clamp(options_.end.value_or(static_cast<int>(case_.calls.size())), 0, static_cast<int>(case_.calls.size()));
  observation_.calls.resize(static_cast<size_t>(count));
  tensors_.resize(static_cast<size_t>(count));
  versions_.resize(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) {
    backwardAt_.push_back(i);
  }
  for (int i = 0; i < count; ++i) {
    for (const int earlier : spec(i).backwardAfter) {
      TORCH_CHECK(earlier >= 0 && earlier < i, "Call ", i, " has backward_after=", earlier,
                  "; it must be the index of an earlier call.");
      int& at = backwardAt_[static_cast<size_t>(earlier)];
      at = at == earlier ? i : at;
    }
  }
  for (int i = 0; i < count; ++i) {
    runCall(i);
    step(i, "late");
    for (int earlier = 0; earlier <= i; ++earlier) {
      later_.look(tensors(earlier), observed(earlier), earlier, i, backwardAt_[static_cast<size_t>(earlier)] == i,
                  versions_[static_cast<size_t>(earlier)]);
    }
  }
  if (options_.probeEffects) {
    for (int i = 0; i < count; ++i) {
      step(i, "effects");
      probe(i);
    }
  }
  for (int i = 0; i < count; ++i) {
    if (spec(i).createGraph) { // a gradient that knows how it came to be keeps its own leaf alive
      for (at::Tensor& leaf : tensors(i).leaves) {
        leaf.mutable_grad() = at::Tensor();
      }
    }
  }
  return std::move(observation_);
}

void CallSequence::runCall(int index) {
  if (spec(index).reset && options_.reset) {
    options_.reset();
  }
  CallObservation& call = observed(index);
  const CompileEvidence before = options_.evidence ? options_.evidence() : CompileEvidence();
  values::seedDefaultGenerators(spec(index).rngSeed);
  makeInputs(index);
  if (!call.exception) {
    const values::Value result = runForward(index);
    step(index, "observe");
    observeForward(index, call.exception ? nullptr : &result);
    if (!call.exception && spec(index).between) {
      runBetween(index);
    }
  }
  for (const int earlier : spec(index).backwardAfter) {
    if (backwardAt_[static_cast<size_t>(earlier)] == index) {
      runBackwardOf(earlier);
    }
  }
  if (backwardAt_[static_cast<size_t>(index)] == index) {
    runBackwardOf(index);
  }
  if (options_.evidence) {
    const CompileEvidence after = options_.evidence();
    call.compiledRuns = after.compiledRuns - before.compiledRuns;
    call.graphsCompiled = after.graphs - before.graphs;
    call.backwardGraphsCompiled = after.backwardGraphs - before.backwardGraphs;
  }
}

void CallSequence::makeInputs(int index) {
  CallTensors& own = tensors(index);
  step(index, "inputs");
  try {
    if (spec(index).inputs) {
      evaluator::InputSet inputs = inputsOf(spec(index));
      own.argumentValues = std::move(inputs.arguments);
      own.watchedValues = std::move(inputs.watched);
    } else {
      if (index == 0 || (observed(index - 1).exception && observed(index - 1).exception->phase == "inputs")) {
        throw values::RaisedException("RuntimeError", "There are no inputs of a previous call to use again.");
      }
      own.argumentValues = tensors(index - 1).argumentValues;
      own.watchedValues = tensors(index - 1).watchedValues;
    }
    feed(index);
    flattenTensors(own.argumentValues, own.arguments);
    flattenTensors(own.watchedValues, own.watched);
    const bool isFed = !spec(index).feed.empty();
    own.leaves = leavesOf(own, isFed ? tensors(index - 1).leaves : std::vector<at::Tensor>());
    if (!case_.takesEarlierObjects(
            static_cast<size_t>(index))) { // what an earlier call made is the Program's own doing
      checkLeaves(own);
    }
    versions_[static_cast<size_t>(index)].add(own.arguments);
    versions_[static_cast<size_t>(index)].add(own.watched);
  } catch (const CallBeforeRaised&) {
    own = {};
    observed(index).exception = observed(index - 1).exception;
    observed(index).exception->phase = "inputs";
  } catch (...) {
    own = {};
    observed(index).exception = observeException("inputs");
  }
}

evaluator::InputSet CallSequence::inputsOf(const language::CallSpec& call) {
  values::ValueList arguments{values::Value(values::Value::Payload(call.seed)),
                              values::Value(values::Value::Payload(call.kind))};
  if (const std::optional<values::Value> returned = program_.callFunction(*call.inputs, arguments)) {
    return evaluator::inputSetOf(*call.inputs, *returned);
  }
  return evaluator_.makeInputs(*call.inputs, call.seed, call.kind);
}

void CallSequence::feed(int index) {
  CallTensors& own = tensors(index);
  for (const language::FedArgument& fed : spec(index).feed) {
    const std::vector<at::Tensor>& outputs = tensors(index - 1).outputs;
    if (static_cast<size_t>(fed.output) >= outputs.size() && observed(index - 1).exception) {
      throw CallBeforeRaised();
    }
    if (static_cast<size_t>(fed.output) >= outputs.size() ||
        static_cast<size_t>(fed.argument) >= own.argumentValues.size()) {
      throw values::RaisedException("IndexError", "Argument " + std::to_string(fed.argument) + " cannot be output " +
                                                      std::to_string(fed.output) +
                                                      " of the call before: one of them is not there.");
    }
    own.argumentValues[static_cast<size_t>(fed.argument)] = outputs[static_cast<size_t>(fed.output)];
  }
}

values::Value CallSequence::runForward(int index) {
  CallObservation& call = observed(index);
  if (options_.overlapWrites) {
    options_.overlapWrites->clear();
  }
  step(index, "forward");
  values::Value result;
  values::seedDefaultGenerators(spec(index).rngSeed);
  try {
    values::ValueList arguments = tensors(index).argumentValues;
    CallModes modes(spec(index), deviceOf(tensors(index).arguments));
    try {
      const int instance = spec(index).instance;
      result = instance != 0 && options_.instance ? options_.instance(instance, arguments) : program_(arguments);
    } catch (...) {
      call.exception = observeException("forward");
    }
    call.state = modes.describe();
  } catch (...) { // the modes that the call asks for do not exist
    call.exception = observeException("forward");
  }
  call.overlapWritten = options_.overlapWrites && options_.overlapWrites->seen();
  call.overlapRaised = options_.overlapWrites && options_.overlapWrites->raisedMidway();
  writes_ = writes_ || (options_.overlapWrites && options_.overlapWrites->writes());
  call.writes = writes_;
  return result;
}

void CallSequence::observeForward(int index, const values::Value* result) {
  CallTensors& own = tensors(index);
  CallObservation& call = observed(index);
  if (result) {
    FlatValue flat = flatten(*result);
    call.structure = std::move(flat.structure);
    call.nonTensors = std::move(flat.nonTensors);
    own.outputs = std::move(flat.tensors);
  }
  call.argumentStructure = describeArguments(own.argumentValues);
  addNewTensors(own.argumentValues, own.arguments);

  struct Group {
    Role role;
    const std::vector<at::Tensor>& tensors;
    std::vector<TensorObservation>& observations;
  };
  const Group groups[] = {{Role::kArgument, own.arguments, call.arguments},
                          {Role::kWatched, own.watched, call.watched},
                          {Role::kOutput, own.outputs, call.outputs}};
  Partition partition;
  for (const Group& group : groups) {
    if (group.role == Role::kOutput) {
      call.inputStorages = partition.copyStorages();
    }
    group.observations.reserve(group.tensors.size());
    for (int i = 0; i < static_cast<int>(group.tensors.size()); ++i) {
      const at::Tensor& tensor = group.tensors[static_cast<size_t>(i)];
      group.observations.push_back(readTensor(tensor));
      group.observations.back().versionBumped = versions_[static_cast<size_t>(index)].bumped(tensor);
      partition.add({group.role, i}, tensor);
    }
  }
  call.partition = partition.takeMembers();
  for (const Group& group : groups) { // after all values: reading grad_fn may rebuild it, or raise
    for (size_t i = 0; i < group.tensors.size(); ++i) {
      readAutograd(group.tensors[i], group.observations[i]);
    }
  }
}

void CallSequence::runBetween(int index) {
  step(index, "between");
  try {
    language::CallSpec noGrad;
    noGrad.gradMode = language::GradMode::kNoGrad;
    CallModes modes(noGrad, deviceOf(tensors(index).arguments));
    values::ValueList outputs(tensors(index).outputs.begin(), tensors(index).outputs.end());
    values::ValueList arguments{values::Value::tuple(tensors(index).argumentValues),
                                values::Value::list(std::move(outputs))};
    if (!program_.callFunction(*spec(index).between, arguments)) {
      evaluator_.call(*spec(index).between, std::move(arguments));
    }
  } catch (...) {
    observed(index).backwardException = observeException("between");
  }
}

void CallSequence::runBackwardOf(int index) {
  CallObservation& call = observed(index);
  if (!spec(index).backward || call.exception || call.backwardException) {
    return;
  }
  step(index, "backward");
  CallTensors& own = tensors(index);
  const auto addGradient = [&](int leaf, const at::Tensor& gradient) {
    own.gradients.push_back(gradient);
    call.gradients.push_back(observeGradient(leaf, gradient, spec(index).via == language::GradientVia::kBackward));
  };
  const auto addTangent = [&](const at::Tensor& tangent) {
    own.tangents.push_back(tangent);
    call.tangents.push_back(copyOfValues(tangent));
  };
  const BackwardSink sink{addTangent, addGradient};
  try {
    call.leavesOfRootsMadeAnew = leavesOfRootsMadeAnew(spec(index), tensors(index));
    const std::shared_ptr<void> scope = program_.backwardScope();
    std::shared_ptr<void> compiled;
    if (spec(index).compiledAutograd && options_.compiledAutograd) {
      compiled = options_.compiledAutograd();
    }
    using Backward = RunOptions::Backward;
    const int last = static_cast<int>(observation_.calls.size()) - 1;
    if (options_.backward == Backward::kNodeByNode && index == last) {
      call.nodeErrors = errorsOfNodes(spec(index), tensors(index));
      return;
    }
    runBackward(spec(index), own, options_.evaluator.onData, sink, options_.backward == Backward::kRootByRoot);
  } catch (...) {
    call.backwardException = observeException("backward");
    own.gradients.clear();
    call.gradients.clear();
  }
  if (spec(index).via == language::GradientVia::kBackward) { // also what was there before an exception
    for (size_t i = 0; i < own.leaves.size(); ++i) {
      addGradient(static_cast<int>(i), own.leaves[i].grad());
    }
  }
}

void CallSequence::probe(int index) {
  std::vector<LocatedTensor> located;
  auto add = [&located](Role role, const std::vector<at::Tensor>& tensors) {
    for (int i = 0; i < static_cast<int>(tensors.size()); ++i) {
      located.emplace_back(Location{role, i}, tensors[static_cast<size_t>(i)]);
    }
  };
  add(Role::kOutput, tensors(index).outputs);
  add(Role::kArgument, tensors(index).arguments);
  add(Role::kWatched, tensors(index).watched);
  observed(index).effects = probeEffects(located);
}

} // namespace

CaseObservation runCalls(const language::Case& theCase, values::Callable& program, const RunOptions& options) {
  const values::DefaultDeviceScope device(values::deviceOf(theCase));
  const values::GeneratorStateScope generators;
  return CallSequence(theCase, program, options).run();
}

} // namespace touchstone::observe
