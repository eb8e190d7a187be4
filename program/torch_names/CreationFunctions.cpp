#include "program/torch_names/HandWritten.h"
#include "program/torch_names/OperatorCall.h"
#include "program/torch_names/TensorData.h"
#include "program/values/DefaultDevice.h"

#include <c10/core/DefaultDtype.h>

#include <optional>

// Functions that make tensors of Python data, after `torch/csrc/utils/tensor_new.cpp` and
// `torch/csrc/autograd/python_torch_functions_manual.cpp`. The other factories are in the generated table.
namespace touchstone::torch_names {
namespace {

std::optional<at::ScalarType> optionalDtype(const values::Value& value) {
  return value.isNone() ? std::nullopt : std::optional(value.as<at::ScalarType>());
}

std::optional<at::Device> optionalDevice(const values::Value& value) {
  return value.isNone() ? std::nullopt : std::optional(toDevice(value));
}

values::Value tensorFunction(const HandArguments& a, const Python& python) {
  return copyOfData(a[0], optionalDtype(a[1]), optionalDevice(a[2]), a.truth(4), python.dispatch);
}

values::Value asTensorFunction(const HandArguments& a, const Python& python) {
  if (a[0].isTensor()) {
    static const AtenCall to("to.device");
    const at::Tensor& source = a.tensor(0);
    return to(python.dispatch, {source, optionalDevice(a[2]).value_or(source.device()),
                                optionalDtype(a[1]).value_or(source.scalar_type()), false, false});
  }
  return tensorFromData(a[0], optionalDtype(a[1]), optionalDevice(a[2]), python.dispatch);
}

values::Value rangeFunction(const HandArguments& a, const Python& python) {
  static const AtenCall toOut("range.out");
  static const AtenCall fresh("range.step");
  const at::Scalar start = toScalar(a[0]);
  const at::Scalar end = toScalar(a[1]);
  const at::Scalar step = a[2].isNone() ? at::Scalar(1) : toScalar(a[2]);
  values::Value result;
  if (!a[3].isNone()) {
    result = toOut(python.dispatch, {start, end, step, a.tensor(3)});
  } else {
    const at::ScalarType dtype = optionalDtype(a[4]).value_or(c10::typeMetaToScalarType(c10::get_default_dtype()));
    result = fresh(python.dispatch, {start, end, step, dtype, a[5].isNone() ? at::kStrided : a[5].as<at::Layout>(),
                                     optionalDevice(a[6]).value_or(values::defaultDevice())});
  }
  if (a.truth(7)) {
    switchRequiresGrad(result.tensor(), true, python.dispatch);
  }
  return result;
}

constexpr NameSpace kTorchSpace = NameSpace::kTorch;

const HandWritten kCreationFunctions[] = {
    {kTorchSpace, "tensor", "data, *, dtype=None, device=None, pin_memory=False, requires_grad=False", tensorFunction},
    {kTorchSpace, "as_tensor", "data, dtype=None, device=None", asTensorFunction},
    {kTorchSpace, "range",
     "range(Scalar start, Scalar end, Scalar step=1, *, Tensor out=None, ScalarType dtype=None, Layout "
     "layout=None, Device device=None, bool requires_grad=False)",
     rangeFunction},
};

} // namespace

c10::ArrayRef<HandWritten> creationFunctions() {
  return kCreationFunctions;
}

} // namespace touchstone::torch_names
