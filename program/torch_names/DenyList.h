#pragma once

#include "program/torch_names/NameResolver.h"

namespace touchstone::torch_names {

/// Why a Program may not use the name, or null when it may. A case file from a stranger can do nothing but tensor
/// operations: no files, processes, pickles, raw pointers, threads, switches that outlive the call, nor calls back into
/// Python. Says nothing about whether the name exists.
const char* denialReason(NameSpace space, const std::string& name);

/// The same for any operator of the dispatcher, with its name space: `aten::from_file`.
const char* operatorDenialReason(const std::string& qualifiedName);

/// The same for an operator of a Graph that a pipeline made and that comes from a file. Such Graphs call what autograd calls:
/// internal operators, and kernels that trust their indices, which a forged Graph can make crash. Files, raw memory, other code,
/// processes and switches are denied as ever.
const char* graphOperatorDenialReason(const std::string& qualifiedName);

} // namespace touchstone::torch_names
