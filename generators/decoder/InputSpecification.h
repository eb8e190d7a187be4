#pragma once

#include "generators/catalogue/Draw.h"
#include "generators/catalogue/Recipe.h"
#include "program/language/Ast.h"
#include "program/values/DimensionMark.h"

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace touchstone::decoder {

/// A tensor that `data` makes; arguments are it or look into it.
struct BaseSpecification {
  enum class Gradient { kNone, kLeaf, kTimesOne, kTimesTwo, kClone }; // from kTimesOne on: computed from a watched leaf
  int64_t number = 0; // of the tensor, for `data`
  std::vector<int64_t> sizes;
  at::ScalarType dtype = at::kFloat;
  Gradient gradient = Gradient::kNone;
  int64_t elements() const;
};

/// How an argument looks at its base.
enum class Layout { kWhole, kStrided, kExpanded, kPermuted, kRows, kFlattened, kDetached, kOtherDtype };

/// One argument of the Program.
struct ArgumentSpecification {
  int base = -1; // -1: `literal`
  Layout layout = Layout::kWhole;
  std::vector<int64_t> sizes, strides; // kStrided; kExpanded uses sizes, kPermuted sizes as the order
  int64_t offset = 0; // kStrided: in elements; kRows: first row
  bool becomesLeaf = false; // `.requires_grad_()` on what the layout gives
  int sameAs = -1; // the very tensor of an earlier argument
  std::variant<int64_t, double, bool> literal = int64_t{0};
};

/// A dimension of an argument that a compiler is told of.
struct MarkSpecification : values::DimensionMark {
  int argument = 0;
};

/// A module record, the last argument: `m.weight` is a parameter, `m.n` a buffer, `m.bn` at times a layer.
struct ModuleSpecification {
  BaseSpecification weight, buffer;
  language::ExprPtr layer; // what makes `m.bn`; null: there is none
};

/// What an `inputs` function makes, as data: a changed call changes one property of it.
struct InputSpecification {
  std::vector<BaseSpecification> bases;
  std::vector<ArgumentSpecification> arguments;
  std::optional<ModuleSpecification> module;
  bool isOfTraining = false; // made by makeTrainingInputs()
  std::vector<MarkSpecification> marks;

  language::Function function(const std::string& name) const;
};

InputSpecification decodeInputs(const std::vector<const catalogue::Record*>& records,
                                const catalogue::Features& features, int64_t maximumElements, int maximumRank);
/// Those that arguments are drawn with.
std::span<const at::ScalarType> argumentDtypes();

/// Changes one property of one argument: size, strides, dtype, requires_grad, alias pattern, identity, offset or the
/// number. Returns false when the drawn change does not apply.
bool changeOneProperty(InputSpecification& inputs, catalogue::Draw& draw, const catalogue::Features& features);

language::ExprPtr dtypeConstant(at::ScalarType dtype);
language::ExprPtr tupleOf(const std::vector<int64_t>& values);

} // namespace touchstone::decoder
