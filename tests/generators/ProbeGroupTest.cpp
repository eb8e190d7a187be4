#include "generators/probes/ProbeGroup.h"

#include "generators/catalogue/Operators.h"
#include "program/evaluator/Evaluator.h"
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/nan_to_num.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace touchstone::tests {
namespace {

class ProbeGroupTest : public testing::Test {
 protected:
  void SetUp() override { at::set_num_threads(1); }

  static std::vector<at::Tensor> results(const language::Case& theCase, const language::CallSpec& call) {
    evaluator::Evaluator evaluator(theCase);
    std::vector<at::Tensor> tensors;
    values::collectTensors(evaluator.call("program", evaluator.makeInputs("inputs", call.seed, call.kind).arguments),
                           tensors);
    return tensors;
  }

  static bool sameBits(const at::Tensor& left, const at::Tensor& right) {
    if (left.scalar_type() != right.scalar_type() || left.sizes() != right.sizes()) {
      return false;
    }
    const bool hasNumbers = left.is_floating_point() || left.is_complex();
    return hasNumbers ? at::equal(at::nan_to_num(left.detach()), at::nan_to_num(right.detach()))
                      : at::equal(left, right);
  }

  static std::vector<probes::ProbeSpecification> probes(const std::vector<const char*>& names, at::ScalarType dtype,
                                                        bool backward) {
    std::vector<probes::ProbeSpecification> list;
    for (const char* name : names) {
      list.push_back({name, dtype, backward});
    }
    return list;
  }
};

TEST_F(ProbeGroupTest, AProgramDoesWhatItsProbesDoWithTheirOwnValues) {
  const std::vector<probes::ProbeSpecification> list =
      probes({"sin", "mm", "cat", "split", "add_", "cumsum", "register_hook", "index_select"}, at::kFloat, true);
  const probes::ProbeGroup group = probes::probeGroup(list);
  const std::string text = standalone::printCase(group.theCase);
  const language::Case read = parser::parseCase(text); // names are defined once, functions too
  EXPECT_EQ(standalone::printCase(read), text);
  ASSERT_EQ(read.calls.size(), 2U);
  std::set<std::string> parameters(read.program().parameters.begin(), read.program().parameters.end());
  EXPECT_EQ(parameters.size(), read.program().parameters.size());
  for (const language::CallSpec& call : read.calls) {
    const std::vector<at::Tensor> together = results(read, call);
    size_t position = 0, roots = 0;
    for (const probes::ProbeSpecification& each : list) {
      const language::Case alone = *probes::probeCase(each);
      const std::vector<language::BackwardRoot>& own = alone.calls.front().backward.value();
      for (const language::BackwardRoot& root : own) {
        EXPECT_EQ(call.backward->at(roots).index, root.index + static_cast<int>(position)) << each.operatorName;
        EXPECT_TRUE(together[static_cast<size_t>(call.backward->at(roots).index)].requires_grad());
        ++roots;
      }
      for (const at::Tensor& result : results(alone, call)) {
        ASSERT_LT(position, together.size());
        EXPECT_TRUE(sameBits(result, together[position])) << each.operatorName << "\n" << text;
        ++position;
      }
    }
    EXPECT_EQ(position, together.size());
    EXPECT_EQ(roots, call.backward->size());
  }
}

TEST_F(ProbeGroupTest, WholeColumnsRunInEager) {
  for (const auto& [dtype, backward] : {std::pair(at::kFloat, false), std::pair(at::kFloat, true),
                                        std::pair(at::kLong, false), std::pair(at::kComplexFloat, true)}) {
    std::vector<probes::ProbeSpecification> list;
    for (const catalogue::OperatorInfo& info : catalogue::operators()) {
      list.push_back({std::string(info.name), dtype, backward});
    }
    for (size_t begin = 0; begin < list.size(); begin += 16) {
      const std::vector<probes::ProbeSpecification> some(
          list.begin() + static_cast<std::ptrdiff_t>(begin),
          list.begin() + static_cast<std::ptrdiff_t>(std::min(list.size(), begin + 16)));
      const probes::ProbeGroup group = probes::probeGroup(some);
      ASSERT_EQ(group.places.size(), some.size());
      const bool hasSome = std::count(group.places.begin(), group.places.end(), probes::ProbePlace::kInside) > 0;
      ASSERT_EQ(!group.theCase.functions.empty(), hasSome);
      for (const language::CallSpec& call : group.theCase.calls) {
        EXPECT_NO_THROW(results(group.theCase, call)) << standalone::printCase(group.theCase);
        EXPECT_EQ(call.backward.has_value(), backward);
      }
    }
  }
}

TEST_F(ProbeGroupTest, WhatHasNoCaseIsOutside) {
  const probes::ProbeGroup group = probes::probeGroup(probes({"argmax", "sin", "no_such"}, at::kFloat, true));
  EXPECT_EQ(group.places,
            (std::vector<probes::ProbePlace>{probes::ProbePlace::kNotApplicable, probes::ProbePlace::kInside,
                                             probes::ProbePlace::kNotApplicable}));
  EXPECT_TRUE(probes::probeGroup(probes({"sin", "mm"}, at::kBool, false)).theCase.functions.empty());
}

TEST_F(ProbeGroupTest, WhoeverIsInsideReturnsAsManyTensorsInEachCall) {
  for (const catalogue::OperatorInfo& info : catalogue::operators()) {
    const probes::ProbeGroup group = probes::probeGroup({{std::string(info.name), at::kFloat, false}});
    if (group.places.front() == probes::ProbePlace::kInside) {
      EXPECT_EQ(results(group.theCase, group.theCase.calls[0]).size(),
                results(group.theCase, group.theCase.calls[1]).size());
    }
  }
}

} // namespace
} // namespace touchstone::tests
