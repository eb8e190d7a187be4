#include "generators/decoder/DecoderState.h"
#include "program/analysis/NameFlow.h"

#include <algorithm>

namespace touchstone::decoder {

using language::ExprPtr;

namespace {

enum class OutputKind { kUnused, kAnyTensor, kInput, kReturned, kNumber, kUnusedDifferentiable, kReadDifferentiable };

constexpr size_t kMaximumOutputs = 12;
constexpr size_t kDenseOutputs = 8; // of a dense Program, before those that records ask for
constexpr size_t kDenseExtraOutputs = 2;

OutputKind drawOutputKind(catalogue::Draw& draw) {
  const int64_t roll = draw.below(100);
  return roll < 55   ? OutputKind::kUnused
         : roll < 75 ? OutputKind::kAnyTensor
         : roll < 86 ? OutputKind::kInput
         : roll < 92 ? OutputKind::kReturned
                     : OutputKind::kNumber;
}

bool isCandidate(OutputKind kind, const Variable& variable, bool returned) {
  const bool tensor = variable.value.isTensor();
  switch (kind) {
    case OutputKind::kUnused: return tensor && variable.uses == 0 && !variable.isInput;
    case OutputKind::kAnyTensor: return tensor && !variable.isInput;
    case OutputKind::kInput: return tensor && variable.isInput;
    case OutputKind::kReturned: return returned;
    case OutputKind::kNumber: return !tensor && !variable.isInput;
    case OutputKind::kUnusedDifferentiable:
      return isCandidate(OutputKind::kUnused, variable, returned) && variable.value.tensor().requires_grad();
    case OutputKind::kReadDifferentiable:
      return tensor && !variable.isInput && !returned && variable.uses > 0 && variable.value.tensor().requires_grad();
  }
  return false;
}

ExprPtr structureOf(catalogue::Draw draw, std::vector<ExprPtr> items) {
  const int64_t roll = draw.below(100);
  if (items.size() == 1 && roll < 70) {
    return items[0];
  }
  if (roll < 84) {
    return language::makeTuple(std::move(items));
  }
  if (roll < 92) {
    return language::makeList(std::move(items));
  }
  if (roll < 96 && items.size() >= 3) { // nested: all but the first in a tuple of their own
    std::vector<ExprPtr> rest(items.begin() + 1, items.end());
    return language::makeTuple({items[0], language::makeTuple(std::move(rest))});
  }
  auto dictionary = std::make_shared<language::Expr>(language::Expr{language::ExprKind::kDict, {}, {}, {}, {}});
  for (size_t index = 0; index < items.size(); ++index) {
    dictionary->children.push_back(language::makeString(std::string(1, static_cast<char>('a' + index % 26)) +
                                                        (index < 26 ? "" : std::to_string(index))));
    dictionary->children.push_back(items[index]);
  }
  return dictionary;
}

} // namespace

language::StatementPtr decodeOutputs(DecoderState& state, const std::vector<const catalogue::Record*>& records) {
  std::vector<size_t> chosen;
  const auto take = [&](OutputKind kind, int pick) {
    std::vector<size_t> candidates;
    for (size_t index = state.variables.size(); index-- > 0;) {
      const bool returned = std::find(chosen.begin(), chosen.end(), index) != chosen.end();
      if (isCandidate(kind, state.variables[index], returned)) {
        candidates.push_back(index);
      }
    }
    if (candidates.empty()) {
      return false;
    }
    chosen.push_back(candidates[distanceBack(pick, candidates.size())]);
    ++state.variables[chosen.back()].uses;
    return true;
  };
  const catalogue::Features& features = state.options.features;
  size_t most = kMaximumOutputs;
  if (features.isDense()) { // all that nothing reads, and a few that something does
    while (features.wantsGradients() && chosen.size() < kDenseOutputs && take(OutputKind::kUnusedDifferentiable, 0)) {
    }
    while (chosen.size() < kDenseOutputs && take(OutputKind::kUnused, 0)) {
    }
    if (features.wantsGradients() && !records.empty()) {
      take(OutputKind::kReadDifferentiable, records.front()->pick(3));
    }
    most = chosen.size() + kDenseExtraOutputs;
  }
  for (const catalogue::Record* record : records) {
    if (chosen.size() >= most) {
      break;
    }
    catalogue::Draw draw(record->attributes ^ record->key, "output");
    const OutputKind kind = drawOutputKind(draw);
    take(kind, record->pick(0)) || take(OutputKind::kUnused, record->pick(1)) ||
        take(OutputKind::kAnyTensor, record->pick(2));
  }
  // What nothing reads would be dead code: the latest of it is returned as well.
  const size_t withUnused = std::min(kMaximumOutputs, chosen.size() + 3);
  while (chosen.size() < withUnused && take(OutputKind::kUnused, 0)) {
  }
  for (size_t index = 0; index < state.variables.size(); ++index) {
    if (state.variables[index].isReturned && state.variables[index].uses == 0) {
      chosen.push_back(index);
    }
  }
  if (chosen.empty() && !take(OutputKind::kInput, 0)) {
    return language::makeReturn(language::makeNone());
  }
  std::vector<ExprPtr> items;
  for (size_t index : chosen) {
    items.push_back(language::makeName(state.variables[index].name));
  }
  const uint64_t seed = records.empty() ? 0 : records.front()->attributes;
  return language::makeReturn(structureOf(catalogue::Draw(seed, "structure"), std::move(items)));
}

void dropDeadStatements(DecoderState& state, const std::vector<std::string>& parameters,
                        const language::StatementPtr& last) {
  if (state.raises()) {
    return;
  }
  std::vector<language::StatementPtr> body;
  for (const DecodedStatement& each : state.statements) {
    body.push_back(each.statement);
  }
  body.push_back(last);
  const std::vector<analysis::StatementFlow> flows = analysis::flowOf(body);
  const std::set<const language::Statement*> live = analysis::liveStatements(
      body, flows, {{parameters.begin(), parameters.end()}, analysis::AliasGroups(flows), /*otherEffects=*/true});
  const auto isLive = [&](const language::Statement& each) { return live.contains(&each); };
  std::erase_if(state.statements, [&](const DecodedStatement& each) { // a block stays for what is in it
    return !language::anyStatement({each.statement}, isLive);
  });
}

} // namespace touchstone::decoder
