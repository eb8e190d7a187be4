#include "oracles/equivalence/EquivalenceCheck.h"

#include "graph/ir/Arguments.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace touchstone {
namespace {

using equivalence::EquivalenceAspect;
using ir::Argument;
using ir::Graph;
using ir::GraphSignature;
using ir::nodeArgument;
using ir::NodeId;
using ir::StageArtifacts;

ir::TensorMetadata vectorOf(int64_t elements) {
  ir::TensorMetadata metadata;
  metadata.sizes = {elements};
  metadata.strides = {1};
  return metadata;
}

ir::TensorMetadata vectorOfThree() {
  return vectorOf(3);
}

NodeId add(Graph& graph, const std::string& target, std::vector<Argument> arguments) {
  const NodeId id = graph.addOperator(target, std::move(arguments));
  graph.node(id).metadata = vectorOfThree();
  return id;
}

NodeId placeholder(Graph& graph, const std::string& name) {
  const NodeId id = graph.addPlaceholder(name);
  graph.node(id).metadata = vectorOfThree();
  return id;
}

/// `sin(x)`, and its backward from a saved `x`.
StageArtifacts sineFrame(const std::string& inputName) {
  StageArtifacts frame;
  Graph forward;
  const NodeId x = placeholder(forward, "a");
  forward.output = ir::nodeTuple({add(forward, "aten::sin", {nodeArgument(x)}), x});
  Graph backward;
  const NodeId saved = placeholder(backward, "saved");
  const NodeId tangent = placeholder(backward, "tangent");
  const NodeId cosine = add(backward, "aten::cos", {nodeArgument(saved)});
  backward.output = ir::nodeTuple({add(backward, "aten::mul.Tensor", {nodeArgument(tangent), nodeArgument(cosine)})});
  frame.graphs = {{"forward", std::move(forward)}, {"backward", std::move(backward)}};
  GraphSignature signature;
  signature.inputs.push_back({inputName, true, false, false, false, 0, vectorOfThree()});
  signature.takes.push_back({0, vectorOfThree()});
  ir::ValuePlace result;
  result.output = 0;
  signature.outputs.push_back({ir::OutputClass::kFresh, true, result});
  signature.backwards.push_back({"backward", {{1, std::nullopt}, {-1, result}}, {0}});
  frame.signature = std::move(signature);
  return frame;
}

std::vector<EquivalenceAspect> aspectsOf(const StageArtifacts& left, const StageArtifacts& right) {
  std::vector<EquivalenceAspect> aspects;
  const equivalence::EquivalenceComparison comparison = equivalence::checkEquivalence({left}, {right});
  EXPECT_EQ(comparison.notComparable, "");
  for (const auto& each : comparison.differences) {
    aspects.push_back(each.aspect);
  }
  return aspects;
}

TEST(EquivalenceCheckTest, TheSameComputationAgreesUnderOtherNames) {
  const equivalence::EquivalenceComparison comparison =
      equivalence::checkEquivalence({sineFrame("m_weight")}, {sineFrame("l_m_parameters_weight_")});
  EXPECT_TRUE(comparison.differences.empty()) << comparison.differences.front().message;
  EXPECT_EQ(comparison.graphs, 1);
}

TEST(EquivalenceCheckTest, AnInputOfAnotherNameIsOneThatIsLaidOutAlike) {
  EXPECT_EQ(aspectsOf(sineFrame("x"), sineFrame("stack0")), std::vector<EquivalenceAspect>());
  StageArtifacts other = sineFrame("stack0");
  other.signature->takes[0].geometry->offset = 2;
  EXPECT_EQ(aspectsOf(sineFrame("x"), other), std::vector{EquivalenceAspect::kInputs});
}

TEST(EquivalenceCheckTest, AnInputThatIsOnlyHandedOnNeedNotBeTaken) {
  StageArtifacts right = sineFrame("x");
  Graph& forward = *right.graph("forward");
  ir::TensorMetadata wide = vectorOf(5);
  const NodeId other = forward.addPlaceholder("b");
  forward.node(other).metadata = wide;
  right.signature->inputs.push_back({"y", false, false, false, false, 1, wide});
  right.signature->takes.push_back({1, wide});
  ir::ValuePlace itself;
  itself.input = 1;
  itself.geometry = wide;
  right.signature->outputs.push_back({ir::OutputClass::kAliasOfInput, false, itself});
  EXPECT_EQ(aspectsOf(sineFrame("x"), right), std::vector<EquivalenceAspect>());
  right.signature->outputs.back().value.geometry = vectorOf(4);
  EXPECT_EQ(aspectsOf(sineFrame("x"), right), std::vector{EquivalenceAspect::kInputs}) << "a view of it is made";
  right.signature->outputs.pop_back();
  right.signature->inputs.back().dataMutated = true;
  EXPECT_EQ(aspectsOf(sineFrame("x"), right), std::vector{EquivalenceAspect::kInputs}) << "it is written to";
}

TEST(EquivalenceCheckTest, AnotherOutputIsNamed) {
  StageArtifacts other = sineFrame("x");
  Graph& forward = *other.graph("forward");
  forward.output = ir::nodeTuple({add(forward, "aten::cos", {nodeArgument(0)}), 0});
  // Its tangents are others, too.
  const auto comparison = equivalence::checkEquivalence({sineFrame("x")}, {other});
  ASSERT_FALSE(comparison.differences.empty());
  EXPECT_EQ(comparison.differences[0].aspect, EquivalenceAspect::kOutputValue);
  EXPECT_NE(comparison.differences[0].message.find("aten::cos"), std::string::npos);
}

TEST(EquivalenceCheckTest, ClassesOfInputsAndOutputsCount) {
  StageArtifacts alias = sineFrame("x");
  alias.signature->outputs[0].kind = ir::OutputClass::kAliasOfIntermediate;
  EXPECT_EQ(aspectsOf(sineFrame("x"), alias), std::vector{EquivalenceAspect::kOutputClass});
  StageArtifacts mutated = sineFrame("x");
  mutated.signature->inputs[0].dataMutated = true;
  EXPECT_EQ(aspectsOf(sineFrame("x"), mutated), std::vector{EquivalenceAspect::kInputClass});
}

TEST(EquivalenceCheckTest, SavedValuesCountByWhatTheyAre) {
  StageArtifacts other = sineFrame("x");
  Graph& forward = *other.graph("forward");
  const NodeId sine =
      std::get<ir::NodeReference>(std::get<Argument::Container>(forward.output.payload).items[0].payload).node;
  forward.output = ir::nodeTuple({sine, add(forward, "aten::cos", {nodeArgument(0)})});
  Graph backward;
  const NodeId cosine = placeholder(backward, "cosine");
  const NodeId tangent = placeholder(backward, "tangent");
  backward.output = ir::nodeTuple({add(backward, "aten::mul.Tensor", {nodeArgument(tangent), nodeArgument(cosine)})});
  *other.graph("backward") = std::move(backward);
  // The gradient is the same computation: only what is saved differs.
  EXPECT_EQ(aspectsOf(sineFrame("x"), other), std::vector{EquivalenceAspect::kSavedCount});
}

TEST(EquivalenceCheckTest, AnotherGradientIsSeen) {
  StageArtifacts other = sineFrame("x");
  Graph& backward = *other.graph("backward");
  const NodeId sine = add(backward, "aten::sin", {nodeArgument(0)});
  backward.output = ir::nodeTuple({add(backward, "aten::mul.Tensor", {nodeArgument(1), nodeArgument(sine)})});
  EXPECT_EQ(aspectsOf(sineFrame("x"), other), std::vector{EquivalenceAspect::kGradient});
}

TEST(EquivalenceCheckTest, ALostAddendOfAGradientIsSeen) {
  const auto summed = [](int addends) {
    StageArtifacts frame = sineFrame("x");
    Graph& backward = *frame.graph("backward");
    NodeId sum = 1; // the tangent
    for (int i = 1; i < addends; ++i) {
      sum = add(backward, "aten::add.Tensor", {nodeArgument(sum), nodeArgument(1), Argument{int64_t{1}}});
    }
    backward.output = ir::nodeTuple({sum});
    return frame;
  };
  EXPECT_EQ(aspectsOf(summed(2), summed(2)), std::vector<EquivalenceAspect>());
  EXPECT_EQ(aspectsOf(summed(1), summed(2)), std::vector{EquivalenceAspect::kGradient});
  EXPECT_EQ(aspectsOf(summed(3), summed(2)), std::vector{EquivalenceAspect::kGradient});
}

/// Returns two elements of `sin(x)`; `begin`: of the elements that the tangent belongs to, when it is not of all three.
StageArtifacts partOfSine(std::optional<int64_t> begin) {
  StageArtifacts frame = sineFrame("x");
  GraphSignature& signature = *frame.signature;
  ir::ValuePlace& shown = signature.outputs[0].value;
  shown.layout = vectorOf(3);
  shown.geometry = vectorOf(2);
  if (begin) {
    signature.backwards[0].takes[1].tangentOf = shown;
    Graph backward;
    const NodeId saved = placeholder(backward, "saved");
    const NodeId tangent = backward.addPlaceholder("tangent");
    backward.node(tangent).metadata = vectorOf(2);
    const NodeId whole = add(backward, "aten::slice_backward",
                             {nodeArgument(tangent), ir::integerList({3}), Argument{int64_t{0}}, Argument{*begin},
                              Argument{*begin + 2}, Argument{int64_t{1}}});
    const NodeId cosine = add(backward, "aten::cos", {nodeArgument(saved)});
    backward.output = ir::nodeTuple({add(backward, "aten::mul.Tensor", {nodeArgument(whole), nodeArgument(cosine)})});
    *frame.graph("backward") = std::move(backward);
  }
  return frame;
}

TEST(EquivalenceCheckTest, WhatNoOutputShowsHasNoTangent) {
  EXPECT_EQ(aspectsOf(partOfSine(std::nullopt), partOfSine(0)), std::vector<EquivalenceAspect>());
  EXPECT_EQ(aspectsOf(partOfSine(std::nullopt), partOfSine(1)), std::vector{EquivalenceAspect::kGradient});
}

TEST(EquivalenceCheckTest, AnAliasOfAnIntermediateIsOneBesideAnother) {
  StageArtifacts alone = partOfSine(std::nullopt);
  alone.signature->outputs[0].kind = ir::OutputClass::kAliasOfIntermediate;
  EXPECT_EQ(aspectsOf(alone, partOfSine(std::nullopt)), std::vector<EquivalenceAspect>());
  StageArtifacts two = alone;
  two.signature->outputs.push_back(two.signature->outputs[0]);
  EXPECT_EQ(aspectsOf(two, partOfSine(std::nullopt)), std::vector{EquivalenceAspect::kOutputClass});
  two.signature->outputs[1].isPiece = true;
  EXPECT_EQ(aspectsOf(two, partOfSine(std::nullopt)), std::vector<EquivalenceAspect>()) << "pieces do not count";
}

TEST(EquivalenceCheckTest, AGraphThatIsCompiledAgainCountsOnce) {
  const StageArtifacts frame = sineFrame("x");
  StageArtifacts other = frame;
  Graph& forward = *other.graph("forward");
  forward.node(1).target = "aten::cos";
  EXPECT_TRUE(equivalence::checkEquivalence({frame}, {frame, frame}).differences.empty());
  EXPECT_EQ(equivalence::checkEquivalence({frame}, {frame, other}).differences.at(0).aspect,
            EquivalenceAspect::kGraphs);
  EXPECT_EQ(equivalence::checkEquivalence({frame, frame}, {frame}).differences.at(0).aspect,
            EquivalenceAspect::kGraphs);
}

/// `sin(x)` shown by two rows over the same memory; the backward adds up over them, or takes one of them.
StageArtifacts shownTwice(bool addsUp) {
  StageArtifacts frame = sineFrame("x");
  GraphSignature& signature = *frame.signature;
  ir::TensorMetadata rows = vectorOfThree();
  rows.sizes = {2, 3};
  rows.strides = {0, 1};
  ir::ValuePlace& shown = signature.outputs[0].value;
  shown.layout = vectorOfThree();
  shown.geometry = rows;
  signature.backwards[0].takes[1].tangentOf = shown;
  Graph backward;
  const NodeId saved = placeholder(backward, "saved");
  const NodeId tangent = backward.addPlaceholder("tangent");
  backward.node(tangent).metadata = rows;
  backward.node(tangent).metadata->strides = {3, 1};
  const NodeId whole =
      addsUp ? add(backward, "aten::sum.dim_IntList",
                   {nodeArgument(tangent), ir::integerList({0}), Argument{false}, Argument{}})
             : add(backward, "aten::select.int", {nodeArgument(tangent), Argument{int64_t{0}}, Argument{int64_t{1}}});
  const NodeId cosine = add(backward, "aten::cos", {nodeArgument(saved)});
  backward.output = ir::nodeTuple({add(backward, "aten::mul.Tensor", {nodeArgument(whole), nodeArgument(cosine)})});
  *frame.graph("backward") = std::move(backward);
  return frame;
}

TEST(EquivalenceCheckTest, AnElementThatIsShownTwiceHasOneTangent) {
  StageArtifacts once = sineFrame("x");
  ir::TensorMetadata rows = vectorOfThree();
  rows.sizes = {2, 3};
  rows.strides = {0, 1};
  once.signature->outputs[0].value.layout = vectorOfThree();
  once.signature->outputs[0].value.geometry = rows;
  EXPECT_EQ(aspectsOf(once, shownTwice(true)), std::vector<EquivalenceAspect>());
  EXPECT_EQ(aspectsOf(once, shownTwice(false)), std::vector{EquivalenceAspect::kGradient});
}

/// Writes `sin` to the first two of the elements of `x` that it takes; the gradient of the others is `beside` of the tangent.
StageArtifacts sineInPlace(int64_t taken, const std::string& beside = "") {
  StageArtifacts frame = sineFrame("x");
  const auto call = [](Graph& graph, const std::string& target, std::vector<Argument> arguments, int64_t elements) {
    const NodeId id = graph.addOperator(target, std::move(arguments));
    graph.node(id).metadata = vectorOf(elements);
    return id;
  };
  const auto firstTwo = [&](Graph& graph, NodeId of) {
    return call(
        graph, "aten::slice.Tensor",
        {nodeArgument(of), Argument{int64_t{0}}, Argument{int64_t{0}}, Argument{int64_t{2}}, Argument{int64_t{1}}}, 2);
  };
  const auto put = [&](Graph& graph, NodeId whole, NodeId part) {
    return call(graph, "aten::slice_scatter",
                {nodeArgument(whole), nodeArgument(part), Argument{int64_t{0}}, Argument{int64_t{0}},
                 Argument{int64_t{2}}, Argument{int64_t{1}}},
                taken);
  };
  Graph forward;
  const NodeId x = forward.addPlaceholder("x");
  forward.node(x).metadata = vectorOf(taken);
  const NodeId part = firstTwo(forward, x);
  forward.output = ir::nodeTuple({put(forward, x, call(forward, "aten::sin", {nodeArgument(part)}, 2)), part});
  Graph backward;
  const NodeId saved = backward.addPlaceholder("saved");
  backward.node(saved).metadata = vectorOf(2);
  const NodeId tangent = backward.addPlaceholder("tangent");
  backward.node(tangent).metadata = vectorOf(taken);
  const NodeId cosine = call(backward, "aten::cos", {nodeArgument(saved)}, 2);
  const NodeId product =
      call(backward, "aten::mul.Tensor", {nodeArgument(firstTwo(backward, tangent)), nodeArgument(cosine)}, 2);
  const NodeId rest = beside.empty() ? tangent : call(backward, beside, {nodeArgument(tangent)}, taken);
  backward.output = ir::nodeTuple({put(backward, rest, product)});
  frame.graphs = {{"forward", std::move(forward)}, {"backward", std::move(backward)}};
  GraphSignature& signature = *frame.signature;
  signature.inputs[0].dataMutated = true;
  signature.takes[0].geometry = vectorOf(taken);
  signature.outputs.clear();
  ir::ValuePlace written;
  written.output = 0;
  signature.written = {{0, written, vectorOf(taken)}};
  ir::ValuePlace input;
  input.input = 0;
  input.geometry = vectorOf(taken);
  signature.backwards[0].takes[1].tangentOf = input;
  return frame;
}

TEST(EquivalenceCheckTest, BesideWhatTheRightPipelineTakesGradientsAreOnlyHandedOn) {
  EXPECT_EQ(aspectsOf(sineInPlace(3), sineInPlace(2)), std::vector<EquivalenceAspect>());
  EXPECT_EQ(aspectsOf(sineInPlace(3, "aten::sin"), sineInPlace(2)), std::vector{EquivalenceAspect::kGradient});
  EXPECT_EQ(aspectsOf(sineInPlace(3, "aten::sin"), sineInPlace(3)), std::vector{EquivalenceAspect::kGradient});
}

TEST(EquivalenceCheckTest, InputsThatDifferInCaseAloneAreTwo) {
  const auto difference = [](bool isSwapped) {
    StageArtifacts frame = sineFrame("w");
    Graph forward;
    const NodeId first = placeholder(forward, "a");
    const NodeId second = placeholder(forward, "b");
    forward.output = ir::nodeTuple({add(
        forward, "aten::sub.Tensor",
        {nodeArgument(isSwapped ? second : first), nodeArgument(isSwapped ? first : second), Argument{int64_t{1}}})});
    frame.graphs = {{"forward", std::move(forward)}};
    GraphSignature& signature = *frame.signature;
    signature.backwards.clear();
    signature.inputs.push_back({"W", true, false, false, false, 1, vectorOfThree()});
    signature.takes.push_back({1, vectorOfThree()});
    return frame;
  };
  EXPECT_EQ(aspectsOf(difference(false), difference(false)), std::vector<EquivalenceAspect>());
  EXPECT_EQ(aspectsOf(difference(false), difference(true)), std::vector{EquivalenceAspect::kOutputValue});
}

TEST(EquivalenceCheckTest, WhatTheNativePipelineAloneWritesToIsTold) {
  StageArtifacts left = sineFrame("x");
  ir::TensorMetadata elsewhere = vectorOfThree();
  left.signature->inputs.push_back({"y", false, true, false, false, 1, elsewhere});
  EXPECT_EQ(aspectsOf(left, sineFrame("x")), std::vector{EquivalenceAspect::kInputClass});
}

TEST(EquivalenceCheckTest, AGraphThatIsNotThereIsToldAndNotCompared) {
  StageArtifacts other = sineFrame("x");
  other.graphs.pop_back();
  other.refused.emplace_back("backward", "a graph inside the graph");
  const auto comparison = equivalence::checkEquivalence({sineFrame("x")}, {other});
  EXPECT_NE(comparison.notComparable.find("a graph inside the graph"), std::string::npos);
  EXPECT_EQ(comparison.graphs, 0);
}

/// `sin(x)`, where `saved` elements of x are moved out of its memory and saved.
StageArtifacts savingElements(int64_t saved) {
  StageArtifacts frame = sineFrame("x");
  Graph& forward = *frame.graph("forward");
  const NodeId part = forward.addOperator(
      "aten::slice.Tensor",
      {nodeArgument(0), Argument{int64_t{0}}, Argument{int64_t{0}}, Argument{saved}, Argument{int64_t{1}}});
  forward.node(part).metadata = vectorOf(saved);
  const NodeId sine = ir::outputNodes(forward).at(0);
  forward.output = ir::nodeTuple({sine, part});
  Graph backward;
  const NodeId given = backward.addPlaceholder("saved");
  backward.node(given).metadata = vectorOf(saved);
  const NodeId tangent = placeholder(backward, "tangent");
  backward.output = ir::nodeTuple({tangent});
  *frame.graph("backward") = std::move(backward);
  return frame;
}

TEST(EquivalenceCheckTest, WhatIsSavedOfAnInputsMemoryIsThatMemory) {
  EXPECT_EQ(aspectsOf(savingElements(3), savingElements(2)), std::vector<EquivalenceAspect>());
  StageArtifacts computed = savingElements(3);
  computed.graph("forward")->output = ir::nodeTuple({1, 1});
  EXPECT_EQ(aspectsOf(savingElements(3), computed), std::vector{EquivalenceAspect::kSavedCount})
      << "sin(x) is no input's";
}

/// Returns a view of x and its gradient, which the backward hands on; x was written to.
StageArtifacts viewOfWritten(bool isHidden) {
  StageArtifacts frame = sineInPlace(3);
  GraphSignature& signature = *frame.signature;
  signature.inputs[0].mutationHidden = isHidden;
  return frame;
}

TEST(EquivalenceCheckTest, AWriteThatAutogradDoesNotSeeHasNoTangent) {
  StageArtifacts none = viewOfWritten(true);
  none.signature->backwards.clear();
  const auto hidden = aspectsOf(viewOfWritten(true), none);
  EXPECT_EQ(std::count(hidden.begin(), hidden.end(), EquivalenceAspect::kGradient), 0);
  const auto seen = aspectsOf(viewOfWritten(false), none);
  EXPECT_EQ(std::count(seen.begin(), seen.end(), EquivalenceAspect::kGradient), 1);
}

TEST(EquivalenceCheckTest, AnInputThatIsReturnedIsAnAliasOfItself) {
  StageArtifacts right = sineFrame("x");
  ir::ValuePlace itself;
  itself.input = 0;
  itself.geometry = vectorOfThree();
  right.signature->outputs.push_back({ir::OutputClass::kAliasOfInput, true, itself});
  EXPECT_EQ(aspectsOf(sineFrame("x"), right), std::vector<EquivalenceAspect>());
  right.signature->outputs.back().value.geometry = vectorOf(2);
  EXPECT_EQ(aspectsOf(sineFrame("x"), right), std::vector{EquivalenceAspect::kOutputValue})
      << "a view of it is another tensor";
}

} // namespace
} // namespace touchstone
