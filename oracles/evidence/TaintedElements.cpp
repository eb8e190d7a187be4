#include "oracles/evidence/TaintedElements.h"

#include "program/language/CasePrinter.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace touchstone::evidence {

namespace {

int64_t elementCountOf(at::IntArrayRef sizes) {
  int64_t count = 1;
  for (int64_t size : sizes) {
    count *= size;
  }
  return count;
}

/// The first bytes of the elements of a tensor within its storage, row-major.
std::vector<int64_t> bytesOfElements(at::IntArrayRef sizes, at::IntArrayRef strides, int64_t offset,
                                     int64_t itemBytes) {
  std::vector<int64_t> bytes(static_cast<size_t>(elementCountOf(sizes)));
  for (size_t element = 0; element < bytes.size(); ++element) {
    auto rest = static_cast<int64_t>(element);
    int64_t position = offset;
    for (size_t dim = std::min(sizes.size(), strides.size()); dim-- > 0;) {
      position += rest % sizes[dim] * strides[dim];
      rest /= sizes[dim];
    }
    bytes[element] = position * itemBytes;
  }
  return bytes;
}

/// Of elements that begin at these bytes.
std::vector<taint::TaintMask> masksOf(const std::vector<int64_t>& first, int64_t itemBytes,
                                      const std::vector<taint::TaintMask>& bytes) {
  std::vector<taint::TaintMask> masks(first.size());
  for (size_t element = 0; element < masks.size(); ++element) {
    for (int64_t byte = first[element]; byte < first[element] + itemBytes; ++byte) {
      if (byte < static_cast<int64_t>(bytes.size())) {
        masks[element] |= bytes[static_cast<size_t>(byte)];
      }
    }
  }
  return masks;
}

/// What leaves the gradient of one leaf unspecified in one call.
taint::TaintMask taintOfGradient(const language::Case& theCase, size_t call, const CallTrace& trace, size_t leaf) {
  if (theCase.hasCustomCode()) {
    return trace.anywhere; // a backward of the Case's own was not watched
  }
  const language::CallSpec& spec = theCase.calls.at(call);
  taint::TaintMask mask = trace.everything;
  for (const TaintedGradients& tainted : trace.taintedGradients) {
    const auto isRoot = [&](const language::BackwardRoot& root) {
      const observe::Location location{
          root.isArgument ? observe::Location::Role::kArgument : observe::Location::Role::kOutput, root.index};
      return location == tainted.root;
    };
    if (spec.backward && std::any_of(spec.backward->begin(), spec.backward->end(), isRoot)) {
      mask |= leaf < tainted.leaves.size() ? tainted.leaves[leaf] : tainted.others;
    }
  }
  return mask;
}

/// `.grad` gathers what all backwards of calls with the same leaves left there up to this call's own, or, `later`, at all. What a
/// call feeds on counts as its own.
taint::TaintMask taintOfGradientChain(const language::Case& theCase, int call, const std::vector<CallTrace>& traces,
                                      size_t leaf, bool later) {
  const auto own = static_cast<size_t>(call);
  taint::TaintMask mask = taintOfGradient(theCase, own, traces.at(own), leaf);
  size_t first = own;
  while (first > 0 && theCase.takesEarlierObjects(first)) {
    --first;
    if (!theCase.calls[first + 1].feed.empty()) {
      mask |= traces.at(first).anywhere;
    }
  }
  if (theCase.calls.at(own).via == language::GradientVia::kGrad) {
    return mask;
  }
  const auto moment = [&](size_t each) { return std::pair(theCase.backwardRunsAfter(each), each); };
  for (size_t each = first; each < traces.size() && each < theCase.calls.size(); ++each) {
    if (each > first && !theCase.takesEarlierObjects(each)) {
      break;
    }
    const bool leavesIt = theCase.calls[each].via == language::GradientVia::kBackward;
    if (each != own && leavesIt && (later || moment(each) < moment(own))) {
      mask |= taintOfGradient(theCase, each, traces[each], leaf);
    }
  }
  return mask;
}

/// What the operators that were watched leave unspecified of a tensor's elements.
std::vector<taint::TaintMask> followedElements(const language::Case& theCase, int call,
                                               const observe::CallObservation& observed,
                                               const std::vector<CallTrace>& traces, observe::TensorSlot slot) {
  const CallTrace& trace = traces.at(static_cast<size_t>(call));
  const observe::TensorObservation* tensor = observe::observationAt(observed, slot);
  using Kind = observe::TensorSlot::Kind;
  if (slot.kind == Kind::kTangent || slot.kind == Kind::kLateArgument || slot.kind == Kind::kLateWatched) {
    // Hooks and custom functions have written to it what they like.
    const at::Tensor values = observe::valuesAt(observed, slot);
    return std::vector<taint::TaintMask>(values.defined() ? static_cast<size_t>(values.numel()) : 0, trace.anywhere);
  }
  if (slot.kind == Kind::kGradient || slot.kind == Kind::kLateGradient) {
    if (!tensor) {
      return {};
    }
    const auto leaf = static_cast<size_t>(observed.gradients[static_cast<size_t>(slot.index)].leaf.index);
    const taint::TaintMask mask = taintOfGradientChain(theCase, call, traces, leaf, slot.kind == Kind::kLateGradient);
    return mask ? std::vector<taint::TaintMask>(static_cast<size_t>(elementCountOf(tensor->sizes)), mask)
                : std::vector<taint::TaintMask>();
  }
  if (slot.kind == Kind::kLateOutput) {
    return static_cast<size_t>(slot.index) < trace.taintedLate.size()
               ? trace.taintedLate[static_cast<size_t>(slot.index)]
               : std::vector<taint::TaintMask>();
  }
  const observe::Location::Role role =
      slot.kind == observe::TensorSlot::Kind::kArgument  ? observe::Location::Role::kArgument
      : slot.kind == observe::TensorSlot::Kind::kWatched ? observe::Location::Role::kWatched
                                                         : observe::Location::Role::kOutput;
  const bool isStorage = slot.kind == observe::TensorSlot::Kind::kStorage;
  const std::optional<int> storage = isStorage ? slot.index : observe::storageOf(observed, {role, slot.index});
  const auto tainted = std::find_if(trace.tainted.begin(), trace.tainted.end(), [&](const TaintedBytes& each) {
    return storage && observe::storageOf(observed, each.location) == storage;
  });
  if (tainted == trace.tainted.end()) {
    return {};
  }
  if (!isStorage) {
    const auto itemBytes = static_cast<int64_t>(c10::elementSize(tensor->dtype));
    return masksOf(bytesOfElements(tensor->sizes, tensor->strides, tensor->offset, itemBytes), itemBytes,
                   tainted->bytes);
  }
  const at::Tensor values = observe::valuesAt(observed, slot);
  if (!values.defined()) {
    return {};
  }
  return masksOf(bytesOfElements(values.sizes(), {1}, 0, values.element_size()), values.element_size(), tainted->bytes);
}

} // namespace

