#include "generators/decoder/DecoderState.h"

#include "program/torch_names/NameResolver.h"

namespace touchstone::generators {

using graph::Value;

namespace {

/// Of the `with` around a region; kNone for no further one.
Region outerOf(Region region) {
  return region == Region::kEnableInNoGrad     ? Region::kNoGrad
         : region == Region::kNoGradInAutocast ? Region::kAutocast
                                               : Region::kNone;
}
Region innerOf(Region region) {
  return region == Region::kEnableInNoGrad     ? Region::kEnableGrad
         : region == Region::kNoGradInAutocast ? Region::kNoGrad
                                               : region;
}

graph::ExprPtr expressionOf(Region region) {
  switch (region) {
    case Region::kNoGrad: return graph::makeCall(graph::makeDotted("torch.no_grad"), {});
    case Region::kEnableGrad: return graph::makeCall(graph::makeDotted("torch.enable_grad"), {});
    case Region::kInference: return graph::makeCall(graph::makeDotted("torch.inference_mode"), {});
    case Region::kAutocast:
      return graph::makeCall(graph::makeDotted("torch.autocast"), {graph::makeString("cpu")},
                             {{"dtype", graph::makeDotted("torch.bfloat16")}});
    default: return nullptr;
  }
}

std::unique_ptr<graph::Context> enter(Region region) {
  switch (region) {
    case Region::kNoGrad: return graph::enterContext("no_grad", {}, {}, false);
    case Region::kEnableGrad: return graph::enterContext("enable_grad", {}, {}, false);
    case Region::kInference: return graph::enterContext("inference_mode", {}, {}, false);
    case Region::kAutocast:
      return graph::enterContext("autocast", {Value(std::string("cpu"))}, {{"dtype", Value(at::kBFloat16)}}, false);
    default: return nullptr;
  }
}

} // namespace

std::vector<graph::ExprPtr> regionExpressions(Region region) {
  std::vector<graph::ExprPtr> expressions;
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

Region drawRegion(uint64_t seed, const Features& features) {
  if (!features.regions) {
    return Region::kNone;
  }
  const int64_t roll = Draw(seed, "region").below(1000);
  return roll < 70            ? Region::kNoGrad
         : roll < 80          ? Region::kEnableGrad
         : roll < 84          ? Region::kInference
         : roll < 94          ? Region::kEnableInNoGrad
         : features.exactOnly ? Region::kNone // autocast's dtype keeps too few digits
         : roll < 110         ? Region::kAutocast
         : roll < 115         ? Region::kNoGradInAutocast
                              : Region::kNone;
}

Shape drawShape(uint64_t seed, const Features& features) {
  if (!features.shapes) {
    return Shape::kStraight;
  }
  const int64_t roll = Draw(seed, "shape").below(100);
  return roll < 5 ? Shape::kFunction : roll < 9 ? Shape::kBranch : roll < 12 ? Shape::kLoop : Shape::kStraight;
}

} // namespace touchstone::generators
