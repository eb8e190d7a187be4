#include "generators/mutation/LiteralChanges.h"
#include "generators/mutation/Mutation.h"
#include "program/parser/LanguageNames.h"

#include <iterator>
#include <numeric>
#include <string>
#include <vector>

namespace touchstone::mutation {

using language::CallSpec;
using language::Case;
using language::GradMode;

namespace {

constexpr size_t kMaximumMutatedCalls = 12;
constexpr const char* kKinds[] = {"grid", "grid", "uniform", "zeros", "ones"};
constexpr GradMode kModes[] = {GradMode::kEnable, GradMode::kNoGrad, GradMode::kInference};
constexpr language::TangentLayout kLayouts[] = {language::TangentLayout::kLike, language::TangentLayout::kContiguous,
                                                language::TangentLayout::kTransposed,
                                                language::TangentLayout::kExpanded, language::TangentLayout::kGapped};

CallSpec& anyCall(Case& theCase, catalogue::Draw& draw) {
  return theCase.calls[static_cast<size_t>(draw.below(static_cast<int64_t>(theCase.calls.size())))];
}

std::vector<size_t> inputFunctions(const Case& theCase) {
  std::vector<size_t> positions;
  for (size_t index = 0; index < theCase.functions.size(); ++index) {
    if (language::isInputsName(theCase.functions[index].name)) {
      positions.push_back(index);
    }
  }
  return positions;
}

bool changeInputs(Case& theCase, catalogue::Draw& draw) {
  const std::vector<size_t> positions = inputFunctions(theCase);
  if (positions.empty()) {
    return false;
  }
  const size_t chosen = positions[static_cast<size_t>(draw.below(static_cast<int64_t>(positions.size())))];
  return changeLiteral(theCase.functions[chosen], draw, /*everywhere=*/draw.chance(60));
}

/// A further `inputs` function, like one that is there but for one literal, and a call with it.
bool addChangedInputs(Case& theCase, catalogue::Draw& draw) {
  const std::vector<size_t> positions = inputFunctions(theCase);
  const std::string name = "inputs_mutated";
  if (positions.empty() || theCase.calls.empty() || theCase.calls.size() >= kMaximumMutatedCalls ||
      theCase.find(name)) {
    return false;
  }
  language::Function function = theCase.functions[positions.front()];
  function.name = name;
  if (!changeLiteral(function, draw, draw.chance(60))) {
    return false;
  }
  theCase.functions.push_back(std::move(function));
  CallSpec call = anyCall(theCase, draw);
  call.inputs = name;
  theCase.calls.push_back(std::move(call));
  return true;
}

bool repeatCall(Case& theCase, catalogue::Draw& draw) {
  if (theCase.calls.empty() || theCase.calls.size() >= kMaximumMutatedCalls) {
    return false;
  }
  CallSpec call = anyCall(theCase, draw);
  const int64_t roll = draw.below(100);
  if (roll < 50 && call.inputs) {
    call.seed += draw.between(1, 4);
  } else if (roll < 70) {
    call.inputs.reset(); // the very objects of the call before
    call.seed = 0;
    call.kind = "grid";
  } else if (call.inputs) {
    call.kind = kKinds[static_cast<size_t>(draw.below(std::size(kKinds)))];
  }
  theCase.calls.push_back(std::move(call));
  return true;
}

bool dropCall(Case& theCase, catalogue::Draw& draw) {
  if (theCase.calls.size() < 3) {
    return false;
  }
  std::vector<size_t> kept(theCase.calls.size());
  std::iota(kept.begin(), kept.end(), size_t{0});
  kept.erase(kept.begin() + 1 + draw.below(static_cast<int64_t>(theCase.calls.size()) - 1));
  theCase.calls = language::keptCalls(theCase.calls, kept);
  return true;
}

bool swapCalls(Case& theCase, catalogue::Draw& draw) {
  if (theCase.calls.size() < 3) {
    return false;
  }
  const auto position = static_cast<size_t>(draw.between(1, static_cast<int64_t>(theCase.calls.size()) - 2));
  std::vector<size_t> order(theCase.calls.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::swap(order[position], order[position + 1]);
  theCase.calls = language::keptCalls(theCase.calls, order);
  return true;
}

bool changeMode(Case& theCase, catalogue::Draw& draw) {
  if (theCase.calls.size() < 2) {
    return false;
  }
  CallSpec& call = theCase.calls[static_cast<size_t>(draw.between(1, static_cast<int64_t>(theCase.calls.size()) - 1))];
  const GradMode mode = kModes[static_cast<size_t>(draw.below(std::size(kModes)))];
  if (mode == call.gradMode) {
    return false;
  }
  call.gradMode = mode;
  if (mode != GradMode::kEnable) {
    call.backward.reset();
    call.wrt.reset();
    call.via = language::GradientVia::kBackward;
    call.between.reset();
    theCase.calls = language::settledCalls(theCase.calls);
  }
  return true;
}

/// Puts a backward off until after a later forward, feeds a call with the first output of the one before, or lets another
/// compiled object serve it.
bool interleaveCalls(Case& theCase, catalogue::Draw& draw) {
  if (theCase.calls.size() < 2) {
    return false;
  }
  const auto position = static_cast<size_t>(draw.between(1, static_cast<int64_t>(theCase.calls.size()) - 1));
  CallSpec& call = theCase.calls[position];
  const int64_t roll = draw.below(100);
  if (roll < 50) {
    const auto earlier = static_cast<size_t>(draw.below(static_cast<int64_t>(position)));
    if (!theCase.calls[earlier].backward || theCase.backwardRunsAfter(earlier) != earlier) {
      return false;
    }
    call.backwardAfter.insert(call.backwardAfter.begin(), static_cast<int>(earlier));
  } else if (roll < 80) {
    call.feed = {{.argument = static_cast<int>(draw.below(2)), .output = static_cast<int>(draw.below(2))}};
  } else {
    call.instance = 1 - call.instance;
  }
  return true;
}

bool changeBackward(Case& theCase, catalogue::Draw& draw) {
  if (theCase.calls.empty()) {
    return false;
  }
  CallSpec& call = anyCall(theCase, draw);
  if (call.gradMode != GradMode::kEnable) {
    return false;
  }
  if (!call.backward) {
    call.backward =
        std::vector<language::BackwardRoot>{{.isArgument = false, .index = static_cast<int>(draw.below(3))}};
    call.tangentSeed = draw.between(1, 40);
    return true;
  }
  if (draw.chance(60) && call.tangentLayout != language::TangentLayout::kNone) {
    call.tangentLayout = kLayouts[static_cast<size_t>(draw.below(std::size(kLayouts)))];
  } else {
    call.tangentSeed += 1;
  }
  return true;
}

constexpr Mutation kCallMutations[] = {
    {"change the inputs", changeInputs, 4},   {"add changed inputs", addChangedInputs, 3},
    {"repeat a call", repeatCall, 2},         {"drop a call", dropCall, 1},
    {"swap two calls", swapCalls, 1},         {"change the mode of a call", changeMode, 1},
    {"change a backward", changeBackward, 2}, {"interleave two calls", interleaveCalls, 1},
};

} // namespace

std::span<const Mutation> callMutations() {
  return kCallMutations;
}

} // namespace touchstone::mutation
