#pragma once

#include "backends/aot_autograd/AotOptions.h"
#include "backends/debugging/CompilerRegistry.h"
#include "backends/debugging/FakeCrossref.h"

#include <string>

namespace touchstone::debugging {

/// AOT autograd under a name, with its options: `fake_tensor_crossref` (`'all'` or `True`, `'custom_ops'`, `False`),
/// `debug_interpreter` (`True`), `keep_inference_input_mutations` (`True`, `False`); where a min-cut partition is chosen also
/// `activation_memory_budget` (0 to 1, see MinCutOptions) and `compiler` (`'inductor'`, `'nvfuser'`: for whom values are computed
/// again). What is not given is as `options` and `crossref` say. Throws std::invalid_argument for other values of these, and for
/// the first where `options` has compilers.
CompilerFunction aotCompilerWithOptions(std::string name, aot_autograd::AotOptions options = {},
                                        CrossrefChoice crossref = CrossrefChoice::kOff);

} // namespace touchstone::debugging
