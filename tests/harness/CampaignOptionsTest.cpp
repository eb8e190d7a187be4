#include "harness/campaign/CampaignOptions.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <set>
#include <string>
#include <type_traits>

namespace touchstone::tests {

namespace {

/// What a run says anew, so that a campaign that goes on may have others. Any other option is in its state.
const std::set<std::string> kOfEachRun{"--jobs", "--today", "--events", "--resume", "--json"};

/// Gives an option another value than its default, as the command line would.
void change(const options::Option& option) {
  std::visit(
      [&](const auto& target) {
        using Kind = std::decay_t<decltype(target)>;
        if constexpr (std::is_same_v<Kind, bool*>) {
          *target = !*target;
        } else if constexpr (std::is_same_v<Kind, std::string*>) {
          *target += "other";
        } else if constexpr (std::is_same_v<Kind, std::vector<std::string>*>) {
          target->push_back("other");
        } else if constexpr (std::is_same_v<Kind, options::Off>) {
          *target.target = false;
        } else if constexpr (std::is_same_v<Kind, options::Takes<std::string>>) {
          target.take("2/3");
        } else if constexpr (!std::is_pointer_v<Kind>) {
          FAIL() << option.names << " is of a kind that this test does not know";
        } else if constexpr (requires { target->has_value(); }) {
          *target = 7;
        } else {
          *target += 7;
        }
      },
      option.target);
}

} // namespace

TEST(CampaignOptionsTest, WhatDecidesWhatACampaignDoesIsThereAgainWhenItGoesOn) {
  const nlohmann::json defaults = campaign::optionsJson({});
  size_t count = 0;
  campaign::FuzzOptions any;
  for (const options::Option& each : campaign::campaignOptions(any)) {
    const std::string name = each.name();
    ++count;
    campaign::FuzzOptions begun, given;
    for (const options::Option& option : campaign::campaignOptions(begun)) {
      if (option.name() == name) {
        change(option);
      }
    }
    const nlohmann::json kept = campaign::optionsJson(begun);
    if (kOfEachRun.contains(name)) {
      EXPECT_EQ(kept, defaults) << name;
      continue;
    }
    ASSERT_TRUE(kept.contains(name)) << name;
    EXPECT_NE(kept[name], defaults[name]) << name << " has the same JSON, whatever it is";
    const campaign::FuzzOptions resumed = campaign::resumedOptions(campaign::optionsFromJson(kept), given);
    EXPECT_EQ(campaign::optionsJson(resumed), kept) << name;
  }
  EXPECT_EQ(count + 1, defaults.size() + kOfEachRun.size()) << "the profile is the one that has no row";
}

TEST(CampaignOptionsTest, WhatEachRunSaysAnewIsThatOfTheRunThatGoesOn) {
  campaign::FuzzOptions begun, given;
  begun.workers = 3;
  begun.events = "old";
  begun.json = true;
  begun.reduceSeconds = 5;
  given.workers = 2;
  given.today = "2027-02-28";
  given.resume = "folder";
  given.reduceSeconds = 6;
  const campaign::FuzzOptions resumed = campaign::resumedOptions(begun, given);
  EXPECT_EQ(resumed.workers, 2);
  EXPECT_EQ(resumed.events, "");
  EXPECT_EQ(resumed.today, "2027-02-28");
  EXPECT_EQ(resumed.resume, "folder");
  EXPECT_FALSE(resumed.json);
  EXPECT_EQ(resumed.reduceSeconds, 5);
}

TEST(CampaignOptionsTest, AnOptionThatTheStateLacksHasItsDefault) {
  nlohmann::json older = campaign::optionsJson({});
  older.erase("--suppressions");
  EXPECT_EQ(campaign::optionsFromJson(older).suppressions, "native");
}

} // namespace touchstone::tests
