#include "oracles/Trace.h"

#include "oracles/ExactOperators.h"
#include "oracles/OverlapWrites.h"

#include <ATen/core/List.h>
#include <ATen/core/enum_tag.h>
#include <ATen/core/ivalue.h>
#include <c10/core/Storage.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_set>

namespace touchstone::oracles {

namespace {

/// What is known of one storage during a call.
struct StorageNotes {
  c10::Storage keptAlive; // so that its address is not used again within the call
  bool dataWritten = false;
  bool allOpen = false;
  Rule rule = Rule::kA14;
  std::set<int64_t> openBytes;
  bool open() const { return allOpen || !openBytes.empty(); }
};

void collectFrom(const c10::IValue& value, std::vector<at::Tensor>& tensors) {
  if (value.isTensor()) {
    if (value.toTensor().defined())
      tensors.push_back(value.toTensor());
  } else if (value.isList()) {
    for (const c10::IValue& item : value.toListRef())
      collectFrom(item, tensors);
  } else if (value.isTuple()) {
    for (const c10::IValue& item : value.toTupleRef().elements())
      collectFrom(item, tensors);
  }
}

bool isDiscrete(const at::Tensor& tensor) {
  return at::isIntegralType(tensor.scalar_type(), /*includeBool=*/true);
}

uint64_t hashBytes(std::string_view bytes, uint64_t seed) {
  return std::hash<std::string_view>()(bytes) ^ (seed * 0x9E3779B97F4A7C15ull);
}

/// The first byte of each element within its storage, in row-major order.
std::vector<int64_t> elementBytes(const at::Tensor& tensor) {
  std::vector<int64_t> bytes{tensor.storage_offset()};
  for (int64_t dim = 0; dim < tensor.dim(); ++dim) {
    std::vector<int64_t> next;
    next.reserve(bytes.size() * static_cast<size_t>(tensor.size(dim)));
    for (int64_t start : bytes)
      for (int64_t step = 0; step < tensor.size(dim); ++step)
        next.push_back(start + step * tensor.stride(dim));
    bytes = std::move(next);
  }
  for (int64_t& each : bytes)
    each *= tensor.element_size();
  return bytes;
}

bool hasRepeatedIndex(const std::vector<at::Tensor>& reads) {
  return std::any_of(reads.begin(), reads.end(), [](const at::Tensor& tensor) {
    if (tensor.scalar_type() != at::kLong && tensor.scalar_type() != at::kInt)
      return false;
    const at::Tensor indices = tensor.detach().to(at::kLong).contiguous();
    std::unordered_set<int64_t> seen;
    const auto* values = static_cast<const int64_t*>(indices.const_data_ptr());
    return std::any_of(values, values + indices.numel(), [&](int64_t index) { return !seen.insert(index).second; });
  });
}

/// The operator's name without namespace.
std::string_view baseName(const c10::OperatorHandle& op) {
  std::string_view name = op.operator_name().name;
  const size_t colons = name.rfind("::");
  return colons == std::string_view::npos ? name : name.substr(colons + 2);
}

} // namespace

struct Tracer::State {
  const std::vector<CallTrace>* replay = nullptr;
  std::vector<CallTrace> calls;
  OverlapWrites overlap;
  size_t call = 0;
  size_t nextDraw = 0;
  std::map<const c10::StorageImpl*, StorageNotes> storages;
  std::optional<Rule> everythingOpen; // an open value was read by the Program's control flow

  CallTrace& current() {
    if (calls.size() <= call)
      calls.resize(call + 1);
    return calls[call];
  }
  StorageNotes& notesOf(const at::Tensor& tensor) {
    StorageNotes& notes = storages[tensor.storage().unsafeGetStorageImpl()];
    if (!notes.keptAlive)
      notes.keptAlive = tensor.storage();
    return notes;
  }
  void leaveOpen(const at::Tensor& tensor, Rule rule) {
    if (!tensor.has_storage())
      return;
    StorageNotes& notes = notesOf(tensor);
    notes.allOpen = true;
    notes.rule = rule;
  }

