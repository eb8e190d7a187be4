#include "harness/worker/Job.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <type_traits>
#include <variant>

namespace touchstone::tests {

namespace {

/// Has in each field another value than the default. An alternative of worker::Task, its answer, or a source of Cases that has
/// no sample here does not compile.
template <class Value>
Value sample() = delete;

template <>
worker::JudgeTask sample() {
  return {.blame = false,
          .wantFeatures = true,
          .wantReasons = true,
          .wantObservation = true,
          .onlyIfEagerReturns = true,
          .passLimit = worker::PassLimit{"relu_to_add", 2, "aot_eager"},
          .substitute = "joint",
          .wanted = worker::Symptom{"inductor", "Differs/values", "eager", "Agreed"},
          .skipSuppressions = {{"m1", "torch:*", {"y = sin(x)"}}}};
}
template <>
worker::JudgeResult sample() {
  return {{3, 1U << 31}, 2, {"why"}, {{5}, {}}, {"a result"}};
}
template <>
worker::MakeTask sample() {
  return {true};
}
template <>
worker::CatalogueUses sample() {
  return {{{"sin", 3}}, {"sin.out"}};
}
template <>
worker::ShowStagesTask sample() {
  return {1, "cuda", true, "forward", worker::kRunnableText, "auto", true, worker::GraphDump{"folder", "name", true}};
}
template <>
worker::ShowStagesResult sample() {
  return {{{"joint", 1, "def forward"}}, {"folder"}, {{"backward", "why"}}, "digraph"};
}
template <>
worker::ExplainTask sample() {
  return {2, "true"};
}
template <>
worker::ExplainResult sample() {
  return {"{}"};
}
template <>
worker::EquivalenceTask sample() {
  return {};
}
template <>
worker::EquivalenceResult sample() {
  return {true, "why", 1, 2, {"not this one"}, {{"nodes", "one more"}}, 3, 4, {{"law", "broken"}}, {"not that one"}};
}
template <>
worker::ReplayTask sample() {
  return {};
}
template <>
worker::ReplayResult sample() {
  return {{{"forward", "of it", stages::ReplayRung::Outcome::kDiffers, 3, "another value", {"not this run"}}}, "none"};
}
template <>
worker::RerunTask sample() {
  return {"folder"};
}
template <>
worker::RerunResult sample() {
  return {{{"forward", 4, true, "ValueError", "another value", {"float32 [3, 4]"}}}};
}
template <>
worker::CheckGraphsTask sample() {
  return {worker::kCheckTexts, true};
}
template <>
worker::GraphCheck sample() {
  return {1, 2, 3, "why", {"not this one"}, {"another text"}, {"import torch"}};
}
template <>
worker::TraceCallsTask sample() {
  return {};
}
template <>
worker::TraceCallsResult sample() {
  return {{{1, "backward", 2, "backward_0", 3, {"sin = aten::sin(f32[3]) -> f32[3]"}}}, {"ValueError: why"}};
}
template <>
worker::LogTask sample() {
  return {true};
}
template <>
worker::LogResult sample() {
  return {{{1, "backward", "Capture 0\n"}}, {"ValueError: why"}};
}
template <>
worker::PrintedCase sample() {
  return {"import torch\n"};
}
template <>
worker::GeneratedCase sample() {
  return {1, 2, true, 5, {"import torch\n"}, {"dense"}};
}
template <>
worker::ProbedCase sample() {
  return {{{"sin", "float32", true}}};
}

struct Anything {
  template <class Value>
  operator Value() const;
};

/// How many fields an aggregate has: as many values as it takes.
template <class Aggregate, class... Values>
constexpr size_t fieldCount() {
  if constexpr (requires { Aggregate{Values{}..., Anything{}}; }) {
    return fieldCount<Aggregate, Values..., Anything>();
  } else {
    return sizeof...(Values);
  }
}

/// `sent`: the variant as it stands in the line, with its `kind`.
template <class Value>
void expectWhole(const Value& found, const nlohmann::json& sent) {
  EXPECT_EQ(found, sample<Value>());
  EXPECT_EQ(sent.size(), fieldCount<Value>() + 1)
      << sent << ": a field is not in its TOUCHSTONE_JSON_FIELDS, or has its default in the sample";
}

template <class Task>
void expectTaskTravels() {
  SCOPED_TRACE(Task::kName);
  worker::Job job;
  job.task = sample<Task>();
  const std::string question = worker::batchLine({{}, {job}});
  expectWhole(std::get<Task>(worker::batchFromLine(question).jobs.at(0).task),
              nlohmann::json::parse(question)["jobs"][0]["task"]);
  worker::JobResult result;
  result.answer = sample<typename Task::Result>();
  const std::string answer = worker::resultLine(result);
  expectWhole(std::get<typename Task::Result>(worker::resultFromLine(answer).answer),
              nlohmann::json::parse(answer)["answer"]);
}

template <class Source>
void expectSourceTravels() {
  worker::Job job;
  job.source = sample<Source>();
  const std::string line = worker::batchLine({{}, {job}});
  expectWhole(std::get<Source>(worker::batchFromLine(line).jobs.at(0).source),
              nlohmann::json::parse(line)["jobs"][0]["source"]);
}

template <class... Tasks>
void expectTasksTravel(std::type_identity<std::variant<Tasks...>>) {
  (expectTaskTravels<Tasks>(), ...);
}

template <class... Sources>
void expectSourcesTravel(std::type_identity<std::variant<Sources...>>) {
  (expectSourceTravels<Sources>(), ...);
}

} // namespace

TEST(JobRoundTripTest, EachTaskAndItsAnswerArriveWhole) {
  expectTasksTravel(std::type_identity<worker::Task>());
}

TEST(JobRoundTripTest, EachSourceOfCasesArrivesWhole) {
  expectSourcesTravel(std::type_identity<worker::CaseSource>());
}

TEST(JobRoundTripTest, WhatABackendMadeOfACaseArrivesWhole) {
  worker::BackendResult sent{.backend = "eager",
                             .outcome = language::Outcome::kDiffers,
                             .text = "Differs/values/call 1 output 0",
                             .symptom = "Differs/values/output 0",
                             .shows = {"Differs/values"},
                             .shownIn = {1},
                             .detail = "A7",
                             .origin = "eager",
                             .baseOutcome = "Agreed",
                             .message = "1 and 2",
                             .eagerRaises = true,
                             .call = 1,
                             .where = "output 0",
                             .processorSeconds = 0.25,
                             .recompileReasons = {"size mismatch"},
                             .breakReasons = {"print"},
                             .guards = {"2 <= L['x'].size()[0]"},
                             .specializations = {"L['x'].size()[0] == 3: cat is called otherwise"},
                             .recompilesByCall = {0, 1},
                             .bites = {"alias_lost"},
                             .observed = {{true, {"A7"}, {{"output 0", "dtype Float"}}}},
                             .delegation = "Partly",
                             .operatorShares = {{"sin", {.calls = 3, .own = 2}}},
                             .warnings = {"no such option"},
                             .passes = {{"relu_to_add", 2}},
                             .lastApplied = "node_1"};
  sent.allowed[1] = 1;
  int64_t number = 0;
  for (const auto& [name, member] : worker::kCounts) {
    sent.counters.*member = ++number;
  }
  for (const auto& [name, member] : worker::kTimes) {
    sent.counters.*member = 0.5 * static_cast<double>(++number);
  }
  EXPECT_EQ(sizeof(worker::Counters), static_cast<size_t>(number) * sizeof(int64_t)) << "a counter is in no list";
  worker::JobResult result;
  result.backends = {sent};
  const worker::BackendResult found = worker::resultFromLine(worker::resultLine(result)).backends.at(0);
  EXPECT_EQ(found, sent);
  EXPECT_EQ(nlohmann::json(found).size(), fieldCount<worker::BackendResult>());

  worker::Counters sum = sent.counters;
  sum += sent.counters;
  for (const auto& [name, member] : worker::kCounts) {
    EXPECT_EQ(sum.*member, 2 * (sent.counters.*member)) << name;
  }
}

TEST(JobRoundTripTest, AnUnknownTaskIsRefused) {
  worker::Job job;
  job.task = worker::MakeTask{};
  std::string line = worker::batchLine({{}, {job}});
  line.replace(line.find("\"make\""), 6, "\"unheard_of\"");
  EXPECT_THROW(worker::batchFromLine(line), std::runtime_error);
}

} // namespace touchstone::tests
