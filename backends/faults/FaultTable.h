#pragma once

#include "graph/ir/BackendInfo.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace touchstone::faults {

/// What a compiler gets wrong.
enum class FaultClass {
  kCapture, // what the Program called is recorded wrongly
  kRewriting, // a pass over a Graph changes what it computes
  kViews, // layout, offset or aliasing of a result
  kJoint, // the backward that is recorded
  kPartition, // what is saved and what is computed again
  kSavedValues, // what the backward finds of what was saved
  kRuntime, // what the call does around the compiled Graphs
  kGuards, // compiled code is taken where it does not apply
  kSymbols, // sizes that are symbols: Cases with other sizes, compiled with `dynamic`, see them
  kNumerics, // roundings
  kMemory, // memory that is nobody's, or somebody else's
  kErrors, // what is raised, or is not
};
constexpr int kFaultClassCount = static_cast<int>(FaultClass::kErrors) + 1;
std::string_view faultClassName(FaultClass faultClass); // `saved_values`

/// A bug that is planted on purpose, or a control: an unusual rewrite that is right.
struct FaultRow {
  std::string_view name;
  ir::Family family;
  FaultClass faultClass;
  std::string_view
      stage; // native: of graph/ir/Stages.h; torch: dynamo, guards, joint, partition, forward, backward, runtime
  std::string_view what; // what goes wrong; of a control what it does
  std::string_view when; // when it bites
  bool isControl = false; // nobody may see it
};

std::span<const FaultRow> nativeFaults();
std::span<const FaultRow> torchFaults();
std::span<const FaultRow> faultsOf(ir::Family family);
/// Null: there is none of this name.
const FaultRow* faultRow(ir::Family family, std::string_view name);

/// Where a developer has to look: the row's stage. But a native fault that takes compiled code where it does not apply, which is
/// planted around a compiler, is one of `guards`, whatever is compiled there.
std::string_view stageToBlame(const FaultRow& row);

/// `fault:NAME`, of the torch family `torch:fault:NAME`.
std::string backendName(const FaultRow& row);

} // namespace touchstone::faults
