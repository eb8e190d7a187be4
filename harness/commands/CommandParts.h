#pragma once

#include "base/ExitStatus.h"
#include "harness/pool/WorkerPool.h"

#include <CLI/CLI.hpp>

#include <functional>

namespace touchstone::commands {

/// What is left to do when the arguments were read.
using Command = std::function<base::ExitStatus()>;

/// A number above zero.
CLI::Validator aboveZero();
/// Of unsigned options, which would take a number below zero for a large one.
CLI::Validator notNegative();

/// The flags that set LimitOptions.
void addLimits(CLI::App& command, pool::LimitOptions& limits);

} // namespace touchstone::commands
