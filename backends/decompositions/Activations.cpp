#include "backends/decompositions/Families.h"
#include "backends/decompositions/Precision.h"

#include <ATen/ops/add.h>
#include <ATen/ops/div.h>
#include <ATen/ops/expm1.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/rsub.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/where.h>

namespace touchstone::backends {

void addActivations(DecompositionTable& table) {
  table.add("aten::silu", [](const at::Tensor& self) {
    const Widened in(self);
    return in.narrow(at::mul(in[0], at::sigmoid(in[0])));
  });
  table.add("aten::elu",
            [](const at::Tensor& self, const at::Scalar& alpha, const at::Scalar& scale, const at::Scalar& inputScale) {
              const Widened in(self);
              const at::Tensor negative = at::mul(at::expm1(at::mul(in[0], inputScale)), alpha);
              return in.narrow(at::mul(at::where(in[0].gt(0), in[0], negative), scale));
            });
  table.add("aten::sigmoid_backward", [](const at::Tensor& grad, const at::Tensor& output) {
    if (output.is_complex()) {
      throw NotDecomposed("of complex numbers");
    }
    const Widened in(grad, output);
    return in.narrow(at::mul(in[0], at::mul(at::rsub(in[1], 1), in[1])));
  });
}

} // namespace touchstone::backends
