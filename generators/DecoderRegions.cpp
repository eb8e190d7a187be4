#include "generators/DecoderState.h"

#include "graph/program/NameResolver.h"

namespace touchstone::generators {

using graph::Value;

graph::ExprPtr regionExpression(Region region) {
  switch (region) {
    case Region::kNone: break;
    case Region::kNoGrad: return graph::makeCall(graph::makeDotted("torch.no_grad"), {});
    case Region::kEnableGrad: return graph::makeCall(graph::makeDotted("torch.enable_grad"), {});
    case Region::kInference: return graph::makeCall(graph::makeDotted("torch.inference_mode"), {});
    case Region::kAutocast:
      return graph::makeCall(graph::makeDotted("torch.autocast"), {graph::makeString("cpu")},
                             {{"dtype", graph::makeDotted("torch.bfloat16")}});
  }
  return nullptr;
}

Region drawRegion(uint64_t seed, const Features& features) {
  if (!features.regions) {
    return Region::kNone;
  }
  const int64_t roll = Draw(seed, "region").below(1000);
  return roll < 70                           ? Region::kNoGrad
         : roll < 80                         ? Region::kEnableGrad
         : roll < 84                         ? Region::kInference
         : roll < 100 && !features.exactOnly ? Region::kAutocast // its dtype keeps too few digits
                                             : Region::kNone;
}

Shape drawShape(uint64_t seed, const Features& features) {
  if (!features.shapes) {
    return Shape::kStraight;
  }
  const int64_t roll = Draw(seed, "shape").below(100);
  return roll < 5 ? Shape::kFunction : roll < 9 ? Shape::kBranch : roll < 12 ? Shape::kLoop : Shape::kStraight;
}

std::unique_ptr<graph::Context> enterRegion(Region region) {
  switch (region) {
    case Region::kNone: break;
    case Region::kNoGrad: return graph::enterContext("no_grad", {}, {}, false);
    case Region::kEnableGrad: return graph::enterContext("enable_grad", {}, {}, false);
    case Region::kInference: return graph::enterContext("inference_mode", {}, {}, false);
    case Region::kAutocast:
      return graph::enterContext("autocast", {Value(std::string("cpu"))}, {{"dtype", Value(at::kBFloat16)}}, false);
  }
  return nullptr;
}

} // namespace touchstone::generators