  void run(const c10::OperatorHandle& op, torch::jit::Stack& stack);
  bool replayDraw(const c10::OperatorHandle& op, torch::jit::Stack& stack, const std::vector<at::Tensor>& writes);
  void noteOverlap(const std::vector<at::Tensor>& writes);
  void noteOpen(std::string_view name, const std::vector<at::Tensor>& reads, const std::vector<at::Tensor>& writes,
                const std::vector<at::Tensor>& results);
  void noteDiscrete(std::string_view name, const std::vector<at::Tensor>& results);
  void finish(const std::vector<at::Tensor>& arguments, const std::vector<at::Tensor>& outputs);
};

void Tracer::State::run(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  const c10::FunctionSchema& schema = op.schema();
  const std::string_view name = baseName(op);
  std::vector<at::Tensor> reads, writes;
  const size_t first = stack.size() - schema.arguments().size();
  for (size_t index = 0; index < schema.arguments().size(); ++index) {
    std::vector<at::Tensor> tensors;
    collectFrom(stack[first + index], tensors);
    const c10::AliasInfo* alias = schema.arguments()[index].alias_info();
    if (alias && alias->isWrite())
      writes.insert(writes.end(), tensors.begin(), tensors.end());
    reads.insert(reads.end(), tensors.begin(), tensors.end());
  }
  const bool random = op.hasTag(at::Tag::nondeterministic_seeded);
  if (name == "view" && op.operator_name().overload_name == "dtype")
    current().reinterpretsBits = true;

  overlap.clear();
  overlap.before(op, stack);
  if (!random || !replay || !replayDraw(op, stack, writes))
    op.callBoxed(stack);
  overlap.after(op, stack);

  std::vector<at::Tensor> results;
  for (size_t index = stack.size() - schema.returns().size(); index < stack.size(); ++index)
    collectFrom(stack[index], results);
  if (random && !replay) {
    std::vector<at::Tensor> drawn;
    for (const at::Tensor& result : results)
      drawn.push_back(result.detach().clone());
    current().draws.push_back(std::move(drawn));
  }
  if (!changesMetadataOnly(name))
    for (const at::Tensor& written : writes)
      if (written.has_storage())
        notesOf(written).dataWritten = true;
  if (overlap.seen())
    noteOverlap(writes);
  noteOpen(name, reads, writes, results);
  noteDiscrete(name, results);
}

bool Tracer::State::replayDraw(const c10::OperatorHandle& op, torch::jit::Stack& stack,
                               const std::vector<at::Tensor>& writes) {
  const auto fail = [&] {
    current().replayed = false;
    return false;
  };
  if (call >= replay->size() || nextDraw >= (*replay)[call].draws.size())
    return fail();
  const std::vector<at::Tensor>& drawn = (*replay)[call].draws[nextDraw++];
  const size_t first = stack.size() - op.schema().arguments().size();
  const std::string_view name = baseName(op);
  if (name == "dropout" || name == "dropout_") {
    // The draw is the mask: keep the dependence on the input.
    at::Tensor input = stack[first].toTensor();
    const double probability = stack[first + 1].toDouble();
    if (!stack[first + 2].toBool())
      return false; // nothing is drawn outside training
    if (probability >= 1 || !writes.empty())
      return fail();
    at::Tensor result = input.mul(drawn.front().ne(0).to(input.scalar_type())).div(1 - probability);
    stack.erase(stack.begin() + static_cast<std::ptrdiff_t>(first), stack.end());
    stack.emplace_back(std::move(result));
    return true;
  }
  const auto converted = [](const at::Tensor& tensor) {
    if (tensor.is_complex())
      return tensor.to(at::kComplexDouble);
    return tensor.is_floating_point() ? tensor.to(at::kDouble) : tensor;
  };
  if (!writes.empty()) {
    if (writes.size() != drawn.size())
      return fail();
    for (size_t index = 0; index < writes.size(); ++index) {
      at::Tensor target = writes[index];
      target.copy_(drawn[index]);
    }
    stack.erase(stack.begin() + static_cast<std::ptrdiff_t>(first), stack.end());
    for (const at::Tensor& written : writes)
      stack.emplace_back(written);
    return true;
  }
  // A draw that depends differentiably on its arguments (rrelu, alpha_dropout) cannot stand for itself.
  for (size_t index = first; index < stack.size(); ++index)
    if (stack[index].isTensor() && stack[index].toTensor().requires_grad() && name != "bernoulli" &&
        name != "multinomial")
      return fail();
  stack.erase(stack.begin() + static_cast<std::ptrdiff_t>(first), stack.end());
  for (const at::Tensor& tensor : drawn)
    stack.emplace_back(converted(tensor));
  return true;
}

void Tracer::State::noteOverlap(const std::vector<at::Tensor>& writes) {
  for (const at::Tensor& written : writes) {
    StorageNotes& notes = notesOf(written);
    notes.rule = Rule::kA14;
    const std::vector<int64_t> bytes = elementBytes(written);
    const bool repeats = overlapsItself(written);
    std::unordered_set<int64_t> seen;
    for (int64_t byte : bytes)
      if (!repeats || !seen.insert(byte).second)
        notes.openBytes.insert(byte);
  }
}

void Tracer::State::noteOpen(std::string_view name, const std::vector<at::Tensor>& reads,
                             const std::vector<at::Tensor>& writes, const std::vector<at::Tensor>& results) {
  std::optional<Rule> from = everythingOpen;
  for (const at::Tensor& read : reads) {
    if (!read.has_storage())
      continue;
    const auto found = storages.find(read.storage().unsafeGetStorageImpl());
    if (found != storages.end() && found->second.open())
      from = found->second.rule;
  }
  if (from) {
    if (name == "_local_scalar_dense" || name == "item")
      everythingOpen = from;
    const auto sharesWithRead = [&](const at::Tensor& result) {
      return std::any_of(reads.begin(), reads.end(), [&](const at::Tensor& read) {
        return read.has_storage() && result.has_storage() && read.is_alias_of(result);
      });
    };
    // Views share their storage's notes; what is computed from an open value is open as a whole.
    for (const at::Tensor& result : results)
      if (!sharesWithRead(result))
        leaveOpen(result, *from);
    for (const at::Tensor& written : writes) {
      const bool readsOthers = std::any_of(reads.begin(), reads.end(), [&](const at::Tensor& read) {
        if (!read.has_storage() || read.is_alias_of(written))
          return false;
        const auto found = storages.find(read.storage().unsafeGetStorageImpl());
        return found != storages.end() && found->second.open();
      });
      if (readsOthers)
        leaveOpen(written, *from);
    }
  }
  switch (nondeterminismOf(name)) {
    case Nondeterminism::kNone: break;
    case Nondeterminism::kTiedIndices:
      for (const at::Tensor& result : results)
        if (isDiscrete(result))
          leaveOpen(result, Rule::kA15);
      break;
    case Nondeterminism::kRepeatedWrites:
      if (!hasRepeatedIndex(reads))
        break;
      [[fallthrough]];
    case Nondeterminism::kOneOfSeveral:
      for (const at::Tensor& result : results)
        leaveOpen(result, Rule::kA15);
      break;
  }
}

void Tracer::State::noteDiscrete(std::string_view name, const std::vector<at::Tensor>& results) {
  std::vector<uint64_t>& discrete = current().discrete;
  discrete.push_back(hashBytes(name, 1));
  for (const at::Tensor& result : results) {
    const at::IntArrayRef sizes = result.sizes();
    discrete.push_back(hashBytes({reinterpret_cast<const char*>(sizes.data()), sizes.size() * sizeof(int64_t)}, 2));
    if (!isDiscrete(result) || !result.has_storage())
      continue;
    const at::Tensor plain = result.detach().contiguous();
    discrete.push_back(hashBytes({static_cast<const char*>(plain.const_data_ptr()), plain.nbytes()}, 3));
  }
}

void Tracer::State::finish(const std::vector<at::Tensor>& arguments, const std::vector<at::Tensor>& outputs) {
  CallTrace& trace = current();
  const auto note = [&](const std::vector<at::Tensor>& tensors, Location::Role role) {
    for (size_t index = 0; index < tensors.size(); ++index) {
      if (!tensors[index].has_storage())
        continue;
      const Location location{role, static_cast<int>(index)};
      const auto found = storages.find(tensors[index].storage().unsafeGetStorageImpl());
      if (everythingOpen)
        trace.open.push_back({location, *everythingOpen, {}});
      if (found == storages.end())
        continue;
      const StorageNotes& notes = found->second;
      if (role == Location::Role::kArgument && notes.dataWritten)
        trace.dataWritten.push_back(location);
      if (notes.open())
        trace.open.push_back({location, notes.rule, notes.allOpen ? std::set<int64_t>() : notes.openBytes});
    }
  };
  note(arguments, Location::Role::kArgument);
  note(outputs, Location::Role::kOutput);
  for (const auto& [storage, notes] : storages)
    if (notes.open())
      trace.openSomewhere.push_back(notes.rule);
  storages.clear();
  everythingOpen.reset();
}

namespace {

class WatchedProgram : public graph::Callable {
 public:
  using Finish = std::function<void(const std::vector<at::Tensor>&, const std::vector<at::Tensor>&)>;
  WatchedProgram(std::unique_ptr<graph::Callable> program, Finish finish)
      : program_(std::move(program)), finish_(std::move(finish)) {}

