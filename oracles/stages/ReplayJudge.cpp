#include "oracles/stages/ReplayJudge.h"

#include "graph/ir/Arguments.h"
#include "graph/ir/Stages.h"
#include "oracles/stages/PartitionLaws.h"
#include "oracles/stages/ReplayComparison.h"
#include "oracles/stages/ReplayRun.h"
#include "oracles/stages/ReplayedCompile.h"
#include "program/values/RaisedException.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

namespace touchstone::stages {

namespace {

using ir::Graph;
using values::ReplayCall;
using Tensors = std::vector<at::Tensor>;
using Named = std::map<std::string, at::Tensor>;

Tensors range(const Tensors& tensors, size_t from, size_t end) {
  const auto at = [&](size_t position) {
    return tensors.begin() + static_cast<std::ptrdiff_t>(std::min(position, tensors.size()));
  };
  return {at(from), at(std::max(from, end))};
}

/// Enters tensors by the names of a Graph's placeholders.
void enter(const Graph& graph, const Tensors& values, Named& known) {
  const std::vector<std::string> names = ir::placeholderNames(graph);
  if (names.size() != values.size()) {
    throw NotJudged(fmt::format("{} tensors were given where the graph takes {}", values.size(), names.size()));
  }
  for (size_t i = 0; i < names.size(); ++i) {
    known[names[i]] = values[i];
  }
}

/// What a Graph takes of the known; `instead`, by its placeholders, of what is not known.
Tensors taken(const Graph& graph, const Named& known, const Tensors& instead = {}) {
  const std::vector<std::string> names = ir::placeholderNames(graph);
  Tensors inputs;
  for (size_t i = 0; i < names.size(); ++i) {
    const auto value = known.find(names[i]);
    if (value == known.end() && instead.empty()) {
      throw NotJudged(fmt::format("nobody knows the value of `{}`", names[i]));
    }
    inputs.push_back(value != known.end() ? value->second : instead.at(i));
  }
  return inputs;
}

ReplayRun runOrNotJudged(const char* stage, const Graph& graph, const Tensors& inputs, const at::Tensor& generator) {
  ReplayRun run = replayStage(graph, inputs, generator);
  if (!run.raised.empty()) {
    throw NotJudged(fmt::format("the {} graph cannot be run: {}", stage, run.raised));
  }
  return run;
}

/// Draws, or memory that nobody has written: two runs may differ.
bool variesByRun(const ir::Node& node) {
  return drawsSomething(node) || node.target.rfind("aten::empty", 0) == 0 ||
         node.target.rfind("aten::new_empty", 0) == 0;
}

/// An argument of the captured graph that the traced Graph takes as it is.
struct SeenArgument {
  size_t input = 0; // among the captured graph's
  size_t taken = 0; // placeholder of the Graph
  std::optional<size_t> written; // the output that is its new value
};

std::vector<SeenArgument> seenArguments(const ir::GraphSignature& signature, const ReplayCall& captured,
                                        const ReplayCall& forward) {
  std::vector<SeenArgument> seen;
  for (size_t i = 0; i < std::min(signature.takes.size(), forward.inputs.size()); ++i) {
    const int input = signature.takes[i].input;
    if (input < 0 || static_cast<size_t>(input) >= std::min(captured.inputs.size(), signature.inputs.size())) {
      continue;
    }
    SeenArgument argument{.input = static_cast<size_t>(input), .taken = i};
    const at::Tensor &given = captured.inputs[argument.input], &taken = forward.inputs[i];
    // Else it is the base of several arguments.
    if (!given.defined() || !taken.defined() || given.sizes() != taken.sizes() || given.strides() != taken.strides() ||
        given.storage_offset() != taken.storage_offset()) {
      continue;
    }
    for (const ir::GraphSignature::Written& written : signature.written) {
      if (written.input == input && written.value.output >= 0) {
        argument.written = static_cast<size_t>(written.value.output);
      }
    }
    seen.push_back(argument);
  }
  return seen;
}

/// Judges single runs: each function returns the first difference, or nothing, and throws NotJudged.
class RunJudge {
 public:
  explicit RunJudge(bool exact) : exact_(exact) {}

