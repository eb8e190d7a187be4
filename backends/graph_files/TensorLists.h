#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace touchstone::graph_files {

/// Lists of tensors by name; undefined ones stand for None.
using TensorLists = std::map<std::string, std::vector<at::Tensor>>;

/// Lists of tensors as a sealed text (SealedText.h) of kind `tensors`: each storage once, whole, as bytes in this machine's order behind
/// the line, so that tensors of all lists share memory afterwards as they do now. Kept besides are dtype, sizes, strides, offset,
/// device, requires_grad, the lazy bits, and whether a tensor is a number in disguise. Throws ir::Unsupported for a tensor
/// that is not strided, quantized, or without memory.
std::string tensorsToText(const TensorLists& lists);

/// The lists again, on the CPU whatever device they were on; those that required grad are leaves that do. Throws GraphFileError that
/// begins with `path`, also where a tensor would reach beyond its storage.
TensorLists tensorsFromText(const std::string& text, const std::filesystem::path& path);

/// Copies that share memory as the originals do, without relation to autograd.
std::vector<at::Tensor> copiesOf(const std::vector<at::Tensor>& tensors);

} // namespace touchstone::graph_files
