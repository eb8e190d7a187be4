#pragma once

#include "program/torch_names/NameResolver.h"

#include <optional>
#include <set>
#include <string>

/// What the names of the case language mean that are not operators: mostly closed lists, what `docs/case_file.md` calls
/// listed.

namespace touchstone::parser {

using Names = std::set<std::string>;

extern const Names kBuiltins; // `range`, `print`, `len`, …
extern const Names kContextManagers; // `no_grad` of `torch.no_grad()`
extern const Names kTorchConstants; // of `torch.NAME`: dtypes, memory formats, layouts, `inf`, …
extern const Names kTensorAttributes; // readable without a call
extern const Names kModuleMethods; // what a field may not be called
extern const Names kModuleConstructors; // of torch.nn
extern const Names kContextMethods; // of `ctx` in a custom function
extern const Names kContextAttributes; // of `ctx`, not to be assigned to: those of a case and those that PyTorch uses
extern const Names kClassMethods; // names with two underscores that a class may define: `__init__`, `__call__`, …
/// What objects of Python and PyTorch have under this name is none of a case's business: no class may have such a field.
bool isReservedMember(const std::string& name);
/// What the text around a case relies on, builtins and modules: no function, class or constant of a file may be called so.
bool isTaken(const std::string& name);
bool isDtypeName(const std::string& name); // `float32` of `torch.float32`
bool isModuleField(const std::string& name); // of the listed constructors: `weight`, `running_mean`, …
bool isMethod(const std::string& name); // methods that are no operators: `register_hook`, `eval`, `append`, …
bool takesHookOfModule(const std::string& method); // by the name of a function of the file
bool isMark(const std::string& path); // of a dimension of an input: `torch._dynamo.mark_dynamic`, …
bool isTorchCall(const std::string& path); // calls that are no operators: `torch.autograd.grad`, …
bool isOperatorSpace(const std::string& name); // `aten` of `torch.ops.aten`: PyTorch's own
bool isOperatorPart(const std::string& name); // what a custom operator or its namespace may be called

/// `: it reads files` when the deny list gives a reason.
std::string denialText(torch_names::NameSpace space, const std::string& name);

} // namespace touchstone::parser