  /// What was compiled against its Graph.
  std::string compiled(const ReplayedCompile& frame, const ReplayCall& call) const {
    mustBeUsable(call);
    const Graph& graph = frame.graph(call.stage);
    const ReplayRun run = replayStage(graph, call.inputs, call.generator);
    if (!call.raised.empty()) {
      return run.raised.empty() ? "compiled code raises, the graph does not: " + call.raised : "";
    }
    if (!run.raised.empty()) {
      throw NotJudged(fmt::format("the {} graph cannot be run: {}", call.stage, run.raised));
    }
    ReplayComparison comparison = comparing(graph, call.inputs, call.generator, &ReplayRun::outputs);
    comparison.expected = "the " + call.stage + " graph";
    comparison.found = "what was compiled";
    std::string difference = firstDifference(
        run.outputs, call.outputs, [&](size_t i) { return frame.outputName(call.stage, i); }, comparison);
    if (difference.empty()) {
      comparison.perturbed = comparing(graph, call.inputs, call.generator, &ReplayRun::inputsAfter).perturbed;
      difference = firstDifference(
          run.inputsAfter, call.inputsAfter, [&](size_t i) { return frame.inputName(call.stage, i); }, comparison);
    }
    return difference.empty() && exact_ ? placeOfCompiled(frame, call, run, comparison) : difference;
  }

  /// The forward Graph, and with a run of the backward also that Graph, against the joint Graph.
  std::string partition(const ReplayedCompile& frame, const ReplayCall& forward, const ReplayCall* backward) const {
    mustBeUsable(forward);
    const Graph& joint = frame.graph(ir::kJointStage);
    const Graph& forwardGraph = frame.graph(ir::kForwardStage);
    Named given;
    if (backward != nullptr) {
      mustBeUsable(*backward);
      enter(frame.graph(ir::kBackwardStage), backward->inputs, given);
    }
    enter(forwardGraph, forward.inputs, given); // in place of saved values of their names
    const Tensors jointInputs = taken(joint, given, backward == nullptr ? inputsFor(joint, 1) : Tensors());
    const ReplayRun whole = runOrNotJudged(ir::kJointStage, joint, jointInputs, forward.generator);
    const ReplayRun part = runOrNotJudged(ir::kForwardStage, forwardGraph, forward.inputs, forward.generator);
    const size_t ends = frame.ends();
    ReplayComparison comparison = comparing(joint, jointInputs, forward.generator, &ReplayRun::outputs);
    comparison.expected = "the joint graph";
    comparison.found = "the forward graph";
    std::string difference = firstDifference(
        range(whole.outputs, 0, ends), range(part.outputs, 0, ends),
        [&](size_t i) { return frame.outputName(ir::kForwardStage, i); }, comparison);
    if (!difference.empty() || backward == nullptr) {
      return difference;
    }
    for (size_t i = 0; i < frame.saved().size(); ++i) {
      given[frame.saved()[i]] = part.outputs.at(ends + i);
    }
    difference = gradients(frame, range(whole.outputs, ends, whole.outputs.size()), given, *backward,
                           {joint, jointInputs, forward.generator, ends});
    return difference.empty() ? savedLater(frame, forward, *backward) : difference;
  }

