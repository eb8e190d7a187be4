#include "backends/Registry.h"
#include "backends/native/NativeBackends.h"
#include "generators/sequences/Sequences.h"
#include "oracles/observe/CallRunner.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace touchstone::tests {
namespace {

using sequences::SequenceChange;

constexpr const char* kPage = "/docs/guards.md";
constexpr const char* kHeading = "## What a second call costs\n";
constexpr const char* kBackends[] = {"eager", "aot_eager"};

std::string pageText() {
  std::ifstream file(std::string(TOUCHSTONE_SOURCE_DIR) + kPage);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The reasons of the recompiles in the calls of a Case.
std::vector<std::string> recompilesOf(const language::Case& theCase, const char* backend) {
  const std::unique_ptr<values::CompiledProgram> program = backends::makeBackend(backend)->compile(theCase);
  observe::RunOptions options;
  options.probeEffects = false;
  observe::runCalls(theCase, *program, options);
  return program->report().recompiles;
}

/// Programs by what the second call costs, in the order of the table of Programs.
struct CostTable {
  struct Row {
    std::vector<std::string> reasons[2];
    bool operator<(const Row& other) const {
      return std::tie(reasons[0], reasons[1]) < std::tie(other.reasons[0], other.reasons[1]);
    }
  };
  std::map<Row, std::vector<std::string>> rows;

  void add(const sequences::SequenceFragment& fragment, SequenceChange change, int target) {
    const std::optional<language::Case> theCase = sequences::changedOnce(fragment, change, target);
    if (!theCase) {
      return;
    }
    Row row;
    for (size_t i = 0; i < 2; ++i) {
      row.reasons[i] = recompilesOf(*theCase, kBackends[i]);
    }
    std::vector<std::string>& programs = rows[row];
    if (programs.empty() || programs.back() != fragment.name) {
      programs.emplace_back(fragment.name);
    }
  }

  std::string text() const {
    std::string text = "| `eager` | `aot_eager` | guard that fails | the program |\n|---|---|---|---|\n";
    for (const auto& [row, programs] : rows) {
      std::vector<std::string> reasons;
      for (const auto& each : row.reasons) {
        for (const std::string& reason : each) {
          if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) {
            reasons.push_back(reason);
          }
        }
      }
      text += fmt::format("| {} | {} | {} | {} |\n", row.reasons[0].size(), row.reasons[1].size(),
                          reasons.empty() ? "" : fmt::format("`{}`", fmt::join(reasons, "`, `")),
                          fmt::join(programs, "; "));
    }
    return text;
  }
};

/// What is changed of a tensor, of each of the first two tensors that the Program has.
bool isOfOneTensor(SequenceChange change) {
  return change >= SequenceChange::kSize && change <= SequenceChange::kView;
}

std::string sectionOf(SequenceChange change) {
  CostTable table;
  for (const sequences::SequenceFragment& fragment : sequences::sequenceFragments()) {
    if (!isOfOneTensor(change)) {
      table.add(fragment, change, -1);
      continue;
    }
    const std::optional<language::Case> plain = sequences::changedOnce(fragment, SequenceChange::kValues);
    if (plain) {
      for (size_t target : sequences::SequenceInputs().tensorsOf(plain->program().parameters)) {
        table.add(fragment, change, static_cast<int>(target));
      }
    }
  }
  return fmt::format("### {}\n\n{}", sequences::sequenceChangeName(change), table.text());
}

std::string tables() {
  std::string text;
  for (int change = 0; change < sequences::kSequenceChangeCount; ++change) {
    if (static_cast<SequenceChange>(change) != SequenceChange::kBack) {
      text += "\n" + sectionOf(static_cast<SequenceChange>(change));
    }
  }
  return text;
}

TEST(GuardsTableTest, ThePageSaysWhatASecondCallCosts) {
  at::set_num_threads(1);
  native::registerNativeBackends();
  const std::string page = pageText();
  const size_t begin = page.find(kHeading);
  ASSERT_NE(begin, std::string::npos);
  const size_t end = page.find("\n### ", begin);
  const std::string wanted = page.substr(0, std::min(end, page.size())) + tables();
  EXPECT_EQ(page, wanted) << "Run this test with TOUCHSTONE_REWRITE_DOCS=1 to print it anew.";
  if (std::getenv("TOUCHSTONE_REWRITE_DOCS")) {
    std::ofstream(std::string(TOUCHSTONE_SOURCE_DIR) + kPage) << wanted;
  }
}

/// The tensors that a piece looks at: those that stand for $A and $B, unless the table says otherwise.
std::set<size_t> lookedAtBy(const sequences::SequenceFragment& fragment) {
  constexpr size_t kX = 0, kY = 1, kA = sequences::SequenceInputs::kTable, kWeight = sequences::SequenceInputs::kModule,
                   kCount = kWeight + 1, kFirst = sequences::SequenceInputs::kParts, kSecond = kFirst + 1;
  static const std::map<std::string_view, std::set<size_t>> kOthers = {
      {"binds an argument to a name", {kX}},
      {"returns the input", {}},
      {"branches on `is`", {kX}},
      {"reads an item of a list", {kFirst}},
      {"loops over a list", {kX, kFirst, kSecond}},
      {"writes to an item of a list", {kX, kFirst}},
      {"compares lists", {kFirst}},
      {"reads an item of a dict", {kA}},
      {"reads a parameter of a module, with a backward", {kX, kWeight}},
      {"writes to a buffer of a module", {kX, kCount}},
  };
  if (const auto found = kOthers.find(fragment.name); found != kOthers.end()) {
    return found->second;
  }
  std::set<size_t> tensors;
  if (fragment.text.find("$A") != std::string_view::npos) {
    tensors.insert(kX);
  }
  if (fragment.text.find("$B") != std::string_view::npos) {
    tensors.insert(kY);
  }
  return tensors;
}

TEST(GuardsTableTest, WhatATensorIsMattersWhereItIsLookedAtAndNowhereElse) {
  at::set_num_threads(1);
  native::registerNativeBackends();
  int checked = 0;
  for (const sequences::SequenceFragment& fragment : sequences::sequenceFragments()) {
    const std::set<size_t> looked = lookedAtBy(fragment);
    const std::optional<language::Case> plain = sequences::changedOnce(fragment, SequenceChange::kValues);
    ASSERT_TRUE(plain) << fragment.name;
    const size_t always = recompilesOf(*plain, "eager").size(); // of other values: a branch on data
    for (size_t target : sequences::SequenceInputs().tensorsOf(plain->program().parameters)) {
      for (SequenceChange change : {SequenceChange::kSize, SequenceChange::kRank, SequenceChange::kStride,
                                    SequenceChange::kDtype, SequenceChange::kRequiresGrad}) {
        const std::optional<language::Case> theCase =
            sequences::changedOnce(fragment, change, static_cast<int>(target));
        // A Parameter requires grad whatever it is made from.
        const bool isFixed = change == SequenceChange::kRequiresGrad && target == sequences::SequenceInputs::kModule;
        for (const char* backend : kBackends) {
          if (theCase && !isFixed) {
            EXPECT_EQ(recompilesOf(*theCase, backend).size() > always, looked.contains(target))
                << backend << ", " << fragment.name << ", " << sequences::sequenceChangeName(change) << " of tensor "
                << target;
            ++checked;
          }
        }
      }
    }
  }
  EXPECT_GT(checked, 600);
}

TEST(GuardsTableTest, ASequenceIsMadeOfItsTwoNumbersAlone) {
  std::set<std::string> changes;
  for (uint64_t index = 0; index < 1500; ++index) {
    const language::Case one = sequences::makeSequence(3, index);
    if (index < 100) {
      const language::Case again = sequences::makeSequence(3, index);
      EXPECT_EQ(one.header("sequence"), again.header("sequence"));
      EXPECT_EQ(one.calls, again.calls);
    }
    EXPECT_GE(one.calls.size(), 2u);
    EXPECT_LE(one.calls.size(), 4u);
    std::stringstream list(*one.header("sequence"));
    for (std::string change; std::getline(list, change, ';');) {
      changes.insert(change.substr(change.find_first_not_of(' ')));
    }
  }
  EXPECT_EQ(changes.size(), static_cast<size_t>(sequences::kSequenceChangeCount)); // each kind comes up
}

} // namespace
} // namespace touchstone::tests
