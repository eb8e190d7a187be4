#pragma once

#include "graph/program/Case.h"
#include "harness/worker/Job.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::harness {

/// The first of the two keys of a finding: what a reducer keeps.
struct Symptom {
  std::string backend;
  std::string text; // oracle, role of the tensor, exception class; without numbers, which reducing changes
  std::string origin;
  std::string baseOutcome; // the outcome's name only: calls are renumbered by reducing
  auto operator<=>(const Symptom&) const = default;
  std::string line() const; // in one line, for lists and files
};
Symptom symptomOf(const BackendResult& result);

/// A confirmed, reduced Case that a backend fails and its base does not.
struct Finding {
  std::string id; // of the cluster: also the file's name
  Symptom symptom;
  BackendResult result; // of the reduced Case
  graph::Case reduced;
  int operations = 0; // of the reduced program
  int64_t hits = 1; // Cases that came down to it
  std::string file; // where it was written; empty: nowhere
  std::string foundBy; // `seed 7 case 1204`
};

} // namespace touchstone::harness
