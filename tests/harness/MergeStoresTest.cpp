#include "harness/baseline/KnownFindings.h"
#include "harness/store/StoreSchema.h"
#include "tests/harness/BinaryRun.h"
#include "tests/harness/StoreRows.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <set>

namespace touchstone::tests {

namespace {

/// What a store holds, but for where files lie.
std::string contentOf(const store::FindingDatabase& database) {
  std::string text;
  for (const store::StoredCampaign& each : database.campaigns()) {
    text += fmt::format("campaign {} {} {} {}\n", each.id, store::nameOf(each.state), each.cases, each.counts.size());
    for (const auto& [backend, counts] : each.counts) {
      for (const auto& [outcome, cases] : counts) {
        text += fmt::format("  {} {} {}\n", backend, outcome, cases);
      }
    }
  }
  for (const store::StoredFinding& each : database.findings()) {
    text += fmt::format("finding {} {} {} {} {} `{}`\n", each.id, store::nameOf(each.status), each.hits, each.firstSeen,
                        each.lastSeen, each.caseText);
    for (const store::StoredSighting& sighting : database.sightings(each.id)) {
      text += fmt::format("  {} {} {}\n", sighting.campaign, sighting.caseIndex, store::nameOf(sighting.how));
    }
    for (const store::StoredRetest& retest : database.retests(each.id)) {
      text += fmt::format("  {} {} {}\n", retest.tested, retest.torch, store::nameOf(retest.after));
    }
  }
  return text;
}

using StorePtr = std::unique_ptr<store::FindingDatabase>;

StorePtr emptyStore() {
  return std::make_unique<store::FindingDatabase>(store::FindingDatabase::inMemory("/nowhere/store.sqlite"));
}

StorePtr merged(const std::vector<const store::FindingDatabase*>& stores) {
  StorePtr result = emptyStore();
  for (const store::FindingDatabase* each : stores) {
    result->merge(*each, [](const std::string&, const std::string& name) { return "/nowhere/" + name; });
  }
  return result;
}

/// A store with random campaigns, findings, sightings, retests and statuses; the same campaign may be further in another.
StorePtr randomStore(int offset) {
  StorePtr store = emptyStore();
  const auto number = [](int below) { return *rc::gen::inRange(0, below); };
  const int campaigns = 1 + number(3);
  std::vector<std::string> ids;
  for (int i = 0; i < campaigns; ++i) {
    ids.push_back(fmt::format("{}", number(2) == 0 ? i : offset * 10 + i)); // shared by several, or its own
    if (std::count(ids.begin(), ids.end(), ids.back()) > 1) {
      ids.pop_back();
      continue;
    }
    store::StoredCampaign campaign = campaignRow(ids.back(), "7", std::stoi(ids.back()));
    store->beginCampaign(campaign);
    campaign.cases = number(50);
    campaign.counts = {{"eager", {{"Agreed", campaign.cases}}}};
    store->writeCounts(campaign, {});
  }
  const int steps = number(12);
  for (int i = 0; i < steps; ++i) {
    const std::string finding = fmt::format("f{}", number(3));
    const std::string& campaign = ids.at(static_cast<size_t>(number(static_cast<int>(ids.size()))));
    // The same Case of the same campaign at the same moment, wherever it is told.
    const int index = number(6), second = 100 + std::stoi(campaign) * 10 + index;
    store->addFinding(findingRow(finding, fmt::format("text {}", number(3))),
                      sightingRow(finding, campaign, index, second));
    if (number(4) == 0) {
      store->recordRetest(finding, "Agreed", static_cast<store::FindingStatus>(number(store::kFindingStatusCount)),
                          secondOf(95 + number(60)), fmt::format("2.{}.{}", offset, i));
    }
  }
  return store;
}

/// A sighting may be `new` here and `again` there; which of them is left depends on the order.
std::string withoutKinds(std::string text) {
  for (const char* kind : {" again\n", " regression\n", " new\n"}) {
    for (size_t at = text.find(kind); at != std::string::npos; at = text.find(kind)) {
      text.replace(at, std::string(kind).size(), " seen\n");
    }
  }
  return text;
}

/// A folder with a store of one finding, `f`, its file and its suppression.
void makeFolderWithSuppression(const std::filesystem::path& folder, const std::string& campaign) {
  std::filesystem::create_directories(folder);
  store::StoredFinding finding = findingRow("f", "text of " + campaign);
  finding.file = folder / "f.py";
  std::ofstream(finding.file) << finding.caseText;
  store::FindingDatabase database(folder / store::kStoreName);
  database.beginCampaign(campaignRow(campaign));
  database.addFinding(finding, sightingRow("f", campaign, 1, 1));
  baseline::KnownEntry entry;
  entry.id = "f";
  entry.backend = "eager";
  entry.pattern = suppressions::readPattern({"relu(_)"});
  entry.reason = "of " + campaign;
  entry.expires = "2027-03-01";
  entry.caseFile = finding.file;
  std::ofstream(folder / "f.suppression.json") << baseline::withEntry(folder / "f.suppression.json", "", entry);
}

baseline::KnownEntry entryIn(const std::filesystem::path& suppression) {
  return baseline::readKnownFindings(suppression, "").entries().at(0);
}

} // namespace

RC_GTEST_PROP(MergeStoresTest, MergingTwiceChangesNothing, ()) {
  const StorePtr left = randomStore(1), right = randomStore(2);
  const std::string once = contentOf(*merged({left.get(), right.get()}));
  RC_ASSERT(contentOf(*merged({left.get(), right.get(), right.get(), left.get()})) == once);
  RC_ASSERT(contentOf(*merged({left.get(), left.get()})) == contentOf(*merged({left.get()})));
}

RC_GTEST_PROP(MergeStoresTest, TheOrderDoesNotMatter, ()) {
  const StorePtr one = randomStore(1), two = randomStore(2), three = randomStore(3);
  const std::string all = withoutKinds(contentOf(*merged({one.get(), two.get(), three.get()})));
  RC_ASSERT(withoutKinds(contentOf(*merged({three.get(), two.get(), one.get()}))) == all);
  const StorePtr pair = merged({two.get(), three.get()});
  RC_ASSERT(withoutKinds(contentOf(*merged({one.get(), pair.get()}))) == all);
}

RC_GTEST_PROP(MergeStoresTest, NothingIsLost, ()) {
  const StorePtr left = randomStore(1), right = randomStore(2);
  const StorePtr both = merged({left.get(), right.get()});
  for (const store::FindingDatabase* each : {left.get(), right.get()}) {
    for (const store::StoredFinding& finding : each->findings()) {
      RC_ASSERT(both->finding(finding.id).has_value());
      RC_ASSERT(both->finding(finding.id)->hits >= finding.hits);
      RC_ASSERT(both->finding(finding.id)->firstSeen <= finding.firstSeen);
      RC_ASSERT(both->sightings(finding.id).size() >= each->sightings(finding.id).size());
      RC_ASSERT(both->retests(finding.id).size() >= each->retests(finding.id).size());
    }
  }
}

TEST(MergeStoresTest, WhatWasFixedAndSeenLaterElsewhereIsOpen) {
  const StorePtr fixed = emptyStore(), seen = emptyStore(), before = emptyStore();
  int index = 0;
  for (store::FindingDatabase* each : {fixed.get(), seen.get(), before.get()}) {
    const std::string campaign = std::to_string(++index);
    each->beginCampaign(campaignRow(campaign));
    each->addFinding(findingRow("f"), sightingRow("f", campaign, 1, each == seen.get() ? 20 : 1));
  }
  fixed->recordRetest("f", "Agreed", store::FindingStatus::kFixed, secondOf(10), "2.14.0");
  EXPECT_EQ(merged({fixed.get(), before.get()})->finding("f")->status, store::FindingStatus::kFixed);
  EXPECT_EQ(merged({fixed.get(), seen.get()})->finding("f")->status, store::FindingStatus::kOpen);
  EXPECT_EQ(merged({seen.get(), fixed.get()})->finding("f")->status, store::FindingStatus::kOpen);
}

TEST(MergeStoresTest, TheCommandCopiesFilesAndLeavesTheOthersAsTheyAre) {
  const TemporaryFolder folder("merge_stores");
  const auto folderOf = [&](const std::string& name) { return folder.path() / name; };
  const auto bytesOf = [](const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  };
  for (const char* name : {"one", "two"}) { // the same finding with other texts
    std::filesystem::create_directories(folderOf(name));
    store::FindingDatabase database(folderOf(name) / store::kStoreName);
    database.beginCampaign(campaignRow(name));
    store::StoredFinding finding = findingRow("f", std::string("text of ") + name);
    finding.file = folderOf(name) / "f.py";
    database.addFinding(finding, sightingRow("f", name, 1, 1));
  }
  const std::string before = bytesOf(folderOf("one") / store::kStoreName);
  const std::vector<std::string> merge = {"merge", folderOf("all"), folderOf("one"),
                                          folderOf("two") / store::kStoreName};
  for (int i = 0; i < 2; ++i) {
    const BinaryRun run = runBinary(merge);
    EXPECT_EQ(run.status, 0) << run.errors;
    std::set<std::string> texts;
    size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folderOf("all"))) {
      if (entry.path().extension() == ".py") {
        texts.insert(bytesOf(entry.path()));
        ++files;
      }
    }
    EXPECT_EQ(texts, std::set<std::string>({"text of one"})) << "what no row names is not copied";
    EXPECT_EQ(files, 1U);
  }
  EXPECT_EQ(bytesOf(folderOf("one") / store::kStoreName) == before, true);
  EXPECT_FALSE(std::filesystem::exists(folderOf("one") / "store.sqlite-wal"));
  const store::FindingDatabase all = store::FindingDatabase::reading(folderOf("all") / store::kStoreName);
  EXPECT_EQ(all.finding("f")->hits, 2);
  EXPECT_EQ(all.finding("f")->caseText, bytesOf(all.finding("f")->file));
  EXPECT_EQ(runBinary({"merge", folderOf("one"), folderOf("one")}).status, 2);
  EXPECT_EQ(runBinary({"merge", folderOf("one"), folderOf("none")}).status, 2);
}

