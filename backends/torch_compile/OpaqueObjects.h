#pragma once

#include "backends/torch_compile/EmbeddedPython.h"
#include "program/values/Value.h"

namespace touchstone::torch_compile {

/// The object as a Value that holds it; its parts are read by `bridge/objects.py`. Under PythonLock.
values::OpaquePtr opaqueObject(PyObject* object);
/// The very object of opaqueObject().
PythonObject objectOf(const values::OpaquePtr& opaque);

/// The reference, for what dies without the lock.
std::shared_ptr<PyObject> keptWithoutLock(PyObject* object);

} // namespace touchstone::torch_compile
