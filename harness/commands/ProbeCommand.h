#pragma once

#include "base/ExitStatus.h"
#include "harness/pool/WorkerPool.h"

#include <optional>
#include <string>

namespace touchstone::commands {

/// `touchstone probe`: what a backend takes of the catalogue, one operator and dtype at a time.
struct ProbeOptions {
  std::string backend;
  worker::Profile profile; // what it excludes is not tried
  std::string proposalBase; // the profile without what only narrows this run, as JSON; empty: none
  bool all = false; // show operators that are supported everywhere, too
  bool excludeWrong = false;
  std::string output; // file for the proposed profile; empty: none
  std::string cases; // folder for Cases that are not supported; empty: none
  bool oneByOne = false; // no probes share a Case
  int workers = 1;
  std::optional<double> seconds; // what has not begun by then is not tried; none: everything is
  pool::LimitOptions limits;
  bool json = false;
};
base::ExitStatus probe(const ProbeOptions& options);

} // namespace touchstone::commands
