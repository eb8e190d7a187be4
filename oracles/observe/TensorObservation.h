#pragma once

#include "program/language/Property.h"

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace touchstone::observe {

/// Everything that is compared of one tensor. `values` is a detached copy (contiguous, conj and neg resolved); of a tensor
/// that is not strided, the dense equivalent.
struct TensorObservation {
  at::ScalarType dtype = at::kFloat;
  std::vector<int64_t> sizes, strides;
  int64_t offset = 0;
  std::string device;
  bool requiresGrad = false, isLeaf = true, hasGradFn = false;
  std::string autogradError; // reading requires_grad, is_leaf or grad_fn raised this (rule A9)
  bool conjugate = false, negative = false, inference = false;
  bool versionBumped = false; // since the call began; false for fresh tensors
  int64_t storageBytes = 0;
  at::Tensor values; // undefined when reading them raised: valuesError
  std::string valuesError;
};

/// Fields of a group go together: where several differ, the others follow from the first in the order of their properties.
enum class FieldGroup {
  kKind, // what the elements are
  kShape,
  kLayout, // compared where shapes are equal
  kAutograd, // read after all values, for reading a grad_fn may make it anew, or raise
  kAlone, // goes with no other
  kOfInput, // not compared of outputs
};

/// One field of TensorObservation but for `values`. Reading a tensor, comparing two, and writing one as text walk kTensorFields.
struct TensorField {
  using Member =
      std::variant<bool TensorObservation::*, int64_t TensorObservation::*, std::vector<int64_t> TensorObservation::*,
                   std::string TensorObservation::*, at::ScalarType TensorObservation::*>;

  language::Property property; // that an output differs in; an input differs in kInputMetadata, or in this if kOfInput
  const char* name; // in observations as text; null: it is in none
  const char* label; // in messages
  Member member;
  FieldGroup group;
  void (*read)(const at::Tensor& tensor, TensorObservation& observation); // null: readTensor() or its caller does
};

/// In the order of texts.
inline constexpr std::array kTensorFields{
    TensorField{language::Property::kDtype, "dtype", "dtype", &TensorObservation::dtype, FieldGroup::kKind,
                [](const at::Tensor& tensor, TensorObservation& seen) { seen.dtype = tensor.scalar_type(); }},
    TensorField{language::Property::kDtype, nullptr, "device", &TensorObservation::device, FieldGroup::kKind,
                [](const at::Tensor& tensor, TensorObservation& seen) {
                  seen.device = tensor.is_cpu() ? "cpu" : tensor.device().str();
                }},
    TensorField{language::Property::kShape, "sizes", "shape", &TensorObservation::sizes, FieldGroup::kShape,
                [](const at::Tensor& tensor, TensorObservation& seen) { seen.sizes = tensor.sizes().vec(); }},
    TensorField{language::Property::kStrides, "strides", "strides", &TensorObservation::strides, FieldGroup::kLayout,
                [](const at::Tensor& tensor, TensorObservation& seen) {
                  if (tensor.layout() == at::kStrided) {
                    seen.strides = tensor.strides().vec();
                  }
                }},
    TensorField{language::Property::kOffset, "offset", "storage offset", &TensorObservation::offset,
                FieldGroup::kLayout,
                [](const at::Tensor& tensor, TensorObservation& seen) {
                  if (tensor.layout() == at::kStrided) {
                    seen.offset = tensor.storage_offset();
                  }
                }},
    TensorField{language::Property::kDtype, "conj", "conj bit", &TensorObservation::conjugate, FieldGroup::kKind,
                [](const at::Tensor& tensor, TensorObservation& seen) { seen.conjugate = tensor.is_conj(); }},
    TensorField{language::Property::kDtype, "neg", "neg bit", &TensorObservation::negative, FieldGroup::kKind,
                [](const at::Tensor& tensor, TensorObservation& seen) { seen.negative = tensor.is_neg(); }},
    TensorField{language::Property::kLeaf, "inference", "is_inference", &TensorObservation::inference,
                FieldGroup::kAutograd,
                [](const at::Tensor& tensor, TensorObservation& seen) { seen.inference = tensor.is_inference(); }},
    TensorField{language::Property::kVersion, "bumped", "version bumped", &TensorObservation::versionBumped,
                FieldGroup::kOfInput, nullptr},
    TensorField{language::Property::kStorageBytes, "storage", "bytes of storage", &TensorObservation::storageBytes,
                FieldGroup::kOfInput,
                [](const at::Tensor& tensor, TensorObservation& seen) {
                  if (tensor.has_storage()) {
                    seen.storageBytes = static_cast<int64_t>(tensor.storage().nbytes());
                  }
                }},
    TensorField{language::Property::kRequiresGrad, "requires_grad", "requires_grad", &TensorObservation::requiresGrad,
                FieldGroup::kAutograd,
                [](const at::Tensor& tensor, TensorObservation& seen) { seen.requiresGrad = tensor.requires_grad(); }},
    TensorField{language::Property::kLeaf, "leaf", "is_leaf", &TensorObservation::isLeaf, FieldGroup::kAutograd,
                [](const at::Tensor& tensor, TensorObservation& seen) { seen.isLeaf = tensor.is_leaf(); }},
    TensorField{language::Property::kGradFn, "grad_fn", "has a grad_fn", &TensorObservation::hasGradFn,
                FieldGroup::kAutograd, nullptr},
};

bool differsIn(const TensorField& field, const TensorObservation& left, const TensorObservation& right);
/// `[2, 3]`, `true`, `Float`
std::string textOf(const TensorField& field, const TensorObservation& tensor);

} // namespace touchstone::observe
