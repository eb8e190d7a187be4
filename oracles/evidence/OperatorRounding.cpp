#include "oracles/evidence/OperatorRounding.h"

#include "program/analysis/ExactOperators.h"

#include <ATen/core/LegacyTypeDispatch.h>

#include <algorithm>
#include <set>

namespace touchstone::evidence {

namespace {

std::string_view outOfPlace(std::string_view name) {
  return name.ends_with('_') ? name.substr(0, name.size() - 1) : name;
}

} // namespace

bool mayRound(std::string_view name) {
  name = outOfPlace(name);
  // These pick, move or cast elements as they are, and are not on the exact list, which is of Python's names. Strides that
  // `_reshape_alias` is given are those of its operand's memory: a copy of the operand has less.
  static const std::set<std::string_view> names{"_reshape_alias",  "sgn",           "median",         "nanmedian",
                                                "unfold",          "im2col",        "double",         "float",
                                                "channel_shuffle", "pixel_shuffle", "pixel_unshuffle"};
  return !analysis::isExactOperator(name) && !names.contains(name) && !name.ends_with("_copy") &&
         !name.starts_with("upsample_nearest");
}

bool isExactArithmetic(std::string_view name) {
  static const std::set<std::string_view> names{
      "add",     "sub",       "rsub",        "mul",       "square", "addmm", "addmv", "addbmm", "baddbmm",
      "addr",    "mm",        "mv",          "bmm",       "dot",    "vdot",  "sum",   "nansum", "cumsum",
      "addcmul", "index_add", "scatter_add", "index_put", "linear", "trace", "frac"};
  return names.contains(outOfPlace(name));
}

bool isInNewMemory(const at::Tensor& result, const std::vector<at::Tensor>& operands) {
  return result.has_storage() && std::none_of(operands.begin(), operands.end(), [&](const at::Tensor& operand) {
           return operand.has_storage() && result.is_alias_of(operand);
         });
}

void overwriteUnseen(const at::Tensor& result, const at::Tensor& values) {
  const at::AutoDispatchBelowADInplaceOrView below;
  result.copy_(values);
}

} // namespace touchstone::evidence
