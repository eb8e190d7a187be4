#pragma once

#include "graph/ir/StageArtifacts.h"

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace touchstone::stages {

/// A Graph or a run that cannot be judged; what() says why.
class NotJudged : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What the stages of one compile left, in words for a person. Keeps a reference.
class ReplayedCompile {
 public:
  explicit ReplayedCompile(const ir::StageArtifacts& artifacts) : artifacts_(artifacts) {}

  /// Throws NotJudged where there is none.
  const ir::Graph& graph(const std::string& stage) const;
  /// It was traced with gradients. Without, nothing is cut.
  bool isCut() const;
  /// Throws NotJudged where there is none.
  const ir::GraphSignature& signature() const;
  const std::vector<std::string>& saved() const { return artifacts_.partition.saved; }
  /// How many outputs of the forward Graph are no saved values.
  size_t ends() const;

  /// `result 1, the new value of argument `x``, `saved value `mul``, `gradient 0 of argument `x``.
  std::string outputName(const std::string& stage, size_t position) const;
  /// `input `primals_1` after the run`
  std::string inputName(const std::string& stage, size_t position) const;
  /// `` `primals_1`, the memory of argument `x` ``
  std::string savedName(const std::string& name) const;

 private:
  std::string ofArgument(int input) const; // ` of argument `x``; empty: not known

  const ir::StageArtifacts& artifacts_;
};

} // namespace touchstone::stages
