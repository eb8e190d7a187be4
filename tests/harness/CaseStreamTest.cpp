#include "harness/campaign/CaseStream.h"

#include "generators/decoder/Decoder.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

namespace touchstone::tests {

namespace {

campaign::FuzzOptions optionsFor(uint64_t cases, int workers) {
  campaign::FuzzOptions options;
  options.cases = cases;
  options.workers = workers;
  options.backends = {"eager", "torch:aot_eager"};
  return options;
}

worker::JobResult resultOf(const worker::Job& job) {
  worker::JobResult result;
  result.id = job.id;
  for (const std::string& name : job.backends) {
    result.backends.emplace_back().backend = name;
  }
  return result;
}

// Which Cases share a child, by family.
std::map<ir::Family, std::set<std::vector<uint64_t>>> batchesOf(const campaign::FuzzOptions& options,
                                                                std::vector<uint64_t>& order) {
  campaign::CaseStream stream(options, 7);
  std::map<ir::Family, std::set<std::vector<uint64_t>>> batches;
  for (bool any = true; any;) {
    any = false;
    std::vector<worker::Batch> running;
    for (ir::Family family : {ir::Family::kTorch, ir::Family::kNative}) {
      for (int worker = 0; worker < options.workers; ++worker) {
        if (std::optional<worker::Batch> batch = stream.next(family)) {
          std::vector<uint64_t> indices;
          for (const worker::Job& job : batch->jobs) {
            indices.push_back(std::get<worker::GeneratedCase>(job.source).index);
          }
          batches[family].insert(indices);
          running.push_back(*batch);
          any = true;
        }
      }
    }
    // The last batch comes back first.
    for (auto batch = running.rbegin(); batch != running.rend(); ++batch) {
      for (const worker::Job& job : batch->jobs) {
        stream.add(resultOf(job));
      }
    }
    for (auto finished = stream.take(); finished.has_value(); finished = stream.take()) {
      EXPECT_EQ(finished->result.backends.size(), 2u);
      EXPECT_EQ(finished->result.backends[0].backend, "eager");
      order.push_back(finished->index);
    }
  }
  return batches;
}

} // namespace

TEST(CaseStreamTest, TheSameCasesShareAChildWhateverTheNumberOfWorkers) {
  std::vector<uint64_t> one, three;
  EXPECT_EQ(batchesOf(optionsFor(300, 1), one), batchesOf(optionsFor(300, 3), three));
  EXPECT_EQ(one, three);
  ASSERT_EQ(one.size(), 300u);
  for (uint64_t i = 0; i < 300; ++i) {
    EXPECT_EQ(one[i], i);
  }
}

TEST(CaseStreamTest, ShardsDealOutTheCases) {
  std::multiset<uint64_t> all;
  for (uint64_t shard = 1; shard <= 3; ++shard) {
    campaign::FuzzOptions options = optionsFor(100, 2);
    options.start = 50;
    options.shard = shard;
    options.shards = 3;
    std::vector<uint64_t> order;
    batchesOf(options, order);
    all.insert(order.begin(), order.end());
  }
  EXPECT_EQ(all.size(), 100u);
  EXPECT_EQ(*all.begin(), 50u);
  EXPECT_EQ(*all.rbegin(), 149u);
  EXPECT_EQ(std::set<uint64_t>(all.begin(), all.end()).size(), 100u);
}

TEST(CaseStreamTest, AFamilyIsNotLetFarAheadOfTheOther) {
  campaign::CaseStream stream(optionsFor(1'000'000, 1), 7);
  int batches = 0;
  while (stream.next(ir::Family::kNative).has_value()) {
    ASSERT_LT(++batches, 100);
  }
  EXPECT_TRUE(stream.next(ir::Family::kTorch).has_value());
}

TEST(CaseStreamTest, WhatATorchCompileMadeIsCalledManyTimes) {
  const auto callsWith = [](std::vector<std::string> backends, std::optional<int> calls) {
    campaign::FuzzOptions options = optionsFor(4, 1);
    options.backends = std::move(backends);
    options.calls = calls;
    campaign::CaseStream stream(options, 7);
    const std::optional<worker::Batch> batch =
        stream.next(options.backends.front().rfind("torch:", 0) == 0 ? ir::Family::kTorch : ir::Family::kNative);
    return std::get<worker::GeneratedCase>(batch.value().jobs.front().source).sameCalls;
  };
  EXPECT_EQ(callsWith({"torch:aot_eager"}, std::nullopt), 22);
  EXPECT_EQ(callsWith({"eager", "torch:eager"}, std::nullopt), 22); // one Case for all
  EXPECT_EQ(callsWith({"aot_eager"}, std::nullopt), decoder::kSameCalls);
  EXPECT_EQ(callsWith({"torch:eager_python"}, std::nullopt), decoder::kSameCalls); // compiles nothing
  EXPECT_EQ(callsWith({"aot_eager"}, 9), 9);
}

TEST(CaseStreamTest, CasesForATorchCompileAreDrawnWithFlagsAndThoseForItAloneWithPython) {
  const auto partsWith = [](std::vector<std::string> backends, std::vector<std::string> parts) {
    campaign::FuzzOptions options = optionsFor(4, 1);
    options.backends = std::move(backends);
    options.parts = std::move(parts);
    campaign::CaseStream stream(options, 7);
    const std::optional<worker::Batch> batch =
        stream.next(options.backends.front().rfind("torch:", 0) == 0 ? ir::Family::kTorch : ir::Family::kNative);
    return catalogue::partsOf(std::get<worker::GeneratedCase>(batch.value().jobs.front().source).parts);
  };
  EXPECT_TRUE(partsWith({"torch:aot_eager"}, {}).has(catalogue::Part::kFlags));
  EXPECT_TRUE(partsWith({"eager", "torch:eager"}, {"no-dense"}).has(catalogue::Part::kFlags));
  EXPECT_FALSE(partsWith({"torch:aot_eager"}, {"no-flags"}).has(catalogue::Part::kFlags));
  EXPECT_FALSE(partsWith({"aot_eager"}, {}).has(catalogue::Part::kFlags));
  EXPECT_FALSE(partsWith({"torch:eager_python"}, {}).has(catalogue::Part::kFlags)); // compiles nothing
  EXPECT_TRUE(partsWith({"torch:eager_python", "torch:aot_eager"}, {}).has(catalogue::Part::kPython));
  EXPECT_FALSE(partsWith({"eager", "torch:eager"}, {}).has(catalogue::Part::kPython));
  EXPECT_FALSE(partsWith({"torch:eager_python"}, {}).has(catalogue::Part::kPython));
  EXPECT_FALSE(partsWith({"torch:aot_eager"}, {"no-python"}).has(catalogue::Part::kPython));
}

} // namespace touchstone::tests
