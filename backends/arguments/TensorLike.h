#pragma once

#include "graph/ir/Graph.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <vector>

namespace touchstone::arguments {

/// Tensors like these that lie otherwise in memory, with values of theirs, over and over; `geometries`: sizes, strides and offset
/// of each. What lies in one memory does so again, in memory of its own; views of one another, writes that count for others,
/// requires_grad and leaves are as they are. What is computed is so, and has no backward. Bases of views are among `likes`, see
/// aot_autograd::inputTensors(). `bytes`: of a memory of `likes`, how much the new one has; else as much as before is behind what
/// is read.
std::vector<at::Tensor> tensorsLike(const std::vector<at::Tensor>& likes,
                                    const std::vector<ir::TensorMetadata>& geometries,
                                    const std::map<const c10::StorageImpl*, int64_t>& bytes = {});

} // namespace touchstone::arguments
