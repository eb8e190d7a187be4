#pragma once

#include "backends/fake/DispatchMode.h"

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::fake {

/// The effects of a run that is given up, with what they gave, so that a run in its place does not have them again.
class EffectRecord {
 public:
  /// What a run calls for its effects.
  enum class Calls { kWithTokens, kPlain };

  /// While it lives, effects on this thread are noted; of scopes inside each other the innermost one's record has them.
  class Noting {
   public:
    explicit Noting(EffectRecord& record, Calls calls = Calls::kWithTokens);
    ~Noting();
    Noting(const Noting&) = delete;
    Noting& operator=(const Noting&) = delete;

   private:
    EffectRecord* outer_;
    std::unique_ptr<DispatchMode> mode_; // null: calls with tokens tell of themselves
    std::optional<DispatchMode::Scope> entered_;
  };

  /// While it lives, each plain call on this thread of an effect that was noted gives what that one gave, or raises what it raised,
  /// in their order; calls behind those have their effects. Nested in a composite operator they count, too.
  class Repeating {
   public:
    explicit Repeating(EffectRecord& record);

   private:
    std::unique_ptr<DispatchMode> mode_;
    std::optional<DispatchMode::Scope> entered_; // only where something was noted
  };

  /// Calls an operator with an effect, and notes it where there is a scope.
  static void callNoting(const c10::OperatorHandle& effect, torch::jit::Stack* stack);

 private:
  struct Call {
    std::string target;
    torch::jit::Stack results;
    std::exception_ptr raised; // null: it has results
  };
  class NotingMode;
  class RepeatingMode;
  std::vector<Call> calls_;
};

} // namespace touchstone::fake
