#include "program/torch_names/HandWritten.h"
#include "program/transforms/Argnums.h"
#include "program/transforms/Layers.h"
#include "program/transforms/Transforms.h"
#include "program/transforms/Trees.h"
#include "program/transforms/Wrapping.h"
#include "program/values/RaiseError.h"

#include <ATen/ops/_make_dual.h>
#include <ATen/ops/_unpack_dual.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/AutogradState.h>
#include <c10/core/ScalarType.h>
#include <torch/csrc/autograd/forward_grad.h>

namespace touchstone::transforms {
namespace {

constexpr const char* kApi = "jvp(f, primals, tangents)";

thread_local int nesting = 0;

/// Counts the jvp's that run. The outermost has the level of forward gradients, of which there is one.
class Nesting {
 public:
  Nesting() {
    if (nesting == 0) {
      index_ = torch::autograd::ForwardADLevel::get_next_idx();
    }
    ++nesting;
  }
  ~Nesting() {
    if (--nesting == 0) {
      torch::autograd::ForwardADLevel::release_idx(index_);
    }
  }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

 private:
  uint64_t index_ = 0;
};

void checkTensors(const values::ValueList& leaves, const char* argument) {
  if (leaves.empty()) {
    values::raiseError("RuntimeError", "{}: Expected {} to contain at least one Tensor.", kApi, argument);
  }
  for (const values::Value& leaf : leaves) {
    if (!leaf.isTensor()) {
      values::raiseError("RuntimeError", "{}: Expected {} to only contain Tensors, got {}", kApi, argument,
                         classText(leaf));
    }
  }
}

void checkDifferentiable(const at::Tensor& tensor, const char* what) {
  const at::ScalarType dtype = tensor.scalar_type();
  if (!at::isFloatingType(dtype) && !at::isComplexType(dtype)) {
    values::raiseError("ValueError", "Expected {} to be floating point or complex, but got: torch.{}", what,
                       c10::getDtypeNames(dtype).first);
  }
}

// torch/autograd/forward_ad.py, make_dual.
values::Value dualOf(const at::Tensor& primal, const at::Tensor& tangent) {
  checkDifferentiable(primal, "primal");
  checkDifferentiable(tangent, "tangent");
  return values::Value(at::_make_dual(primal, tangent, 0));
}

struct Unpacked {
  values::ValueList primals, tangents;
};

Unpacked unpack(const values::ValueList& duals, bool strict, int64_t level) {
  Unpacked unpacked;
  for (const values::Value& dual : duals) {
    auto [primal, tangent] = at::_unpack_dual(dual.tensor(), 0);
    if (!tangent.defined()) {
      if (strict) {
        values::raiseError(
            "RuntimeError",
            "jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. This is "
            "not allowed with strict=True.");
      }
      tangent = at::zeros_like(primal);
    }
    unpacked.primals.emplace_back(std::move(primal));
    unpacked.tangents.emplace_back(std::move(tangent));
  }
  for (values::ValueList* several : {&unpacked.primals, &unpacked.tangents}) {
    for (values::Value& each : *several) {
      each = values::Value(unwrapForGrad(each.tensor(), level));
    }
  }
  return unpacked;
}

} // namespace

Jvp jvp(const Differentiated& differentiated, const values::Value& primals, const values::Value& tangents,
        bool strict) {
  if (!primals.is<values::TuplePtr>()) {
    values::raiseError("RuntimeError",
                       "{}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).", kApi);
  }
  const values::Value& argnums = differentiated.argnums;
  const Tree from = flatten(argnums.isNone() ? primals : tupleOfArgnums(*primals.items(), argnums));
  const Tree along = flatten(tangents);
  if (from.spec != along.spec) {
    values::raiseError(
        "RuntimeError",
        "{}: Expected primals and tangents to have the same python structure. For example, if primals is a "
        "tuple of 3 tensors, tangents also must be. Got primals with structure {} and tangents with "
        "structure {}",
        kApi, specText(from.spec), specText(along.spec));
  }
  checkTensors(from.leaves, "primals");
  checkTensors(along.leaves, "tangents");

  const Layer layer = Layer::jvp();
  const Nesting counted;
  const c10::AutoFwGradMode enabled(true);
  values::ValueList duals;
  for (size_t i = 0; i < from.leaves.size(); ++i) {
    duals.push_back(dualOf(from.leaves[i].tensor(), along.leaves[i].tensor()));
  }
  const values::Value made = unflatten(duals, from.spec);
  values::ValueList arguments =
      argnums.isNone() ? *made.items() : replaceArgnums(wrapAll(*primals.items(), layer.level()), made, argnums);
  WithAux returned{.output = differentiated.function->call(std::move(arguments), {})};
  Jvp results;
  if (differentiated.hasAux) {
    returned = withAux(returned.output, kApi);
    results.aux = unwrapAll(returned.aux, layer.level());
  }
  const Tree outputs = flatten(returned.output);
  checkOutputs(outputs.leaves, kApi);
  const Unpacked unpacked = unpack(outputs.leaves, strict, layer.level());
  results.outputs = unflatten(unpacked.primals, outputs.spec);
  results.tangents = unflatten(unpacked.tangents, outputs.spec);
  return results;
}

} // namespace touchstone::transforms
