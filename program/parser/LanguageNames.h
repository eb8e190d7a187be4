#pragma once

#include "program/torch_names/NameResolver.h"

#include <optional>
#include <string>
#include <vector>

/// What the names of the case language mean that are not operators: mostly closed lists, what `docs/case_file.md` calls
/// listed.

namespace touchstone::parser {

bool isBuiltin(const std::string& name); // `range`, `print`, `len`, …
bool isContextManager(const std::string& name); // `no_grad` of `torch.no_grad()`
bool isDtypeName(const std::string& name); // `float32` of `torch.float32`
bool isTorchConstant(const std::string& name); // dtypes, memory formats, layouts, `inf`, …
std::vector<std::string> torchConstants();
bool isTensorAttribute(const std::string& name); // readable without a call
std::vector<std::string> tensorAttributes();
bool isModuleField(const std::string& name); // of the listed constructors: `weight`, `running_mean`, …
bool isModuleMethod(const std::string& name); // what a field may not be called
std::vector<std::string> moduleConstructors(); // of torch.nn
bool isMethod(const std::string& name); // methods that are no operators: `register_hook`, `eval`, `append`, …
bool takesHook(const std::string& method); // takes a function of the file
bool isTorchCall(const std::string& path); // calls that are no operators: `torch.autograd.grad`, …

/// `: it reads files` when the deny list gives a reason.
std::string denialText(torch_names::NameSpace space, const std::string& name);

} // namespace touchstone::parser
