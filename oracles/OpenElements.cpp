#include "oracles/OpenElements.h"

#include "graph/program/CasePrinter.h"

#include <algorithm>
#include <optional>

namespace touchstone::oracles {

namespace {

int64_t elementCountOf(const TensorObservation& tensor) {
  int64_t count = 1;
  for (int64_t size : tensor.sizes)
    count *= size;
  return count;
}

/// The first bytes of the elements of an observed tensor within its storage, row-major.
std::vector<int64_t> bytesOfElements(const TensorObservation& tensor) {
  const auto itemBytes = static_cast<int64_t>(c10::elementSize(tensor.dtype));
  std::vector<int64_t> bytes(static_cast<size_t>(elementCountOf(tensor)));
  for (size_t element = 0; element < bytes.size(); ++element) {
    auto rest = static_cast<int64_t>(element);
    int64_t position = tensor.offset;
    for (size_t dim = std::min(tensor.sizes.size(), tensor.strides.size()); dim-- > 0;) {
      position += rest % tensor.sizes[dim] * tensor.strides[dim];
      rest /= tensor.sizes[dim];
    }
    bytes[element] = position * itemBytes;
  }
  return bytes;
}

/// What leaves the gradient of one leaf open in one call.
OpenMask openGradient(const graph::Case& theCase, size_t call, const CallTrace& trace, size_t leaf) {
  if (!theCase.customFunctions.empty())
    return trace.anywhere; // a backward of the Case's own was not watched
  const graph::CallSpec& spec = theCase.calls.at(call);
  OpenMask mask = trace.everything;
  for (const OpenGradients& open : trace.openGradients) {
    const auto isRoot = [&](const graph::BackwardRoot& root) {
      const Location location{root.isArgument ? Location::Role::kArgument : Location::Role::kOutput, root.index};
      return location == open.root;
    };
    if (spec.backward && std::any_of(spec.backward->begin(), spec.backward->end(), isRoot))
      mask |= leaf < open.leaves.size() ? open.leaves[leaf] : open.others;
  }
  return mask;
}

/// `.grad` gathers what all calls with the same leaves leave there.
OpenMask openGradientOfChain(const graph::Case& theCase, int call, const std::vector<CallTrace>& traces, size_t leaf) {
  auto first = static_cast<size_t>(call), end = first + 1;
  while (first > 0 && !theCase.calls.at(first).inputs)
    --first;
  while (end < theCase.calls.size() && !theCase.calls.at(end).inputs)
    ++end;
  OpenMask mask = 0;
  for (size_t each = first; each < end && each < traces.size(); ++each)
    mask |= openGradient(theCase, each, traces[each], leaf);
  return mask;
}

} // namespace

bool readsLists(const graph::Case& theCase) {
  return std::any_of(theCase.functions.begin(), theCase.functions.end(), [](const graph::Function& function) {
    return graph::printFunction(function).find(".tolist(") != std::string::npos;
  });
}

std::vector<OpenMask> openElements(const graph::Case& theCase, int call, const CallObservation& observed,
                                   const std::vector<CallTrace>& traces, TensorSlot slot) {
  const CallTrace& trace = traces.at(static_cast<size_t>(call));
  const TensorObservation* tensor = observationAt(observed, slot);
  if (slot.kind == TensorSlot::Kind::kGradient) {
    if (!tensor)
      return {};
    const auto leaf = static_cast<size_t>(observed.gradients[static_cast<size_t>(slot.index)].leaf.index);
    const OpenMask mask = openGradientOfChain(theCase, call, traces, leaf);
    return mask ? std::vector<OpenMask>(static_cast<size_t>(elementCountOf(*tensor)), mask) : std::vector<OpenMask>();
  }
  const Location::Role role = slot.kind == TensorSlot::Kind::kArgument  ? Location::Role::kArgument
                              : slot.kind == TensorSlot::Kind::kWatched ? Location::Role::kWatched
                                                                        : Location::Role::kOutput;
  const bool isStorage = slot.kind == TensorSlot::Kind::kStorage;
  const std::optional<int> storage = isStorage ? slot.index : storageOf(observed, {role, slot.index});
  const auto open = std::find_if(trace.open.begin(), trace.open.end(), [&](const OpenBytes& each) {
    return storage && storageOf(observed, each.location) == storage;
  });
  if (open == trace.open.end())
    return {};
  const at::Tensor values = valuesAt(observed, slot);
  const int64_t itemBytes = isStorage ? (values.defined() ? static_cast<int64_t>(values.element_size()) : 1)
                                      : static_cast<int64_t>(c10::elementSize(tensor->dtype));
  std::vector<int64_t> first;
  if (!isStorage)
    first = bytesOfElements(*tensor);
  for (int64_t element = 0; isStorage && values.defined() && element < values.numel(); ++element)
    first.push_back(element * itemBytes);
  std::vector<OpenMask> masks(first.size());
  for (size_t element = 0; element < masks.size(); ++element)
    for (int64_t byte = first[element]; byte < first[element] + itemBytes; ++byte)
      if (byte < static_cast<int64_t>(open->bytes.size()))
        masks[element] |= open->bytes[static_cast<size_t>(byte)];
  return masks;
}

} // namespace touchstone::oracles
