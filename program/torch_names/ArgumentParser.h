#pragma once

#include "program/torch_names/NameResolver.h"
#include "program/torch_names/SignatureTable.h"

#include <c10/util/ArrayRef.h>
#include <c10/util/SmallVector.h>

namespace touchstone::torch_names {

/// The arguments of a call, by parameter of the signature that was chosen. Points into the caller's arguments.
struct BoundArguments {
  c10::SmallVector<const values::Value*, 16> values; // null: not given, or None where that stands for the default
  values::Value packed; // sizes given one by one, as a tuple
};

/// Chooses the first signature that takes these arguments, by the rules of `torch/csrc/utils/python_arg_parser.cpp`.
/// `positional` does not contain the tensor of a method. Throws RaisedException (TypeError) with eager's text.
const Signature& matchSignature(const SignatureGroup& group, c10::ArrayRef<values::Value> positional,
                                const KeywordList& keywords, BoundArguments& bound);

/// A value that Python's `operator.index` takes: an int, or an integer tensor of one element.
bool isIndexLike(const values::Value& value);
int64_t toIndex(const values::Value& value);

/// A Python number or a tensor of one element as a Scalar; throws TypeError.
at::Scalar toScalar(const values::Value& value);
/// The 0-dimensional tensor that eager makes of a number where a tensor is wanted: it does not take part in type
/// promotion like a tensor.
at::Tensor wrapNumber(const values::Value& number);

} // namespace touchstone::torch_names