TEST(MergeStoresTest, SuppressionsAreCopiedBesideTheirFindings) {
  const TemporaryFolder folder("merge_suppressions");
  const std::filesystem::path one = folder.path() / "one", two = folder.path() / "two", all = folder.path() / "all";
  makeFolderWithSuppression(one, "one");
  makeFolderWithSuppression(two, "two");
  std::filesystem::create_directories(all);
  std::ofstream(one / "profile-0a1b.json") << "{}";
  std::ofstream(all / "f.py") << "somebody else's";
  const std::vector<std::string> merge = {"merge", all, one, two};
  const BinaryRun first = runBinary(merge);
  EXPECT_EQ(first.status, 0) << first.errors;
  EXPECT_NE(first.output.find("; 1 suppression copied."), std::string::npos) << first.output;
  const std::filesystem::path file = store::FindingDatabase::reading(all / store::kStoreName).finding("f")->file;
  EXPECT_EQ(file.filename(), "f-2.py");
  EXPECT_EQ(entryIn(all / "f.suppression.json").reason, "of one");
  EXPECT_TRUE(std::filesystem::exists(all / "profile-0a1b.json")) << "findings name theirs";
  EXPECT_FALSE(std::filesystem::exists(all / "campaign.json"));
  EXPECT_EQ(std::filesystem::weakly_canonical(entryIn(all / "f.suppression.json").caseFile),
            std::filesystem::weakly_canonical(file))
      << "the case of a suppression is that beside it";

  std::ofstream(all / "f.suppression.json") << "changed by hand";
  std::vector<std::string> again = merge;
  again.emplace_back("--json");
  const BinaryRun second = runBinary(again);
  EXPECT_EQ(nlohmann::json::parse(second.output).at("suppressions"), 0) << "one that is there stays";
  EXPECT_EQ(std::filesystem::file_size(all / "f.suppression.json"), std::string("changed by hand").size());
  EXPECT_FALSE(std::filesystem::exists(all / "f-3.py"));
}