  /// The joint Graph, or the forward Graph of a compile without gradients, against what Dynamo's graph gives.
  /// `left`: what of it is not compared.
  std::string tracing(const ReplayedCompile& frame, const ReplayCall& captured, const ReplayCall& forward,
                      std::string& left) const {
    mustBeUsable(captured);
    mustBeUsable(forward);
    const Graph& graph = frame.graph(frame.isCut() ? ir::kJointStage : ir::kForwardStage);
    if (std::any_of(graph.nodes().begin(), graph.nodes().end(), variesByRun)) {
      throw NotJudged("the graph draws random numbers or takes fresh memory");
    }
    Named known;
    enter(frame.graph(ir::kForwardStage), forward.inputs, known);
    const Tensors inputs = taken(graph, known, frame.isCut() ? inputsFor(graph, 1) : Tensors());
    const ReplayRun run = runOrNotJudged("traced", graph, inputs, forward.generator);
    const ir::GraphSignature& signature = frame.signature();
    if (signature.outputs.size() != captured.outputs.size()) {
      throw NotJudged("the captured graph does not return what was traced");
    }
    const std::vector<SeenArgument> arguments = seenArguments(signature, captured, forward);
    if (arguments.size() < static_cast<size_t>(std::count_if(captured.inputs.begin(), captured.inputs.end(),
                                                             [](const at::Tensor& each) { return each.defined(); }))) {
      left = "an argument that shares its memory with another one, or is the same";
    }
    const auto valuesOf = [&](const ReplayRun& traced) {
      Tensors values;
      for (const ir::GraphSignature::Output& output : signature.outputs) {
        values.push_back(traced.outputs.at(static_cast<size_t>(output.value.output)));
      }
      for (const SeenArgument& each : arguments) {
        values.push_back(each.written ? traced.outputs.at(*each.written) : traced.inputsAfter.at(each.taken));
      }
      return values;
    };
    Tensors ofCaptured = captured.outputs;
    for (const SeenArgument& each : arguments) {
      ofCaptured.push_back(captured.inputsAfter.at(each.input));
    }
    const auto nameOf = [&](size_t i) {
      const size_t results = captured.outputs.size();
      return i < results ? fmt::format("result {}", i)
                         : fmt::format("argument `{}` after the run",
                                       signature.inputs.at(arguments.at(i - results).input).name);
    };
    return firstDifference(
        valuesOf(run), ofCaptured, nameOf,
        {.expected = frame.isCut() ? "the joint graph" : "the traced graph",
         .found = "the captured graph",
         .strides = false,
         .perturbed = [&](uint64_t seed) { return valuesOf(replayStage(graph, inputs, forward.generator, seed)); }});
  }

  /// The gradients of the joint Graph against autograd's of what Dynamo captured.
  std::string tracedGradients(const ReplayedCompile& frame, const ReplayCall& forward,
                              const ReplayCall& backward) const {
    mustBeUsable(forward);
    mustBeUsable(backward);
    if (!backward.ungraded.empty()) {
      throw NotJudged("gradients: " + backward.ungraded);
    }
    const Graph& joint = frame.graph(ir::kJointStage);
    if (std::any_of(joint.nodes().begin(), joint.nodes().end(), variesByRun)) {
      throw NotJudged("the graph draws random numbers or takes fresh memory");
    }
    Named given;
    enter(frame.graph(ir::kBackwardStage), backward.inputs, given);
    enter(frame.graph(ir::kForwardStage), forward.inputs, given);
    const Tensors inputs = taken(joint, given);
    const auto gradientsOf = [&](const ReplayRun& run) { return range(run.outputs, frame.ends(), run.outputs.size()); };
    Tensors expected = gradientsOf(runOrNotJudged(ir::kJointStage, joint, inputs, forward.generator));
    for (size_t i = 0; i < std::min(expected.size(), backward.capturedGradients.size()); ++i) {
      if (!backward.capturedGradients[i].defined() && expected[i].defined() && !expected[i].any().item<bool>()) {
        expected[i] = at::Tensor(); // autograd has none where all would be zeros
      }
    }
    return firstDifference(
        expected, backward.capturedGradients, [&](size_t i) { return frame.outputName(ir::kBackwardStage, i); },
        {.expected = "the joint graph",
         .found = "autograd, of the captured graph",
         .strides = false,
         .perturbed = [&](uint64_t seed) { return gradientsOf(replayStage(joint, inputs, forward.generator, seed)); }});
  }

 private:
  struct JointRun {
    const Graph& graph;
    const Tensors& inputs;
    const at::Tensor& generator;
    size_t ends;
  };

  static std::string placeOfCompiled(const ReplayedCompile& frame, const ReplayCall& call, const ReplayRun& run,
                                     const ReplayComparison& comparison) {
    const auto together = [](Tensors outputs, const Tensors& inputs) {
      outputs.insert(outputs.end(), inputs.begin(), inputs.end());
      return outputs;
    };
    const size_t results = run.outputs.size();
    return firstDifferenceOfPlace(
        together(run.outputs, run.inputsAfter), together(call.outputs, call.inputsAfter),
        [&](size_t i) {
          return i < results ? frame.outputName(call.stage, i) : frame.inputName(call.stage, i - results);
        },
        comparison);
  }

