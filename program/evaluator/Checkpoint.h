#pragma once

#include "program/torch_names/NameResolver.h"
#include "program/values/Value.h"

namespace touchstone::evaluator {

/// What `torch.utils.checkpoint.checkpoint(function, *args, **kwargs)` was asked for.
struct CheckpointOptions {
  bool preservesGenerator = true;
  bool checksMetadata = true;
  bool stopsEarly = true;
};

/// Takes the keywords that are checkpoint's own from those of the function. Throws Unsupported for the reentrant kind, contexts and
/// debugging, ValueError for what PyTorch refuses.
CheckpointOptions takeCheckpointOptions(torch_names::KeywordList& keywords);

/// Calls the function. What is saved in it for a backward is computed again when a backward asks for it: from the arguments as
/// they are then, with the generator and autocast as they are now. After `torch/utils/checkpoint.py`, without reentrance.
values::Value checkpoint(const values::FunctionPtr& function, const values::ValueList& positional,
                         const torch_names::KeywordList& keywords, const CheckpointOptions& options);

} // namespace touchstone::evaluator