TEST(MergeStoresTest, AFolderWithoutFindingsIsRefusedAndNothingIsMade) {
  const TemporaryFolder folder("merge_nothing");
  std::filesystem::create_directories(folder.path() / "empty");
  const BinaryRun run = runBinary({"merge", folder.path() / "all", folder.path() / "empty"});
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.errors.find("empty` has neither a store nor findings"), std::string::npos) << run.errors;
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "all"));
}

TEST(MergeStoresTest, ASuppressionThatCannotBeReadIsToldAndTheRestIsMerged) {
  const TemporaryFolder folder("merge_bad_suppression");
  makeFolderWithSuppression(folder.path() / "one", "one");
  std::ofstream(folder.path() / "one" / "f.suppression.json") << "{";
  const BinaryRun run = runBinary({"merge", folder.path() / "all", folder.path() / "one"});
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_NE(run.errors.find("f.suppression.json is no JSON"), std::string::npos) << run.errors;
  EXPECT_NE(run.output.find("1 finding, 1 of them new to it; 0 suppressions copied"), std::string::npos) << run.output;
  std::filesystem::rename(folder.path() / "one" / "f.suppression.json", folder.path() / "one" / "f.mask.json");
  const BinaryRun older = runBinary({"merge", folder.path() / "other", folder.path() / "one"});
  EXPECT_EQ(older.status, 0) << older.errors;
  EXPECT_NE(older.errors.find("f.mask.json is of an older Touchstone"), std::string::npos) << older.errors;
}

TEST(MergeStoresTest, AFileThatIsGoneIsWrittenAgainAsTheStoreHasIt) {
  store::FindingDatabase into = store::FindingDatabase::inMemory("/nowhere/store.sqlite"),
                         from = store::FindingDatabase::inMemory("/other/store.sqlite");
  for (store::FindingDatabase* each : {&into, &from}) {
    const std::string campaign = each == &into ? "1" : "2";
    each->beginCampaign(campaignRow(campaign));
    each->addFinding(findingRow("f", "text of " + campaign), sightingRow("f", campaign, 1, 1));
  }
  std::string written;
  into.merge(from, [&](const std::string& text, const std::string& name) {
    written = text;
    return "/nowhere/" + name;
  });
  EXPECT_EQ(written, "text of 1");
  EXPECT_EQ(into.finding("f")->caseText, written);
}

} // namespace touchstone::tests
