#include "backends/torch_compile/OpaqueObjects.h"

#include "backends/torch_compile/PythonValues.h"

#include <memory>
#include <string>

namespace touchstone::torch_compile {

namespace {

class HeldObject final : public values::OpaqueObject {
 public:
  explicit HeldObject(PyObject* object)
      : object_(keptWithoutLock(object)),
        className_(textOf(bridgeModule("objects").callMethod("class_name", PythonObject::borrowed(object)).get())) {}

  std::string className() const override { return className_; }

  Parts parts() const override {
    PythonLock lock;
    PythonValues values;
    const PythonObject read = bridgeModule("objects").callMethod("parts", PythonObject::borrowed(object_.get()));
    Parts parts;
    for (Py_ssize_t index = 0; index < PyList_Size(read.get()); ++index) {
      PyObject* part = PyList_GetItem(read.get(), index);
      parts.emplace_back(textOf(PyTuple_GetItem(part, 0)), values.toValue(PyTuple_GetItem(part, 1)));
    }
    return parts;
  }

  PyObject* object() const { return object_.get(); }

 private:
  std::shared_ptr<PyObject> object_;
  std::string className_;
};

} // namespace

std::shared_ptr<PyObject> keptWithoutLock(PyObject* object) {
  Py_INCREF(object);
  return std::shared_ptr<PyObject>(object, [](PyObject* kept) {
    PythonLock lock;
    Py_DECREF(kept);
  });
}

values::OpaquePtr opaqueObject(PyObject* object) {
  return std::make_shared<HeldObject>(object);
}

PythonObject objectOf(const values::OpaquePtr& opaque) {
  return PythonObject::borrowed(dynamic_cast<const HeldObject&>(*opaque).object());
}

} // namespace touchstone::torch_compile
