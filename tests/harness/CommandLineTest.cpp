#include "tests/harness/BinaryRun.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <string>

namespace touchstone::tests {

namespace {

void expectSaid(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "`" << part << "` is not in:\n" << text;
}

} // namespace

TEST(CommandLineTest, HelpTeaches) {
  const BinaryRun run = runBinary({"--help"});
  EXPECT_EQ(run.status, 0);
  for (const char* part : {"fuzz", "run", "reduce", "backends", "Examples:", "Exit status: 0"}) {
    expectSaid(run.output, part);
  }
  EXPECT_EQ(runBinary({"fuzz", "--help"}).status, 0);
  EXPECT_EQ(runBinary({}).status, 2);
}

TEST(CommandLineTest, DynamicIsAFlagOrTakesAValue) {
  const TemporaryFolder folder("dynamic");
  const std::string file = folder.file("case.py", smallCase("torch.sin(x)"));
  for (const std::vector<std::string>& given :
       {std::vector<std::string>{"--dynamic", file}, {"--dynamic", "auto", file}, {file, "--dynamic"}}) {
    std::vector<std::string> arguments = {"run"};
    arguments.insert(arguments.end(), given.begin(), given.end());
    arguments.insert(arguments.end(), {"--backends", "eager"});
    EXPECT_EQ(runBinary(arguments).status, 0) << given[0];
  }
  for (const std::vector<std::string>& given : {std::vector<std::string>{"fuzz", "--cases", "1", "--dynamic", "maybe"},
                                                {"generate", "--dynamic", "maybe"},
                                                {"run", file, "--dynamic", "maybe"},
                                                {"explain", "--dynamic", "maybe", file},
                                                {"dump", file, "--dynamic=maybe"}}) {
    const BinaryRun run = runBinary(given);
    EXPECT_EQ(run.status, 2) << given[0];
    expectSaid(run.errors, "--dynamic: maybe not in {true,false,auto}");
  }
  expectSaid(runBinary({"run", "--dynamic", "no/file.py"}).errors, "There is no case file or folder `no/file.py`");
  const auto compiledAs = [](const std::vector<std::string>& flags) {
    std::vector<std::string> arguments = {"generate", "--seed", "1", "--cases", "1"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const std::string text = runBinary(arguments).output;
    const size_t at = text.find("COMPILE = dict(dynamic=");
    return at == std::string::npos ? "" : text.substr(at + 23, text.find(')', at) - at - 23);
  };
  EXPECT_EQ(compiledAs({"--dynamic"}), "True");
  EXPECT_EQ(compiledAs({"--dynamic", "true"}), "True");
  EXPECT_EQ(compiledAs({"--dynamic", "auto"}), "None");
  EXPECT_EQ(compiledAs({"--dynamic", "false"}), "");
  EXPECT_EQ(compiledAs({}), "");
}

TEST(CommandLineTest, WrongUseIsToldInOneMessageAndExits2) {
  const BinaryRun unknown = runBinary({"fuzz", "--cases", "1", "--backends", "torch:aot_eagre"});
  EXPECT_EQ(unknown.status, 2);
  expectSaid(unknown.errors, "torch:aot_eager");
  EXPECT_EQ(unknown.output, "");
  EXPECT_EQ(runBinary({"fuzz", "--cases", "1", "--seconds", "1"}).status, 2);
  const BinaryRun none = runBinary({"fuzz", "--cases", "0"});
  EXPECT_EQ(none.status, 2);
  expectSaid(none.errors, "--cases: `0` is no number above 0");
  for (const char* option : {"--cases", "--seed", "--start", "--max-findings", "--reduce-seconds"}) {
    EXPECT_EQ(runBinary({"fuzz", option, "-3"}).status, 2) << option;
  }
  const TemporaryFolder folder("without_backend");
  const std::string file = folder.file("case.py", smallCase("torch.sin(x)"));
  const BinaryRun unnamed = runBinary({"reduce", file});
  EXPECT_EQ(unnamed.status, 2);
  expectSaid(unnamed.errors, "does not say under which backend it was found");
  const std::string expectation = "# expect: eager Differs/values\n", other = "# expect: aot_eager Crashed\n";
  const auto expecting = [&](const std::string& lines) {
    std::string text = smallCase("torch.sin(x)");
    return folder.file("expecting.py", text.insert(text.find("import torch"), lines));
  };
  const BinaryRun agrees = runBinary({"reduce", expecting(expectation)}); // under the one that it expects to fail
  EXPECT_EQ(agrees.status, 4);
  expectSaid(agrees.errors, "under `eager` the outcome");
  expectSaid(runBinary({"reduce", expecting(expectation + other)}).errors, "expects failures under 2 backends");
  EXPECT_EQ(runBinary({"fuzz", "--shard", "5/4"}).status, 2);
  EXPECT_EQ(runBinary({"fuzz", "--nonsense"}).status, 2);
  const BinaryRun missing = runBinary({"run", "/no/such/case.py"});
  EXPECT_EQ(missing.status, 2);
  expectSaid(missing.errors, "/no/such/case.py");
}

TEST(CommandLineTest, AMalformedCaseIsShownWithItsLine) {
  const TemporaryFolder folder("malformed");
  const std::string file = folder.file("bad.py", smallCase("__import__('os')"));
  const BinaryRun run = runBinary({"run", file, "--backends", "eager"});
  EXPECT_EQ(run.status, 2);
  expectSaid(run.errors, "bad.py:");
  expectSaid(run.errors, "__import__");
}

TEST(CommandLineTest, RunJudgesAgainstExpectations) {
  const TemporaryFolder folder("expectations");
  const std::string good = folder.file("good.py", smallCase("torch.sin(x)"));
  const std::string wrong = folder.file("wrong.py", smallCase("torch.sin(x)", "# expect: eager Differs/values\n"));
  const BinaryRun one = runBinary({"run", good, "--rewrite", "--backends", "eager", "--json"});
  EXPECT_EQ(one.status, 0) << one.output << one.errors;
  const auto object = nlohmann::json::parse(one.output);
  EXPECT_EQ(object.at("cases"), 1);
  EXPECT_EQ(object.at("backends").at("eager").at("Agreed"), 1);
  EXPECT_EQ(object.at("calls_judged"), 2);
  EXPECT_EQ(object.at("results").at(0).at("met"), true);

  const BinaryRun both = runBinary({"run", folder.path(), "--rewrite", "--backends", "eager"});
  EXPECT_EQ(both.status, 1);
  expectSaid(both.output, "ok   " + good);
  expectSaid(both.output, "FAIL " + wrong);
  expectSaid(both.output, "expected Differs/values");

  const std::string junit = folder.path() / "report.xml";
  EXPECT_EQ(runBinary({"run", good, wrong, "--backends", "eager", "--junit", junit}).status, 1);
  std::ostringstream xml;
  xml << std::ifstream(junit).rdbuf();
  expectSaid(xml.str(), "tests=\"2\" failures=\"1\"");
}

TEST(CommandLineTest, NothingToJudgeIsNoSuccess) {
  const TemporaryFolder folder("empty");
  EXPECT_EQ(runBinary({"run", folder.path()}).status, 4);
}

TEST(CommandLineTest, PrintIsCanonical) {
  const TemporaryFolder folder("print");
  const std::string file = folder.file("case.py", smallCase("torch.sin( x )"));
  const BinaryRun first = runBinary({"print", file, "--rewrite"});
  EXPECT_EQ(first.status, 0) << first.errors;
  const BinaryRun second = runBinary({"print", file});
  EXPECT_EQ(second.status, 0) << second.errors;
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  EXPECT_EQ(second.output, text.str());
  expectSaid(second.output, "torch.sin(x)");

  const BinaryRun shortened = runBinary({"print", "--short", file});
  EXPECT_EQ(shortened.status, 0) << shortened.errors;
  EXPECT_LT(shortened.output.size(), second.output.size() / 2);
  expectSaid(shortened.output, "torch.sin(x)");
  EXPECT_EQ(shortened.output.find("__main__"), std::string::npos) << shortened.output;
  EXPECT_EQ(runBinary({"print", "--short", "--rewrite", file}).status, 0);
  std::ostringstream rewritten;
  rewritten << std::ifstream(file).rdbuf();
  EXPECT_EQ(rewritten.str(), shortened.output);
  EXPECT_EQ(runBinary({"print", file}).output, second.output);
}

TEST(CommandLineTest, OperatorsAreListed) {
  const BinaryRun run = runBinary({"ops", "--json"});
  EXPECT_EQ(run.status, 0);
  EXPECT_GT(nlohmann::json::parse(run.output).size(), 50u);
}

TEST(CommandLineTest, WhatTheMachineLacksIsToldAndExits3) {
  const TemporaryFolder folder("lacks");
  const std::string file = folder.file("case.py", smallCase("torch.sin(x)"));
  setenv("TOUCHSTONE_PYTHON", "/no/such/python", 1);
  const BinaryRun run = runBinary({"run", file, "--backends", "torch:eager"});
  unsetenv("TOUCHSTONE_PYTHON");
  EXPECT_EQ(run.status, 3);
  expectSaid(run.errors, "/no/such/python");
}

TEST(CommandLineTest, AWorkerIsNotForPeople) {
  const BinaryRun run = runBinary({"worker"});
  EXPECT_EQ(run.status, 2);
  expectSaid(run.errors, "touchstone --help");
}

} // namespace touchstone::tests