  std::string gradients(const ReplayedCompile& frame, const Tensors& expected, const Named& given,
                        const ReplayCall& backward, const JointRun& joint) const {
    const Graph& graph = frame.graph(ir::kBackwardStage);
    if (std::any_of(graph.nodes().begin(), graph.nodes().end(), drawsSomething)) {
      throw NotJudged("the backward graph draws random numbers");
    }
    ReplayComparison comparison{.expected = "the joint graph",
                                .found = "the backward graph, on what the forward graph saves",
                                .strides = exact_};
    if (!exact_) {
      comparison.perturbed = [&](uint64_t seed) {
        const Tensors perturbed = replayStage(joint.graph, joint.inputs, joint.generator, seed).outputs;
        return range(perturbed, joint.ends, perturbed.size());
      };
    }
    const ReplayRun run = runOrNotJudged(ir::kBackwardStage, graph, taken(graph, given), backward.generator);
    return firstDifference(
        expected, run.outputs, [&](size_t i) { return frame.outputName(ir::kBackwardStage, i); }, comparison);
  }

  /// Whether the backward got what the forward returned to be saved, as far as its gradients show it. Both as they were
  /// recorded: what was compiled of the forward may be wrong.
  static std::string savedLater(const ReplayedCompile& frame, const ReplayCall& forward, const ReplayCall& backward) {
    const Graph& graph = frame.graph(ir::kBackwardStage);
    Named later, returned;
    enter(graph, backward.inputs, later);
    returned = later;
    std::string changed;
    for (size_t i = 0; i < frame.saved().size() && frame.ends() + i < forward.outputs.size(); ++i) {
      const std::string& name = frame.saved()[i];
      const auto known = later.find(name);
      if (known != later.end() && !sameBits(known->second, forward.outputs[frame.ends() + i])) {
        returned[name] = forward.outputs[frame.ends() + i];
        changed += (changed.empty() ? "" : ", ") + frame.savedName(name);
      }
    }
    if (changed.empty()) {
      return "";
    }
    const ReplayRun before = runOrNotJudged(ir::kBackwardStage, graph, taken(graph, returned), backward.generator);
    const ReplayRun after = runOrNotJudged(ir::kBackwardStage, graph, backward.inputs, backward.generator);
    const std::string difference = firstDifference(
        before.outputs, after.outputs, [&](size_t i) { return frame.outputName(ir::kBackwardStage, i); },
        {.expected = "the backward graph on what the forward returned", .found = "it on what became of that"});
    return difference.empty()
               ? ""
               : fmt::format("saved value {} was written to before the backward read it; {}", changed, difference);
  }

  ReplayComparison comparing(const Graph& graph, const Tensors& inputs, const at::Tensor& generator,
                             Tensors ReplayRun::*kind) const {
    ReplayComparison comparison{.expected = "", .found = "", .strides = exact_};
    if (!exact_) {
      comparison.perturbed = [&graph, &inputs, &generator, kind](uint64_t seed) {
        return replayStage(graph, inputs, generator, seed).*kind;
      };
    }
    return comparison;
  }

  static void mustBeUsable(const ReplayCall& call) {
    if (!call.unusable.empty()) {
      throw NotJudged(call.unusable);
    }
  }

