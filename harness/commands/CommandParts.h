#pragma once

#include "base/ExitStatus.h"
#include "harness/pool/WorkerPool.h"

#include <CLI/CLI.hpp>

#include <functional>

namespace touchstone::harness {

/// What is left to do when the arguments were read.
using Command = std::function<ExitStatus()>;

/// A number above zero.
CLI::Validator aboveZero();
/// Of unsigned options, which would take a number below zero for a large one.
CLI::Validator notNegative();

/// The flags that set LimitOptions.
void addLimits(CLI::App& command, LimitOptions& limits);

} // namespace touchstone::harness
