#include "generators/catalogue/Catalogue.h"

namespace touchstone::catalogue {

// clang-format off
std::span<const Operator> viewOperators() {
  using enum OperandConstraint;
  constexpr auto kFamily = OperatorFamily::kView;
  constexpr unsigned kView = kExact | kViews;
  static const std::vector<Operator> kTable = {
      {"t", kFamily, kView, {"A.t()", "A.T", "torch.t(A)"}, {kAny}, 1, 2, 2},
      {"transpose", kFamily, kView, {"A.transpose(DIM, OTHER_DIM)", "torch.transpose(A, DIM, OTHER_DIM)"}, {kAny}, 1,
       2},
      {"swapaxes", kFamily, kView, {"A.swapaxes(DIM, OTHER_DIM)", "torch.swapdims(A, DIM, OTHER_DIM)"}, {kAny}, 0.2,
       2},
      {"matrix_transpose", kFamily, kView, {"A.mT", "A.adjoint()", "A.mH"}, {kAny}, 0.3, 2},
      {"permute", kFamily, kView, {"A.permute(ORDER)", "torch.permute(A, ORDER)"}, {kAny}, 1, 2},
      {"movedim", kFamily, kView, {"A.movedim(DIM, OTHER_DIM)", "torch.moveaxis(A, DIM, OTHER_DIM)"}, {kAny}, 0.3, 1},
      {"view", kFamily, kView, {"A.view(SHAPE)"}, {kAny}, 0.8, 1},
      {"view_as", kFamily, kView, {"A.view_as(B)", "A.reshape_as(B)"}, {kAny, kSameElements}, 0.3},
      {"reshape", kFamily, kExact, {"A.reshape(SHAPE)", "torch.reshape(A, SHAPE)"}, {kAny}, 1, 1},
      {"flatten", kFamily, kExact, {"A.flatten()", "torch.flatten(A)"}, {kAny}, 0.5},
      {"ravel", kFamily, kExact, {"A.ravel()"}, {kAny}, 0.2},
      {"unflatten", kFamily, kView, {"A.unflatten(DIM, (1, A.size(DIM)))", "A.unflatten(DIM, (A.size(DIM), 1))"},
       {kAny}, 0.3, 1, 3},
      {"view_sizes", kFamily, kExact, {"A.reshape(B)"}, {kAny, kSizes}, 0.4},
      {"get_item", kFamily, kView, {"A[INDEX]"}, {kAny}, 2.5, 1},
      {"select", kFamily, kView, {"A.select(DIM, INSIDE)", "torch.select(A, DIM, INSIDE)"}, {kAny}, 1, 1},
      {"narrow", kFamily, kView, {"A.narrow(DIM, START, LENGTH)", "torch.narrow(A, DIM, START, LENGTH)"}, {kAny}, 1,
       1},
      {"slice_steps", kFamily, kView, {"A[::2]", "A[..., 1:]", "A[:-1]"}, {kAny}, 0.5, 1},
      {"alias", kFamily, kView, {"A[...]", "A[:]"}, {kAny}, 0.5, 1},
      {"unsqueeze", kFamily, kView, {"A.unsqueeze(NEW_DIM)", "torch.unsqueeze(A, NEW_DIM)", "A[None]"}, {kAny}, 1, 0,
       3},
      {"atleast", kFamily, kView, {"torch.atleast_1d(A)", "torch.atleast_2d(A)"}, {kAny}, 0.2, 0, 3},
      {"squeeze", kFamily, kView, {"A.squeeze()", "torch.squeeze(A)"}, {kAny}, 0.4},
      {"squeeze_dim", kFamily, kView, {"A.squeeze(DIM)", "torch.squeeze(A, DIM)"}, {kAny}, 0.3, 1},
      {"squeeze_dims", kFamily, kView, {"A.squeeze((0, -1))"}, {kAny}, 0.2, 2},
      {"expand", kFamily, kView, {"A.expand(EXPANDED)"}, {kAny}, 1, 0, 3},
      {"broadcast_to", kFamily, kView, {"torch.broadcast_to(A, EXPANDED)"}, {kAny}, 0.3, 0, 3},
      {"broadcast_tensors", kFamily, kView, {"torch.broadcast_tensors(A, B)"}, {kAny, kBroadcastAny}, 0.3},
      {"expand_as", kFamily, kView, {"A.expand_as(A)", "A.view_as(A)"}, {kAny}, 0.3},
      {"diagonal", kFamily, kView, {"A.diagonal()", "torch.diagonal(A, OFFSET)"}, {kAny}, 0.7, 2},
      {"unbind", kFamily, kView, {"A.unbind(DIM)", "torch.unbind(A, DIM)"}, {kAny}, 0.7, 1},
      {"split", kFamily, kView, {"A.split(POSITIVE, DIM)", "torch.split(A, POSITIVE, dim=DIM)"}, {kAny}, 0.7, 1},
      {"split_with_sizes", kFamily, kView,
       {"A.split_with_sizes([1, A.size(DIM) - 1], DIM)", "torch.split(A, [1, A.size(DIM) - 1], DIM)"}, {kAny}, 0.3,
       1},
      {"chunk", kFamily, kView, {"A.chunk(POSITIVE, DIM)", "torch.chunk(A, POSITIVE, DIM)"}, {kAny}, 0.7, 1},
      {"tensor_split", kFamily, kView, {"A.tensor_split(POSITIVE, DIM)", "torch.tensor_split(A, POSITIVE, DIM)"},
       {kAny}, 0.3, 1},
      {"hsplit", kFamily, kView, {"A.hsplit(1)", "A.hsplit([1])"}, {kAny}, 0.15, 1},
      {"as_strided", kFamily, kView, {"torch.as_strided(A, GEOMETRY)", "A.as_strided(GEOMETRY)"}, {kAny}, 0.8},
      {"unfold", kFamily, kView, {"A.unfold(DIM, LENGTH, 1)"}, {kAny}, 0.3, 1, 3},
      {"detach", kFamily, kView, {"A.detach()"}, {kAny}, 0.7},
      {"contiguous", kFamily, kExact, {"A.contiguous()"}, {kAny}, 0.8},
      {"dropout_off", kFamily, kExact, {"torch.nn.functional.dropout(A, p=0.5, training=False)"}, {kFloat}, 0.5},
      {"to_same", kFamily, kExact, {"A.to(SAME_DTYPE)"}, {kAny}, 0.5},
      {"type_as", kFamily, kExact, {"A.type_as(A)"}, {kAny}, 0.2},
      {"view_dtype", kFamily, kViews, {"A.view(SAME_WIDTH)"}, {kFloat}, 0.2},
  };
  return kTable;
}
// clang-format on

} // namespace touchstone::catalogue
