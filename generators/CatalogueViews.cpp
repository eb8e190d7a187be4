#include "generators/Catalogue.h"

namespace touchstone::generators {

std::span<const Operator> viewOperators() {
  using enum Fit;
  constexpr auto kFamily = OperatorFamily::kView;
  constexpr unsigned kView = kExact | kViews;
  static const std::vector<Operator> kTable = {
      {"t", kFamily, kView, {"A.t()", "A.T", "torch.t(A)"}, {kAny}, 2, 2},
      {"transpose", kFamily, kView, {"A.transpose(DIM, OTHER_DIM)", "torch.transpose(A, DIM, OTHER_DIM)"}, {kAny}, 2},
      {"permute", kFamily, kView, {"A.permute(ORDER)", "torch.permute(A, ORDER)"}, {kAny}, 2},
      {"view", kFamily, kView, {"A.view(SHAPE)"}, {kAny}, 1, 8, 0.8},
      {"reshape", kFamily, kExact, {"A.reshape(SHAPE)", "torch.reshape(A, SHAPE)"}, {kAny}, 1},
      {"flatten", kFamily, kExact, {"A.flatten()", "torch.flatten(A)"}, {kAny}, 0, 8, 0.5},
      {"view_sizes", kFamily, kExact, {"A.reshape(B)"}, {kAny, kSizes}, 0, 8, 0.4},
      {"get_item", kFamily, kView, {"A[INDEX]"}, {kAny}, 1, 8, 2.5},
      {"select", kFamily, kView, {"A.select(DIM, INSIDE)", "torch.select(A, DIM, INSIDE)"}, {kAny}, 1},
      {"narrow", kFamily, kView, {"A.narrow(DIM, START, LENGTH)", "torch.narrow(A, DIM, START, LENGTH)"}, {kAny}, 1},
      {"alias", kFamily, kView, {"A[...]", "A[:]"}, {kAny}, 1, 8, 0.5},
      {"unsqueeze", kFamily, kView, {"A.unsqueeze(NEW_DIM)", "torch.unsqueeze(A, NEW_DIM)", "A[None]"}, {kAny}, 0, 3},
      {"squeeze", kFamily, kView, {"A.squeeze()", "A.squeeze(DIM)"}, {kAny}, 1, 8, 0.6},
      {"expand", kFamily, kView, {"A.expand(EXPANDED)"}, {kAny}, 0, 3},
      {"expand_as", kFamily, kView, {"A.expand_as(A)", "A.view_as(A)"}, {kAny}, 0, 8, 0.3},
      {"diagonal", kFamily, kView, {"A.diagonal()", "torch.diagonal(A, OFFSET)"}, {kAny}, 2, 8, 0.7},
      {"unbind", kFamily, kView, {"A.unbind(DIM)", "torch.unbind(A, DIM)"}, {kAny}, 1, 8, 0.7},
      {"split", kFamily, kView, {"A.split(POSITIVE, DIM)", "torch.split(A, POSITIVE, dim=DIM)"}, {kAny}, 1, 8, 0.7},
      {"chunk", kFamily, kView, {"A.chunk(POSITIVE, DIM)", "torch.chunk(A, POSITIVE, DIM)"}, {kAny}, 1, 8, 0.7},
      {"as_strided", kFamily, kView, {"torch.as_strided(A, GEOMETRY)", "A.as_strided(GEOMETRY)"}, {kAny}, 0, 8, 0.8},
      {"unfold", kFamily, kView, {"A.unfold(DIM, LENGTH, 1)"}, {kAny}, 1, 3, 0.3},
      {"movedim", kFamily, kView, {"A.movedim(DIM, OTHER_DIM)"}, {kAny}, 1, 8, 0.3},
      {"detach", kFamily, kView, {"A.detach()"}, {kAny}, 0, 8, 0.7},
      {"contiguous", kFamily, kExact, {"A.contiguous()"}, {kAny}, 0, 8, 0.8},
      {"dropout_off", kFamily, kExact, {"torch.nn.functional.dropout(A, p=0.5, training=False)"}, {kFloat}, 0, 8, 0.5},
      {"to_same", kFamily, kExact, {"A.to(SAME_DTYPE)"}, {kAny}, 0, 8, 0.5},
      {"type_as", kFamily, kExact, {"A.type_as(A)"}, {kAny}, 0, 8, 0.2},
      {"view_dtype", kFamily, kViews, {"A.view(SAME_WIDTH)"}, {kFloat}, 0, 8, 0.1},
  };
  return kTable;
}

} // namespace touchstone::generators
