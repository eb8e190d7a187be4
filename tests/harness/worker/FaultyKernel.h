#pragma once

#include <cstdint>

namespace touchstone::tests {

/// The operator whose kernel ends the process, or tries to, where the environment says so: TOUCHSTONE_TEST_FAULT is
/// `PLACE:DEED` with a place among `decoding`, `deriving`, `eager`, `backend` and a deed among `kill`, `hang`, `abort`,
/// `memory`, and `overrun`, which writes behind the end of its result.
/// Everywhere else it does what it should.
inline constexpr const char* kFaultyOperator = "erf";

/// How often the kernel has run in this process.
int64_t faultyKernelRuns();

} // namespace touchstone::tests
