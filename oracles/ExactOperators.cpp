#include "oracles/ExactOperators.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace touchstone::oracles {

namespace {

using NameSet = std::unordered_set<std::string_view>;

// Without the trailing underscore of in-place forms.
const NameSet& exactNames() {
  static const NameSet names{
      // arithmetic without rounding on multiples of a small power of two
      "add", "sub", "subtract", "rsub", "mul", "multiply", "neg", "negative", "positive", "abs", "absolute", "sign",
      "square", "addmm", "addmv", "addbmm", "baddbmm", "addr", "mm", "mv", "bmm", "dot", "vdot", "inner", "outer",
      "ger", "matmul", "sum", "nansum", "cumsum", "trace", "maximum", "minimum", "fmax", "fmin", "max", "min", "amax",
      "amin", "aminmax", "cummax", "cummin", "relu", "relu6", "threshold", "clamp", "clamp_min", "clamp_max", "clip",
      "hardtanh", "floor", "ceil", "round", "trunc", "frac", "where", "addcmul", "real", "imag", "conj",
      "conj_physical", "resolve_conj", "resolve_neg", "heaviside", "count_nonzero", "diff", "linear",
      // comparisons and logic
      "eq", "ne", "lt", "le", "gt", "ge", "not_equal", "less", "less_equal", "greater", "greater_equal", "equal",
      "logical_and", "logical_or", "logical_not", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_not",
      "bitwise_xor", "isnan", "isinf", "isfinite", "isposinf", "isneginf", "signbit", "any", "all", "argmax", "argmin",
      "is_nonzero",
      // views
      "view", "view_as", "reshape", "reshape_as", "flatten", "unflatten", "ravel", "t", "transpose", "swapaxes",
      "swapdims", "permute", "movedim", "moveaxis", "squeeze", "unsqueeze", "expand", "expand_as", "broadcast_to",
      "as_strided", "narrow", "select", "slice", "split", "split_with_sizes", "chunk", "tensor_split", "hsplit",
      "vsplit", "dsplit", "unbind", "diagonal", "unfold", "detach", "alias", "view_as_real", "view_as_complex", "mT",
      "mH", "T", "H", "adjoint",
      // copies and arrangements
      "clone", "contiguous", "copy", "cat", "concat", "concatenate", "stack", "hstack", "vstack", "dstack",
      "column_stack", "flip", "fliplr", "flipud", "roll", "rot90", "repeat", "tile", "tril", "triu", "diag",
      "diag_embed", "diagflat", "index_select", "index", "gather", "take", "take_along_dim", "masked_select",
      "masked_fill", "masked_scatter", "index_add", "index_copy", "index_fill", "index_put", "scatter", "scatter_add",
      "select_scatter", "slice_scatter", "diagonal_scatter", "as_strided_scatter", "fill", "fill_diagonal", "zero",
      "pad", "one_hot", "meshgrid", "nonzero", "argwhere", "embedding",
      // made from nothing
      "zeros", "ones", "full", "eye", "arange", "zeros_like", "ones_like", "full_like", "new_zeros", "new_ones",
      "new_full", "tensor", "scalar_tensor",
      // conversions that keep such values
      "float", "double", "to", "type_as", "long", "int", "bool",
      // no tensor is computed
      "size", "stride", "dim", "numel", "item", "tolist", "len", "range", "print", "requires_grad_", "requires_grad",
      "is_contiguous", "is_floating_point", "is_complex", "storage_offset", "element_size", "backward", "grad",
      "no_grad", "enable_grad", "set_grad_enabled", "inference_mode", "graph_break", "manual_seed", "register_hook",
      "retain_grad", "is_grad_enabled", "isinstance"};
  return names;
}

bool isExactLiteral(const std::string& text) {
  const double value = std::strtod(text.c_str(), nullptr);
  const double scaled = value * 64;
  return std::abs(value) <= 64 && scaled == std::floor(scaled);
}

constexpr std::array<std::string_view, 4> kInexactOperations{"/", "//", "%", "**"};

/// The operators of one syntax tree.
class ExactWalk {
 public:
  explicit ExactWalk(const graph::Case& theCase) : case_(theCase) {}

  bool statement(const graph::Statement& statement) const {
    if (statement.kind == graph::StatementKind::kAugmentedAssign &&
        !operation(statement.text.substr(0, statement.text.size() - 1)))
      return false;
    if (statement.value && !expression(*statement.value))
      return false;
    return expressions(statement.targets) && expressions(statement.items) && body(statement.body) &&
           body(statement.orElse);
  }

  bool body(const std::vector<graph::StatementPtr>& statements) const {
    return std::all_of(statements.begin(), statements.end(),
                       [&](const graph::StatementPtr& each) { return statement(*each); });
  }

 private:
  static bool operation(std::string_view op) {
    return std::find(kInexactOperations.begin(), kInexactOperations.end(), op) == kInexactOperations.end();
  }

