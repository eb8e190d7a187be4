#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace touchstone::values {

/// The portable source of values of a Case, the same bits as the file's `data` preamble gives in Python.
///
/// `callSeed` and `number` are mixed into one seed of a private CPU generator: no two tensors of a Case share values.
/// `kind` is `grid`, `uniform`, `special`, `zeros` or `ones`. Returns a contiguous CPU tensor of that shape and dtype.
/// Throws RaisedException (ValueError) for an unknown kind, and TypeError for a dtype that has no table.
at::Tensor data(at::IntArrayRef shape, at::ScalarType dtype, int64_t callSeed, int64_t number, const std::string& kind);

std::vector<std::string> dataKinds();
/// The number of a backward root's tangent, above every tensor number that the parser accepts in `inputs`.
constexpr int64_t kTangentNumber = 1'000'000;

} // namespace touchstone::values
