#include "generators/Catalogue.h"

namespace touchstone::generators {

std::span<const Operator> otherOperators() {
  using enum Fit;
  constexpr auto kIndexing = OperatorFamily::kIndexing;
  constexpr auto kJoining = OperatorFamily::kJoining;
  constexpr auto kFactory = OperatorFamily::kFactory;
  constexpr auto kCast = OperatorFamily::kCast;
  constexpr auto kReading = OperatorFamily::kSize;
  constexpr auto kAutograd = OperatorFamily::kGradient;
  static const std::vector<Operator> kTable = {
      {"index_select",
       kIndexing,
       kExact,
       {"A.index_select(DIM, torch.tensor(INDICES))", "torch.index_select(A, DIM, torch.tensor(INDICES))"},
       {kAny},
       1},
      {"index_tensor", kIndexing, kExact, {"A[torch.tensor(INDICES_FIRST)]"}, {kAny}, 1, 8, 0.8},
      {"index_input",
       kIndexing,
       kExact,
       {"A.index_select(0, B % EXTENT_FIRST)", "A[B % EXTENT_FIRST]"},
       {kAny, kIndex},
       1,
       8,
       0.7},
      {"gather", kIndexing, kExact, {"A.gather(DIM, A.argsort(DIM))"}, {kReal}, 1, 8, 0.4},
      {"gather_zeros",
       kIndexing,
       kExact,
       {"torch.gather(A, DIM, torch.zeros_like(A, dtype=torch.int64))"},
       {kReal},
       1,
       8,
       0.4},
      {"take_flat", kIndexing, kExact, {"A.flip(DIM)", "torch.roll(A, 1, DIM)"}, {kAny}, 1, 8, 0.6},
      {"tril", kIndexing, kExact, {"torch.tril(A)", "A.triu()"}, {kNumeric}, 2, 8, 0.4},

      {"cat", kJoining, kExact, {"torch.cat([A, B], DIM)", "torch.cat((A, B), dim=DIM)"}, {kAny, kJoinable}, 1, 8, 1.2},
      {"cat_self", kJoining, kExact, {"torch.cat([A, A], DIM)"}, {kAny}, 1, 8, 0.3},
      {"stack", kJoining, kExact, {"torch.stack([A, B])", "torch.stack([A, B], DIM)"}, {kAny, kSameKind}, 1, 3, 0.8},
      {"repeat", kJoining, kExact, {"A.repeat_interleave(2, DIM)"}, {kAny}, 1, 8, 0.3},

      {"zeros_like", kFactory, kExact, {"torch.zeros_like(A)"}, {kAny}, 0, 8, 0.5},
      {"ones_like", kFactory, kExact, {"torch.ones_like(A)"}, {kAny}, 0, 8, 0.4},
      {"full", kFactory, kExact, {"torch.full(DRAWN_SHAPE, SCALAR)"}, {}, 0, 8, 0.4},
      {"zeros",
       kFactory,
       kExact,
       {"torch.zeros(DRAWN_SHAPE)", "torch.ones(DRAWN_SHAPE, requires_grad=True)"},
       {},
       0,
       8,
       0.4},
      {"arange",
       kFactory,
       kExact,
       {"torch.arange(POSITIVE)", "torch.arange(0, 5, 2, dtype=torch.float32)"},
       {},
       0,
       8,
       0.3},
      {"zeros_sizes", kFactory, kExact, {"torch.zeros(A)"}, {kSizes}, 0, 8, 0.3},
      {"full_number", kFactory, kExact, {"torch.full((A, 2), 1.0)"}, {kNumber}, 0, 8, 0.3},
      {"new_zeros", kFactory, kExact, {"A.new_zeros(DRAWN_SHAPE)", "A.new_ones(DRAWN_SHAPE)"}, {kAny}, 0, 8, 0.3},
      {"clone", kFactory, kExact, {"A.clone()", "torch.clone(A)"}, {kAny}, 0, 8, 1.2},
      {"clone_contiguous", kFactory, kExact, {"A.clone(memory_format=torch.contiguous_format)"}, {kAny}, 0, 8, 0.3},
      {"rand_like", kFactory, kRandom, {"torch.rand_like(A)"}, {kFloat}, 0, 8, 2},
      {"dropout", kFactory, kRandom, {"torch.nn.functional.dropout(A, p=0.5, training=True)"}, {kFloat}, 0, 8, 2},

      {"to_float64", kCast, kExact, {"A.to(torch.float64)", "A.double()"}, {kReal}, 0, 8, 0.5},
      {"to_float32", kCast, kExact, {"A.to(torch.float32)", "A.float()"}, {kReal}, 0, 8, 0.6},
      {"to_int64", kCast, kExact, {"A.to(torch.int64)", "A.long()"}, {kReal}, 0, 8, 0.3},
      {"to_bool", kCast, kExact, {"A.to(torch.bool)", "A.bool()"}, {kReal}, 0, 8, 0.2},
      {"to_bfloat16", kCast, kPlain, {"A.to(torch.bfloat16)", "A.to(torch.float16)"}, {kFloat}, 0, 8, 0.25},
      {"to_copy", kCast, kExact, {"A.to(SAME_DTYPE, copy=True)"}, {kAny}, 0, 8, 0.3},

      {"shape_item", kReading, kExact, {"A.shape[DIM]", "A.size(DIM)"}, {kAny}, 1, 8, 0.7},
      {"shape", kReading, kExact, {"A.shape", "A.size()"}, {kAny}, 1, 8, 0.4},
      {"stride_item", kReading, kExact, {"A.stride(DIM)"}, {kAny}, 1, 8, 0.7},
      {"strides", kReading, kExact, {"A.stride()"}, {kAny}, 1, 8, 0.3},
      {"numel", kReading, kExact, {"A.numel()", "A.dim()"}, {kAny}, 0, 8, 0.4},
      {"is_contiguous", kReading, kExact, {"A.is_contiguous()", "A.requires_grad"}, {kAny}, 0, 8, 0.2},

      {"autograd_grad", kAutograd, kExact, {"torch.autograd.grad(A.sum(), [A])[0]"}, {kDifferentiable}, 0, 8, 0.05},
  };
  return kTable;
}

} // namespace touchstone::generators
