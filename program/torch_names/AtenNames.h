#pragma once

#include "program/torch_names/NameResolver.h"

namespace touchstone::torch_names {

/// `NAME` or `NAME.OVERLOAD` under torch.ops.aten; `NAME.default` is the overload without a name.
NameStatus atenNameStatus(const std::string& name);
std::vector<std::string> knownAtenNames();

/// Calls torch.ops.aten.NAME: the first overload, in order of registration, whose schema takes the arguments as they
/// are (`torch/csrc/jit/python/pybind_utils.cpp`, invokeOverloadedOperatorFromPython); NAME.OVERLOAD: that one.
values::Value callAtenNamed(const std::string& name, const values::ValueList& positional, const KeywordList& keywords,
                            const Dispatch& dispatch);

} // namespace touchstone::torch_names
