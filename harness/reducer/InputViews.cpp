#include "harness/reducer/InputViews.h"

#include "program/analysis/OperatorNames.h"
#include "program/parser/LanguageNames.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace touchstone::reducer {

namespace {

using language::Expr;
using language::ExprKind;
using language::ExprPtr;

constexpr int kDeepestView = 16;

bool isName(const Expr& expr, const std::string& name) {
  return expr.kind == ExprKind::kName && expr.text == name;
}

using analysis::WrittenOperation;

/// A call with positional arguments alone, as method or function of torch.
std::optional<WrittenOperation> plainCall(const Expr& expr) {
  std::optional<WrittenOperation> call =
      expr.kind == ExprKind::kCall && expr.keywords.empty() ? analysis::writtenOperation(expr) : std::nullopt;
  return call && !call->operands.empty() ? std::move(call) : std::nullopt;
}

std::optional<int64_t> integerOf(const Expr& expr) {
  return expr.kind == ExprKind::kInt ? std::optional<int64_t>(std::strtoll(expr.text.c_str(), nullptr, 10))
                                     : std::nullopt;
}

/// Sizes of what `permute`, `transpose` and `t` make of these; none where the numbers do not fit.
std::optional<std::vector<int64_t>> permuted(const WrittenOperation& call, const std::vector<int64_t>& sizes) {
  std::vector<int64_t> result = sizes;
  if (call.name == "t" && call.operands.size() == 1) {
    std::reverse(result.begin(), result.end());
    return result;
  }
  if (call.name == "permute" && call.operands.size() == 2) {
    const auto order = integersOf(*call.operands[1].value);
    for (size_t i = 0; order.has_value() && order->size() == sizes.size() && i < sizes.size(); ++i) {
      if (static_cast<size_t>((*order)[i]) >= sizes.size()) {
        return std::nullopt;
      }
      result[i] = sizes[static_cast<size_t>((*order)[i])];
    }
    return order.has_value() && order->size() == sizes.size() ? std::optional(result) : std::nullopt;
  }
  if (call.name == "transpose" && call.operands.size() == 3) {
    const auto left = integerOf(*call.operands[1].value), right = integerOf(*call.operands[2].value);
    const auto rank = static_cast<int64_t>(sizes.size());
    if (left && right && *left < rank && *right < rank) {
      std::swap(result[static_cast<size_t>(*left)], result[static_cast<size_t>(*right)]);
      return result;
    }
  }
  return std::nullopt;
}

// The depth ends what is defined by itself, which a candidate may be.
std::optional<ViewOfData> viewAtDepth(const ExprPtr& expr, const Definition& definition, int depth) {
  if (depth > kDeepestView) {
    return std::nullopt;
  }
  if (expr->kind == ExprKind::kName) {
    const ExprPtr value = definition(expr->text);
    return value != nullptr ? viewAtDepth(value, definition, depth + 1) : std::nullopt;
  }
  if (isDataCall(*expr)) {
    return ViewOfData{expr, *integersOf(*expr->children[1])};
  }
  const std::optional<WrittenOperation> call = plainCall(*expr);
  std::optional<ViewOfData> base = call ? viewAtDepth(call->operands[0].value, definition, depth + 1) : std::nullopt;
  if (!base) {
    return std::nullopt;
  }
  std::optional<std::vector<int64_t>> sizes;
  if (const auto strided = stridedView(*expr)) {
    sizes = strided->sizes;
  } else if (call->name == "expand" || call->name == "view" || call->name == "reshape") {
    sizes = call->operands.size() == 2 ? integersOf(*call->operands[1].value) : std::nullopt;
  } else {
    sizes = permuted(*call, base->sizes);
  }
  return sizes ? std::optional(ViewOfData{base->data, *sizes}) : std::nullopt;
}

} // namespace

std::optional<std::vector<int64_t>> integersOf(const Expr& expr) {
  std::vector<int64_t> numbers;
  bool fits = expr.kind == ExprKind::kTuple || expr.kind == ExprKind::kList;
  for (size_t i = 0; fits && i < expr.children.size(); ++i) {
    const auto number = integerOf(*expr.children[i]);
    fits = number.has_value();
    numbers.push_back(number.value_or(0));
  }
  return fits ? std::optional(std::move(numbers)) : std::nullopt;
}

ExprPtr tupleOf(const std::vector<int64_t>& numbers) {
  std::vector<ExprPtr> items;
  for (const int64_t number : numbers) {
    items.push_back(language::makeInt(number));
  }
  return language::makeTuple(std::move(items));
}

std::string dtypeNamed(const Expr& expr) {
  const bool ofTorch = expr.kind == ExprKind::kAttribute && isName(*expr.children[0], "torch");
  return ofTorch && parser::isDtypeName(expr.text) ? expr.text : "";
}

bool StridedView::isContiguous() const {
  int64_t stride = 1;
  for (size_t i = sizes.size(); i-- > 0; stride *= sizes[i]) {
    if (strides[i] != stride) {
      return false;
    }
  }
  return true;
}

std::optional<StridedView> stridedView(const Expr& expr) {
  const std::optional<WrittenOperation> call = plainCall(expr);
  if (!call || call->name != "as_strided" || call->operands.size() < 3 || call->operands.size() > 4) {
    return std::nullopt;
  }
  const auto sizes = integersOf(*call->operands[1].value), strides = integersOf(*call->operands[2].value);
  const auto offset = call->operands.size() == 4 ? integerOf(*call->operands[3].value) : std::optional<int64_t>(0);
  if (!sizes || !strides || sizes->size() != strides->size() || !offset) {
    return std::nullopt;
  }
  return StridedView{call->operands[0].value, *sizes, *strides, *offset};
}

bool isDataCall(const Expr& expr) {
  return expr.kind == ExprKind::kCall && isName(*expr.children[0], "data") && expr.children.size() == 5 &&
         expr.keywords.empty() && integersOf(*expr.children[1]).has_value();
}

std::optional<ViewOfData> viewOfData(const ExprPtr& expr, const Definition& definition) {
  return viewAtDepth(expr, definition, 0);
}

} // namespace touchstone::reducer