bool readsLists(const language::Case& theCase) {
  return std::ranges::any_of(theCase.allBodies(), [](const language::Function* function) {
    return language::printFunction(*function).find(".tolist(") != std::string::npos;
  });
}

std::vector<taint::TaintMask> taintedElements(const language::Case& theCase, int call,
                                              const observe::CallObservation& observed,
                                              const std::vector<CallTrace>& traces, observe::TensorSlot slot) {
  std::vector<taint::TaintMask> masks = followedElements(theCase, call, observed, traces, slot);
  // Inside a custom function nothing is followed: what overlapping writes left unspecified may have gone anywhere.
  const taint::TaintMask anywhere = traces.at(static_cast<size_t>(call)).anywhere & taint::kTaintedByOverlap;
  if (!theCase.hasCustomCode() || !anywhere) {
    return masks;
  }
  const at::Tensor values = observe::valuesAt(observed, slot);
  masks.resize(values.defined() ? static_cast<size_t>(values.numel()) : masks.size());
  for (taint::TaintMask& mask : masks) {
    mask |= anywhere;
  }
  return masks;
}

std::vector<taint::TaintMask> taintedElements(const at::Tensor& tensor, const std::vector<taint::TaintMask>& bytes) {
  if (bytes.empty()) {
    return {};
  }
  const int64_t itemBytes = tensor.element_size();
  return masksOf(bytesOfElements(tensor.sizes(), tensor.strides(), tensor.storage_offset(), itemBytes), itemBytes,
                 bytes);
}

} // namespace touchstone::evidence
