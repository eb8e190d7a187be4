// Laws of comparing: equal to itself, the same from both sides, and nothing that is allowed hides what is not.
#include "PlantedProgram.h"
#include "oracles/compare/CompareValues.h"
#include "oracles/evidence/RoundingBound.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::tests {
namespace {

using ir::RuleSet;

constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

at::Tensor tensorOf(const std::vector<float>& values) {
  at::Tensor tensor = at::empty({static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), tensor.data_ptr<float>());
  return tensor;
}

std::vector<float> anyValues(size_t count) {
  return *rc::gen::container<std::vector<float>>(
      count,
      rc::gen::element(0.0F, -0.0F, 1.0F, -1.5F, 3e38F, 1e-40F, kNotANumber, -kNotANumber, kInfinity, -kInfinity));
}

/// The law of differingElements() for one element.
bool isSame(float left, float right) {
  return (std::isnan(left) && std::isnan(right)) || std::memcmp(&left, &right, sizeof(left)) == 0;
}

std::vector<int64_t> unionOf(const std::vector<int64_t>& left, const std::vector<int64_t>& right) {
  std::vector<int64_t> all;
  std::set_union(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(all));
  return all;
}

RC_GTEST_PROP(ComparisonLawsTest, ExactlyTheElementsThatDifferAreNamed, ()) {
  const auto count = *rc::gen::inRange<size_t>(0, 9);
  const std::vector<float> left = anyValues(count), right = anyValues(count);
  std::vector<int64_t> expected;
  for (size_t i = 0; i < count; ++i) {
    if (!isSame(left[i], right[i])) {
      expected.push_back(static_cast<int64_t>(i));
    }
  }
  RC_ASSERT(compare::differingElements(tensorOf(left), tensorOf(right)) == expected);
  RC_ASSERT(compare::differingElements(tensorOf(right), tensorOf(left)) == expected);
  RC_ASSERT(compare::differingElements(tensorOf(left), tensorOf(left)).empty());
  RC_ASSERT(compare::differingElements(tensorOf(left), tensorOf(left).clone()).empty());
}

/// Eager, a run in double precision beside it, and a compiled side some of whose elements are far off.
struct Rounded {
  at::Tensor eager, compiled;
  evidence::RoundingEvidence evidence;
};

Rounded anyRounded(int64_t count) {
  Rounded result;
  result.eager = at::empty({count});
  result.compiled = at::empty({count});
  result.evidence.inDouble = at::empty({count}, at::kDouble);
  result.evidence.perturbed = {at::empty({count})};
  for (int64_t i = 0; i < count; ++i) {
    const float value = *rc::gen::element(1.0F, -2.5F, 1e-3F, 1e20F);
    const float away = *rc::gen::element(0.0F, 1e-7F, 1e-6F, 1e-3F, 1.0F);
    const float moved = *rc::gen::element(0.0F, 1e-7F, 1e-4F);
    result.eager.data_ptr<float>()[i] = value;
    result.compiled.data_ptr<float>()[i] = value * (1 + away);
    result.evidence.inDouble.data_ptr<double>()[i] = value;
    result.evidence.perturbed[0].data_ptr<float>()[i] = value * (1 + moved);
  }
  return result;
}

RC_GTEST_PROP(ComparisonLawsTest, TheBoundOfAnElementIsItsOwn, ()) {
  const auto count = *rc::gen::inRange<int64_t>(1, 8);
  const Rounded rounded = anyRounded(count);
  const std::vector<int64_t> differing = compare::differingElements(rounded.eager, rounded.compiled);
  const std::vector<int64_t> together =
      evidence::applyBound(rounded.eager, rounded.compiled, differing, rounded.evidence).beyond;
  std::vector<int64_t> alone;
  for (const int64_t element : differing) {
    alone = unionOf(alone, evidence::applyBound(rounded.eager, rounded.compiled, {element}, rounded.evidence).beyond);
  }
  RC_ASSERT(together == alone);
  RC_ASSERT(std::includes(differing.begin(), differing.end(), together.begin(), together.end()));
  for (int64_t i = 0; i < count; ++i) { // four thousandths of the value are beyond what any of these allow
    const double value = rounded.eager.data_ptr<float>()[i];
    const bool farOff = std::abs(rounded.compiled.data_ptr<float>()[i] - value) > 4e-3 * std::abs(value);
    RC_ASSERT(!farOff || std::binary_search(together.begin(), together.end(), i));
  }
}

RC_GTEST_PROP(ComparisonLawsTest, MoreEvidenceNeverAccusesMore, ()) {
  Rounded rounded = anyRounded(*rc::gen::inRange<int64_t>(1, 8));
  const std::vector<int64_t> differing = compare::differingElements(rounded.eager, rounded.compiled);
  const std::vector<int64_t> with =
      evidence::applyBound(rounded.eager, rounded.compiled, differing, rounded.evidence).beyond;
  rounded.evidence.perturbed.clear();
  const std::vector<int64_t> without =
      evidence::applyBound(rounded.eager, rounded.compiled, differing, rounded.evidence).beyond;
  RC_ASSERT(std::includes(without.begin(), without.end(), with.begin(), with.end()));
}

// Observations with edits: what is allowed alone, and what is not.

constexpr const char* kCase = R"(
def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((2, 3), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return x[0:1] * 2, y + 1, x * y, x.shape[0]
)";

struct Edit {
  const char* name;
  std::function<void(observe::CallObservation&)> apply;
};

// Each touches another place than those below, or another property of it.
const std::vector<Edit> kAllowed = {
    {"A1", [](observe::CallObservation& call) { call.arguments.at(1).versionBumped = true; }},
    {"A6", [](observe::CallObservation& call) { call.outputs.at(0).strides.at(0) = 77; }},
};
const std::vector<Edit> kForbidden = {
    {"values", [](observe::CallObservation& call) { call.outputs.at(0).values = call.outputs.at(0).values + 1; }},
    {"values of another",
     [](observe::CallObservation& call) { call.outputs.at(1).values = call.outputs.at(1).values + 1; }},
    {"dtype", [](observe::CallObservation& call) { call.outputs.at(2).dtype = at::kDouble; }},
    {"strides",
     [](observe::CallObservation& call) {
       call.outputs.at(1).strides = {1, 2};
     }},
    {"offset", [](observe::CallObservation& call) { call.outputs.at(2).offset = 3; }},
    {"requires_grad", [](observe::CallObservation& call) { call.outputs.at(1).requiresGrad = true; }},
    {"leaf", [](observe::CallObservation& call) { call.outputs.at(2).isLeaf = !call.outputs.at(2).isLeaf; }},
    {"input", [](observe::CallObservation& call) { call.arguments.at(1).values = call.arguments.at(1).values + 1; }},
    {"number", [](observe::CallObservation& call) { call.nonTensors.at(0) = values::Value(int64_t{3}); }},
    {"state", [](observe::CallObservation& call) { call.state += " other"; }},
    {"structure", [](observe::CallObservation& call) { call.structure = "[T, T, T, _]"; }},
};

std::vector<Edit> someOf(const std::vector<Edit>& edits) {
  std::vector<Edit> chosen;
  for (const Edit& edit : edits) {
    if (*rc::gen::arbitrary<bool>()) {
      chosen.push_back(edit);
    }
  }
  return chosen;
}

using Found = std::set<std::pair<language::Property, std::string>>;

/// What a comparison finds in the first call when the compiled side is eager's with these edits.
Found foundWith(const std::vector<Edit>& edits) {
  static const language::Case theCase =
      caseOf(kCase, "    dict(inputs=\"inputs\", seed=7),\n    dict(inputs=\"inputs\", seed=8),");
  const compare::CaseVerdict verdict = verdictOnEdited(theCase, [&](observe::CallObservation& call) {
    for (const Edit& edit : edits) {
      edit.apply(call);
    }
  });
  Found found;
  for (const compare::Difference& each : verdict.calls.at(0).differences) {
    found.emplace(each.property, each.where);
  }
  return found;
}

RC_GTEST_PROP(ComparisonLawsTest, WhatARuleAllowsHidesNoDifferenceBesideIt, ()) {
  const std::vector<Edit> allowed = someOf(kAllowed), forbidden = someOf(kForbidden);
  for (const Edit& edit : forbidden) {
    RC_LOG() << edit.name << "; ";
  }
  std::vector<Edit> both = allowed;
  both.insert(both.end(), forbidden.begin(), forbidden.end());
  RC_ASSERT(foundWith(allowed).empty());
  RC_ASSERT(foundWith(both) == foundWith(forbidden));
  RC_ASSERT(foundWith(forbidden).empty() == forbidden.empty());
}

TEST(ComparisonLawsTest, EachForbiddenEditIsFoundAlone) {
  for (const Edit& edit : kForbidden) {
    EXPECT_FALSE(foundWith({edit}).empty()) << edit.name;
  }
}

} // namespace
} // namespace touchstone::tests
