#pragma once

#include "harness/worker/Job.h"
#include "harness/worker/Symptom.h"
#include "program/language/Case.h"

#include <cstdint>
#include <optional>
#include <string>

namespace touchstone::report {

/// A pipeline of a ladder, and what it adds to the one before it: the stage that is to blame when it is the first to differ
/// of those that differ alike up to the strongest.
struct Rung {
  std::string backend;
  std::string adds;
};

/// A confirmed, reduced Case that a backend fails and its base does not.
struct Finding {
  std::string id; // of the cluster: also the file's name
  worker::Symptom symptom;
  worker::BackendResult result; // of the reduced Case
  std::optional<Rung> stage; // that makes it, see stageOf(); none: not known
  language::Case reduced;
  int operations = 0; // of the reduced program
  int64_t hits = 1; // Cases that came down to it
  std::string file; // where it was written; empty: nowhere
  std::string foundBy; // `seed 7 case 1204`
  std::string regression = {}; // `was fixed in torch 2.14.0, is back`; empty: it was never fixed
  std::string profile = {}; // name of the profile's file beside it; empty: none
  std::string profileFlags = {}; // ` --profile FILE`: what a command needs to judge it under the same profile
};

/// `aot_functional (functionalization; …)`; empty: not known.
std::string stageText(const std::optional<Rung>& stage);

} // namespace touchstone::report
