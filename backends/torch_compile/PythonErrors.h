#pragma once

namespace touchstone::backends {

/// Takes the pending Python error and throws it as graph::RaisedException (the innermost cause under the compiler's
/// wrappers), or as graph::Unsupported when a pipeline has stated that it cannot take the Case. Under PythonLock.
[[noreturn]] void throwPythonError();

/// Lets graph::currentException() read what Python functions raise inside the C++ autograd engine.
void readPythonExceptions();

} // namespace touchstone::backends
