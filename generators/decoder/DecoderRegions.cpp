#include "generators/decoder/DecoderState.h"

#include "program/torch_names/NameResolver.h"

namespace touchstone::decoder {

using values::Value;

namespace {

/// Of the `with` around a region; kNone for no further one.
Region outerOf(Region region) {
  return region == Region::kEnableInNoGrad          ? Region::kNoGrad
         : region == Region::kNoGradInAutocast      ? Region::kAutocast
         : region == Region::kAutocastOffInAutocast ? Region::kAutocast
                                                    : Region::kNone;
}
Region innerOf(Region region) {
  return region == Region::kEnableInNoGrad          ? Region::kEnableGrad
         : region == Region::kNoGradInAutocast      ? Region::kNoGrad
         : region == Region::kAutocastOffInAutocast ? Region::kAutocastOff
                                                    : region;
}

language::ExprPtr expressionOf(Region region) {
  switch (region) {
    case Region::kNoGrad: return language::makeCall(language::makeDotted("torch.no_grad"), {});
    case Region::kEnableGrad: return language::makeCall(language::makeDotted("torch.enable_grad"), {});
    case Region::kInference: return language::makeCall(language::makeDotted("torch.inference_mode"), {});
    case Region::kAutocast:
      return language::makeCall(language::makeDotted("torch.autocast"), {language::makeString("cpu")},
                                {{"dtype", language::makeDotted("torch.bfloat16")}});
    case Region::kAutocastOff:
      return language::makeCall(language::makeDotted("torch.autocast"), {language::makeString("cpu")},
                                {{"enabled", language::makeBool(false)}});
    case Region::kAutocastUncached:
      return language::makeCall(
          language::makeDotted("torch.autocast"), {language::makeString("cpu")},
          {{"dtype", language::makeDotted("torch.bfloat16")}, {"cache_enabled", language::makeBool(false)}});
    default: return nullptr;
  }
}

std::unique_ptr<evaluator::Context> enter(Region region) {
  switch (region) {
    case Region::kNoGrad: return evaluator::enterContext("no_grad", {}, {}, false);
    case Region::kEnableGrad: return evaluator::enterContext("enable_grad", {}, {}, false);
    case Region::kInference: return evaluator::enterContext("inference_mode", {}, {}, false);
    case Region::kAutocast:
      return evaluator::enterContext("autocast", {Value(std::string("cpu"))}, {{"dtype", Value(at::kBFloat16)}}, false);
    case Region::kAutocastOff:
      return evaluator::enterContext("autocast", {Value(std::string("cpu"))}, {{"enabled", Value(false)}}, false);
    case Region::kAutocastUncached:
      return evaluator::enterContext("autocast", {Value(std::string("cpu"))},
                                     {{"dtype", Value(at::kBFloat16)}, {"cache_enabled", Value(false)}}, false);
    default: return nullptr;
  }
}

} // namespace

std::vector<language::ExprPtr> regionExpressions(Region region) {
  std::vector<language::ExprPtr> expressions;
  for (const Region one : {outerOf(region), innerOf(region)}) {
    if (one != Region::kNone) {
      expressions.push_back(expressionOf(one));
    }
  }
  return expressions;
}

bool leavesGradOn(Region region) {
  return innerOf(region) != Region::kNoGrad && innerOf(region) != Region::kInference;
}

RegionScope::RegionScope(Region region) : outer_(enter(outerOf(region))), inner_(enter(innerOf(region))) {}

Region drawRegion(uint64_t seed, const catalogue::Features& features) {
  if (!features.regions) {
    return Region::kNone;
  }
  if (features.parts.has(catalogue::Part::kChangedModes) &&
      !features.exactOnly) { // autocast's dtype keeps too few digits
    const int64_t changed = catalogue::Draw(seed, "region of autocast").below(1000);
    if (changed < 24) {
      return changed < 8    ? Region::kAutocastOff
             : changed < 16 ? Region::kAutocastUncached
                            : Region::kAutocastOffInAutocast;
    }
  }
  const int64_t roll = catalogue::Draw(seed, "region").below(1000);
  return roll < 70            ? Region::kNoGrad
         : roll < 80          ? Region::kEnableGrad
         : roll < 84          ? Region::kInference
         : roll < 94          ? Region::kEnableInNoGrad
         : features.exactOnly ? Region::kNone // autocast's dtype keeps too few digits
         : roll < 110         ? Region::kAutocast
         : roll < 115         ? Region::kNoGradInAutocast
                              : Region::kNone;
}

constexpr int64_t kConstructPercent = 20;

Shape drawShape(uint64_t seed, const catalogue::Features& features) {
  if (!features.shapes) {
    return Shape::kStraight;
  }
  const int64_t roll = catalogue::Draw(seed, "shape").below(100);
  if (features.constructs && roll >= 100 - kConstructPercent) {
    return Shape::kFunction;
  }
  return roll < 5 ? Shape::kFunction : roll < 9 ? Shape::kBranch : roll < 12 ? Shape::kLoop : Shape::kStraight;
}

} // namespace touchstone::decoder
