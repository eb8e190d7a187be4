#pragma once

#include "harness/options/Option.h"
#include "harness/worker/Job.h"
#include "harness/worker/Profile.h"

#include <cstdint>
#include <string>
#include <vector>

namespace touchstone::pool {

/// Which Cases of a campaign are made, and what is wanted of each.
struct GeneratedJobs {
  uint64_t seed = 0, start = 0, cases = 0;
  bool wantCase = false; // its text
  bool wantUses = false; // what its statements use of the catalogue
  int sameCalls = 2; // see generators/decoder/Decoder.h
  std::vector<std::string> parts = {}; // see generators/catalogue/Parts.h
  worker::Profile profile = {}; // that steers how they are made
};

/// Generates Cases in a worker of the native family; nothing is judged.
std::vector<worker::JobResult> generateJobs(const GeneratedJobs& wanted);

/// `--part` of the commands that make Cases.
options::Option partOption(std::vector<std::string>& parts, std::string help);

} // namespace touchstone::pool
