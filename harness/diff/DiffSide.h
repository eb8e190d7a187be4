#pragma once

#include "harness/pool/CaseFiles.h"
#include "harness/pool/WorkerPool.h"

#include <memory>
#include <string>
#include <vector>

namespace touchstone::diff {

/// How a side of a comparison is named on the command line.
struct DiffSideOptions {
  std::string given; // file of a profile, or a backend's name
  std::string program; // a `touchstone`, or a build folder that holds one; empty: this one
};

/// One side: a backend under a profile, in an installation of PyTorch.
struct DiffSide {
  std::string label; // `left`
  DiffSideOptions options;
  std::string program; // executable of the installation; empty: this one
  worker::Profile profile;
  std::string profileFlags; // ` --profile FILE`
  std::string backend;
  ir::Family family = ir::Family::kNative;
  ir::BackendInfo info;
  worker::JobLimits limits;
  std::unique_ptr<pool::WorkerPool> pool;

  /// `aot_eager`, `torch:inductor under mine.json, build of /opt/touchstone`.
  std::string name() const;
  /// Judges this text; `observe`: with what the calls have shown.
  worker::Job job(const std::string& caseText, bool observe) const;
  /// Runs a text alone in a child, `times` times.
  std::vector<worker::JobResult> alone(const std::string& caseText, int times);
  /// What makes this side judge a file by itself: ` --backends NAME --profile FILE`.
  std::string runFlags() const;
  /// The program that does so.
  std::string runProgram() const;
};

/// Reads the profile, starts the workers, fit for these Cases. Throws WrongUse, std::invalid_argument, ProfileUnavailable, WorkerUnavailable.
DiffSide startSide(std::string label, const DiffSideOptions& options, int workers, const pool::LimitOptions& limits,
                   const std::vector<pool::CaseFile>& files);

} // namespace touchstone::diff
