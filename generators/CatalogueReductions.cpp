#include "generators/Catalogue.h"

namespace touchstone::generators {

std::span<const Operator> reducingOperators() {
  using enum Fit;
  constexpr auto kReduction = OperatorFamily::kReduction;
  constexpr auto kMatrices = OperatorFamily::kMatrix;
  constexpr auto kNormalization = OperatorFamily::kNormalization;
  static const std::vector<Operator> kTable = {
      {"sum", kReduction, kExact, {"A.sum()", "torch.sum(A)"}, {kAny}, 0, 8, 0.8},
      {"sum_dim",
       kReduction,
       kExact,
       {"A.sum(DIM)", "A.sum(DIM, keepdim=True)", "torch.sum(A, DIM)", "A.sum(DIM, dtype=torch.float64)"},
       {kAny},
       1,
       8,
       1.2},
      {"mean",
       kReduction,
       kPlain,
       {"A.mean()", "A.mean(DIM)", "torch.mean(A, DIM, keepdim=True)"},
       {kInexact},
       1,
       8,
       0.8},
      // Ties share the gradient: its division is not exact, so amax is not on the exact list.
      {"amax", kReduction, kPlain, {"A.amax(DIM)", "torch.amin(A, DIM)"}, {kReal}, 1, 8, 0.6},
      {"max_dim", kReduction, kExact, {"torch.max(A, DIM)", "A.max(DIM)", "A.min(DIM)"}, {kReal}, 1, 8, 0.7},
      {"argmax", kReduction, kExact, {"A.argmax(DIM)", "torch.argmax(A)"}, {kReal}, 1, 8, 0.3},
      {"sort", kReduction, kExact, {"torch.sort(A, DIM)"}, {kReal}, 1, 8, 0.3},
      {"cumsum", kReduction, kExact, {"A.cumsum(DIM)", "torch.cumsum(A, DIM)"}, {kNumeric}, 1, 8, 0.8},
      {"prod", kReduction, kPlain, {"A.prod(DIM)"}, {kReal}, 1, 8, 0.3},
      {"var",
       kReduction,
       kPlain,
       {"A.var(DIM, correction=0)", "torch.std(A + 1, DIM, correction=0)"},
       {kFloat},
       1,
       8,
       0.3},
      {"norm", kReduction, kPlain, {"torch.linalg.vector_norm(A)"}, {kFloat}, 1, 8, 0.3},
      {"any", kReduction, kExact, {"A.any()", "torch.all(A)"}, {kAny}, 0, 8, 0.2},

      {"mm", kMatrices, kExact | kProduct, {"torch.mm(A, B)", "A @ B", "A.mm(B)"}, {kMatrix, kRows}, 2, 2, 2},
      {"mm_transposed", kMatrices, kExact | kProduct, {"torch.mm(A, A.t())", "A.t() @ A"}, {kMatrix}, 2, 2, 0.7},
      {"matmul", kMatrices, kExact | kProduct, {"torch.matmul(A, B)", "A @ B"}, {kFloat, kColumn}, 1, 3},
      {"mv", kMatrices, kExact | kProduct, {"torch.mv(A, B)"}, {kMatrix, kColumn}, 2, 2, 0.4},
      {"bmm", kMatrices, kExact | kProduct, {"torch.bmm(A, B)", "A @ B"}, {kBatch, kBatchRows}, 3, 3, 0.6},
      {"bmm_transposed",
       kMatrices,
       kExact | kProduct,
       {"torch.bmm(A, A.mT)", "A @ A.transpose(1, 2)"},
       {kBatch},
       3,
       3,
       0.5},
      {"addmm", kMatrices, kExact | kProduct, {"torch.addmm(C, A, B)"}, {kMatrix, kRows, kBias}, 2, 2, 0.8},
      {"linear",
       kMatrices,
       kExact | kProduct,
       {"torch.nn.functional.linear(A, A)", "torch.nn.functional.linear(A, A[0])"},
       {kMatrix},
       2,
       2,
       0.4},
      {"outer", kMatrices, kExact | kProduct, {"torch.outer(A, A)"}, {kFloat}, 1, 1, 0.3},

      {"softmax", kNormalization, kPlain, {"torch.softmax(A, DIM)", "A.softmax(DIM)"}, {kFloat}, 1},
      {"log_softmax", kNormalization, kPlain, {"torch.log_softmax(A, DIM)"}, {kFloat}, 1, 8, 0.4},
      {"layer_norm", kNormalization, kPlain, {"torch.nn.functional.layer_norm(A, LAST_SIZE)"}, {kFloat}, 1, 8, 0.5},
      {"normalize", kNormalization, kPlain, {"A / (A.abs().sum() + 1)"}, {kFloat}, 1, 8, 0.3},
  };
  return kTable;
}

} // namespace touchstone::generators
