#pragma once

#include "backends/capture/Guards.h"

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>
#include <vector>

namespace touchstone::capture {

/// One walk over the locals of a call.
struct Guards::Walk {
  std::vector<const at::Tensor*>* tensors = nullptr; // by number
  bool explain = false;
  std::string failure; // with `explain`
  size_t passed = 0; // with `explain`: values and modes
  std::vector<const void*> containers;
  symbols::Assignment symbols; // what they stand for, where `isBound`
  std::vector<bool> isBound;

  bool fail(const std::function<std::string()>& text) {
    if (explain) {
      failure = text();
    }
    return false;
  }
};

} // namespace touchstone::capture
