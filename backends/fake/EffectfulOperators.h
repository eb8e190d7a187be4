#pragma once

#include "graph/runtime/EffectNames.h"

#include <ATen/core/Tensor.h>

#include <string>
#include <string_view>
#include <vector>

namespace touchstone::fake {

// Operators that do more than compute tensors: they print, or raise. In a functional Graph such a call is one of an operator
// of its own, `with_effects::aten___print(token, …) -> (token, …)`: it takes a token, a tensor without elements, and gives
// one to the next. So the order of effects is one of data, and a call that has to run is one whose token is returned
// (torch/_higher_order_ops/effects.py).

/// An operator with an effect.
struct EffectfulOperator {
  std::string target; // `aten::_print`
  bool mayRaise = true; // for some values
};

/// Adds an operator, or says something else of it. Graphs that are compiled from then on have its calls in order. Throws
/// std::invalid_argument where there is no such operator, or where its schema has writes or aliases. Thread-safe.
void registerEffectfulOperator(const EffectfulOperator& op);
/// All of them, by name.
std::vector<EffectfulOperator> effectfulOperators();
bool isEffectful(std::string_view target);

using runtime::effectOf;
using runtime::kMakeToken;
using runtime::kSinkTokens;
using runtime::withEffectsTarget;
bool isWithEffects(std::string_view target);

/// What is handed to a Graph that takes a token.
at::Tensor makeToken();

} // namespace touchstone::fake
