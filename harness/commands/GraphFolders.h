#pragma once

#include "base/ExitStatus.h"
#include "harness/pool/WorkerPool.h"

#include <string>
#include <vector>

namespace touchstone::commands {

/// Those of the paths that are folders of Graphs. Throws WrongUse when there are others besides: these are judged otherwise.
std::vector<std::string> graphFoldersAmong(const std::vector<std::string>& paths);

/// `touchstone run` of folders of Graphs: each Graph is run again, in a child, and held against the run that was kept. Exit status 1 when one
/// differs or raises, 2 when a folder cannot be read, 4 when there is no Graph.
base::ExitStatus runGraphFolders(const std::vector<std::string>& folders, int workers, const pool::LimitOptions& limits,
                                 bool json);

} // namespace touchstone::commands
