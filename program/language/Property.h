#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace touchstone::language {

/// The observed properties in the order in which a call with several differences is named after the first.
enum class Property {
  kStructure,
  kValues,
  kDtype,
  kShape,
  kStrides,
  kOffset,
  kRequiresGrad,
  kLeaf,
  kGradFn,
  kIdentity,
  kPartition,
  kEffect,
  kVersion,
  kInputValues,
  kInputMetadata,
  kStorageBytes,
  kGradientPresence,
  kGradientValues,
  kPrecision,
  kNonTensor,
  kState,
  kRecompiles,
};
constexpr int kPropertyCount = static_cast<int>(Property::kRecompiles) + 1;

/// What a property is seen of.
enum class SeenOf { kCall, kOutput, kInput, kAny, kLeaf, kProcess };

/// What there is to say of a property once: `docs/oracles.md` and the `__main__` part of case files are made from it. What
/// is read of a tensor and compared is `oracles/observe/TensorObservation.h`.
struct PropertyRow {
  Property property;
  std::string_view name; // in `# expect:` lines
  SeenOf of;
  std::string_view compared; // a cell of the table of docs/oracles.md
  /// How plain Python sees it, within `program/standalone/main_part.py`: of a tensor `t`, a `gradient`, the `result` of a call.
  /// Empty: that file has lines of its own for it.
  std::string_view expression;
  bool ofElements = false; // a difference may go back to memory that was read before it was written
  bool givesTensors = false; // `expression` does, bare or in a list
};

inline constexpr std::array<PropertyRow, kPropertyCount> kProperties = {{
    {Property::kStructure, "structure", SeenOf::kCall,
     "tuples, lists, dicts and keys that were returned, and where tensors stand", "outline(result)"},
    {Property::kValues, "values", SeenOf::kOutput,
     "bit for bit (NaN positions equal, signed zeros apart), or, where a rule says that rounding may differ, within a bound from a "
     "run in double precision and runs moved by one unit in the last place (A7); again after each later call",
     "t.detach().clone()", true, true},
    {Property::kDtype, "dtype", SeenOf::kOutput, "dtype, device, conj bit, neg bit",
     "(t.dtype, t.device, t.is_conj(), t.is_neg())"},
    {Property::kShape, "shape", SeenOf::kOutput, "sizes", "tuple(t.shape)"},
    {Property::kStrides, "strides", SeenOf::kOutput, "strides", "strides(t)"},
    {Property::kOffset, "offset", SeenOf::kOutput, "storage offset", "t.storage_offset() if t.numel() else 0"},
    {Property::kRequiresGrad, "requires_grad", SeenOf::kOutput, "requires_grad", "t.requires_grad"},
    {Property::kLeaf, "leaf", SeenOf::kOutput, "is_leaf, and whether it is an inference tensor",
     "(t.is_leaf, t.is_inference())"},
    {Property::kGradFn, "grad_fn", SeenOf::kOutput, "whether there is one, and whether reading it raises",
     "t.grad_fn is not None"},
    {Property::kIdentity, "identity", SeenOf::kAny,
     "which are the very same tensor, among those that share memory on both sides", "same_object(t, named, given)"},
    {Property::kPartition, "partition", SeenOf::kAny, "which share a storage, and the byte range of each in it",
     "sharing(t, named)"},
    {Property::kEffect, "effect", SeenOf::kAny, "which others change when it is written to", ""},
    {Property::kVersion, "version", SeenOf::kInput,
     "whether the version counter was bumped; again behind the backward, where that writes",
     "t._version != versions[name]"},
    {Property::kInputValues, "input_values", SeenOf::kInput,
     "values after the call and behind the backward, also one that raised on both sides; of tangents, after the backward and each later call",
     "t.detach().clone()", true, true},
    {Property::kInputMetadata, "input_metadata", SeenOf::kInput,
     "dtype, sizes, strides, offset and autograd state after the call, sizes and strides again behind the backward; containers among the "
     "arguments",
     "(t.dtype, tuple(t.shape), strides(t), t.requires_grad, t.is_leaf, t.grad_fn is not None)"},
    {Property::kStorageBytes, "storage_bytes", SeenOf::kInput,
     "all bytes of the storage, gaps included, and their number", "storage(t).clone()", false, true},
    {Property::kGradientPresence, "gradient_presence", SeenOf::kLeaf, "None or a tensor; None is not zero",
     "gradient is not None"},
    {Property::kGradientValues, "gradient_values", SeenOf::kLeaf,
     "values, dtype, shape, layout and requires_grad of the gradient, for random tangents of several layouts on chosen outputs; "
     "values again after each later call",
     "contents(gradient)", true, true},
    {Property::kPrecision, "precision", SeenOf::kAny,
     "where numerics are strict: values and gradients that rule A7 would allow, and that are those of the Program without its roundings "
     "to float16 and bfloat16",
     "t.detach().clone()", false, true},
    {Property::kNonTensor, "non_tensor", SeenOf::kCall, "sizes, numbers, strings that were returned", "others(result)",
     true},
    {Property::kState, "state", SeenOf::kProcess,
     "default generators, grad mode, autocast, default dtype after the call", "modes_and_generator()", false, true},
    {Property::kRecompiles, "recompiles", SeenOf::kCall,
     "compiled again although nothing but values changed since an earlier call", ""},
}};
static_assert(
    [] {
      for (size_t index = 0; index < kProperties.size(); ++index) {
        if (kProperties[index].property != static_cast<Property>(index)) {
          return false;
        }
      }
      return true;
    }(),
    "a row for each property, in their order");

constexpr const PropertyRow& rowOf(Property property) {
  return kProperties[static_cast<size_t>(property)];
}
/// `structure`, `values`, … `gradient_presence`, … as in `# expect:` lines.
constexpr std::string_view propertyName(Property property) {
  return rowOf(property).name;
}
std::optional<Property> propertyFromName(std::string_view name);

} // namespace touchstone::language
