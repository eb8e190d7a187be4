#include "generators/decoder/InputSpecification.h"

#include "generators/catalogue/Exclusions.h"
#include "generators/decoder/DecoderState.h"
#include "generators/decoder/StyledInputs.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <unordered_map>

namespace touchstone::decoder {

using language::ExprPtr;

int64_t BaseSpecification::elements() const {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
}

ExprPtr tupleOf(const std::vector<int64_t>& values) {
  std::vector<ExprPtr> items;
  items.reserve(values.size());
  for (int64_t value : values) {
    items.push_back(language::makeInt(value));
  }
  return language::makeTuple(std::move(items));
}

namespace {

using Gradient = BaseSpecification::Gradient;

constexpr at::ScalarType kArgumentDtypes[] = {
    at::kFloat, at::kDouble,       at::kBFloat16,      at::kHalf, at::kLong,   at::kInt,    at::kShort, at::kByte,
    at::kChar,  at::kComplexFloat, at::kComplexDouble, at::kBool, at::kUInt16, at::kUInt32, at::kUInt64};

std::unordered_map<at::ScalarType, ExprPtr> dtypeConstants() {
  std::unordered_map<at::ScalarType, ExprPtr> constants;
  for (const at::ScalarType dtype : kArgumentDtypes) {
    constants.emplace(dtype, language::makeDotted("torch." + std::string(c10::getDtypeNames(dtype).first)));
  }
  return constants;
}

/// Of an argument that nothing is drawn for.
at::ScalarType defaultDtype(const catalogue::Features& features) {
  const auto allowed = std::find_if(std::begin(kArgumentDtypes), std::end(kArgumentDtypes), [&](at::ScalarType dtype) {
    return features.exclusions == nullptr || !features.exclusions->excludes(dtype);
  });
  return allowed == std::end(kArgumentDtypes) ? at::kFloat : *allowed;
}

at::ScalarType sameWidthInteger(at::ScalarType dtype) {
  return dtype == at::kDouble ? at::kLong : at::kInt;
}

std::string baseName(size_t index) {
  return "b" + std::to_string(index);
}

ExprPtr layoutExpression(const ArgumentSpecification& argument, const BaseSpecification& base, ExprPtr object) {
  switch (argument.layout) {
    case Layout::kWhole: return object;
    case Layout::kStrided:
      return language::makeCall(
          language::makeDotted("torch.as_strided"),
          {object, tupleOf(argument.sizes), tupleOf(argument.strides), language::makeInt(argument.offset)});
    case Layout::kExpanded: return language::makeMethodCall(object, "expand", {tupleOf(argument.sizes)});
    case Layout::kPermuted: return language::makeMethodCall(object, "permute", {tupleOf(argument.sizes)});
    case Layout::kRows:
      return language::makeSubscript(object,
                                     {language::makeSlice(language::makeInt(argument.offset), nullptr, nullptr)});
    case Layout::kFlattened: return language::makeMethodCall(object, "view", {language::makeInt(-1)});
    case Layout::kDetached: return language::makeMethodCall(object, "detach", {});
    case Layout::kOtherDtype:
      return language::makeMethodCall(object, "view", {dtypeConstant(sameWidthInteger(base.dtype))});
  }
  return object;
}

ExprPtr literalExpression(const std::variant<int64_t, double, bool>& literal) {
  if (const auto* whole = std::get_if<int64_t>(&literal)) {
    return language::makeInt(*whole);
  }
  if (const auto* number = std::get_if<double>(&literal)) {
    return language::makeFloat(*number);
  }
  return language::makeBool(std::get<bool>(literal));
}

ExprPtr dataCall(const BaseSpecification& base) {
  static const ExprPtr kData = language::makeName("data"), kSeed = language::makeName("seed"),
                       kKind = language::makeName("kind");
  return language::makeCall(kData, {tupleOf(base.sizes), dtypeConstant(base.dtype),
                                    language::makeTuple({kSeed, language::makeInt(base.number)}), kKind});
}

at::ScalarType drawAnyDtype(catalogue::Draw& draw, const catalogue::Features& features) {
  const int64_t roll = draw.below(1000);
  constexpr std::pair<int64_t, at::ScalarType> kUpTo[] = {
      // few of the wide unsigned types: eager knows few operators of them
      {660, at::kFloat},  {750, at::kDouble},       {830, at::kLong},         {880, at::kBool},   {900, at::kInt},
      {910, at::kShort},  {920, at::kByte},         {929, at::kChar},         {930, at::kUInt16}, {931, at::kUInt32},
      {932, at::kUInt64}, {950, at::kComplexFloat}, {960, at::kComplexDouble}};
  for (const auto& [bound, dtype] : kUpTo) {
    if (roll < bound) {
      return dtype;
    }
  }
  if (features.exactOnly) {
    return at::kFloat; // half precisions keep too few digits for exact sums
  }
  return roll < 980 ? at::kBFloat16 : at::kHalf;
}

at::ScalarType drawDtype(catalogue::Draw& draw, const catalogue::Features& features) {
  const at::ScalarType drawn = drawAnyDtype(draw, features);
  if (features.exclusions == nullptr || !features.exclusions->refuses(drawn)) {
    return drawn;
  }
  std::vector<at::ScalarType> allowed;
  for (const at::ScalarType dtype : kArgumentDtypes) {
    const bool half = dtype == at::kHalf || dtype == at::kBFloat16;
    if (!features.exclusions->excludes(dtype) && !(features.exactOnly && half)) {
      allowed.push_back(dtype);
    }
  }
  // Half precision alone is left: better inexact than nothing.
  return allowed.empty() ? defaultDtype(features)
                         : allowed[static_cast<size_t>(draw.below(static_cast<int64_t>(allowed.size())))];
}

/// Sizes, strides and offset that fit into `elements`; null when the draws did not.
std::optional<ArgumentSpecification> drawGeometry(catalogue::Draw& draw, int64_t elements, int maximumRank) {
  for (int attempt = 0; attempt < 6; ++attempt) {
    ArgumentSpecification argument;
    argument.layout = Layout::kStrided;
    const int64_t rank = std::min<int64_t>(draw.between(1, 2), maximumRank);
    int64_t extent = 1;
    for (int64_t dimension = 0; dimension < rank; ++dimension) {
      const int64_t size = draw.between(1, 3);
      // Mostly without overlap: a stride beyond what the dimensions so far cover.
      const int64_t stride = draw.chance(85) ? extent + draw.below(2) : draw.below(3);
      argument.sizes.push_back(size);
      argument.strides.push_back(stride);
      extent += (size - 1) * stride;
    }
    if (draw.chance(60)) {
      std::reverse(argument.sizes.begin(), argument.sizes.end());
      std::reverse(argument.strides.begin(), argument.strides.end());
    }
    if (extent <= elements) {
      argument.offset = draw.below(elements - extent + 1);
      return argument;
    }
  }
  return std::nullopt;
}

std::optional<ArgumentSpecification> drawAlias(catalogue::Draw& draw, const InputSpecification& inputs, int baseIndex,
                                               const catalogue::Features& features, int maximumRank) {
  const BaseSpecification& base = inputs.bases[baseIndex];
  ArgumentSpecification argument;
  argument.base = baseIndex;
  const int64_t roll = draw.below(100);
  if (roll < 40) {
    std::optional<ArgumentSpecification> strided = drawGeometry(draw, base.elements(), maximumRank);
    if (strided) {
      strided->base = baseIndex;
    }
    return strided;
  }
  if (roll < 58) { // the same geometry in another object, or the very tensor
    for (size_t index = inputs.arguments.size(); index-- > 0;) {
      const ArgumentSpecification& earlier = inputs.arguments[index];
      if (earlier.base == baseIndex) {
        argument = earlier;
        argument.becomesLeaf = false;
        if (roll < 50 || earlier.layout == Layout::kWhole) {
          argument.sameAs = static_cast<int>(index);
        }
        return argument;
      }
    }
    return std::nullopt;
  }
  if (roll < 70) {
    argument.layout = Layout::kWhole;
  } else if (roll < 79) {
    argument.layout = Layout::kPermuted;
    for (size_t dimension = base.sizes.size(); dimension-- > 0;) {
      argument.sizes.push_back(static_cast<int64_t>(dimension));
    }
  } else if (roll < 87 && !base.sizes.empty() && base.sizes[0] > 0) {
    argument.layout = Layout::kRows;
    argument.offset = draw.below(base.sizes[0]);
  } else if (roll < 93) {
    argument.layout = Layout::kFlattened;
  } else if (roll < 97 || features.exactOnly || (base.dtype != at::kFloat && base.dtype != at::kDouble)) {
    argument.layout = Layout::kDetached;
  } else if (features.exclusions != nullptr && features.exclusions->refuses(sameWidthInteger(base.dtype))) {
    argument.layout = Layout::kDetached;
  } else {
    argument.layout = Layout::kOtherDtype;
  }
  return argument;
}

std::vector<int64_t> sizesWithin(catalogue::Draw& draw, int64_t maximumElements, int maximumRank) {
  std::vector<int64_t> sizes = drawSizes(draw, maximumElements);
  sizes.resize(std::min(sizes.size(), static_cast<size_t>(maximumRank)));
  return sizes;
}

ArgumentSpecification drawOwnLayout(catalogue::Draw& draw, BaseSpecification& base, int64_t maximumElements) {
  ArgumentSpecification argument;
  const std::vector<int64_t> sizes = base.sizes;
  const int64_t roll = draw.below(100);
  if (roll < 18 && !sizes.empty() && base.elements() > 0) { // gaps, an offset, at times another order of dimensions
    argument.layout = Layout::kStrided;
    argument.sizes = sizes;
    argument.strides.resize(sizes.size());
    std::vector<size_t> order(sizes.size());
    std::iota(order.begin(), order.end(), size_t{0});
    if (draw.chance(70)) {
      std::reverse(order.begin(), order.end());
    }
    int64_t extent = 1;
    for (size_t dimension : order) {
      argument.strides[dimension] = extent + (draw.chance(40) ? 1 : 0);
      extent += (sizes[dimension] - 1) * argument.strides[dimension];
    }
    argument.offset = draw.below(6);
    base.sizes = {argument.offset + extent + draw.below(4)};
    if (base.sizes[0] > 2 * maximumElements) { // the gaps took too much
      base.sizes = sizes;
      argument = {};
    }
  } else if (roll < 28 && sizes.size() >= 2) {
    argument.layout = Layout::kPermuted;
    for (size_t dimension = sizes.size(); dimension-- > 0;) {
      argument.sizes.push_back(static_cast<int64_t>(dimension));
    }
  } else if (roll < 36 && !sizes.empty()) {
    argument.layout = Layout::kExpanded;
    argument.sizes = sizes;
    base.sizes[static_cast<size_t>(draw.below(static_cast<int64_t>(sizes.size())))] = 1;
  } else if (roll < 46 && !sizes.empty()) {
    argument.layout = Layout::kRows;
    argument.offset = draw.between(1, 2);
    base.sizes[0] += argument.offset;
  }
  return argument;
}

} // namespace

ExprPtr dtypeConstant(at::ScalarType dtype) {
  static const std::unordered_map<at::ScalarType, ExprPtr> kConstants = dtypeConstants();
  const auto constant = kConstants.find(dtype);
  return constant == kConstants.end() ? kConstants.at(at::kBool) : constant->second;
}

language::Function InputSpecification::function(const std::string& name) const {
  language::Function made;
  made.name = name;
  made.parameters = {"seed", "kind"};
  std::vector<ExprPtr> argumentNames, watchedNames;
  std::vector<bool> used(bases.size()), passed(bases.size());
  for (const ArgumentSpecification& argument : arguments) {
    if (argument.base >= 0) {
      used[argument.base] = true;
      passed[argument.base] = passed[argument.base] || (argument.layout == Layout::kWhole && !argument.becomesLeaf);
    }
  }
  for (size_t index = 0; index < bases.size(); ++index) {
    if (!used[index]) {
      continue;
    }
    const BaseSpecification& base = bases[index];
    ExprPtr tensor = dataCall(base);
    if (base.gradient != Gradient::kNone) {
      tensor = language::makeMethodCall(tensor, "requires_grad_", {});
    }
    if (base.gradient >= Gradient::kTimesOne) {
      const ExprPtr leaf = language::makeName("w" + std::to_string(index));
      made.body.push_back(language::makeAssign({leaf}, tensor));
      watchedNames.push_back(leaf);
      switch (base.gradient) {
        case Gradient::kTimesOne: tensor = language::makeMethodCall(leaf, "mul", {language::makeInt(1)}); break;
        case Gradient::kTimesTwo: tensor = language::makeBinary("*", leaf, language::makeInt(2)); break;
        default: tensor = language::makeMethodCall(leaf, "clone", {});
      }
    }
    made.body.push_back(language::makeAssign({language::makeName(baseName(index))}, tensor));
    if (!passed[index]) {
      watchedNames.push_back(language::makeName(baseName(index)));
    }
  }
  for (size_t index = 0; index < arguments.size(); ++index) {
    const ArgumentSpecification& argument = arguments[index];
    if (argument.base < 0) {
      argumentNames.push_back(literalExpression(argument.literal));
    } else if (argument.sameAs >= 0) {
      argumentNames.push_back(argumentNames[argument.sameAs]);
    } else if (argument.layout == Layout::kWhole && !argument.becomesLeaf) {
      argumentNames.push_back(language::makeName(baseName(argument.base)));
    } else {
      const ExprPtr variable = language::makeName("x" + std::to_string(index));
      ExprPtr view = layoutExpression(argument, bases[argument.base], language::makeName(baseName(argument.base)));
      if (argument.becomesLeaf) {
        view = language::makeMethodCall(view, "requires_grad_", {});
      }
      made.body.push_back(language::makeAssign({variable}, view));
      argumentNames.push_back(variable);
    }
  }
  for (const MarkSpecification& mark : marks) {
    std::vector<std::pair<std::string, ExprPtr>> bounds;
    if (mark.minimum) {
      bounds.emplace_back("min", language::makeInt(*mark.minimum));
    }
    if (mark.maximum) {
      bounds.emplace_back("max", language::makeInt(*mark.maximum));
    }
    made.body.push_back(language::makeExpressionStatement(
        language::makeCall(language::makeDotted("torch._dynamo." + mark.function),
                           {argumentNames[mark.argument], language::makeInt(mark.dimension)}, std::move(bounds))));
  }
  if (module) {
    const ExprPtr record = language::makeName("m");
    made.body.push_back(
        language::makeAssign({record}, language::makeCall(language::makeDotted("torch.nn.Module"), {})));
    made.body.push_back(language::makeAssign(
        {language::makeAttribute(record, "weight")},
        language::makeCall(language::makeDotted("torch.nn.Parameter"), {dataCall(module->weight)})));
    made.body.push_back(language::makeExpressionStatement(
        language::makeMethodCall(record, "register_buffer", {language::makeString("n"), dataCall(module->buffer)})));
    if (module->layer) {
      made.body.push_back(language::makeAssign({language::makeAttribute(record, "bn")}, module->layer));
    }
    argumentNames.push_back(record);
  }
  made.body.push_back(language::makeReturn(
      language::makeTuple({language::makeTuple(argumentNames), language::makeTuple(watchedNames)})));
  return made;
}

std::span<const at::ScalarType> argumentDtypes() {
  return kArgumentDtypes;
}

InputSpecification decodeInputs(const std::vector<const catalogue::Record*>& records,
                                const catalogue::Features& features, int64_t maximumElements, int maximumRank) {
  constexpr size_t kMaximumArguments = 8;
  InputSpecification inputs;
  for (const catalogue::Record* record : records) {
    if (inputs.arguments.size() == kMaximumArguments) {
      break;
    }
    catalogue::Draw draw(record->attributes ^ record->key, "input");
    ArgumentSpecification argument;
    if (draw.chance(8)) {
      switch (draw.below(3)) {
        case 0: argument.literal = draw.between(0, 4); break;
        case 1: argument.literal = static_cast<double>(draw.between(-6, 6)) / 4; break;
        default: argument.literal = draw.chance(50);
      }
      inputs.arguments.push_back(argument);
      continue;
    }
    if (features.aliasedInputs && !inputs.bases.empty() && draw.chance(45)) {
      const size_t back = distanceBack(record->pick(0), inputs.bases.size());
      std::optional<ArgumentSpecification> alias =
          drawAlias(draw, inputs, static_cast<int>(inputs.bases.size() - 1 - back), features, maximumRank);
      if (alias) {
        inputs.arguments.push_back(*alias);
        continue;
      }
    }
    BaseSpecification base;
    catalogue::Draw own(record->attributes ^ record->key, "base");
    // The number makes the tensor's values its own; taken ones move on.
    base.number = own.below(1000);
    while (std::any_of(inputs.bases.begin(), inputs.bases.end(),
                       [&](const BaseSpecification& other) { return other.number == base.number; })) {
      ++base.number;
    }
    base.sizes = sizesWithin(own, maximumElements, maximumRank);
    if (features.large) {
      enlarge(base.sizes, largeExtent(records.front()->attributes), maximumElements);
    }
    base.dtype = drawDtype(own, features);
    argument = drawOwnLayout(own, base, maximumElements);
    if ((at::isFloatingType(base.dtype) || at::isComplexType(base.dtype)) && features.backward) {
      const int64_t roll = own.below(100);
      if (roll < 28) {
        base.gradient = argument.layout == Layout::kWhole || roll < 12 ? Gradient::kLeaf : Gradient::kNone;
        argument.becomesLeaf = base.gradient == Gradient::kNone;
      } else if (roll < 58) {
        base.gradient = roll < 42 ? Gradient::kTimesOne : roll < 50 ? Gradient::kClone : Gradient::kTimesTwo;
      }
    }
    if (features.exactOnly && base.gradient == Gradient::kTimesTwo) {
      base.gradient = Gradient::kTimesOne; // one digit more would go uncounted
    }
    argument.base = static_cast<int>(inputs.bases.size());
    inputs.bases.push_back(std::move(base));
    inputs.arguments.push_back(std::move(argument));
  }
  const auto isExcluded = [&](at::ScalarType dtype) {
    return features.exclusions != nullptr && features.exclusions->excludes(dtype);
  };
  addLeaves(inputs, records.empty() ? 0 : records.front()->attributes, features, maximumElements, maximumRank);
  if (features.modules && features.style != catalogue::Style::kTraining && !records.empty() &&
      !isExcluded(at::kFloat)) {
    catalogue::Draw draw(records.front()->attributes, "module");
    if (draw.chance(8)) {
      inputs.module.emplace();
      inputs.module->weight = {
          .number = 2001, .sizes = sizesWithin(draw, maximumElements, maximumRank), .dtype = at::kFloat};
      inputs.module->buffer = {
          .number = 2002, .sizes = sizesWithin(draw, maximumElements, maximumRank), .dtype = at::kFloat};
      if (draw.chance(30) && !isExcluded(at::kLong)) {
        inputs.module->buffer.dtype = at::kLong;
      }
    }
  }
  if (inputs.bases.empty()) { // a Program without a tensor has nothing to compile
    ArgumentSpecification argument;
    argument.base = 0;
    inputs.bases.push_back(
        {.number = 0, .sizes = {2, 3}, .dtype = defaultDtype(features), .gradient = Gradient::kNone});
    inputs.bases.back().sizes.resize(std::min<size_t>(2, static_cast<size_t>(maximumRank)));
    inputs.arguments.push_back(argument);
  }
  return inputs;
}

} // namespace touchstone::decoder
