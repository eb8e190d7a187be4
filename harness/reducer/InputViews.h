#pragma once

#include "program/language/Ast.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::reducer {

/// What can be read off the text of an `inputs` function about the tensors that it makes.

/// The numbers of a tuple or list of integers that are not negative; none for anything else.
std::optional<std::vector<int64_t>> integersOf(const language::Expr& expr);
language::ExprPtr tupleOf(const std::vector<int64_t>& numbers);

/// `float64` of `torch.float64`; empty for anything that is no dtype.
std::string dtypeNamed(const language::Expr& expr);

/// `torch.as_strided(base, (2, 3), (4, 1), 5)` and `base.as_strided(…)`, all numbers literal.
struct StridedView {
  language::ExprPtr base;
  std::vector<int64_t> sizes, strides;
  int64_t offset = 0;
  bool isContiguous() const;
};
std::optional<StridedView> stridedView(const language::Expr& expr);

/// `data((2, 3), torch.float32, (seed, 0), kind)`
bool isDataCall(const language::Expr& expr);

/// The `data` call that a view's memory comes from, and the sizes of the view; `definition` gives what a name was assigned,
/// or null. None where the text does not tell.
struct ViewOfData {
  language::ExprPtr data;
  std::vector<int64_t> sizes;
};
using Definition = std::function<language::ExprPtr(const std::string& name)>;
std::optional<ViewOfData> viewOfData(const language::ExprPtr& expr, const Definition& definition);

} // namespace touchstone::reducer
