#include "generators/Catalogue.h"

namespace touchstone::generators {

// clang-format off
std::span<const Operator> inPlaceOperators() {
  using enum Fit;
  constexpr auto kFamily = OperatorFamily::kInPlace;
  constexpr unsigned kWrites = kExact | kMutates;
  constexpr unsigned kShapes = kExact | kGeometry;
  static const std::vector<Operator> kTable = {
      {"add_", kFamily, kWrites, {"A.add_(B)", "A += B"}, {kNumericTarget, kInto}, 2},
      {"sub_", kFamily, kWrites, {"A.sub_(B)", "A -= B"}, {kNumericTarget, kInto}, 0.5},
      {"mul_", kFamily, kWrites | kProduct, {"A.mul_(B)", "A *= B"}, {kNumericTarget, kInto}, 1.5},
      {"add_scalar_", kFamily, kWrites, {"A.add_(WHOLE)", "A += WHOLE"}, {kNumericTarget}, 2},
      {"sub_scalar_", kFamily, kWrites, {"A.sub_(WHOLE)", "A -= WHOLE"}, {kNumericTarget}, 0.3},
      {"mul_scalar_", kFamily, kWrites | kProduct, {"A.mul_(WHOLE)", "A *= WHOLE"}, {kNumericTarget}, 1.5},
      {"div_", kFamily, kMutates, {"A.div_(3)", "A /= 3"}, {kFloatTarget}, 0.4},
      {"div_tensor_", kFamily, kMutates, {"A.div_(B.abs() + 1)"}, {kFloatTarget, kInto}, 0.3},
      {"remainder_", kFamily, kWrites, {"A.remainder_(POSITIVE)", "A %= POSITIVE"}, {kNumericTarget}, 0.2},
      {"floor_divide_", kFamily, kMutates, {"A.floor_divide_(POSITIVE)", "A //= POSITIVE"}, {kNumericTarget}, 0.2},
      {"pow_", kFamily, kMutates, {"A.pow_(2)", "A **= 2"}, {kNumericTarget}, 0.2},
      {"copy_", kFamily, kWrites, {"A.copy_(B)"}, {kTarget, kInto}, 1.2},
      {"copy_of_self_", kFamily, kWrites, {"A.copy_(A + 1)"}, {kNumericTarget}, 0.3},
      {"zero_", kFamily, kWrites, {"A.zero_()", "torch.zero_(A)"}, {kTarget}, 0.5},
      {"fill_", kFamily, kWrites, {"A.fill_(WHOLE)", "torch.fill_(A, WHOLE)"}, {kNumericTarget}, 0.5},
      {"fill_tensor_", kFamily, kWrites, {"A.fill_(B)"}, {kNumericTarget, kScalarInto}, 0.1},

      {"relu_", kFamily, kWrites, {"A.relu_()", "torch.relu_(A)", "torch.nn.functional.relu(A, inplace=True)"},
       {kFloatTarget}, 0.7},
      {"leaky_relu_", kFamily, kMutates,
       {"torch.nn.functional.leaky_relu_(A, 0.125)", "torch.nn.functional.leaky_relu(A, 0.125, inplace=True)"},
       {kFloatTarget}, 0.2},
      {"elu_", kFamily, kMutates, {"torch.nn.functional.elu_(A)"}, {kFloatTarget}, 0.15},
      {"hardtanh_", kFamily, kWrites, {"torch.nn.functional.hardtanh_(A)"}, {kFloatTarget}, 0.15},
      {"silu_", kFamily, kMutates, {"torch.nn.functional.silu(A, inplace=True)"}, {kFloatTarget}, 0.15},
      {"clamp_", kFamily, kWrites, {"A.clamp_(min=0)", "A.clamp_(-1, 1)"}, {kNumericTarget}, 0.5},
      {"clamp_max_", kFamily, kWrites, {"A.clamp_max_(1)", "A.clamp_min_(0)"}, {kNumericTarget}, 0.2},
      {"neg_", kFamily, kWrites, {"A.neg_()"}, {kNumericTarget}, 0.4},
      {"abs_", kFamily, kWrites, {"A.abs_()"}, {kNumericTarget}, 0.3},
      {"square_", kFamily, kWrites | kProduct, {"A.square_()"}, {kNumericTarget}, 0.2},
      {"floor_", kFamily, kWrites, {"A.floor_()", "A.ceil_()"}, {kFloatTarget}, 0.2},
      {"trunc_", kFamily, kWrites, {"A.trunc_()", "A.frac_()"}, {kFloatTarget}, 0.2},
      {"round_", kFamily, kWrites, {"A.round_()"}, {kFloatTarget}, 0.2},
      {"sign_", kFamily, kWrites, {"A.sign_()"}, {kNumericTarget}, 0.2},
      {"sin_", kFamily, kMutates, {"A.sin_()", "torch.sin_(A)"}, {kFloatTarget}},
      {"cos_", kFamily, kMutates, {"A.cos_()", "torch.cos_(A)"}, {kFloatTarget}, 0.3},
      {"tanh_", kFamily, kMutates, {"A.tanh_()"}, {kFloatTarget}, 0.6},
      {"sigmoid_", kFamily, kMutates, {"A.sigmoid_()"}, {kFloatTarget}, 0.4},
      {"exp_", kFamily, kMutates, {"A.exp_()", "torch.exp_(A)"}, {kFloatTarget}, 0.3},
      {"atan_", kFamily, kMutates, {"A.atan_()"}, {kFloatTarget}, 0.15},
      {"erf_", kFamily, kMutates, {"A.erf_()"}, {kFloatTarget}, 0.15},
      {"logical_not_", kFamily, kWrites, {"A.logical_not_()"}, {kTarget}, 0.2},
      {"bitwise_not_", kFamily, kWrites, {"A.bitwise_not_()"}, {kIntegralTarget}, 0.4},
      {"bitwise_and_", kFamily, kWrites, {"A &= WHOLE", "A |= WHOLE", "A.bitwise_xor_(WHOLE)"}, {kIntegralTarget},
       0.4},
      {"gt_", kFamily, kWrites, {"A.gt_(0)", "A.le_(WHOLE)"}, {kNumericTarget}, 0.2},
      {"addcmul_", kFamily, kWrites | kProduct, {"A.addcmul_(B, C)"}, {kFloatTarget, kSameKind, kSameKind}, 0.3},
      {"addcdiv_", kFamily, kMutates, {"A.addcdiv_(B, C.abs() + 1)"}, {kFloatTarget, kSameKind, kSameKind}, 0.2},
      {"lerp_", kFamily, kMutates, {"A.lerp_(B, 0.25)"}, {kFloatTarget, kSameKind}, 0.3},
      {"addmm_", kFamily, kWrites | kProduct, {"A.addmm_(B, B.t())"}, {kSquareTarget, kApart}, 0.5, 2, 2},
      {"tril_", kFamily, kWrites, {"A.tril_()", "A.triu_(OFFSET)"}, {kNumericTarget}, 0.3, 2},
      {"fill_diagonal_", kFamily, kWrites, {"A.fill_diagonal_(WHOLE)"}, {kNumericTarget}, 0.3, 2, 2},

      {"masked_fill_", kFamily, kWrites, {"A.masked_fill_(B, WHOLE)"}, {kNumericTarget, kMask}, 0.6},
      {"masked_fill_self_", kFamily, kWrites, {"A.masked_fill_(A > 0, WHOLE)"}, {kNumericTarget}, 0.5},
      {"masked_scatter_", kFamily, kWrites, {"A.masked_scatter_(A > 0, B)"}, {kNumericTarget, kApart}, 0.2},
      {"set_item_scalar", kFamily, kWrites, {"A[INDEX] = WHOLE"}, {kNumericTarget}, 1.5, 1},
      {"set_item_mask", kFamily, kWrites, {"A[A > 0] = WHOLE"}, {kNumericTarget}, 0.5, 1},
      {"set_item_from_self", kFamily, kWrites, {"A[INDEX] = A[INDEX] + 1", "A[INDEX] += WHOLE"}, {kNumericTarget},
       0.8, 1},
      {"set_item", kFamily, kWrites, {"A[...] = B", "A[:] = B"}, {kTarget, kInto}, 0.7, 1},
      {"view_add_", kFamily, kWrites, {"A.select(DIM, INSIDE).add_(WHOLE)", "A[INDEX].add_(WHOLE)"},
       {kNumericTarget}, 1.2, 1},
      {"view_chain_mul_", kFamily, kWrites | kProduct, {"A.unsqueeze(0)[..., INSIDE_LAST].mul_(WHOLE)"},
       {kNumericTarget}, 0.8, 1},
      {"diagonal_add_", kFamily, kWrites, {"A.diagonal().add_(WHOLE)", "A.mT.diagonal().mul_(WHOLE)"},
       {kNumericTarget}, 0.3, 2},
      {"transposed_add_", kFamily, kWrites, {"A.transpose(DIM, OTHER_DIM).add_(B.transpose(DIM, OTHER_DIM))"},
       {kNumericTarget, kSameKind}, 0.5, 1},
      {"detached_add_", kFamily, kWrites, {"A.detach().add_(WHOLE)"}, {kNumericTarget}, 0.5},
      {"dropout_off_add_", kFamily, kWrites, {"torch.nn.functional.dropout(A, p=0.5, training=False).add_(WHOLE)"},
       {kFloatTarget}, 0.5},
      {"index_fill_", kFamily, kWrites, {"A.index_fill_(DIM, torch.tensor(INDICES), WHOLE)"}, {kNumericTarget}, 0.4,
       1},
      {"index_add_", kFamily, kWrites, {"A.index_add_(DIM, torch.tensor(INDICES), B)"}, {kFloatTarget, kSource}, 0.5,
       1},
      {"index_copy_", kFamily, kWrites, {"A.index_copy_(DIM, torch.arange(A.size(DIM)), B)"},
       {kNumericTarget, kSameKind}, 0.3, 1},
      {"scatter_", kFamily, kWrites, {"A.scatter_(DIM, B.argsort(DIM), B)"}, {kNumericTarget, kSameKind}, 0.3, 1},
      {"scatter_value_", kFamily, kWrites, {"A.scatter_(DIM, torch.zeros(A.shape, dtype=torch.int64), WHOLE)"},
       {kNumericTarget}, 0.2, 1},
      {"scatter_add_", kFamily, kWrites, {"A.scatter_add_(DIM, torch.zeros(A.shape, dtype=torch.int64), B)"},
       {kFloatTarget, kSameKind}, 0.3, 1},
      {"scatter_reduce_", kFamily, kPlain | kMutates,
       {"A.scatter_reduce_(DIM, torch.zeros(A.shape, dtype=torch.int64), B, 'amax')"}, {kFloatTarget, kSameKind},
       0.2, 1},
      {"index_put_", kFamily, kWrites,
       {"A.index_put_((torch.tensor(INDICES),), A.new_full((), WHOLE), accumulate=True)"}, {kFloatTarget}, 0.3, 1},
      {"put_", kFamily, kWrites, {"A.put_(torch.tensor([0]), A.new_full((1,), WHOLE))"}, {kNumericTarget}, 0.15, 1},
      {"normal_", kFamily, kMutates | kRandom, {"A.normal_()", "A.uniform_()"}, {kFloatTarget}},
      {"bernoulli_", kFamily, kMutates | kRandom, {"A.bernoulli_(0.5)", "A.random_(0, 4)"}, {kFloatTarget}},

      {"t_", kFamily, kShapes, {"A.t_()"}, {kGeometryTarget}, 0.3, 2, 2},
      {"transpose_", kFamily, kShapes, {"A.transpose_(DIM, OTHER_DIM)", "A.swapaxes_(DIM, OTHER_DIM)"},
       {kGeometryTarget}, 0.3, 1},
      {"unsqueeze_", kFamily, kShapes, {"A.unsqueeze_(NEW_DIM)"}, {kGeometryTarget}, 0.3, 0, 3},
      {"squeeze_", kFamily, kShapes, {"A.squeeze_()"}, {kGeometryTarget}, 0.2},
      {"squeeze_dim_", kFamily, kShapes, {"A.squeeze_(DIM)"}, {kGeometryTarget}, 0.1, 1},
      {"detach_", kFamily, kShapes, {"A.detach_()"}, {kGeometryTarget}, 0.15},
      {"as_strided_", kFamily, kShapes, {"A.as_strided_(GEOMETRY)"}, {kGeometryTarget}, 0.15},
      {"resize_", kFamily, kShapes, {"A.resize_(SHAPE)"}, {kGeometryTarget}, 0.1, 1},
      {"set_", kFamily, kShapes | kNoGradient, {"torch.ops.aten.set_.source_Tensor(A, B)", "torch.ops.aten.set_(A, B)"},
       {kStorageTarget, kSameDtype}, 0.3},
      {"requires_grad_", kFamily, kShapes, {"A.requires_grad_()"}, {kFloat}, 0.1},
  };
  return kTable;
}

/// Results written into memory that is there already.
std::span<const Operator> outForms() {
  using enum Fit;
  constexpr auto kFamily = OperatorFamily::kInPlace;
  constexpr unsigned kWrites = kExact | kMutates | kNoGradient;
  constexpr unsigned kRounds = kMutates | kNoGradient;
  static const std::vector<Operator> kTable = {
      {"add_out", kFamily, kWrites, {"torch.add(A, WHOLE, out=A)"}, {kNumericTarget}, 0.25},
      {"add_tensor_out", kFamily, kWrites, {"torch.add(B, C, out=A)"}, {kNumericTarget, kSameKind, kSameKind}, 0.3},
      {"sub_out", kFamily, kWrites, {"torch.sub(A, B, out=A)"}, {kNumericTarget, kSameKind}, 0.2},
      {"mul_out", kFamily, kWrites | kProduct, {"torch.mul(A, B, out=A)"}, {kNumericTarget, kSameKind}, 0.3},
      {"neg_out", kFamily, kWrites, {"torch.neg(B, out=A)"}, {kNumericTarget, kSameKind}, 0.2},
      {"abs_out", kFamily, kWrites, {"torch.abs(B, out=A)"}, {kNumericTarget, kSameKind}, 0.2},
      {"clamp_out", kFamily, kWrites, {"torch.clamp(B, -1, 1, out=A)"}, {kNumericTarget, kSameKind}, 0.2},
      {"maximum_out", kFamily, kWrites, {"torch.maximum(B, C, out=A)"}, {kNumericTarget, kSameKind, kSameKind}, 0.2},
      {"cumsum_out", kFamily, kWrites, {"torch.cumsum(B, DIM, out=A)"}, {kNumericTarget, kApart}, 0.2, 1},
      {"mm_out", kFamily, kWrites | kProduct, {"torch.mm(B, B.t(), out=A)"}, {kSquareTarget, kApart}, 0.6, 2, 2},
      {"sin_out", kFamily, kRounds, {"torch.sin(B, out=A)"}, {kFloatTarget, kSameKind}, 0.2},
      {"exp_out", kFamily, kRounds, {"torch.exp(B, out=A)"}, {kFloatTarget, kSameKind}, 0.2},
      {"softmax_out", kFamily, kRounds, {"torch.softmax(B, DIM, out=A)"}, {kFloatTarget, kApart}, 0.2, 1},
  };
  return kTable;
}
// clang-format on

} // namespace touchstone::generators
