#pragma once

#include "graph/ir/StageArtifacts.h"

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace touchstone::stages {

/// What a partition owes, whatever it chooses; see docs/native_pipeline.md.
enum class PartitionLaw {
  kComposes, // forward, then backward on what it saved, give what the joint Graph gives, bit for bit
  kSavesNothingMutated, // nothing that a part writes to lies in the memory of a saved value
  kMutationStays, // a write is in the part in which it was recorded, and in no other
  kDrawsOnce, // each draw is made once, in the part in which it was recorded
  kCostsNoMore, // by the partition's own costs, what is saved costs no more than what the default partition saves
};

/// `composes`
const char* partitionLawName(PartitionLaw law);

struct PartitionBreach {
  PartitionLaw law = PartitionLaw::kComposes;
  std::string message; // a sentence that names nodes and numbers
};

/// Holds what the stages `functional` (or `merged`; or `joint` alone, of a pipeline whose joint Graph is functional), `forward`
/// and `backward` of one compile left against the laws. `inputs`:
/// a tensor for each placeholder of the joint Graph, tangents included; they stay as they are, as does the default generator.
/// Empty: every law holds. Throws what the joint Graph throws on these inputs, and std::invalid_argument when a stage is
/// missing.
std::vector<PartitionBreach> partitionBreaches(const ir::StageArtifacts& artifacts,
                                               const std::vector<at::Tensor>& inputs);

/// A call of an operator that draws random numbers.
bool drawsSomething(const ir::Node& node);

/// Fixed values for the placeholders of a joint Graph, laid out as what was traced, overlaps included, in memory with room
/// behind them: small numbers that differ, whole where they have to be (0 or 1).
std::vector<at::Tensor> inputsFor(const ir::Graph& joint, int seed);

} // namespace touchstone::stages
