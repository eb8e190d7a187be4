#include "backends/fake/EffectRecord.h"

#include "backends/fake/EffectfulOperators.h"
#include "backends/fake/OperatorTraits.h"

#include <algorithm>
#include <utility>

namespace touchstone::fake {

namespace {

thread_local EffectRecord* currentRecord = nullptr;

} // namespace

class EffectRecord::NotingMode final : public DispatchMode {
 public:
  void call(const c10::OperatorHandle& op, torch::jit::Stack* stack) override {
    if (isEffectful(targetOf(op))) {
      callNoting(op, stack);
    } else {
      op.callBoxed(stack);
    }
  }
};

class EffectRecord::RepeatingMode final : public DispatchMode {
 public:
  explicit RepeatingMode(EffectRecord& record) : calls_(record.calls_) {}

  void call(const c10::OperatorHandle& op, torch::jit::Stack* stack) override {
    // What a decomposition alone has called for its effects comes before.
    const auto noted = std::ranges::find(calls_, targetOf(op), &Call::target);
    if (noted == calls_.end()) {
      return op.callBoxed(stack);
    }
    const Call call = std::move(*noted);
    calls_.erase(calls_.begin(), std::next(noted));
    if (call.raised != nullptr) {
      std::rethrow_exception(call.raised);
    }
    torch::jit::drop(stack, op.schema().arguments().size());
    stack->insert(stack->end(), call.results.begin(), call.results.end());
  }

 private:
  std::vector<Call>& calls_;
};

EffectRecord::Noting::Noting(EffectRecord& record, Calls calls) : outer_(std::exchange(currentRecord, &record)) {
  if (calls == Calls::kPlain) {
    mode_ = std::make_unique<NotingMode>();
    entered_.emplace(*mode_);
  }
}

EffectRecord::Noting::~Noting() {
  currentRecord = outer_;
}

EffectRecord::Repeating::Repeating(EffectRecord& record) {
  if (!record.calls_.empty()) {
    mode_ = std::make_unique<RepeatingMode>(record);
    entered_.emplace(*mode_);
  }
}

void EffectRecord::callNoting(const c10::OperatorHandle& effect, torch::jit::Stack* stack) {
  if (currentRecord == nullptr) {
    return effect.callBoxed(stack);
  }
  Call call{targetOf(effect), {}, nullptr};
  const auto begin = static_cast<ptrdiff_t>(stack->size() - effect.schema().arguments().size());
  EffectRecord* const record = std::exchange(currentRecord, nullptr); // what its kernel compiles and runs is its own
  try {
    effect.callBoxed(stack);
    call.results.assign(stack->begin() + begin, stack->end());
  } catch (...) {
    call.raised = std::current_exception();
  }
  currentRecord = record;
  record->calls_.push_back(std::move(call));
  if (const std::exception_ptr& raised = record->calls_.back().raised; raised != nullptr) {
    std::rethrow_exception(raised);
  }
}

} // namespace touchstone::fake
