#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace touchstone::ir {

/// How much of the graphs that it was handed a backend executes itself.
enum class DelegationKind { kDelegated, kPartly, kUndelegated };

constexpr std::string_view delegationName(DelegationKind kind) {
  return kind == DelegationKind::kDelegated ? "Delegated" : kind == DelegationKind::kPartly ? "Partly" : "Undelegated";
}

/// Of one operator, in calls: those in the graphs, and of these those that the backend executed.
struct OperatorShare {
  int64_t calls = 0, own = 0;

  OperatorShare& operator+=(const OperatorShare& other) {
    calls += other.calls;
    own += other.own;
    return *this;
  }
  bool operator==(const OperatorShare& other) const = default;
};

struct Delegation {
  DelegationKind kind = DelegationKind::kDelegated;
  std::map<std::string, OperatorShare> operators; // by name in `aten`
};

} // namespace touchstone::ir
