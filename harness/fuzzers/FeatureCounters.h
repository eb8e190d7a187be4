#pragma once

#include "generators/decoder/Decoder.h"
#include "harness/worker/Job.h"
#include "program/language/Case.h"

namespace touchstone::fuzzers {

/// Tells libFuzzer what a Case is made of, as coverage beyond the code that ran: operators, pairs of neighbouring ones,
/// aliased inputs, mutation, backward, what changes from call to call. An input that has something new is kept.
void countFeatures(const language::Case& theCase, const decoder::DecodeStatistics& statistics);
/// The same for what came of it: outcomes, rules that excused something, graphs, breaks and recompiles, roughly.
void countResult(const worker::JobResult& result);

/// For a test: how many counters are not zero.
int countersSet();
void clearCounters(); // libFuzzer does so itself

} // namespace touchstone::fuzzers
