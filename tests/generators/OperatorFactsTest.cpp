#include "program/operators/OperatorFacts.h"

#include "generators/catalogue/Catalogue.h"
#include "program/analysis/ExactOperators.h"
#include "program/analysis/FlatProgram.h"
#include "program/analysis/OperatorNames.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/enum_tag.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace touchstone::tests {
namespace {

using language::Expr;
using language::ExprKind;
using operators::OperatorFacts;

/// What a spelling calls, out of place: `add` of `A.add_(B)`, `A += B` and `A + B`.
std::set<std::string> calledBy(const catalogue::Spelling& spelling) {
  std::set<std::string> names;
  const auto note = [&](const std::string& spelled) {
    names.emplace(operators::outOfPlaceName(analysis::operatorName(spelled)));
  };
  const std::function<void(const Expr&)> walk = [&](const Expr& expr) {
    if (expr.kind == ExprKind::kCall && expr.children[0]->kind == ExprKind::kAttribute &&
        expr.children[0]->text != "apply") { // of a custom autograd function
      note(analysis::calleeName(*expr.children[0]));
    } else if (expr.kind == ExprKind::kBinary) {
      note(expr.text);
    }
    for (const language::ExprPtr& child : expr.children) {
      if (child) {
        walk(*child);
      }
    }
  };
  walk(*spelling.value);
  if (spelling.assignment.size() > 1) {
    note(std::string(spelling.assignment));
  }
  return names;
}

/// What no operator computes: `A.size()`.
bool isWord(const std::string& name) {
  return operators::findFacts(name) == nullptr && analysis::isExactOperator(name);
}

/// The operators of ATen by name without overload, each with its overloads.
const std::map<std::string, std::vector<c10::OperatorHandle>>& atenOperators() {
  static const auto found = [] {
    std::map<std::string, std::vector<c10::OperatorHandle>> byName;
    c10::Dispatcher& dispatcher = c10::Dispatcher::singleton();
    for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
      const auto op = dispatcher.findSchema(name);
      if (op && name.name.starts_with("aten::")) {
        byName[name.name.substr(6)].push_back(*op);
      }
    }
    return byName;
  }();
  return found;
}

template <class Predicate>
bool anyOverload(const std::string& name, Predicate predicate) {
  const auto found = atenOperators().find(name);
  return found != atenOperators().end() && std::any_of(found->second.begin(), found->second.end(), predicate);
}

bool isTagged(const std::string& name, at::Tag tag) {
  return anyOverload(name, [&](const c10::OperatorHandle& op) { return op.hasTag(tag); });
}

bool isOperator(const std::string& name) {
  return atenOperators().contains(name);
}

TEST(OperatorFactsTest, EveryOperatorOfTheCatalogueHasARow) {
  size_t called = 0;
  for (const catalogue::CatalogueEntry& entry : catalogue::catalogue()) {
    if (entry->family == catalogue::OperatorFamily::kCustom) {
      continue; // whose bodies are drawn
    }
    for (const catalogue::Spelling& spelling : entry.spellings) {
      for (const std::string& name : calledBy(spelling)) {
        ++called;
        EXPECT_TRUE(operators::findFacts(name) != nullptr || isWord(name))
            << "`" << name << "` of `" << entry->name << "` has no row in program/operators/OperatorFacts.cpp";
      }
    }
  }
  EXPECT_GT(called, 500U);
}

bool drawsRandomNumbers(const std::string& name) {
  return isTagged(name, at::Tag::nondeterministic_seeded) || isTagged(name + "_", at::Tag::nondeterministic_seeded);
}

TEST(OperatorFactsTest, FlagsOfTheCatalogueAreThoseOfWhatItCalls) {
  for (const catalogue::CatalogueEntry& entry : catalogue::catalogue()) {
    for (const catalogue::Spelling& spelling : entry.spellings) {
      std::set<std::string> names = calledBy(spelling);
      if (spelling.text.find("training=False") != std::string_view::npos) {
        names.erase("dropout"); // returns its operand
      }
      const bool draws = std::any_of(names.begin(), names.end(), [](const std::string& name) {
        return name != "scaled_dot_product_attention" && drawsRandomNumbers(name); // without dropout
      });
      EXPECT_EQ(entry->has(catalogue::kRandom), draws) << spelling.text;
      if (entry->has(catalogue::kViews)) {
        const bool mayAlias = std::any_of(names.begin(), names.end(), [](const std::string& name) {
          return name == "broadcast_tensors" || operators::has(name, operators::kMayAlias); // of several tensors
        });
        EXPECT_TRUE(names.empty() || mayAlias) << spelling.text;
      }
      if (entry->has(catalogue::kExact)) {
        names.erase("pow"); // `A ** 2`
        for (const std::string& name : names) {
          EXPECT_TRUE(analysis::isExactOperator(name)) << spelling.text << ": " << name;
        }
      }
    }
  }
}

TEST(OperatorFactsTest, EachRowIsThereOnceInPlainForm) {
  std::set<std::string_view> seen;
  for (const OperatorFacts& row : operators::operatorTable()) {
    EXPECT_TRUE(seen.insert(row.name).second) << row.name;
    EXPECT_FALSE(operators::isInPlaceName(row.name)) << row.name;
    EXPECT_EQ(operators::findFacts(row.name), &row);
    EXPECT_EQ(&operators::factsOf(std::string(row.name) + "_"), &row);
    EXPECT_TRUE(!row.has(operators::kOneOperand) || row.has(operators::kElementwise)) << row.name;
  }
}

TEST(OperatorFactsTest, RowsSayNothingThatSchemasAndTagsContradict) {
  // Composite, or not of ATen, so without the tag of what they are made of; `hardswish` lacks it.
  const std::set<std::string> untagged{"is_nonzero", "requires_grad", "rename", "retain_grad", "hardswish"};
  for (const OperatorFacts& row : operators::operatorTable()) {
    const std::string name(row.name), inPlace = name + "_";
    if (!isOperator(name) && !isOperator(inPlace)) {
      continue; // of Python alone: `T`, `cross_entropy`
    }
    if (!untagged.contains(name)) {
      EXPECT_EQ(row.has(operators::kReadsOut), isTagged(name, at::Tag::data_dependent_output)) << name;
      EXPECT_EQ(row.has(operators::kChangesGeometry), isTagged(inPlace, at::Tag::inplace_view)) << name;
      EXPECT_TRUE(!row.has(operators::kElementwise) || isTagged(name, at::Tag::pointwise)) << name;
    }
    const bool isInPlaceOnly = row.has(operators::kWritesByIndex) || row.has(operators::kReadsNeighbours) ||
                               row.choice == operators::Choice::kSummedZeros;
    EXPECT_TRUE(!isInPlaceOnly || isOperator(inPlace)) << name;
    const bool mayBeItsOperand = anyOverload(name, [](const c10::OperatorHandle& op) {
      const auto& returns = op.schema().returns();
      return op.hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd) ||
             (!returns.empty() && returns[0].alias_info() != nullptr && !returns[0].alias_info()->isWrite());
    });
    EXPECT_TRUE(!row.has(operators::kMayAlias) || mayBeItsOperand) << name;
    EXPECT_TRUE(!row.has(operators::kDtypeOfOut) || anyOverload(name, [](const c10::OperatorHandle& op) {
      return op.schema().is_mutable() && op.schema().argumentIndexWithName("dtype").has_value();
    })) << name;
  }
}

} // namespace
} // namespace touchstone::tests