  bool expressions(const std::vector<graph::ExprPtr>& list) const {
    return std::all_of(list.begin(), list.end(),
                       [&](const graph::ExprPtr& each) { return !each || expression(*each); });
  }

  bool expression(const graph::Expr& expr) const {
    switch (expr.kind) {
      case graph::ExprKind::kFloat:
      case graph::ExprKind::kImaginary:
        if (!isExactLiteral(expr.text))
          return false;
        break;
      case graph::ExprKind::kBinary:
        if (!operation(expr.text))
          return false;
        break;
      case graph::ExprKind::kCall:
        if (!callee(*expr.children.front()))
          return false;
        break;
      default: break;
    }
    return expressions(expr.children);
  }

  bool callee(const graph::Expr& expr) const {
    std::string name = expr.text;
    if (expr.kind == graph::ExprKind::kName && case_.find(name))
      return true;
    // torch.ops.aten.NAME.OVERLOAD
    if (expr.kind == graph::ExprKind::kAttribute && expr.children.front()->kind == graph::ExprKind::kAttribute &&
        !expr.children.front()->children.empty()) {
      const graph::Expr& packet = *expr.children.front();
      const graph::Expr& owner = *packet.children.front();
      if (owner.kind == graph::ExprKind::kAttribute && owner.text == "aten")
        name = packet.text;
    }
    if (expr.kind != graph::ExprKind::kName && expr.kind != graph::ExprKind::kAttribute)
      return false;
    return isExactOperator(name);
  }

  const graph::Case& case_;
};

} // namespace

bool isExactOperator(std::string_view name) {
  if (exactNames().contains(name))
    return true;
  return name.size() > 1 && name.back() == '_' && exactNames().contains(name.substr(0, name.size() - 1));
}

bool usesExactOperatorsOnly(const graph::Case& theCase) {
  static const std::unordered_set<std::string_view> kExactKinds{"grid", "zeros", "ones"};
  for (const graph::CallSpec& call : theCase.calls)
    if (!kExactKinds.contains(call.kind) || call.autocast)
      return false;
  if (!theCase.customFunctions.empty())
    return false;
  const ExactWalk walk(theCase);
  return std::all_of(theCase.functions.begin(), theCase.functions.end(), [&](const graph::Function& function) {
    return function.name.rfind("inputs", 0) == 0 || walk.body(function.body);
  });
}

Nondeterminism nondeterminismOf(std::string_view name) {
  static const std::unordered_map<std::string_view, Nondeterminism> table{
      {"scatter", Nondeterminism::kRepeatedWrites},
      {"scatter_", Nondeterminism::kRepeatedWrites},
      {"index_copy", Nondeterminism::kRepeatedWrites},
      {"index_copy_", Nondeterminism::kRepeatedWrites},
      {"put", Nondeterminism::kRepeatedWrites},
      {"put_", Nondeterminism::kRepeatedWrites},
      {"index_put", Nondeterminism::kRepeatedWrites},
      {"index_put_", Nondeterminism::kRepeatedWrites},
      {"_index_put_impl_", Nondeterminism::kRepeatedWrites},
      {"median", Nondeterminism::kTiedIndices},
      {"nanmedian", Nondeterminism::kTiedIndices},
      {"mode", Nondeterminism::kTiedIndices},
      {"kthvalue", Nondeterminism::kTiedIndices},
      {"topk", Nondeterminism::kTiedIndices},
      {"sort", Nondeterminism::kTiedIndices},
      {"argsort", Nondeterminism::kTiedIndices},
      {"svd", Nondeterminism::kOneOfSeveral},
      {"linalg_svd", Nondeterminism::kOneOfSeveral},
      {"linalg_eig", Nondeterminism::kOneOfSeveral},
      {"linalg_eigh", Nondeterminism::kOneOfSeveral},
      {"_linalg_eigh", Nondeterminism::kOneOfSeveral},
      {"_linalg_svd", Nondeterminism::kOneOfSeveral},
      {"linalg_qr", Nondeterminism::kOneOfSeveral},
      {"qr", Nondeterminism::kOneOfSeveral},
      {"geqrf", Nondeterminism::kOneOfSeveral},
      {"pca_lowrank", Nondeterminism::kOneOfSeveral},
      {"svd_lowrank", Nondeterminism::kOneOfSeveral},
      {"lobpcg", Nondeterminism::kOneOfSeveral}};
  const auto found = table.find(name);
  return found == table.end() ? Nondeterminism::kNone : found->second;
}

bool changesMetadataOnly(std::string_view name) {
  static const NameSet names{"t_",         "transpose_",  "swapaxes_", "swapdims_",      "squeeze_",
                             "unsqueeze_", "as_strided_", "detach_",   "requires_grad_", "set_",
                             "resize_",    "resize_as_",  "rename_",   "retain_grad"};
  return names.contains(name);
}

} // namespace touchstone::oracles
