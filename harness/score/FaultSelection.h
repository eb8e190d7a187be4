#pragma once

#include "backends/faults/FaultTable.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace touchstone::score {

/// The faults fall into two halves by their names, so that one can be looked at while the generator is tuned and the other tells
/// afterwards what that was worth. By FNV-1a: a new fault moves no other.
bool isSeen(std::string_view name);
/// What `--half` takes.
const std::vector<std::string>& halfNames(); // seen, unseen, all

struct FaultSelection {
  std::string half = "all"; // controls are in each
  std::vector<std::string> names; // of faults or classes; empty: all
  bool withSymbols = true; // those of class `symbols` among all: no Case sees them that keeps its sizes
};

/// The rows of `table` in its order.
std::vector<faults::FaultRow> selectFaults(std::span<const faults::FaultRow> table, const FaultSelection& selection);
/// Throws WrongUse for a name that is neither of a row of `known` nor of a class.
void checkNames(const std::vector<std::string>& names, const std::vector<faults::FaultRow>& known);

} // namespace touchstone::score
