#pragma once

#include "harness/campaign/CampaignOptions.h"
#include "harness/pool/WorkerPool.h"
#include "harness/store/SeedCases.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::campaign {

/// A Case of a campaign with the results of all its backends.
struct FinishedCase {
  uint64_t index = 0;
  uint64_t position = 0; // among the Cases of this process, from 0
  std::vector<store::SeedCasePtr> starts; // that it was to be derived from
  worker::JobResult result;
};

/// What Case `index` is to be derived from; none: it is generated.
using StartsSource = std::function<std::vector<store::SeedCasePtr>(uint64_t index)>;

/// What a stream does beside the options of its campaign.
struct StreamOptions {
  uint64_t first = 0; // position of the first Case: those before it are done
  StartsSource starts; // empty: every Case is generated
  bool wantFeatures = false;
  bool wantCases = false; // the text of every Case
  std::vector<worker::SkippingSuppression> skipSuppressions;
};

/// Cuts the Cases of a campaign into batches for each family of backends and puts the results together again in the
/// order of the Cases. How it cuts depends on nothing but the options, so that each Case has the same neighbours in its
/// child however many workers there are.
class CaseStream {
 public:
  CaseStream(const FuzzOptions& options, uint64_t seed, StreamOptions stream = {});

  /// The next batch for a worker of that family; none when it is too far ahead of the others, or at the end.
  std::optional<worker::Batch> next(ir::Family family);
  void add(worker::JobResult result);
  /// The next Case in order, once all of its results are there.
  std::optional<FinishedCase> take();
  /// Position of the Case that take() gives next.
  uint64_t taken() const { return taken_; }
  uint64_t indexOf(uint64_t position) const { return start_ + position * stride_; }
  /// No further batches.
  void stop() { stopped_ = true; }
  /// No Case is left to be taken, or none shall be made any more.
  bool isAtEnd() const { return stopped_ || taken_ >= end_; }

 private:
  struct Lane {
    std::vector<std::string> backends;
    worker::JobLimits limits;
    uint64_t casesPerBatch = 1;
    uint64_t next = 0; // position of the next Case
  };
  struct Waiting {
    std::vector<store::SeedCasePtr> starts;
    worker::JobResult result;
    size_t missing = 0; // lanes that have not reported
  };
  const uint64_t seed_;
  const bool sequences_;
  const int sameCalls_;
  const std::vector<std::string> parts_;
  const StreamOptions stream_;
  uint64_t start_, stride_;
  uint64_t end_; // position behind the last Case
  uint64_t taken_;
  uint64_t furthest_; // how far a lane may be ahead of what was taken
  std::map<ir::Family, Lane> lanes_;
  std::map<uint64_t, Waiting> waiting_; // by position
  bool stopped_ = false;
};

} // namespace touchstone::campaign
