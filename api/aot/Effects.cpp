#include <touchstone/effects.h>

#include "backends/fake/EffectfulOperators.h"

namespace touchstone::aot {

void registerEffectfulOperator(const EffectfulOperator& op) {
  fake::registerEffectfulOperator({op.target, op.mayRaise});
}

std::vector<EffectfulOperator> effectfulOperators() {
  std::vector<EffectfulOperator> ops;
  for (const fake::EffectfulOperator& op : fake::effectfulOperators()) {
    ops.push_back({op.target, op.mayRaise});
  }
  return ops;
}

} // namespace touchstone::aot
