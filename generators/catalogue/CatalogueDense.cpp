#include "generators/catalogue/Catalogue.h"

namespace touchstone::catalogue {

// clang-format off
/// What only dense Programs draw: attributes that change the dtype, operators over lists of tensors, memory formats, losses of
/// classes.
std::span<const Operator> denseOperators() {
  using enum OperandConstraint;
  using Family = OperatorFamily;
  constexpr unsigned kPlainDense = kPlain | kOfDense;
  constexpr unsigned kExactDense = kExact | kOfDense;
  static const std::vector<Operator> kTable = {
      {"sum_dtype", Family::kReduction, kExactDense,
       {"A.sum(dtype=torch.float64)", "torch.sum(A, DIM, dtype=torch.float64)", "A.sum(DIM, dtype=torch.float32)"},
       {kReal}, 0.5, 1},
      {"sum_integer_dtype", Family::kReduction, kExactDense, {"A.sum(DIM, dtype=torch.int32)", "torch.sum(A, dtype=torch.int64)"},
       {kIntegral}, 0.2, 1},
      {"mean_dtype", Family::kReduction, kPlainDense,
       {"A.mean(DIM, dtype=torch.float64)", "torch.mean(A, dtype=torch.float32)"}, {kReal}, 0.4, 1},
      {"prod_dtype", Family::kReduction, kPlainDense,
       {"A.prod(DIM, dtype=torch.float64)", "torch.prod(A, DIM, keepdim=True, dtype=torch.float64)"}, {kReal}, 0.15, 1},
      {"prod_integer", Family::kReduction, kPlainDense,
       {"A.prod(DIM)", "torch.prod(A)", "A.prod(DIM, dtype=torch.int32)"}, {kIntegral}, 0.3, 1},
      {"cumsum_dtype", Family::kReduction, kExactDense,
       {"A.cumsum(DIM, dtype=torch.float64)", "torch.cumsum(A, DIM, dtype=torch.float32)"}, {kReal}, 0.3, 1},
      {"cumsum_integer_dtype", Family::kReduction, kExactDense, {"A.cumsum(DIM, dtype=torch.int32)"}, {kIntegral}, 0.15, 1},
      {"cumprod_dtype", Family::kReduction, kPlainDense, {"A.cumprod(DIM, dtype=torch.float64)"}, {kIntegral}, 0.1, 1},
      {"softmax_dtype", Family::kNormalization, kPlainDense,
       {"torch.softmax(A, DIM, dtype=torch.float64)", "A.log_softmax(DIM, dtype=torch.float64)"}, {kReal}, 0.3, 1},

      {"foreach_add", Family::kBinary, kExactDense,
       {"torch._foreach_add([A, B], [B, A])", "torch._foreach_sub([A, B], [B, B])", "torch._foreach_add([A, B], 1.5)"},
       {kFloat, kSameKind}, 0.4},
      {"foreach_mul", Family::kBinary, kExactDense | kProduct,
       {"torch._foreach_mul([A, B], [B, A])", "torch._foreach_mul([A, B], 0.5)"}, {kFloat, kSameKind}, 0.4},
      {"foreach_addcmul", Family::kBinary, kExactDense | kProduct, {"torch._foreach_addcmul([A, B], [B, C], [C, A], 0.5)"},
       {kFloat, kSameKind, kSameKind}, 0.3},
      {"foreach_addcdiv", Family::kBinary, kPlainDense,
       {"torch._foreach_addcdiv([A, B], [B, A], [C.abs() + 1, C.square() + 1])"}, {kFloat, kSameKind, kSameKind}, 0.2},
      {"foreach_lerp", Family::kBinary, kPlainDense, {"torch._foreach_lerp([A, B], [B, A], 0.25)"}, {kFloat, kSameKind}, 0.3},
      {"foreach_unary", Family::kUnary, kPlainDense,
       {"torch._foreach_exp([A.tanh()])", "torch._foreach_sqrt([A.abs() + 1])", "torch._foreach_sigmoid([A, A])"}, {kFloat},
       0.2},
      {"foreach_neg", Family::kUnary, kExactDense, {"torch._foreach_neg([A, A])", "torch._foreach_abs([A])"}, {kFloat}, 0.2},
      {"foreach_add_", Family::kInPlace, kExactDense | kMutates,
       {"torch._foreach_add_([A], [B])", "torch._foreach_add_([A], [B], alpha=2)"}, {kFloatTarget, kSameKind}, 0.2},
      {"foreach_mul_", Family::kInPlace, kPlainDense | kMutates, {"torch._foreach_mul_([A], [B])", "torch._foreach_mul_([A], 0.5)"},
       {kFloatTarget, kSameKind}, 0.2},
      {"foreach_lerp_", Family::kInPlace, kPlainDense | kMutates, {"torch._foreach_lerp_([A], [B], 0.25)"},
       {kFloatTarget, kApart}, 0.2},

      {"cross_entropy_stopped", Family::kLoss, kPlainDense,
       {"torch.nn.functional.cross_entropy(A, A.detach().argmax(1))",
        "torch.nn.functional.cross_entropy(A, A.detach().argmin(1), label_smoothing=0.125)",
        "torch.nn.functional.cross_entropy(A, A.detach().argmax(1), ignore_index=0, reduction='sum')",
        "torch.nn.functional.cross_entropy(A, A.detach().softmax(1), reduction='none')"},
       {kMatrix}, 0.4, 2, 2},
      {"nll_loss_weighted", Family::kLoss, kPlainDense,
       {"torch.nn.functional.nll_loss(A.log_softmax(1), A.detach().argmax(1), A.detach()[0].abs() + 1)"}, {kMatrix}, 0.2,
       2, 2},

      {"contiguous_channels_last", Family::kView, kExactDense,
       {"A.contiguous(memory_format=torch.channels_last)", "A.to(memory_format=torch.channels_last)",
        "A.clone(memory_format=torch.channels_last)"}, {kAny}, 0.6, 4, 4},
      {"contiguous_channels_last_3d", Family::kView, kExactDense,
       {"A.contiguous(memory_format=torch.channels_last_3d)", "A.clone(memory_format=torch.channels_last_3d)"}, {kAny}, 0.6,
       5, 5},
      {"clone_preserved", Family::kFactory, kExactDense, {"A.clone(memory_format=torch.preserve_format)"}, {kAny}, 0.2},
      {"select_scatter_whole", Family::kIndexing, kExactDense,
       {"torch.select_scatter(A, A.select(DIM, INSIDE) + 1, DIM, INSIDE)", "A.slice_scatter(A.narrow(0, 0, 1) + 1, 0, 0, 1)"},
       {kNumeric}, 0.2, 1},
      {"diagonal_scatter_whole", Family::kIndexing, kExactDense, {"torch.diagonal_scatter(A, A.diagonal() + 1)"}, {kNumeric}, 0.15,
       2},
  };
  return kTable;
}
// clang-format on

} // namespace touchstone::catalogue
