#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>

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

/// `with_effects::aten___print` of `aten::_print`, which is effectful.
std::string withEffectsTarget(const std::string& target);
bool isWithEffects(std::string_view target);
/// What such an operator calls: `aten::_print` of `with_effects::aten___print`; empty: it is none.
std::string effectOf(std::string_view target);

/// Take no token and give one; take tokens and give nothing. Of Graphs that have no tokens among arguments and results.
extern const char* const kMakeToken;
extern const char* const kSinkTokens;
/// What is handed to a Graph that takes a token.
at::Tensor makeToken();

/// While it lives, what the calls of such operators give on this thread is kept, by call. Another one sees what is called
/// while it lives in its place.
class EffectsOfRun {
 public:
  EffectsOfRun();
  ~EffectsOfRun();
  EffectsOfRun(const EffectsOfRun&) = delete;
  EffectsOfRun& operator=(const EffectsOfRun&) = delete;

  /// Results without the token.
  const std::vector<torch::jit::Stack>& results() const { return results_; }

 private:
  friend class WithEffects;
  std::vector<torch::jit::Stack> results_;
  EffectsOfRun* const outer_;
};

} // namespace touchstone::fake
