#include "harness/baseline/KnownFindings.h"

#include "base/ExitStatus.h"
#include "harness/triage/StoredSuppression.h"
#include "program/parser/CaseParser.h"
#include "tests/harness/BinaryRun.h"

#include <gtest/gtest.h>

#include <string>

namespace touchstone::tests {

namespace {

const std::string kWhy = R"json("reason": "told", "expires": "2027-03-01")json";

class KnownFindingsTest : public ::testing::Test {
 protected:
  baseline::KnownFindings read(const std::string& entries, const std::string& today = "2027-02-28") {
    return baseline::readKnownFindings(
        folder_.file("known.json", R"json({"schema": 1, "known": [)json" + entries + "]}"), today);
  }
  std::string complaintOf(const std::string& entries) {
    try {
      read(entries);
    } catch (const base::WrongUse& error) {
      return error.what();
    }
    return "";
  }
  static language::Case smallProgram(const std::string& result) {
    parser::ParseOptions options;
    options.checkMainPart = false;
    return parser::parseCase(smallCase(result), options);
  }

  TemporaryFolder folder_{"known_findings"};
  worker::Symptom symptom_{"aot_eager", "Differs/strides/output", "aot_eager", ""};
};

} // namespace

TEST_F(KnownFindingsTest, AnEntryKnowsByClusterSymptomOrPattern) {
  const baseline::KnownFindings known =
      read(R"json({"id": "a", "cluster": "aot_eager-values-12345678", )json" + kWhy + R"json(},
    {"id": "b", "symptom": "aot_eager Differs/strides/output", )json" +
           kWhy + R"json(},
    {"id": "c", "backend": "ts*", "pattern": ["relu(_)"], )json" +
           kWhy + "}");
  EXPECT_EQ(known.byCluster("aot_eager-values-12345678", "aot_eager")->id, "a");
  EXPECT_EQ(known.byCluster("aot_eager-values-00000000", "aot_eager"), nullptr);
  EXPECT_EQ(known.bySymptom(symptom_)->id, "b");
  const analysis::FlatProgram relu = analysis::flatten(smallProgram("torch.relu(x)"));
  EXPECT_EQ(known.byPattern(relu, symptom_), nullptr) << "of another backend";
  const worker::Symptom other{"ts", "InternalError/RuntimeError", "ts", ""};
  ASSERT_NE(known.byPattern(relu, other), nullptr);
  EXPECT_EQ(known.byPattern(analysis::flatten(smallProgram("torch.sin(x)")), other), nullptr);
  EXPECT_NE(known.find(smallProgram("torch.relu(x)"), other), nullptr);
  EXPECT_EQ(known.find(smallProgram("torch.sin(x)"), other), nullptr);
}

TEST_F(KnownFindingsTest, OraclesRestrictAPatternToWhatTheySee) {
  const baseline::KnownFindings known =
      read(R"json({"id": "a", "pattern": ["relu(_)"], "oracles": ["strides", "InternalError"], )json" + kWhy + "}");
  const analysis::FlatProgram relu = analysis::flatten(smallProgram("torch.relu(x)"));
  EXPECT_NE(known.byPattern(relu, symptom_), nullptr);
  EXPECT_NE(known.byPattern(relu, {"aot_eager", "InternalError/KeyError", "aot_eager", ""}), nullptr);
  EXPECT_EQ(known.byPattern(relu, {"aot_eager", "Differs/values/output", "aot_eager", ""}), nullptr);
}

TEST_F(KnownFindingsTest, WhileReducingAPatternCountsThatDoesNotMatchTheStart) {
  const baseline::KnownFindings known = read(R"json({"id": "a", "pattern": ["relu(_)"], )json" + kWhy + R"json(},
    {"id": "b", "pattern": ["sin(_)"], )json" +
                                             kWhy + "}");
  const baseline::IsKnown ofRelu =
      baseline::suppressedOtherwiseIn(known, smallProgram("torch.relu(x.cos())"), symptom_);
  EXPECT_FALSE(ofRelu(smallProgram("torch.relu(x)"), symptom_)) << "it matches the start";
  EXPECT_TRUE(ofRelu(smallProgram("torch.relu(x.sin())"), symptom_)) << "so does that of `a`, and that of `b` does not";
  EXPECT_TRUE(ofRelu(smallProgram("x.sin()"), symptom_));
  EXPECT_FALSE(ofRelu(smallProgram("x.cos()"), symptom_));
}

TEST_F(KnownFindingsTest, AnEntryExcusesUntilItsDay) {
  const std::string entry = R"json({"id": "a", "symptom": "aot_eager Differs/strides/output", )json" + kWhy + "}";
  EXPECT_NE(read(entry, "2027-03-01").bySymptom(symptom_), nullptr) << "the last day";
  const baseline::KnownFindings later = read(entry, "2027-03-02");
  EXPECT_EQ(later.bySymptom(symptom_), nullptr);
  ASSERT_EQ(later.expired().size(), 1u);
  EXPECT_EQ(later.expired()[0].id, "a");
  EXPECT_TRUE(read(entry, "2027-03-01").expired().empty());
}

TEST_F(KnownFindingsTest, MistakesAreToldWithTheEntryAndWhatIsAllowed) {
  const auto says = [&](const std::string& entries, const std::string& what) {
    const std::string complaint = complaintOf(entries);
    EXPECT_NE(complaint.find(what), std::string::npos) << entries << "\n" << complaint;
  };
  says(R"json({"id": "a", "pattern": ["relu(_)"], )json" + kWhy + R"json(}, {"id": "b", "patern": ["relu(_)"]})json",
       "entry 2 (`b`): there is no key `patern`; choose one of `pattern`");
  says(R"json({"id": "a", )json" + kWhy + "}", "it has none of `cluster`, `symptom` and `pattern`");
  says(R"json({"id": "a", "cluster": "c", "symptom": "s", )json" + kWhy + "}", "several of");
  says(R"json({"cluster": "c", )json" + kWhy + "}", "entry 1: it has no `id`");
  says(R"json({"id": "a", "cluster": "c", "reason": "told"})json", "no `expires`");
  says(R"json({"id": "a", "cluster": "c", "reason": "told", "expires": "2027-02-30"})json",
       "`2027-02-30`, which is no date");
  says(R"json({"id": "a", "cluster": "c", "expires": "2027-03-01"})json", "neither `reason` nor `link`");
  says(R"json({"id": "a", "pattern": ["relu"], )json" + kWhy + "}", "its pattern cannot be read. `relu`");
  says(R"json({"id": "a", "pattern": ["relu(_)"], "oracles": ["stride"], )json" + kWhy + "}",
       "choose one of `strides`");
  says(R"json({"id": "a", "cluster": "c", "skip": true, )json" + kWhy + "}", "`skip` is for patterns");
  says(R"json({"id": "a", "cluster": "c", )json" + kWhy + R"json(}, {"id": "a", "cluster": "d", )json" + kWhy + "}",
       "another entry has the id `a`");
  says(R"json({"id": "a", "mask": ["relu(_)"], )json" + kWhy + "}",
       "entry 1 (`a`): `mask` is the pattern of an older Touchstone");
  EXPECT_THROW(baseline::readKnownFindings("/nowhere/known.json", ""), base::WrongUse);
  EXPECT_THROW(baseline::readKnownFindings(folder_.file("broken.json", "{"), ""), base::WrongUse);
  EXPECT_THROW(baseline::readKnownFindings(folder_.file("newer.json", R"json({"schema": 2, "known": []})json"), ""),
               base::WrongUse);
}

TEST_F(KnownFindingsTest, TheOldFormStaysReadable) {
  const baseline::KnownFindings known = baseline::readKnownFindings(
      folder_.file("known.txt", "# of last week\naot_eager-values-12345678\naot_eager Differs/strides/output # told\n"),
      "2099-01-01");
  EXPECT_NE(known.byCluster("aot_eager-values-12345678", "aot_eager"), nullptr);
  EXPECT_NE(known.bySymptom(symptom_), nullptr);
  EXPECT_EQ(known.byCluster("another", "aot_eager"), nullptr);
  EXPECT_TRUE(known.expired().empty());
}

TEST_F(KnownFindingsTest, ATextThatIsNoListIsRefusedWithItsLine) {
  const auto complaint = [&](const std::string& text) {
    try {
      baseline::readKnownFindings(folder_.file("notes.txt", text), "");
    } catch (const base::WrongUse& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string said = complaint("# of last week\n\neager-values-12345678\nlook at the strides again\n");
  EXPECT_NE(said.find("notes.txt:4: `look at the strides again`"), std::string::npos) << said;
  EXPECT_NE(said.find("\"schema\": 1"), std::string::npos) << said;
  EXPECT_NE(said.find("docs/known.md"), std::string::npos) << said;
  for (const char* text :
       {"import torch\n", "eager-values-1234\n", "eager Different/values\n", "[]\n", "Differs/values\n"}) {
    EXPECT_NE(complaint(text), "") << text;
  }
  EXPECT_LT(complaint(std::string(1 << 20, 'a')).size(), 1000U);
  for (const char* text :
       {"", "# nothing\n", "torch-my_package.module-compile-internalerror-0123abcd  # told\r\n",
        "torch:a.b:c InternalError/RuntimeError base Agreed\n", "eager Crashed\neager Crashed base Agreed\n"}) {
    EXPECT_EQ(complaint(text), "") << text;
  }
}

TEST_F(KnownFindingsTest, AnEntryThatIsAddedIsReadBack) {
  baseline::KnownEntry entry;
  entry.id = "relu";
  entry.backend = "aot_eager";
  entry.pattern = suppressions::readPattern({"y = relu(_)", "return is_returned(y)"});
  entry.link = "https://example.org/1";
  entry.expires = "2027-03-01";
  entry.caseFile = folder_.file("case.py", smallCase("torch.relu(x)"));
  const std::string file = folder_.path() / "known.json";
  const std::string text = baseline::withEntry(file, "", entry);
  folder_.file("known.json", text);
  const baseline::KnownFindings known = baseline::readKnownFindings(file, "2027-01-01");
  ASSERT_EQ(known.entries().size(), 1u);
  EXPECT_EQ(known.entries()[0].pattern, entry.pattern);
  EXPECT_EQ(known.entries()[0].caseFile, entry.caseFile);
  EXPECT_THROW(baseline::withEntry(file, text, entry), base::WrongUse) << "the id is taken";
}

TEST_F(KnownFindingsTest, DaysAreThoseOfTheCalendar) {
  EXPECT_EQ(triage::daysAfter("2026-12-31", 1), "2027-01-01");
  EXPECT_EQ(triage::daysAfter("2028-02-28", 1), "2028-02-29");
  EXPECT_FALSE(baseline::isDate("2027-2-28"));
  EXPECT_FALSE(baseline::isDate("2027-02-29"));
  EXPECT_TRUE(baseline::isDate(baseline::todayUtc()));
}

} // namespace touchstone::tests