  const bool exact_;
};

constexpr const char* kNoCapture = "no captured graph is known";

void addReason(ReplayRung& rung, std::string reason) {
  if (std::find(rung.unjudged.begin(), rung.unjudged.end(), reason) == rung.unjudged.end()) {
    rung.unjudged.push_back(std::move(reason));
  }
}

/// Enters what `find` says of one run.
template <class Find>
void tell(ReplayRung& rung, const std::string& place, const Find& find) {
  try {
    const std::string difference = find();
    ++rung.judged;
    if (!difference.empty() && rung.outcome != ReplayRung::Outcome::kDiffers) {
      rung.outcome = ReplayRung::Outcome::kDiffers;
      rung.message = place + difference;
    } else if (rung.outcome == ReplayRung::Outcome::kNotJudged) {
      rung.outcome = ReplayRung::Outcome::kHolds;
    }
  } catch (const NotJudged& why) {
    addReason(rung, why.what());
  } catch (...) {
    addReason(rung, values::currentException().what());
  }
}

const ReplayCall& callAt(const std::vector<ReplayCall>& calls, int position, const char* otherwise) {
  if (position < 0 || static_cast<size_t>(position) >= calls.size()) {
    throw NotJudged(otherwise);
  }
  return calls[static_cast<size_t>(position)];
}

/// `graph 0, run 2: `, which counts the runs of that part of the graph.
std::string placeOf(const std::vector<ReplayCall>& calls, const ReplayCall& call) {
  if (call.compiling) {
    return fmt::format("graph {}: ", call.frame);
  }
  const auto isBefore = [&](const ReplayCall& each) {
    return &each < &call && !each.compiling && each.frame == call.frame && each.stage == call.stage;
  };
  return fmt::format("graph {}, run {}: ", call.frame, std::count_if(calls.begin(), calls.end(), isBefore));
}

} // namespace

const char* replayOutcomeName(ReplayRung::Outcome outcome) {
  switch (outcome) {
    case ReplayRung::Outcome::kHolds: return "Holds";
    case ReplayRung::Outcome::kDiffers: return "Differs";
    case ReplayRung::Outcome::kNotJudged: return "not judged";
    case ReplayRung::Outcome::kAbsent: return "absent";
  }
  return "";
}

std::vector<ReplayRung> judgeReplays(const std::vector<ir::StageArtifacts>& frames,
                                     const std::vector<ReplayCall>& calls, const ReplayJudgeOptions& options) {
  std::vector<ReplayRung> rungs(4);
  ReplayRung &tracing = rungs[0], &partition = rungs[1], &forward = rungs[2], &backward = rungs[3];
  tracing.stage = "tracing";
  tracing.adds = "the joint graph, traced from the captured one and functionalized";
  partition.stage = "partition";
  partition.adds = "the forward and the backward graph, cut from the joint one";
  forward.stage = ir::kForwardStage;
  forward.adds = "what the backend compiled of the forward graph";
  backward.stage = ir::kBackwardStage;
  backward.adds = "what the backend compiled of the backward graph";

  const RunJudge judge(options.exact);
  for (const ReplayCall& call : calls) {
    ReplayRung& own = call.stage == ir::kJointStage     ? tracing
                      : call.stage == "partition"       ? partition
                      : call.stage == ir::kForwardStage ? forward
                                                        : backward;
    const std::string place = placeOf(calls, call);
    if (call.stage == ir::kCapturedStage) {
      continue; // the runs inside refer to it
    }
    if (call.compiling) {
      tell(own, place, [&] { return "it raises while compiling: " + call.raised; });
      continue;
    }
    if (call.frame < 0 || static_cast<size_t>(call.frame) >= frames.size()) {
      addReason(own, "its graphs were not kept");
      continue;
    }
    const ReplayedCompile frame(frames[static_cast<size_t>(call.frame)]);
    tell(own, place, [&] { return judge.compiled(frame, call); });
    if (call.stage == ir::kForwardStage) {
      std::string left;
      tell(tracing, place, [&] { return judge.tracing(frame, callAt(calls, call.captured, kNoCapture), call, left); });
      if (!left.empty()) {
        addReason(tracing, left);
      }
      if (frame.isCut()) {
        tell(partition, place, [&] { return judge.partition(frame, call, nullptr); });
      }
    } else {
      const auto forwardOf = [&]() -> const ReplayCall& {
        return callAt(calls, call.forward, "the run of the forward that it belongs to is not known");
      };
      tell(tracing, place, [&] {
        const ReplayCall& part = forwardOf();
        callAt(calls, part.captured, kNoCapture);
        return judge.tracedGradients(frame, part, call);
      });
      tell(partition, place, [&] { return judge.partition(frame, forwardOf(), &call); });
    }
  }
  const bool anyCut = std::any_of(frames.begin(), frames.end(),
                                  [](const ir::StageArtifacts& frame) { return ReplayedCompile(frame).isCut(); });
  for (ReplayRung& rung : rungs) {
    if (rung.outcome == ReplayRung::Outcome::kNotJudged && rung.unjudged.empty()) {
      const bool needsGradients = &rung == &partition || &rung == &backward;
      rung.outcome = ReplayRung::Outcome::kAbsent;
      addReason(rung, frames.empty()              ? "no graph came to it"
                      : needsGradients && !anyCut ? "no gradient was traced"
                                                  : "nothing ran it");
    }
  }
  return rungs;
}

} // namespace touchstone::stages
