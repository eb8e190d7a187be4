// Whole-program tests of `touchstone reduce`.

#include "BinaryRun.h"
#include "program/language/CasePrinter.h"
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

namespace touchstone::tests {

namespace {

constexpr const char* kReluBackend = "relu_accuracy_error_TESTING_ONLY";

std::string textOf(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string programOf(const std::string& path) {
  return language::printFunction(parser::parseCase(textOf(path)).program());
}

/// Replaces a file by one that can be read once: then it is gone.
class ReadOnce {
 public:
  explicit ReadOnce(const std::string& path) {
    const std::string text = textOf(path);
    std::filesystem::remove(path);
    mkfifo(path.c_str(), 0600);
    process_ = fork();
    if (process_ == 0) {
      std::ofstream pipe(path);
      unlink(path.c_str());
      pipe << text << std::flush;
      _exit(0);
    }
  }
  ~ReadOnce() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  ReadOnce(const ReadOnce&) = delete;
  ReadOnce& operator=(const ReadOnce&) = delete;

 private:
  pid_t process_ = 0;
};

} // namespace

TEST(ReduceCommandTest, AFolderOfGraphsIsReadOnce) {
  const TemporaryFolder folder("reduce_once");
  const std::string small = folder.path() / "small.py", dumped = folder.path() / "dumped";
  const std::string file = folder.file("case.py", smallCase("torch.relu(x.sin())"));
  ASSERT_EQ(runBinary({"dump", file, "--graphs", dumped, "--inputs"}).status, 0);
  for (const std::vector<std::string>& how :
       {std::vector<std::string>{"-b", "aot_eager"}, {}, {"--check", "grep -q relu"}}) {
    const std::string graph = dumped + "/graphs_0/forward/graph.json", text = textOf(graph);
    std::vector<std::string> arguments{"reduce", dumped + "/graphs_0", "-o", small};
    arguments.insert(arguments.end(), how.begin(), how.end());
    {
      const ReadOnce once(graph);
      const BinaryRun run = runBinary(arguments);
      EXPECT_EQ(run.status, !how.empty() && how[0] == "--check" ? 0 : 4) << run.errors; // read, and it agrees
    }
    std::ofstream(graph) << text;
  }
}

TEST(ReduceCommandTest, PassesAreListedAndUnknownOnesAreNamed) {
  const BinaryRun list = runBinary({"reduce", "--list-passes", "--json"});
  EXPECT_EQ(list.status, 0);
  EXPECT_EQ(nlohmann::json::parse(list.output).at(0).at("name"), "calls");
  const TemporaryFolder folder("reduce_passes");
  const std::string file = folder.file("case.py", smallCase("torch.relu(x)"));
  const BinaryRun unknown = runBinary({"reduce", file, "--backend", kReluBackend, "--passes", "call"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.errors.find("no reduction pass `call`, perhaps `calls`"), std::string::npos) << unknown.errors;
  EXPECT_EQ(runBinary({"reduce"}).status, 2);
}

TEST(ReduceCommandTest, OnlyTheChosenPassesAreUsed) {
  const TemporaryFolder folder("reduce_chosen");
  const std::string file = folder.file("case.py", smallCase("torch.relu(x.sin().cos()) + 1"));
  const BinaryRun run = runBinary({"reduce", "--backend", kReluBackend, "--json", "--passes", "operands,calls", file});
  ASSERT_EQ(run.status, 0) << run.errors;
  const nlohmann::json object = nlohmann::json::parse(run.output);
  EXPECT_EQ(object.at("operations"), 1);
  EXPECT_TRUE(object.at("finished"));
  EXPECT_EQ(object.at("shown"), object.at("runs"));
  for (const nlohmann::json& pass : object.at("passes")) {
    EXPECT_TRUE(pass.at("name") == "operands" || pass.at("name") == "calls") << pass;
    EXPECT_GE(pass.at("tried"), pass.at("taken"));
  }
}

TEST(ReduceCommandTest, ACommandMayBeTheJudge) {
  const TemporaryFolder folder("reduce_check");
  const std::string file = folder.file("case.py", smallCase("torch.relu(x.sin().t()) + x.cos().sum()"));
  const std::string small = folder.path() / "small.py";
  const BinaryRun run = runBinary({"reduce", file, "--check", "grep -q cos", "--jobs", "2", "-o", small});
  ASSERT_EQ(run.status, 0) << run.errors;
  EXPECT_EQ(programOf(small).find("sin"), std::string::npos) << programOf(small);
  EXPECT_NE(programOf(small).find("cos"), std::string::npos) << programOf(small);

  const BinaryRun nothing = runBinary({"reduce", file, "--check", "grep -q tanh", "-o", small});
  EXPECT_EQ(nothing.status, 2);
  EXPECT_NE(nothing.errors.find("nothing to reduce"), std::string::npos) << nothing.errors;
  EXPECT_NE(nothing.errors.find("exit status 1"), std::string::npos) << nothing.errors;
  EXPECT_EQ(runBinary({"reduce", file, "--check", "true", "--backend", "eager"}).status, 2) << "one judge";
}

TEST(ReduceCommandTest, WhatACommandReducedIsNoFindingAnyMore) {
  const TemporaryFolder folder("reduce_check_headers");
  const std::string headers =
      "# cluster: aot_eager-values-12345678\n# backend: aot_eager\n# symptom: Differs/values/output\n"
      "# note: output 0 differs\n# found-by: seed 7 case 12\n# expect: aot_eager Differs/values\n";
  parser::ParseOptions parsing;
  parsing.checkMainPart = false;
  const std::string file = folder.file(
      "case.py", standalone::printCase(parser::parseCase(smallCase("torch.relu(x.sin()).cos()", headers), parsing)));
  const std::string small = folder.path() / "small.py";
  ASSERT_EQ(runBinary({"reduce", file, "--check", "grep -q cos", "-o", small}).status, 0);
  const language::Case reduced = parser::readCase(small);
  EXPECT_TRUE(reduced.expectations.empty());
  for (const char* key : {"cluster", "backend", "symptom", "note"}) {
    EXPECT_FALSE(reduced.header(key).has_value()) << key;
  }
  EXPECT_EQ(reduced.header("found-by"), "seed 7 case 12");
  const BinaryRun empty = runBinary({"reduce", file, "--check", " "});
  EXPECT_EQ(empty.status, 2);
  EXPECT_NE(empty.errors.find("`--check` needs a command"), std::string::npos) << empty.errors;
}

TEST(ReduceCommandTest, ACommandThatSaysNoTheSecondTimeDoesNotGetTheLastStep) {
  const TemporaryFolder folder("reduce_check_again");
  const std::string file = folder.file("case.py", smallCase("torch.relu(x.sin()).cos()"));
  const std::string small = folder.path() / "small.py", seen = folder.path() / "seen";
  // Says yes to each text but once, to the first text always.
  const std::string command =
      "h=$(grep -A3 'def program' {} | md5sum | cut -c1-8); if grep -q relu {}; then exit 0; fi; "
      "if grep -q $h '" +
      seen + "' 2>/dev/null; then exit 1; fi; echo $h >> '" + seen + "'";
  const BinaryRun run = runBinary({"reduce", file, "--check", command, "-o", small});
  ASSERT_EQ(run.status, 0) << run.errors;
  EXPECT_NE(run.errors.find("says no to what it said yes to before"), std::string::npos) << run.errors;
  EXPECT_NE(programOf(small).find("relu"), std::string::npos) << programOf(small);
}

TEST(ReduceCommandTest, AnInterruptLeavesAValidFileThatSaysSo) {
  const TemporaryFolder folder("reduce_interrupt");
  const std::string file = folder.file("case.py", smallCase("torch.relu(x.sin().t()) + x.cos().sum()"));
  const std::string small = folder.path() / "small.py";
  const BinaryRun run =
      runBinary({"reduce", file, "--check", "sleep 0.3; grep -q cos {}", "-o", small}, /*interruptAfter=*/1.5);
  EXPECT_EQ(run.status, 130) << run.errors;
  EXPECT_NE(textOf(small).find("# note: reducing was not finished: it was interrupted"), std::string::npos);
  EXPECT_NE(programOf(small).find("cos"), std::string::npos);
}

TEST(ReduceCommandTest, WhenTimeIsUpTheBestIsConfirmedAndSaysSo) {
  const TemporaryFolder folder("reduce_time");
  const std::string file = folder.file("case.py", smallCase("torch.relu(x.sin())"));
  const std::string small = folder.path() / "small.py";
  const BinaryRun run =
      runBinary({"reduce", file, "--backend", kReluBackend, "--seconds", "0.001", "-o", small, "--json"});
  ASSERT_EQ(run.status, 0) << run.errors;
  EXPECT_FALSE(nlohmann::json::parse(run.output).at("finished"));
  EXPECT_NE(textOf(small).find("# note: reducing was not finished: its time was up"), std::string::npos);
  EXPECT_EQ(runBinary({"run", small}).status, 0) << "its expectation is met";
}

TEST(ReduceCommandTest, WhatFailsInAnotherWayIsWrittenBeside) {
  const TemporaryFolder folder("reduce_others");
  std::string text = smallCase("x");
  text.insert(text.find("    return x\n"), "    y = torch.relu(x.sin())\n    x.copy_(y)\n");
  const std::string file = folder.file("case.py", text);
  const std::string small = folder.path() / "small.py";
  const BinaryRun run = runBinary({"reduce", file, "--backend", kReluBackend, "-o", small, "--json"});
  ASSERT_EQ(run.status, 0) << run.errors;
  const nlohmann::json object = nlohmann::json::parse(run.output);
  ASSERT_EQ(object.at("others").size(), 1u) << run.output << run.errors;
  const std::string other = object.at("others").at(0).at("file");
  EXPECT_EQ(other, std::string(folder.path() / "small.other1.py"));
  EXPECT_NE(object.at("others").at(0).at("symptom").get<std::string>().find(object.at("symptom")), 0u);
  EXPECT_EQ(runBinary({"run", other}).status, 0) << textOf(other);
}

} // namespace touchstone::tests
