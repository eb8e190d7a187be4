#include "oracles/evidence/Trace.h"

#include "oracles/evidence/OperatorRounding.h"
#include "oracles/evidence/Precision.h"
#include "oracles/evidence/TaintedElements.h"
#include "oracles/observe/BackwardPass.h"
#include "oracles/taint/DrawReplay.h"
#include "oracles/taint/HiddenSharing.h"
#include "oracles/taint/OverlapWrites.h"
#include "oracles/taint/TaintFlow.h"
#include "program/values/TensorWalk.h"

#include <ATen/core/enum_tag.h>
#include <ATen/core/grad_mode.h>
#include <ATen/core/ivalue.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string_view>

namespace touchstone::evidence {

namespace {

bool isHalf(const at::Tensor& tensor) {
  return at::isReducedFloatingType(tensor.scalar_type());
}

bool isDiscrete(const at::Tensor& tensor) {
  return at::isIntegralType(tensor.scalar_type(), /*includeBool=*/true);
}

/// Whether an operator has given this result its values: it has written it, or it is no view of an operand.
bool isMadeBy(const std::vector<at::Tensor>& operands, const std::vector<at::Tensor>& writes,
              const at::Tensor& result) {
  return taint::isAmong(result, writes) || isInNewMemory(result, operands);
}

uint64_t hashBytes(std::string_view bytes, uint64_t seed) {
  return std::hash<std::string_view>()(bytes) ^ (seed * 0x9E3779B97F4A7C15ull);
}

/// Another number than the one that a call left on the stack.
c10::IValue anotherNumber(const c10::IValue& number) {
  if (number.isBool()) {
    return !number.toBool();
  }
  if (number.isInt()) {
    return number.toInt() + 1;
  }
  if (number.isDouble()) {
    return std::isfinite(number.toDouble()) ? number.toDouble() * 2 + 1 : 0.0;
  }
  return number.isComplexDouble() ? c10::IValue(number.toComplexDouble() + 1.0) : number;
}

} // namespace

struct Tracer::State {
  TraceOptions options;
  std::vector<CallTrace> calls;
  taint::OverlapWrites overlap;
  taint::TaintFlow flow;
  size_t call = 0;
  size_t nextDraw = 0;
  uint64_t perturbations = 0;
  std::set<const c10::StorageImpl*> dataWritten; // alive: the flow keeps them
  std::vector<at::Tensor> leaves; // of the arguments, as they were before the call
  std::map<size_t, std::vector<at::Tensor>> outputsOf; // of the calls with the same objects so far

  CallTrace& current() {
    if (calls.size() <= call) {
      calls.resize(call + 1);
    }
    return calls[call];
  }

