#pragma once

#include "base/ExitStatus.h"
#include "harness/pool/WorkerPool.h"

#include <string>
#include <vector>

namespace touchstone::commands {

/// `touchstone dump`: what the native pipeline makes of a Case, stage by stage.
struct DumpOptions {
  std::string path;
  std::string stage; // empty: all, in the order in which they ran
  std::string backend = "aot_eager";
  int call = 0; // position in CALLS
  std::string dynamic; // in place of what the Case says; see worker::setDynamic()
  std::string device; // that the arguments are claimed to be on; empty: where they are
  bool readable = true; // false: each Graph as a module that PyTorch runs
  bool metadata = false; // what each node came of, beside it
  std::string graphs; // folder in which folders of Graphs are made, see graph_files::GraphFolder; empty: none
  std::string graphsName = "graphs"; // of each, before its number
  bool inputs = false; // with what each Graph is given and gives
  std::string svg, dot; // files for a picture of the stage, by Graphviz or for it; empty: none
  pool::LimitOptions limits;
  bool json = false;
};

/// Compiles one call of a Case in a worker, for a ShowStagesTask under a native backend, for an ExplainTask under any. Throws WrongUse.
worker::JobResult runStages(const DumpOptions& options, worker::Task task);

/// Tells on standard error what compilers warned of, and how a compile ended that did not come to its end; what the
/// command ends with.
base::ExitStatus tellEnd(const std::string& path, const worker::BackendResult& end);

/// The stages that can be asked for; `backward` is also `backward_0`, `backward_1`, … of outputs whose graphs do not meet.
const std::vector<std::string>& stageNames();

} // namespace touchstone::commands
