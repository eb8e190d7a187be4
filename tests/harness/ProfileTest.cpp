#include "harness/worker/Profile.h"

#include "backends/Registry.h"
#include "harness/campaign/CampaignOptions.h"
#include "harness/report/Tally.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace touchstone::tests {

namespace {

/// What reading complains of; empty: nothing.
std::string complaintAbout(const std::string& text) {
  try {
    worker::readProfile(text, "mine.json");
    return "";
  } catch (const std::invalid_argument& error) {
    return error.what();
  } catch (const worker::ProfileUnavailable& error) {
    return std::string("UNAVAILABLE ") + error.what();
  }
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST(ProfileTest, WhatIsWrongIsToldWithTheFileTheKeyAndWhatIsAllowed) {
  const std::tuple<const char*, const char*, const char*> mistakes[] = {
      {R"(["dtypes"])", "mine.json", "a JSON object"},
      {R"({"dtypes": ["float32"],})", "mine.json", "not JSON"},
      {R"({"dtyps": ["float32"]})", "`dtyps`", "Did you mean `dtypes`?"},
      {R"({"dtypes": "float32"})", "`dtypes`", "a list of strings"},
      {R"({"dtypes": ["float33"]})", "`dtypes`", "`bfloat16`"},
      {R"({"dtypes": []})", "`dtypes`", "no dtype is left"},
      {R"({"excluded_operators": ["cumsun"]})", "`excluded_operators`", "Did you mean `cumsum`?"},
      {R"({"excluded_operators": [{"nam": "cumsum"}]})", "`excluded_operators`", "Did you mean `name`?"},
      {R"({"features": {"backwards": false}})", "`features`", "Did you mean `backward`?"},
      {R"({"features": {"backward": 0}})", "`features.backward`", "true, false or"},
      {R"({"rules": "lenient"})", "`rules`", "`inductor`"},
      {R"({"numerics": "exact"})", "`numerics`", "`strict`"},
      {R"({"rules_off": ["A99"]})", "`rules_off`", "A1 to A17"},
      {R"({"unsupported": ["(no"]})", "`unsupported`", "regular expression"},
      {R"({"maximum_rank": 7})", "`maximum_rank`", "from 1 to 5"},
      {R"({"maximum_rank": 1.5})", "`maximum_rank`", "whole number"},
      {R"({"minimum_operations": 9, "maximum_operations": 8})", "`minimum_operations`", "larger"},
      {R"({"timeouts": {"backends": 3}})", "`timeouts`", "Did you mean `backend`?"},
      {R"({"compile": {"fullgraph": "yes"}})", "`compile.fullgraph`", "true or false"},
      {R"({"imports": ["a b"]})", "`imports`", "Python module"},
      {R"({"environment": {"A": 1}})", "`environment`", "a string"},
  };
  for (const auto& [text, first, second] : mistakes) {
    const std::string complaint = complaintAbout(text);
    EXPECT_TRUE(has(complaint, "mine.json") && has(complaint, first) && has(complaint, second)) << text << "\n"
                                                                                                << complaint;
  }
}

TEST(ProfileTest, WhatCannotBeDoneHereIsSaidAndNotIgnored) {
  for (const char* text :
       {R"({"device": "cuda", "reference": "cpu"})", R"({"fork": false})", R"({"features": {"dynamic": true}})"}) {
    const std::string complaint = complaintAbout(text);
    EXPECT_TRUE(has(complaint, "UNAVAILABLE mine.json") && has(complaint, "not available here")) << text << "\n"
                                                                                                 << complaint;
  }
  EXPECT_EQ(complaintAbout(R"({"device": "cpu", "reference": "cpu", "fork": true, "features": {"dynamic": false}})"),
            "");
}

TEST(ProfileTest, GlobsAndListsBecomeExclusionsThatAreCountedByEntry) {
  const worker::Profile profile =
      worker::readProfile(std::string(R"({"excluded_operators": ["index_*", {"name": "cumsum", "why": "crashes"}],
        "excluded_dtypes": ["torch.float64"], "features": {"backward": false, "complex": false, "rng": true}})"),
                          "mine.json");
  EXPECT_TRUE(profile.exclusions.excludes("index_select"));
  EXPECT_TRUE(profile.exclusions.excludes("cumsum"));
  EXPECT_FALSE(profile.exclusions.excludes("cat"));
  EXPECT_TRUE(profile.exclusions.excludes(at::kDouble));
  EXPECT_TRUE(profile.exclusions.excludes(at::kComplexFloat));
  EXPECT_FALSE(profile.exclusions.excludes(at::kFloat));
  EXPECT_TRUE(profile.lacks(worker::Profile::Feature::kBackward));
  EXPECT_FALSE(profile.lacks(worker::Profile::Feature::kRandom));
  EXPECT_FALSE(profile.lacks(worker::Profile::Feature::kModules));
  const worker::Profile withoutModules =
      worker::readProfile(std::string(R"({"features": {"modules": false}})"), "mine.json");
  EXPECT_TRUE(withoutModules.lacks(worker::Profile::Feature::kModules));
  EXPECT_EQ(withoutModules.entries, std::vector<std::string>{"features modules"});
  report::Tally tally;
  tally.expect(profile);
  const std::map<std::string, int64_t> zeros = {{"excluded_operators index_*", 0},
                                                {"excluded_operators cumsum", 0},
                                                {"excluded_dtypes float64", 0},
                                                {"features backward", 0},
                                                {"features complex", 0}};
  EXPECT_EQ(tally.exclusions, zeros); // what changed nothing is listed, too
  worker::JobResult result;
  result.making.exclusions = {"excluded_dtypes float64"};
  tally.add(result);
  tally.add(result);
  EXPECT_EQ(tally.exclusions.at("excluded_dtypes float64"), 2);
  for (const report::ValidityFigure& figure : report::validityFigures(tally)) {
    EXPECT_NE(figure.name, "Cases with a backward"); // nobody asks for what the profile leaves out
  }
}

TEST(ProfileTest, WhatEveryCaseIsToHaveIsAsked) {
  const worker::Profile profile =
      worker::readProfile(std::string(R"({"features": {"backward": "always", "mutation": "always"}})"), "mine.json");
  EXPECT_EQ(profile.always, (std::vector{worker::Profile::Feature::kBackward, worker::Profile::Feature::kMutation}));
  EXPECT_FALSE(profile.lacks(worker::Profile::Feature::kBackward));
  EXPECT_TRUE(has(complaintAbout(R"({"features": {"rng": "always"}})"), "not for `rng`"));
  EXPECT_TRUE(has(complaintAbout(R"({"features": {"backward": "often"}})"), "true, false or \"always\""));
}

TEST(ProfileTest, BackwardsCanRunUnderCompiledAutograd) {
  EXPECT_TRUE(
      worker::readProfile(std::string(R"({"compile": {"compiled_autograd": true}})"), "mine.json").compilesBackwards);
  EXPECT_FALSE(worker::readProfile(std::string("{}"), "mine.json").compilesBackwards);
  EXPECT_TRUE(has(complaintAbout(R"({"compile": {"compiled_autograd": 1}})"), "compile.compiled_autograd"));
}

TEST(ProfileTest, ListsOfWhatIsAllowedExcludeTheRest) {
  const worker::Profile profile = worker::readProfile(
      std::string(R"({"operators": ["mm", "relu*"], "dtypes": ["float32", "int64"]})"), "mine.json");
  EXPECT_FALSE(profile.exclusions.excludes("relu_"));
  EXPECT_TRUE(profile.exclusions.excludes("sin"));
  EXPECT_FALSE(profile.exclusions.excludes(at::kLong));
  EXPECT_TRUE(profile.exclusions.excludes(at::kBool));
  EXPECT_FALSE(profile.lacks(worker::Profile::Feature::kMutation)); // relu_
  EXPECT_TRUE(worker::readProfile(std::string(R"({"operators": ["mm", "relu"]})"), "mine.json")
                  .lacks(worker::Profile::Feature::kMutation));
}

TEST(ProfileTest, APatternIsLookedForInClassAndMessage) {
  const worker::Profile profile =
      worker::readProfile(std::string(R"({"unsupported": ["TypeError: .*no float[0-9]+", "never"]})"), "mine.json");
  ASSERT_NE(profile.unsupportedBy("TypeError: takes no float64 today"), nullptr);
  EXPECT_EQ(profile.unsupportedBy("TypeError: takes no float64 today")->entry,
            "unsupported TypeError: .*no float[0-9]+");
  EXPECT_EQ(profile.unsupportedBy("ValueError: takes no float64 today"), nullptr);
}

TEST(ProfileTest, ABackendOfOnesOwnIsKnownByTheNameThatItsModuleRegisters) {
  EXPECT_THROW(backends::backendInfo("torch:of_my_own"), std::invalid_argument);
  worker::declareBackend(worker::readProfile(
      std::string(
          R"({"backend": "torch:of_my_own", "imports": ["mine"], "base": "torch:aot_eager", "rules": "decomp"})"),
      "mine.json"));
  const ir::BackendInfo info = backends::backendInfo("torch:of_my_own");
  EXPECT_EQ(info.rules, ir::RuleSet::kDecomposed);
  EXPECT_EQ(info.base, "torch:aot_eager");
  EXPECT_THROW(worker::declareBackend(
                   worker::readProfile(std::string(R"({"backend": "torch:eager", "base": "aot_eager"})"), "mine.json")),
               std::invalid_argument);
}

TEST(ProfileTest, NothingIsDerivedUnderOneThatSteersHowCasesAreMade) {
  campaign::FuzzOptions options;
  options.seconds = 1;
  EXPECT_TRUE(options.usesFeedback());
  options.profile =
      worker::readProfile(std::string(R"({"backend": "eager", "unsupported": ["no luck"]})"), "mine.json");
  EXPECT_TRUE(options.usesFeedback());
  options.profile = worker::readProfile(std::string(R"({"dtypes": ["float32"]})"), "mine.json");
  EXPECT_FALSE(options.usesFeedback());
}

} // namespace touchstone::tests
