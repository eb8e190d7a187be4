#pragma once

#include "program/torch_names/NameResolver.h"
#include "program/values/Value.h"

#include <functional>
#include <optional>
#include <string>

namespace touchstone::evaluator {

/// Of `register_forward_pre_hook`, `register_forward_hook`, `register_full_backward_pre_hook` and `register_full_backward_hook`.
std::optional<values::ModuleHook::Kind> moduleHookKind(const std::string& method);

/// The handle of a new hook.
values::Value addModuleHook(const values::ModulePtr& module, values::ModuleHook::Kind kind,
                            const std::string& function);

/// How hooks call functions of the file.
struct HookFunctions {
  std::function<values::Value(const std::string& function, values::ValueList arguments)> now;
  /// For the backward, when nothing else of the evaluation may be there.
  std::function<std::function<values::Value(values::ValueList)>(const std::string& function)> later;
};

/// A call of a module with its hooks around `forward`, as Module._call_impl makes it.
values::Value callWithHooks(const values::ModulePtr& module, values::ValueList positional,
                            const HookFunctions& functions,
                            const std::function<values::Value(const values::ValueList& positional)>& forward);

} // namespace touchstone::evaluator