  graph::Value operator()(graph::ValueList& arguments) override {
    std::vector<at::Tensor> in, out;
    for (const graph::Value& argument : arguments)
      graph::collectTensors(argument, in);
    try {
      graph::Value result = (*program_)(arguments);
      graph::collectTensors(result, out);
      finish_(in, out);
      return result;
    } catch (...) {
      finish_(in, {});
      throw;
    }
  }

 private:
  std::unique_ptr<graph::Callable> program_;
  Finish finish_;
};

} // namespace

Tracer::Tracer(const std::vector<CallTrace>* replay) : state_(std::make_shared<State>()) {
  state_->replay = replay;
}
Tracer::~Tracer() = default;

graph::OperationHook Tracer::hook() {
  return [state = state_](const c10::OperatorHandle& op, torch::jit::Stack& stack) {
    state->run(op, stack);
    return true;
  };
}

std::unique_ptr<graph::Callable> Tracer::watch(std::unique_ptr<graph::Callable> program) {
  return std::make_unique<WatchedProgram>(
      std::move(program), [state = state_](const auto& in, const auto& out) { state->finish(in, out); });
}

void Tracer::beginCall(int call) {
  state_->call = static_cast<size_t>(call);
  state_->nextDraw = 0;
  state_->current();
}

const std::vector<CallTrace>& Tracer::calls() const {
  return state_->calls;
}

} // namespace touchstone::oracles
