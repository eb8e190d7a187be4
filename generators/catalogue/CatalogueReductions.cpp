#include "generators/catalogue/Catalogue.h"

namespace touchstone::catalogue {

// clang-format off
std::span<const Operator> reducingOperators() {
  using enum OperandConstraint;
  constexpr auto kFamily = OperatorFamily::kReduction;
  static const std::vector<Operator> kTable = {
      {"sum", kFamily, kExact, {"A.sum()", "torch.sum(A)"}, {kAny}, 0.8},
      {"sum_dim", kFamily, kExact,
       {"A.sum(DIM)", "A.sum(DIM, keepdim=True)", "torch.sum(A, DIM)", "A.sum(DIM, dtype=torch.float64)"}, {kAny},
       1.2, 1},
      {"sum_dims", kFamily, kExact, {"A.sum((0, -1))", "torch.sum(A, (0, 1), keepdim=True)"}, {kNumeric}, 0.3, 2},
      {"nansum", kFamily, kExact, {"torch.nansum(A)", "A.nansum(DIM)"}, {kFloat}, 0.2, 1},
      {"mean", kFamily, kPlain, {"A.mean()", "torch.mean(A)"}, {kInexact}, 0.4},
      {"mean_dim", kFamily, kPlain, {"A.mean(DIM)", "torch.mean(A, DIM, keepdim=True)"}, {kInexact}, 0.5, 1},
      {"nanmean", kFamily, kPlain, {"torch.nanmean(A, DIM)"}, {kFloat}, 0.1, 1},
      // Ties share the gradient: its division is not exact.
      {"amax", kFamily, kPlain, {"A.amax(DIM)", "torch.amax(A, DIM)"}, {kReal}, 0.4, 1},
      {"amin", kFamily, kPlain, {"torch.amin(A, DIM)", "A.amin()"}, {kReal}, 0.3, 1},
      {"aminmax", kFamily, kPlain, {"torch.aminmax(A, dim=DIM)"}, {kReal}, 0.2, 1},
      {"max", kFamily, kPlain, {"A.max()", "torch.max(A)"}, {kReal}, 0.06},
      {"min", kFamily, kPlain, {"torch.min(A)"}, {kReal}, 0.04},
      {"max_dim", kFamily, kExact, {"torch.max(A, DIM)", "A.max(DIM)"}, {kReal}, 0.5, 1},
      {"min_dim", kFamily, kExact, {"A.min(DIM)", "torch.min(A, DIM, keepdim=True)"}, {kReal}, 0.3, 1},
      {"argmax", kFamily, kExact, {"A.argmax(DIM)", "torch.argmax(A)"}, {kReal}, 0.3, 1},
      {"argmin", kFamily, kExact, {"A.argmin(DIM)", "torch.argmin(A)"}, {kReal}, 0.2, 1},
      {"median", kFamily, kPlain, {"A.median()", "torch.nanmedian(A)"}, {kReal}, 0.04},
      // Of a tensor whose elements share memory eager reads beside it.
      {"median_dim", kFamily, kPlain, {"torch.median(A.clone(), DIM)"}, {kReal}, 0.2, 1},
      {"mode", kFamily, kExact, {"torch.mode(A, DIM)"}, {kReal}, 0.15, 1},
      {"kthvalue", kFamily, kExact, {"torch.kthvalue(A, 1, DIM)"}, {kReal}, 0.2, 1},
      {"topk", kFamily, kExact, {"torch.topk(A, 1, DIM)", "A.topk(1, DIM, largest=False)"}, {kReal}, 0.3, 1},
      {"sort", kFamily, kExact, {"torch.sort(A, DIM)", "A.sort(DIM, descending=True)"}, {kReal}, 0.3, 1},
      {"sort_stable", kFamily, kExact, {"torch.sort(A, stable=True, dim=DIM)"}, {kReal}, 0.2, 1},
      {"msort", kFamily, kExact, {"torch.msort(A)"}, {kReal}, 0.1, 1},
      {"argsort", kFamily, kExact, {"A.argsort(DIM)", "torch.argsort(A, DIM, descending=True)"}, {kReal}, 0.2, 1},
      {"cumsum", kFamily, kExact, {"A.cumsum(DIM)", "torch.cumsum(A, DIM)"}, {kNumeric}, 0.8, 1},
      {"cumsum_", kFamily, kExact, {"A.clone().cumsum_(DIM)"}, {kNumeric}, 0.2, 1},
      {"cumprod", kFamily, kPlain | kReadsBackward, {"A.cumprod(DIM)"}, {kReal}, 0.05, 1},
      {"cummax", kFamily, kExact | kFull, {"torch.cummax(A, DIM)"}, {kReal}, 0.2, 1},
      {"cummin", kFamily, kExact | kFull, {"torch.cummin(A, DIM)"}, {kReal}, 0.2, 1},
      {"logcumsumexp", kFamily, kPlain, {"torch.logcumsumexp(A, DIM)"}, {kFloat}, 0.15, 1},
      {"logsumexp", kFamily, kPlain, {"torch.logsumexp(A, DIM)", "A.logsumexp(DIM, keepdim=True)"}, {kFloat}, 0.3, 1},
      {"prod", kFamily, kPlain, {"A.prod()", "torch.prod(A)"}, {kReal}, 0.05},
      {"prod_dim", kFamily, kPlain, {"A.prod(DIM)"}, {kReal}, 0.08, 1},
      {"diff", kFamily, kExact, {"torch.diff(A, dim=DIM)"}, {kNumeric}, 0.2, 1},
      {"trace", kFamily, kExact, {"torch.trace(A)", "A.trace()"}, {kNumeric}, 0.4, 2, 2},
      {"var", kFamily, kPlain, {"A.var(DIM, correction=0)"}, {kFloat}, 0.2, 1},
      {"std", kFamily, kPlain, {"torch.std(A + 1, DIM, correction=0)"}, {kFloat}, 0.2, 1},
      {"var_mean", kFamily, kPlain, {"torch.var_mean(A, DIM, correction=0)"}, {kFloat}, 0.2, 1},
      {"std_mean", kFamily, kPlain, {"torch.std_mean(A, DIM, correction=0)"}, {kFloat}, 0.15, 1},
      {"vector_norm", kFamily, kPlain, {"torch.linalg.vector_norm(A)", "torch.linalg.vector_norm(A, 1, DIM)"},
       {kFloat}, 0.3, 1},
      {"norm", kFamily, kPlain, {"torch.norm(A)", "A.norm(2, DIM)"}, {kFloat}, 0.2, 1},
      {"renorm", kFamily, kPlain, {"torch.renorm(A, 2, DIM, 1.0)"}, {kFloat}, 0.15, 2},
      {"all", kFamily, kExact, {"torch.all(A)", "A.all()"}, {kAny}, 0.2},
      {"any", kFamily, kExact, {"A.any()", "torch.any(A)"}, {kAny}, 0.2},
      {"any_dim", kFamily, kExact, {"A.any(DIM)", "torch.all(A, DIM)"}, {kAny}, 0.2, 1},
      {"count_nonzero", kFamily, kExact, {"torch.count_nonzero(A)", "A.count_nonzero(DIM)"}, {kAny}, 0.15, 1},
      {"trapezoid", kFamily, kPlain, {"torch.trapezoid(A, dim=DIM)"}, {kFloat}, 0.1, 1},
  };
  return kTable;
}

std::span<const Operator> matrixOperators() {
  using enum OperandConstraint;
  constexpr auto kFamily = OperatorFamily::kMatrix;
  constexpr unsigned kProducts = kExact | kProduct;
  static const std::vector<Operator> kTable = {
      {"mm", kFamily, kProducts, {"torch.mm(A, B)", "A @ B", "A.mm(B)"}, {kMatrix, kRows}, 2, 2, 2},
      {"mm_transposed", kFamily, kProducts, {"torch.mm(A, A.t())", "A.t() @ A"}, {kMatrix}, 0.7, 2, 2},
      {"matmul", kFamily, kProducts, {"torch.matmul(A, B)", "A @ B"}, {kFloat, kColumn}, 1, 1, 3},
      {"mv", kFamily, kProducts, {"torch.mv(A, B)", "A.mv(B)"}, {kMatrix, kColumn}, 0.4, 2, 2},
      {"addmv", kFamily, kProducts, {"torch.addmv(A.sum(1), A, B)", "A.sum(1).addmv(A, B, beta=2)"},
       {kMatrix, kColumn}, 0.5, 2, 2},
      {"bmm", kFamily, kProducts, {"torch.bmm(A, B)", "A @ B"}, {kBatch, kBatchRows}, 0.6, 3, 3},
      {"bmm_transposed", kFamily, kProducts, {"torch.bmm(A, A.mT)", "A @ A.transpose(1, 2)"}, {kBatch}, 0.5, 3, 3},
      {"baddbmm", kFamily, kProducts, {"torch.baddbmm(A[:, :, :1], A, A.mT)"}, {kBatch}, 0.3, 3, 3},
      {"addbmm", kFamily, kProducts, {"torch.addbmm(A[0, :, :1], A, A.mT)"}, {kBatch}, 0.3, 3, 3},
      {"addmm", kFamily, kProducts, {"torch.addmm(C, A, B)"}, {kMatrix, kRows, kBias}, 0.8, 2, 2},
      {"addmm_scaled", kFamily, kProducts, {"torch.addmm(A[:, :1], A, A.t(), beta=2, alpha=1)"}, {kMatrix}, 0.3, 2,
       2},
      {"linear", kFamily, kProducts, {"torch.nn.functional.linear(A, A)", "torch.nn.functional.linear(A, A[0])"},
       {kMatrix}, 0.4, 2, 2},
      {"linear_bias", kFamily, kProducts, {"torch.nn.functional.linear(A, A, A[:, 0])"}, {kMatrix}, 0.3, 2, 2},
      {"outer", kFamily, kProducts, {"torch.outer(A, A)", "torch.ger(A, A)"}, {kFloat}, 0.3, 1, 1},
      {"addr", kFamily, kProducts, {"torch.addr(A[:1, None], A, A)"}, {kFloat}, 0.3, 1, 1},
      {"dot", kFamily, kProducts, {"torch.dot(A, B)", "torch.vdot(A, B)"}, {kFloat, kSameKind}, 0.4, 1, 1},
      {"inner", kFamily, kProducts, {"torch.inner(A, B)"}, {kFloat, kSameKind}, 0.3, 1, 2},
      {"kron", kFamily, kProducts, {"torch.kron(A, A)"}, {kFloat}, 0.2, 1, 2},
      {"tensordot", kFamily, kProducts, {"torch.tensordot(A, A, 1)", "torch.tensordot(A, A, ([0], [0]))"}, {kMatrix},
       0.2, 2, 2},
      {"einsum", kFamily, kProducts, {"torch.einsum('ij,kj->ik', A, A)", "torch.einsum('ij,ij->i', A, A)"},
       {kMatrix}, 0.3, 2, 2},
      {"matrix_power", kFamily, kPlain, {"torch.linalg.matrix_power(A[:1, :1], 2)"}, {kMatrix}, 0.1, 2, 2},
      {"cdist", kFamily, kPlain, {"torch.cdist(A, A + 1)"}, {kMatrix}, 0.15, 2, 2},
      {"attention", kFamily, kPlain, {"torch.nn.functional.scaled_dot_product_attention(A, A, A)"}, {kBatch}, 0.3, 3,
       3},
  };
  return kTable;
}
// clang-format on

} // namespace touchstone::catalogue
