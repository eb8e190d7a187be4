#include "harness/campaign/CampaignRecord.h"
#include "harness/campaign/SuspectQueue.h"
#include "tests/harness/BinaryRun.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace touchstone::tests {

namespace {

using campaign::SuspectQueue;
using campaign::WaitingSuspect;
using language::Outcome;

WaitingSuspect suspect(const std::string& symptom, const std::string& foundBy, const std::string& backend = "eager") {
  WaitingSuspect result;
  result.caseText = "the text of " + foundBy;
  result.foundBy = foundBy;
  result.result.backend = result.result.origin = backend;
  result.result.symptom = symptom;
  result.result.outcome = language::outcomeFromName(symptom.substr(0, symptom.find('/'))).value();
  return result;
}

/// What the queue gives until it is empty, by who found it.
std::vector<std::string> drained(SuspectQueue& queue) {
  std::vector<std::string> order;
  while (const WaitingSuspect* each = queue.begin(/*casesAreOver=*/true)) {
    order.push_back(each->foundBy);
    queue.end();
  }
  return order;
}

} // namespace

TEST(SuspectQueueTest, TheWorstClassComesFirstAndWhatCameAgainWaitsInItsClass) {
  SuspectQueue queue;
  queue.add(suspect("NoneBecameZero/leaf 0", "zero"));
  queue.add(suspect("Differs/strides/output 0", "strides"));
  queue.add(suspect("Differs/values/output 0", "values"));
  queue.add(suspect("Differs/values/output 1", "values again")); // the place is no part of the symptom
  queue.add(suspect("Differs/shape/output 0", "shape"));
  queue.add(suspect("Differs/values/output 0", "values of another", "aot_eager"));
  queue.add(suspect("Crashed/SIGSEGV/forward", "crash"));
  EXPECT_EQ(drained(queue), (std::vector<std::string>{"crash", "values", "shape", "values of another", "values again",
                                                      "strides", "zero"}));
}

TEST(SuspectQueueTest, OnlyTheFirstOfASymptomIsConfirmedAtOnce) {
  SuspectQueue queue;
  const WaitingSuspect first = suspect("Differs/values/output 0", "first");
  EXPECT_TRUE(queue.isFirst(first.symptom()));
  queue.add(first);
  EXPECT_FALSE(queue.isFirst(suspect("Differs/values/output 1", "second").symptom()));
  EXPECT_TRUE(queue.isFirst(suspect("Differs/values/output 0", "other", "aot_eager").symptom()));
  drained(queue);
  EXPECT_FALSE(queue.isFirst(first.symptom())) << "one that was dealt with came before, too";
}

TEST(SuspectQueueTest, WhileCasesAreJudgedNothingIsReducedThatTheyHaveNotPaidFor) {
  SuspectQueue queue;
  constexpr int kSuspects = 40, kCases = 400, kCandidates = 30;
  for (int i = 0; i < kSuspects; ++i) {
    queue.add(suspect("Differs/values/output 0", std::to_string(i)));
  }
  int64_t candidates = 0, most = 0;
  const WaitingSuspect* now = nullptr;
  int left = 0;
  for (int i = 0; i < kCases; ++i) {
    queue.addCase();
    while (queue.mayGoOn()) {
      if (now == nullptr) {
        now = queue.begin(/*casesAreOver=*/false);
        ASSERT_NE(now, nullptr);
        left = kCandidates;
      }
      queue.spendOnReduction(1);
      ++candidates;
      if (--left == 0) {
        queue.end();
        now = nullptr;
      }
    }
    most = std::max(most, candidates - (i + 1) * SuspectQueue::kCandidatesPerCase);
  }
  EXPECT_LE(most, 1) << "never more than one question ahead";
  EXPECT_GE(candidates, kCases * SuspectQueue::kCandidatesPerCase) << "nor are they left unused";
}

TEST(SuspectQueueTest, AZeroForANoneWaitsForSomethingWorse) {
  SuspectQueue queue;
  const WaitingSuspect zero = suspect("NoneBecameZero/leaf 0", "zero");
  queue.addCase();
  queue.add(zero);
  EXPECT_TRUE(queue.hasZeroLike(zero.result));
  EXPECT_FALSE(queue.hasZeroLike(suspect("NoneBecameZero/leaf 0", "zero", "aot_eager").result));
  EXPECT_EQ(queue.begin(/*casesAreOver=*/false), nullptr);
  queue.add(suspect("Differs/strides/output 0", "strides"));
  const WaitingSuspect* first = queue.begin(/*casesAreOver=*/false);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->foundBy, "strides");
  queue.end();
  for (int64_t i = 1; i < SuspectQueue::kCasesBeforeZeros; ++i) {
    EXPECT_EQ(queue.begin(/*casesAreOver=*/false), nullptr) << i;
    queue.addCase();
  }
  EXPECT_NE(queue.begin(/*casesAreOver=*/false), nullptr) << "a campaign may have no end";
}

TEST(SuspectQueueTest, WhoGoesOnReducesTheSameAtTheSamePriceBetweenTheSameCases) {
  const TemporaryFolder folder("suspects");
  campaign::CampaignRecord record;
  record.options.seed = 1;
  SuspectQueue& queue = record.memory.queue;
  queue.add(suspect("Differs/strides/output 0", "strides"));
  queue.add(suspect("Differs/values/output 0", "values"));
  queue.addCase();
  queue.spend(2);
  queue.addCase();
  WaitingSuspect* now = queue.begin(/*casesAreOver=*/false);
  ASSERT_NE(now, nullptr);
  now->isConfirmed = true;
  queue.spendOnReduction(3);
  EXPECT_FALSE(queue.mayGoOn());
  campaign::writeRecord(folder.path() / "campaign.json", record);
  campaign::CampaignRecord read = campaign::readRecord(folder.path() / "campaign.json");
  SuspectQueue& again = read.memory.queue;
  const WaitingSuspect* resumed = again.resume();
  ASSERT_NE(resumed, nullptr);
  EXPECT_EQ(*resumed, *now);
  again.spendOnReduction(3); // it begins anew: these were paid for
  for (SuspectQueue* each : {&queue, &again}) {
    for (int cases = 0; cases < 3; ++cases) {
      EXPECT_FALSE(each->mayGoOn()) << cases;
      each->addCase();
    }
    EXPECT_TRUE(each->mayGoOn());
    each->end();
    EXPECT_EQ(drained(*each), std::vector<std::string>{"strides"});
    EXPECT_FALSE(each->isFirst(suspect("Differs/values/output 0", "later").symptom()));
  }
}

} // namespace touchstone::tests
