#include "harness/pool/GeneratedJobs.h"

#include "generators/catalogue/Parts.h"
#include "harness/pool/WorkerPool.h"

namespace touchstone::pool {

namespace {

constexpr uint64_t kGeneratedPerBatch = 64;

} // namespace

std::vector<worker::JobResult> generateJobs(const GeneratedJobs& wanted) {
  PoolOptions pool;
  pool.backends = {"eager"}; // the native family generates fastest
  pool.profile = wanted.profile;
  WorkerPool workers(pool);
  std::vector<PoolBatch> batches;
  for (uint64_t i = 0; i < wanted.cases; ++i) {
    if (i % kGeneratedPerBatch == 0) {
      batches.push_back({});
    }
    const uint64_t index = wanted.start + i;
    batches.back().batch.jobs.push_back(
        {.id = index,
         .source =
             worker::GeneratedCase{
                 .seed = wanted.seed, .index = index, .sameCalls = wanted.sameCalls, .parts = wanted.parts},
         .task = worker::MakeTask{wanted.wantUses},
         .wantCase = wanted.wantCase});
  }
  return workers.run(batches);
}

options::Option partOption(std::vector<std::string>& parts, std::string help) {
  return {"--part", &parts, std::move(help), options::oneOf(catalogue::namesOfParts()).oneEach()};
}

} // namespace touchstone::pool
