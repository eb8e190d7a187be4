#pragma once

#include "backends/compiled_autograd/BackwardGraph.h"
#include "backends/compiled_autograd/BackwardSymbols.h"
#include "backends/compiled_autograd/SymbolicSegment.h"

#include <c10/util/Exception.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace touchstone::compiled_autograd {

class SpecializedBackward;

/// A backward of one structure and scalars for all numbers that its symbols allow. It is captured under several assignments
/// of the symbols, and the numbers of its Graphs are fitted.
class SymbolicBackward {
 public:
  /// `captured`: under each assignment of the fitting. Throws symbols::NotSymbolic where they are more than other numbers.
  SymbolicBackward(BackwardSymbols symbols, std::vector<c10::IValue> scalars, std::set<size_t> eagerNodes,
                   std::shared_ptr<FittedSizes> fitted, const std::vector<BackwardGraph>& captured);

  /// Null: the backward has other scalars, or numbers that the symbols do not allow. Nothing is traced. Thread-safe.
  std::shared_ptr<SpecializedBackward> at(const BackwardTask& task, const BackwardKey& key) const;
  BackwardGraph graphAt(const symbols::Assignment& assignment) const;
  const BackwardSymbols& symbols() const { return symbols_; }
  /// The Graph of all of it, with `s0` and what is computed from symbols in the place of numbers.
  std::string text() const { return whole_->text("backward"); }

 private:
  struct Part {
    Segment model; // of the first assignment
    symbols::Numbers waiting; // of gradients that wait
    std::shared_ptr<SymbolicSegment> graph;
  };
  static symbols::Numbers numbersOfWaiting(const std::vector<BackwardGraph>& captured, size_t part,
                                           symbols::Fitting& fitting);

  const BackwardSymbols symbols_;
  const std::vector<c10::IValue> scalars_;
  const std::set<size_t> eagerNodes_;
  std::optional<symbols::SymbolicGraph> whole_;
  std::vector<Part> parts_;
  mutable std::mutex mutex_;
  mutable std::map<symbols::Assignment, std::shared_ptr<SpecializedBackward>> known_;
};

} // namespace touchstone::compiled_autograd
