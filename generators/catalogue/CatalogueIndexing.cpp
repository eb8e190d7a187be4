#include "generators/catalogue/Catalogue.h"

namespace touchstone::catalogue {

// clang-format off
std::span<const Operator> indexingOperators() {
  using enum OperandConstraint;
  constexpr auto kFamily = OperatorFamily::kIndexing;
  static const std::vector<Operator> kTable = {
      {"index_select", kFamily, kExact,
       {"A.index_select(DIM, torch.tensor(INDICES))", "torch.index_select(A, DIM, torch.tensor(INDICES))"}, {kAny},
       1, 1},
      {"index_tensor", kFamily, kExact, {"A[torch.tensor(INDICES_FIRST)]"}, {kAny}, 0.8, 1},
      {"index_input", kFamily, kExact, {"A.index_select(0, B % EXTENT_FIRST)", "A[B % EXTENT_FIRST]"},
       {kAny, kIndex}, 0.7, 1},
      {"index_pair", kFamily, kExact,
       {"A[torch.tensor(INDICES_FIRST), :1]", "A[torch.tensor(INDICES_FIRST), ..., None]"}, {kAny}, 0.3, 2, 3},
      {"gather", kFamily, kExact, {"A.gather(DIM, A.argsort(DIM))"}, {kReal}, 0.4, 1},
      {"gather_zeros", kFamily, kExact, {"torch.gather(A, DIM, torch.zeros_like(A, dtype=torch.int64))"}, {kReal},
       0.4, 1},
      {"take", kFamily, kExact, {"torch.take(A, torch.tensor([0, -1]))", "A.take(torch.tensor([[0]]))"}, {kAny}, 0.3,
       1},
      {"take_along_dim", kFamily, kExact, {"torch.take_along_dim(A, A.argsort(DIM), DIM)"}, {kReal}, 0.2, 1},
      {"flip", kFamily, kExact, {"A.flip(DIM)", "torch.flip(A, (0,))", "A.flipud()"}, {kAny}, 0.4, 1},
      {"roll", kFamily, kExact, {"torch.roll(A, 1, DIM)", "A.roll(1)"}, {kAny}, 0.4, 1},
      {"rot90", kFamily, kExact, {"torch.rot90(A)"}, {kAny}, 0.2, 2},
      {"tril", kFamily, kExact, {"torch.tril(A)", "A.tril(OFFSET)"}, {kNumeric}, 0.3, 2},
      {"triu", kFamily, kExact, {"A.triu()", "torch.triu(A, OFFSET)"}, {kNumeric}, 0.3, 2},
      {"diag", kFamily, kExact, {"torch.diag(A)", "A.diag(OFFSET)"}, {kNumeric}, 0.2, 1, 2},
      {"diag_embed", kFamily, kExact, {"torch.diag_embed(A)"}, {kAny}, 0.2, 1, 3},
      {"narrow_copy", kFamily, kExact, {"A.narrow_copy(DIM, START, LENGTH)"}, {kAny}, 0.15, 1},
      {"searchsorted", kFamily, kExact,
       {"torch.searchsorted(torch.arange(4.0), A)", "torch.bucketize(A, torch.arange(3.0))"}, {kFloat}, 0.2},
      {"one_hot", kFamily, kExact, {"torch.nn.functional.one_hot(B % EXTENT_FIRST, EXTENT_FIRST)"}, {kAny, kIndex},
       0.2, 1},
      {"masked_select", kFamily, kExact, {"torch.masked_select(A, A > 0)", "A[A > 0]"}, {kReal}, 0.05, 1},
      {"nonzero", kFamily, kExact, {"torch.nonzero(A)", "A.nonzero()"}, {kReal}, 0.05, 1},
      {"index_add", kFamily, kExact, {"torch.index_add(A, DIM, torch.tensor(INDICES), B)"}, {kFloat, kSource}, 0.5,
       1},
      {"index_copy", kFamily, kExact, {"A.index_copy(DIM, torch.arange(A.size(DIM)), B)"}, {kNumeric, kSameKind},
       0.2, 1},
      {"index_fill", kFamily, kExact, {"A.index_fill(DIM, torch.tensor(INDICES), WHOLE)"}, {kNumeric}, 0.2, 1},
      {"index_put", kFamily, kExact, {"torch.index_put(A, (torch.tensor(INDICES_FIRST),), A.new_full((), WHOLE))"},
       {kNumeric}, 0.2, 1},
      {"scatter", kFamily, kExact,
       {"A.scatter(DIM, B.argsort(DIM), B)", "torch.scatter(A, DIM, B.argsort(DIM), WHOLE)"}, {kReal, kSameKind},
       0.3, 1},
      {"scatter_add", kFamily, kExact, {"torch.scatter_add(A, DIM, torch.zeros(A.shape, dtype=torch.int64), B)"},
       {kFloat, kSameKind}, 0.3, 1},
      {"scatter_reduce", kFamily, kPlain,
       {"A.scatter_reduce(DIM, torch.zeros(A.shape, dtype=torch.int64), B, 'amax')",
       "A.scatter_reduce(DIM, torch.zeros(A.shape, dtype=torch.int64), B, 'sum')"}, {kFloat, kSameKind}, 0.3, 1},
      {"masked_scatter", kFamily, kExact, {"torch.masked_scatter(A, A > 0, B)"}, {kReal, kSameKind}, 0.2, 1},
      // Of a copy: what eager gives back lies as far from the beginning of its memory as what it is made from.
      {"select_scatter", kFamily, kExact, {"torch.select_scatter(A.clone(), A.select(DIM, INSIDE) + 1, DIM, INSIDE)"},
       {kNumeric}, 0.3, 1},
      {"slice_scatter", kFamily, kExact, {"torch.slice_scatter(A.clone(), A.narrow(0, 0, 1) + 1, 0, 0, 1)"}, {kNumeric}, 0.3,
       1},
      {"diagonal_scatter", kFamily, kExact, {"torch.diagonal_scatter(A.clone(), A.diagonal() + 1)"}, {kNumeric}, 0.2, 2},
      {"as_strided_scatter", kFamily, kExact, {"torch.as_strided_scatter(A.clone().contiguous(), A.new_ones(1), (1,), (1,))"}, {kNumeric},
       0.15, 1},
  };
  return kTable;
}

std::span<const Operator> joiningOperators() {
  using enum OperandConstraint;
  constexpr auto kFamily = OperatorFamily::kJoining;
  static const std::vector<Operator> kTable = {
      {"cat", kFamily, kExact, {"torch.cat([A, B], DIM)", "torch.cat((A, B), dim=DIM)"}, {kAny, kJoinable}, 1.2, 1},
      {"cat_self", kFamily, kExact, {"torch.cat([A, A], DIM)"}, {kAny}, 0.3, 1},
      {"stack", kFamily, kExact, {"torch.stack([A, B])", "torch.stack([A, B], DIM)"}, {kAny, kSameKind}, 0.8, 1, 3},
      {"hstack", kFamily, kExact, {"torch.hstack([A, B])", "torch.column_stack([A, B])"}, {kAny, kSameKind}, 0.2, 1},
      {"vstack", kFamily, kExact, {"torch.vstack([A, B])", "torch.dstack([A, B])"}, {kAny, kSameKind}, 0.2, 1},
      {"block_diag", kFamily, kExact, {"torch.block_diag(A, A)"}, {kNumeric}, 0.15, 1, 2},
      {"meshgrid", kFamily, kExact, {"torch.meshgrid(A, A, indexing='ij')"}, {kAny}, 0.3, 1, 1},
      {"cartesian_prod", kFamily, kExact, {"torch.cartesian_prod(A, A)"}, {kAny}, 0.15, 1, 1},
      {"repeat", kFamily, kExact, {"A.repeat(REPEATS)", "torch.tile(A, REPEATS)"}, {kAny}, 0.3},
      {"repeat_interleave", kFamily, kExact, {"A.repeat_interleave(2, DIM)", "torch.repeat_interleave(A, 2)"},
       {kAny}, 0.3, 1},
  };
  return kTable;
}
// clang-format on

} // namespace touchstone::catalogue