  void run(const c10::OperatorHandle& op, torch::jit::Stack& stack);
  bool replayed(const c10::OperatorHandle& op, torch::jit::Stack& stack, const std::vector<at::Tensor>& writes);
  void noteDiscrete(std::string_view name, const std::vector<at::Tensor>& results);
  torch::jit::Stack relaidArguments(const torch::jit::Stack& stack, size_t count) const;
  void computeAgain(const c10::OperatorHandle& op, torch::jit::Stack arguments, const std::vector<at::Tensor>& operands,
                    const std::vector<at::Tensor>& results) const;
  void perturbResults(std::string_view name, const std::vector<at::Tensor>& operands,
                      const std::vector<at::Tensor>& writes, const std::vector<at::Tensor>& results);
  void noteHalf(std::string_view name, const std::vector<at::Tensor>& operands, const std::vector<at::Tensor>& writes,
                const std::vector<at::Tensor>& results);
  void start(const std::vector<at::Tensor>& arguments);
  void finish(const std::vector<at::Tensor>& arguments, const std::vector<at::Tensor>& outputs);
  void noteGradients(const observe::Location& location, const at::Tensor& root);
};

void Tracer::State::run(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  const c10::FunctionSchema& schema = op.schema();
  const std::string_view name = taint::nameOf(op);
  const bool random = op.hasTag(at::Tag::nondeterministic_seeded);
  current().way = current().way * 31 + hashBytes(name, 1); // now: the call may raise
  std::vector<at::Tensor> writes;
  const size_t first = stack.size() - schema.arguments().size();
  std::vector<at::Tensor> operands;
  const bool wantsOperands = options.perturbResults || options.perturbWidened || options.taintHalf ||
                             options.operands != TraceOptions::Layout::kAsItIs;
  for (size_t index = 0; index < schema.arguments().size(); ++index) {
    if (wantsOperands && !random) {
      taint::collectTensorsOf(stack[first + index], operands);
    }
    const c10::AliasInfo* alias = schema.arguments()[index].alias_info();
    if (alias && alias->isWrite()) {
      taint::collectTensorsOf(stack[first + index], writes);
    }
  }
  if (name == "view" && op.operator_name().overload_name == "dtype") {
    current().reinterpretsBits = true;
  }

  overlap.clear();
  overlap.before(op, stack);
  flow.before(op, stack);
  torch::jit::Stack relaid =
      random || !writes.empty() || options.operands == TraceOptions::Layout::kAsItIs || !mayRound(name)
          ? torch::jit::Stack()
          : relaidArguments(stack, schema.arguments().size());
  if (!random || !options.replay || !replayed(op, stack, writes)) {
    const taint::HiddenSharing hidden([this](const at::Tensor& operand) { return flow.storages().knows(operand); });
    op.callBoxed(stack);
    current().hidesSharing = current().hidesSharing || hidden.seen();
  }
  overlap.after(op, stack);

  std::vector<at::Tensor> results;
  for (size_t index = stack.size() - schema.returns().size(); index < stack.size(); ++index) {
    taint::collectTensorsOf(stack[index], results);
  }
  if (options.contiguousGradients) {
    for (const at::Tensor& result : results) {
      if (result.requires_grad() && !result.is_leaf()) {
        result.register_hook([](const at::Tensor& gradient) { return gradient.contiguous(); });
      }
    }
  }
  perturbResults(name, operands, writes, results);
  if (!relaid.empty()) {
    computeAgain(op, std::move(relaid), operands, results);
  }
  if (random && !options.replay) {
    std::vector<at::Tensor> drawn;
    for (const at::Tensor& result : results) {
      drawn.push_back(result.detach().clone());
    }
    current().draws.push_back(std::move(drawn));
  }
  if (!taint::changesMetadataOnly(name)) {
    for (const at::Tensor& written : writes) {
      if (written.has_storage()) {
        dataWritten.insert(written.storage().unsafeGetStorageImpl());
      }
    }
  }
  flow.after(op, results, overlap);
  noteHalf(name, operands, writes, results);
  if (options.perturbTaintedNumbers && flow.readTaintedNumber()) {
    stack.back() = anotherNumber(stack.back());
  }
  noteDiscrete(name, results);
}

torch::jit::Stack Tracer::State::relaidArguments(const torch::jit::Stack& stack, size_t count) const {
  const at::NoGradGuard noGrad;
  torch::jit::Stack arguments(stack.end() - static_cast<std::ptrdiff_t>(count), stack.end());
  for (c10::IValue& argument : arguments) {
    argument = values::mapTensors(argument, [&](const at::Tensor& tensor) {
      if (!tensor.defined() || !tensor.is_floating_point() || !tensor.has_storage() || tensor.dim() == 0) {
        return tensor;
      }
      if (options.operands == TraceOptions::Layout::kDense) {
        return tensor.detach().clone(at::MemoryFormat::Contiguous);
      }
      std::vector<int64_t> sizes = tensor.sizes().vec();
      sizes.push_back(2);
      at::Tensor gapped = at::empty(sizes, tensor.options()).select(-1, 0);
      gapped.copy_(tensor.detach());
      return gapped;
    });
  }
  return arguments;
}

/// The kernel may refuse the layout; then the results stay.
void Tracer::State::computeAgain(const c10::OperatorHandle& op, torch::jit::Stack arguments,
                                 const std::vector<at::Tensor>& operands,
                                 const std::vector<at::Tensor>& results) const {
  std::vector<at::Tensor> again;
  try {
    const at::NoGradGuard noGrad;
    op.callBoxed(arguments);
    for (const c10::IValue& value : arguments) {
      taint::collectTensorsOf(value, again);
    }
  } catch (const std::exception&) {
    return;
  }
  for (size_t i = 0; i < results.size() && again.size() == results.size(); ++i) {
    if (isInNewMemory(results[i], operands) && results[i].is_floating_point() &&
        again[i].sizes() == results[i].sizes() && again[i].scalar_type() == results[i].scalar_type()) {
      overwriteUnseen(results[i], again[i]);
    }
  }
}

void Tracer::State::perturbResults(std::string_view name, const std::vector<at::Tensor>& operands,
                                   const std::vector<at::Tensor>& writes, const std::vector<at::Tensor>& results) {
  if (operands.empty()) { // a factory, or a random one
    return;
  }
  const bool perturbs = options.perturbResults && mayRound(name);
  const bool widens = !perturbs && options.perturbWidened && std::any_of(operands.begin(), operands.end(), isHalf);
  for (const at::Tensor& result : results) {
    const bool isMade = (perturbs || widens) && isMadeBy(operands, writes, result);
    if (isMade && perturbs) {
      overwriteUnseen(result, perturbedByUlp(result, *options.perturbResults + ++perturbations,
                                             options.perturbsZeros ? Perturbed::kAll : Perturbed::kSigns));
    } else if (isMade && !isHalf(result)) {
      overwriteUnseen(result, perturbedByUlp(result, *options.perturbWidened + ++perturbations));
    }
  }
}

void Tracer::State::noteHalf(std::string_view name, const std::vector<at::Tensor>& operands,
                             const std::vector<at::Tensor>& writes, const std::vector<at::Tensor>& results) {
  if (!options.taintHalf || operands.empty()) {
    return;
  }
  const bool narrows =
      !picksElements(name) || std::any_of(operands.begin(), operands.end(), [](const at::Tensor& operand) {
        return operand.is_floating_point() && !isHalf(operand);
      });
  for (const at::Tensor& result : results) {
    if (narrows && isHalf(result) && isMadeBy(operands, writes, result)) {
      flow.taint(result, results, taint::kTaintedByHalf);
    }
  }
}

bool Tracer::State::replayed(const c10::OperatorHandle& op, torch::jit::Stack& stack,
                             const std::vector<at::Tensor>& writes) {
  taint::Replay result = taint::Replay::kImpossible;
  if (call < options.replay->size() && nextDraw < (*options.replay)[call].draws.size()) {
    result = taint::replayDraw(op, stack, writes, (*options.replay)[call].draws[nextDraw++]);
  }
  if (result == taint::Replay::kImpossible) {
    current().replayed = false;
  }
  return result == taint::Replay::kDone;
}

void Tracer::State::noteDiscrete(std::string_view name, const std::vector<at::Tensor>& results) {
  std::vector<uint64_t>& discrete = current().discrete;
  // Adds a hash; false when the run that this one is compared with has another there.
  const auto agrees = [&](uint64_t hash) {
    discrete.push_back(hash);
    if (!options.discreteOf || call >= options.discreteOf->size()) {
      return true;
    }
    const std::vector<uint64_t>& expected = (*options.discreteOf)[call].discrete;
    return discrete.size() <= expected.size() && expected[discrete.size() - 1] == hash;
  };
  if (!agrees(hashBytes(name, 1))) {
    flow.taintAllByRounding(); // another way through the Program
  }
  for (const at::Tensor& result : results) {
    const at::IntArrayRef sizes = result.sizes();
    if (!agrees(hashBytes({reinterpret_cast<const char*>(sizes.data()), sizes.size() * sizeof(int64_t)}, 2))) {
      flow.taintAllByRounding();
    }
    if (!isDiscrete(result) || !result.has_storage()) {
      continue;
    }
    const at::Tensor plain = result.detach().contiguous().cpu();
    if (!agrees(hashBytes({static_cast<const char*>(plain.const_data_ptr()), plain.nbytes()}, 3))) {
      flow.taint(result, results, taint::kTaintedByRounding);
    }
  }
}

void Tracer::State::start(const std::vector<at::Tensor>& arguments) {
  observe::CallTensors tensors;
  tensors.arguments = arguments;
  leaves = observe::leavesOf(tensors);
  for (const at::Tensor& argument : arguments) {
    flow.know(argument);
  }
}

void Tracer::State::noteGradients(const observe::Location& location, const at::Tensor& root) {
  TaintedGradients tainted{location, std::vector<taint::TaintMask>(leaves.size()), 0};
  const taint::TaintMask all = flow.everything() | flow.unseen(root);
  taint::TaintMask any = tainted.others = all;
  for (const auto& [leaf, mask] : flow.leavesFrom(root)) {
    const auto known = std::find_if(leaves.begin(), leaves.end(),
                                    [&](const at::Tensor& each) { return each.unsafeGetTensorImpl() == leaf; });
    any |= mask;
    (known == leaves.end() ? tainted.others : tainted.leaves[static_cast<size_t>(known - leaves.begin())]) |= mask;
  }
  for (taint::TaintMask& leaf : tainted.leaves) {
    leaf |= all;
  }
  if (any) {
    current().taintedGradients.push_back(std::move(tainted));
  }
}

void Tracer::State::finish(const std::vector<at::Tensor>& arguments, const std::vector<at::Tensor>& outputs) {
  CallTrace& trace = current();
  trace.taintedNumbers = flow.numbers();
  trace.everything = flow.everything();
  trace.anywhere = flow.anywhere();
  const auto taintedBytes = [&](const at::Tensor& tensor) {
    std::vector<taint::TaintMask> bytes = flow.storages().bytesOf(tensor);
    const taint::TaintMask all = flow.everything() | flow.unseen(tensor);
    if (all) {
      bytes.resize(std::max(bytes.size(), tensor.storage().nbytes()));
      for (taint::TaintMask& byte : bytes) {
        byte |= all;
      }
    }
    return bytes;
  };
  const auto note = [&](const std::vector<at::Tensor>& tensors, observe::Location::Role role) {
    for (size_t index = 0; index < tensors.size(); ++index) {
      const at::Tensor& tensor = tensors[index];
      const observe::Location location{role, static_cast<int>(index)};
      if (!tensor.has_storage()) {
        continue;
      }
      if (role == observe::Location::Role::kArgument && dataWritten.count(tensor.storage().unsafeGetStorageImpl())) {
        trace.dataWritten.push_back(location);
      }
      std::vector<taint::TaintMask> bytes = taintedBytes(tensor);
      if (!bytes.empty()) {
        trace.tainted.push_back({location, std::move(bytes)});
      }
      if (trace.anywhere) {
        noteGradients(location, tensor);
      }
    }
  };
  note(arguments, observe::Location::Role::kArgument);
  note(outputs, observe::Location::Role::kOutput);
  outputsOf[call] = outputs;
  for (const auto& [earlier, tensors] : outputsOf) {
    calls[earlier].taintedLate.clear();
    for (const at::Tensor& tensor : tensors) {
      calls[earlier].taintedLate.push_back(tensor.has_storage() ? taintedElements(tensor, taintedBytes(tensor))
                                                                : std::vector<taint::TaintMask>());
    }
  }
}

namespace {

class WatchedProgram : public values::Callable {
 public:
  using Finish = std::function<void(const std::vector<at::Tensor>&, const std::vector<at::Tensor>&)>;
  using Begin = std::function<void(const std::vector<at::Tensor>&)>;
  WatchedProgram(std::unique_ptr<values::Callable> program, Begin begin, Finish finish)
      : program_(std::move(program)), begin_(std::move(begin)), finish_(std::move(finish)) {}

