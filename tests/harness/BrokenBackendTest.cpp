#include "tests/harness/BinaryRun.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace touchstone::tests {

namespace {

const char* const kLongProgram = R"(# touchstone: 1
import torch


def inputs(seed, kind):
    x = torch.ones((2, 3)).requires_grad_()
    w = torch.ones((3, 3))
    return (x, w), ()


def program(x, w):
    a = torch.mm(x, w)
    b = torch.relu(a)
    c = torch.sin(b)
    d = c + a
    e = d.t()
    return e, a, b


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
)";

std::string outcomeOf(const TemporaryFolder& folder, const std::string& result, const std::string& backend) {
  const std::string file = folder.file("case.py", smallCase(result));
  const BinaryRun run =
      runWithBrokenBackends({"run", file, "--backends", "torch:broken_backends:" + backend, "--json"});
  EXPECT_EQ(run.status, 1) << run.errors;
  try {
    return nlohmann::json::parse(run.output).at("results").at(0).at("outcome");
  } catch (const nlohmann::json::exception&) {
    return run.output + run.errors;
  }
}

} // namespace

TEST(BrokenBackendTest, ARefusalAndFaultsOfMemoryHaveTheirNames) {
  const TemporaryFolder folder("broken");
  EXPECT_EQ(outcomeOf(folder, "torch.tan(x)", "refuses_tan"), "BackendRejected/compile");
  EXPECT_EQ(outcomeOf(folder, "torch.tan(x)", "returns_fresh_memory"), "ReadsUninitialized");
  EXPECT_EQ(outcomeOf(folder, "torch.tan(x)", "writes_behind"), "OutOfBounds");
  EXPECT_EQ(outcomeOf(folder, "torch.tan(x)", "reads_behind"), "ReadsUninitialized");
}

TEST(BrokenBackendTest, ABackendThatSpoilsMemoryInItsWarmUpIsNotEagersFault) {
  const TemporaryFolder folder("spoils");
  const std::string file = folder.file("case.py", smallCase("torch.sin(x)"));
  const std::string backend = "torch:broken_backends:always_writes_behind";
  const BinaryRun warm = runWithBrokenBackends({"run", file, "--backends", backend});
  EXPECT_NE(warm.status, 0) << warm.output;
  EXPECT_NE(warm.errors.find("spoils memory in the small program"), std::string::npos) << warm.errors;
  EXPECT_NE(warm.errors.find("--no-warm-up"), std::string::npos) << warm.errors;
  const BinaryRun cold = runWithBrokenBackends({"run", file, "--backends", backend, "--no-warm-up", "--json"});
  EXPECT_EQ(cold.status, 1) << cold.errors;
  EXPECT_EQ(nlohmann::json::parse(cold.output).at("results").at(0).at("outcome"), "OutOfBounds");
}

TEST(BrokenBackendTest, AFindingIsReducedToWhatShowsIt) {
  const TemporaryFolder folder("reduce");
  const std::string file = folder.file("long.py", kLongProgram);
  const std::string small = folder.path() / "small.py";
  const BinaryRun run = runWithBrokenBackends(
      {"reduce", file, "--backend", "torch:broken_backends:sin_is_cos", "--output", small, "--json"});
  ASSERT_EQ(run.status, 0) << run.errors;
  const auto object = nlohmann::json::parse(run.output);
  EXPECT_LE(object.at("operations"), 2) << object.at("case");
  EXPECT_NE(object.at("case").get<std::string>().find("torch.sin"), std::string::npos);
  EXPECT_EQ(runWithBrokenBackends({"run", small}).status, 0); // it holds what is expected of it
}

TEST(BrokenBackendTest, FuzzingFindsStoresAndKnowsAgain) {
  const TemporaryFolder folder("find");
  const std::vector<std::string> command{"fuzz",
                                         "--cases",
                                         "12",
                                         "--seed",
                                         "14",
                                         "--backends",
                                         "torch:broken_backends:sin_is_cos",
                                         "--operators",
                                         "sin,mul,add,neg,view",
                                         "--part",
                                         "no-all",
                                         "--findings",
                                         folder.path() / "findings",
                                         "--json",
                                         "--max-findings",
                                         "1",
                                         "--reduce-seconds",
                                         "5"};
  const BinaryRun first = runWithBrokenBackends(command);
  ASSERT_EQ(first.status, 1) << first.errors;
  const auto finding = nlohmann::json::parse(first.output).at("findings").at(0);
  const std::string file = finding.at("file");
  EXPECT_TRUE(std::filesystem::exists(file));
  EXPECT_EQ(runWithBrokenBackends({"run", file, "--backends", "torch:broken_backends:sin_is_cos"}).status, 0);

  std::vector<std::string> again = command;
  again.push_back("--start");
  const std::string foundBy = finding.at("found_by");
  again.push_back(foundBy.substr(foundBy.rfind(' ') + 1));
  again[2] = "1";
  const BinaryRun second = runWithBrokenBackends(again);
  EXPECT_EQ(second.status, 0) << second.output;
  EXPECT_EQ(nlohmann::json::parse(second.output).at("backends").at("torch:broken_backends:sin_is_cos").at("Known"), 1);
}

} // namespace touchstone::tests
