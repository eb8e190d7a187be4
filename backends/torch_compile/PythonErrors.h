#pragma once

namespace touchstone::torch_compile {

/// Takes the pending Python error and throws it as values::RaisedException (the innermost cause under the compiler's
/// wrappers), or as ir::Unsupported when a pipeline has stated that it cannot take the Case. Under PythonLock.
[[noreturn]] void throwPythonError();

/// Lets values::currentException() read what Python functions raise inside the C++ autograd engine.
void readPythonExceptions();

} // namespace touchstone::torch_compile