  values::Value operator()(values::ValueList& arguments) override {
    std::vector<at::Tensor> in, out;
    for (const values::Value& argument : arguments) {
      values::collectTensors(argument, in);
    }
    begin_(in);
    try {
      values::Value result = (*program_)(arguments);
      values::collectTensors(result, out);
      finish_(in, out);
      return result;
    } catch (...) {
      finish_(in, {});
      throw;
    }
  }
  std::optional<values::Value> callFunction(const std::string& name, values::ValueList& arguments) override {
    return program_->callFunction(name, arguments);
  }

 private:
  std::unique_ptr<values::Callable> program_;
  Begin begin_;
  Finish finish_;
};

} // namespace

Tracer::Tracer(TraceOptions options) : state_(std::make_shared<State>()) {
  state_->options = options;
}
Tracer::~Tracer() = default;

evaluator::OperationHook Tracer::hook() {
  return [state = state_](const c10::OperatorHandle& op, torch::jit::Stack& stack) {
    state->run(op, stack);
    return true;
  };
}

std::unique_ptr<values::Callable> Tracer::watch(std::unique_ptr<values::Callable> program) {
  return std::make_unique<WatchedProgram>(
      std::move(program), [state = state_](const auto& in) { state->start(in); },
      [state = state_](const auto& in, const auto& out) { state->finish(in, out); });
}

void Tracer::beginCall(int call, bool sameObjects) {
  state_->call = static_cast<size_t>(call);
  state_->nextDraw = 0;
  state_->dataWritten.clear();
  if (!sameObjects) {
    state_->outputsOf.clear();
  }
  state_->flow.begin(sameObjects);
  state_->current();
}

const std::vector<CallTrace>& Tracer::calls() const {
  return state_->calls;
}

} // namespace touchstone::evidence
