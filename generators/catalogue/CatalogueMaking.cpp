#include "generators/catalogue/Catalogue.h"

namespace touchstone::catalogue {

// clang-format off
/// Tensors out of nothing, copies, casts, random numbers.
std::span<const Operator> makingOperators() {
  using enum OperandConstraint;
  constexpr auto kFactory = OperatorFamily::kFactory;
  constexpr auto kCast = OperatorFamily::kCast;
  static const std::vector<Operator> kTable = {
      {"zeros_like", kFactory, kExact, {"torch.zeros_like(A)"}, {kAny}, 0.5},
      {"ones_like", kFactory, kExact, {"torch.ones_like(A)", "torch.ones_like(A, dtype=torch.float32)"}, {kAny}, 0.4},
      {"full_like", kFactory, kExact, {"torch.full_like(A, WHOLE)"}, {kNumeric}, 0.2},
      {"full", kFactory, kExact, {"torch.full(DRAWN_SHAPE, SCALAR)"}, {}, 0.4},
      {"zeros", kFactory, kExact, {"torch.zeros(DRAWN_SHAPE)"}, {}, 0.3},
      {"ones", kFactory, kExact, {"torch.ones(DRAWN_SHAPE, requires_grad=True)", "torch.ones(DRAWN_SHAPE)"}, {}, 0.3},
      {"arange", kFactory, kExact, {"torch.arange(POSITIVE)", "torch.arange(0, 5, 2, dtype=torch.float32)"}, {}, 0.3},
      {"linspace", kFactory, kPlain, {"torch.linspace(0, 1, 4)"}, {}, 0.15},
      {"eye", kFactory, kExact, {"torch.eye(POSITIVE)", "torch.eye(2, 3)"}, {}, 0.2},
      {"scalar_tensor", kFactory, kExact, {"torch.tensor(SCALAR)", "torch.tensor([1.0, 2.0])"}, {}, 0.2},
      {"tril_indices", kFactory, kExact, {"torch.tril_indices(2, 3)", "torch.triu_indices(3, 2)"}, {}, 0.1},
      {"zeros_sizes", kFactory, kExact, {"torch.zeros(A)"}, {kSizes}, 0.3},
      {"full_number", kFactory, kExact, {"torch.full((A, 2), 1.0)"}, {kNumber}, 0.3},
      {"new_zeros", kFactory, kExact, {"A.new_zeros(DRAWN_SHAPE)"}, {kAny}, 0.2},
      {"new_ones", kFactory, kExact, {"A.new_ones(DRAWN_SHAPE)"}, {kAny}, 0.2},
      {"new_full", kFactory, kExact, {"A.new_full(DRAWN_SHAPE, WHOLE)"}, {kNumeric}, 0.2},
      {"empty_filled", kFactory, kExact, {"torch.empty_like(A).fill_(WHOLE)", "A.new_empty((2, 2)).zero_()"},
       {kNumeric}, 0.2},
      {"vander", kFactory, kPlain, {"torch.vander(A)"}, {kFloat}, 0.1, 1, 1},

      {"clone", kFactory, kExact, {"A.clone()", "torch.clone(A)"}, {kAny}, 1.2},
      {"clone_contiguous", kFactory, kExact, {"A.clone(memory_format=torch.contiguous_format)"}, {kAny}, 0.3},
      {"copy_of_view", kFactory, kExact, {"A.expand_as(A).clone()", "A.detach().clone()"}, {kAny}, 0.2},

      {"rand_like", kFactory, kRandom, {"torch.rand_like(A)"}, {kFloat}, 2},
      {"randn_like", kFactory, kRandom, {"torch.randn_like(A)"}, {kFloat}},
      {"rand", kFactory, kRandom, {"torch.rand(DRAWN_SHAPE)", "torch.randn(DRAWN_SHAPE)"}, {}},
      {"randint", kFactory, kRandom, {"torch.randint(0, 4, DRAWN_SHAPE)", "torch.randint_like(A.detach(), 3)"}, {kNumeric}},
      {"randperm", kFactory, kRandom, {"torch.randperm(4)"}, {}},
      {"bernoulli", kFactory, kRandom, {"torch.bernoulli(A.sigmoid())"}, {kFloat}},
      {"multinomial", kFactory, kRandom, {"torch.multinomial(A.abs() + 1, 1)"}, {kFloat}, 1, 1, 2},
      {"dropout", kFactory, kRandom, {"torch.nn.functional.dropout(A, p=0.5, training=True)"}, {kFloat}, 2},
      {"alpha_dropout", kFactory, kRandom, {"torch.nn.functional.alpha_dropout(A, p=0.5, training=True)"}, {kFloat}},

      {"to_float64", kCast, kExact, {"A.to(torch.float64)", "A.double()"}, {kReal}, 0.5},
      {"to_float32", kCast, kExact, {"A.to(torch.float32)", "A.float()"}, {kReal}, 0.6},
      {"to_int64", kCast, kExact, {"A.to(torch.int64)", "A.long()"}, {kReal}, 0.3},
      {"to_int32", kCast, kExact, {"A.to(torch.int32)", "A.int()"}, {kReal}, 0.2},
      {"to_int16", kCast, kExact, {"A.short()", "A.to(torch.int16)"}, {kReal}, 0.1},
      {"to_bool", kCast, kExact, {"A.to(torch.bool)", "A.bool()"}, {kReal}, 0.2},
      {"to_bfloat16", kCast, kPlain, {"A.to(torch.bfloat16)", "A.bfloat16()"}, {kFloat}, 0.2},
      {"to_float16", kCast, kPlain, {"A.to(torch.float16)", "A.half()"}, {kFloat}, 0.15},
      {"to_complex", kCast, kExact, {"A.to(torch.complex64)"}, {kFloat}, 0.15},
      {"to_copy", kCast, kExact, {"A.to(SAME_DTYPE, copy=True)"}, {kAny}, 0.3},
      {"to_other", kCast, kExact, {"A.to(B)", "A.type_as(B)"}, {kReal, kFloat}, 0.3},
  };
  return kTable;
}

/// What a Program reads of tensors without their values, and gradients taken inside.
std::span<const Operator> readingOperators() {
  using enum OperandConstraint;
  constexpr auto kFamily = OperatorFamily::kSize;
  static const std::vector<Operator> kTable = {
      {"shape_item", kFamily, kExact, {"A.shape[DIM]", "A.size(DIM)"}, {kAny}, 0.7, 1},
      {"shape", kFamily, kExact, {"A.shape", "A.size()"}, {kAny}, 0.4, 1},
      {"stride_item", kFamily, kExact, {"A.stride(DIM)"}, {kAny}, 0.7, 1},
      {"strides", kFamily, kExact, {"A.stride()"}, {kAny}, 0.3, 1},
      {"numel", kFamily, kExact, {"A.numel()", "A.dim()"}, {kAny}, 0.4},
      {"item", kFamily, kExact | kReads, {"A.sum().item()", "int(A.sum())"}, {kInteger}, 0.15},
      {"is_contiguous", kFamily, kExact, {"A.is_contiguous()", "A.requires_grad"}, {kAny}, 0.2},
      {"storage_offset", kFamily, kExact, {"A.storage_offset()"}, {kAny}, 0.15},

      {"register_hook", OperatorFamily::kGradient, kExact | kEffect,
       {"A.register_hook(double_gradient)", "A.register_hook(negate_gradient)"}, {kDifferentiable}, 0.25},
      {"retain_grad", OperatorFamily::kGradient, kExact | kEffect, {"A.retain_grad()"}, {kDifferentiable}, 0.05},
      {"function_identity", OperatorFamily::kGradient, kPlain, {"Identity.apply(A)"}, {kFloat}, 0.1},
      {"function_scaled", OperatorFamily::kGradient, kPlain, {"Scaled.apply(A)"}, {kFloat}, 0.1},
      {"function_saves_input", OperatorFamily::kGradient, kPlain, {"SavesInput.apply(A)"}, {kFloat}, 0.1},
      {"function_saves_output", OperatorFamily::kGradient, kPlain, {"SavesOutput.apply(A)"}, {kFloat}, 0.1},
      {"function_returns_input", OperatorFamily::kGradient, kPlain, {"ReturnsInput.apply(A)"}, {kFloat}, 0.05},
      {"function_returns_view", OperatorFamily::kGradient, kPlain, {"ReturnsView.apply(A)"}, {kFloat}, 0.05, 2},
      {"function_keeps_none", OperatorFamily::kGradient, kPlain, {"KeepsNone.apply(A)"}, {kFloat}, 0.05},
      {"function_non_differentiable", OperatorFamily::kGradient, kPlain, {"NonDifferentiable.apply(A)"}, {kFloat}, 0.05},
      {"function_two_inputs", OperatorFamily::kGradient, kPlain, {"TwoInputsTwoOutputs.apply(A, B)"}, {kFloat, kSameKind}, 0.1},
      {"function_marks_dirty", OperatorFamily::kGradient, kMutates, {"MarksDirty.apply(A)"}, {kFloatTarget}, 0.05},
      {"function_writes_buffer", OperatorFamily::kGradient, kMutates, {"WritesBuffer.apply(B, A)"}, {kFloatTarget, kApart}, 0.03},
      {"function_writes_saved", OperatorFamily::kGradient, kMutates, {"WritesSaved.apply(B, A)"}, {kFloatTarget, kApart}, 0.03},
      {"function_writes_tangent", OperatorFamily::kGradient, kMutates, {"WritesTangent.apply(A)"}, {kFloat}, 0.03},

      {"autograd_grad", OperatorFamily::kGradient, kPlain, {"torch.autograd.grad(A.sum(), [B], retain_graph=True)[0]"},
       {kDifferentiable, kSourceOf}, 0.25},
  };
  return kTable;
}
// clang-format on

} // namespace touchstone::catalogue
