#include "tests/backends/AotPrograms.h"

#include "backends/aot_autograd/AotCompiler.h"
#include "backends/capture/Capture.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/softshrink.h>
#include <ATen/ops/upsample_bilinear2d.h>
#include <gtest/gtest.h>

namespace touchstone::tests {
namespace {

/// How often a program of two tensors, the first of which requires grad, breaks its Graph.
size_t breaksOf(const char* body, bool asPyTorch) {
  const language::Case theCase = caseOfProgram({"", "1", "x, y", body});
  const auto program = capture::captureProgram(theCase, {.traceGradients = false, .asPyTorch = asPyTorch});
  values::ValueList arguments{values::Value(at::ones({2, 3}).requires_grad_()), values::Value(at::ones({2, 3}))};
  (*program)(arguments);
  return program->report().breaks.size();
}

void expectBreaks(size_t asPyTorch, const char* body) {
  EXPECT_EQ(breaksOf(body, true), asPyTorch) << body;
  EXPECT_EQ(breaksOf(body, false), 0u) << body;
}

TEST(DynamoBreaksTest, MetadataOfAnArgumentChangesOutsideOfGraphs) {
  expectBreaks(1, "y.unsqueeze_(0)\nreturn y + 1");
  expectBreaks(0, "z = y + 1\nz.unsqueeze_(0)\nreturn z");
}

TEST(DynamoBreaksTest, AWriteWhoseFunctionalFormHasAnotherOverloadBreaksNothing) {
  expectBreaks(0, "z = y + 1\nz.ldexp_(y)\nreturn z");
  expectBreaks(0, "z = y + 1\nz.floor_divide_(y)\nreturn z");
  expectBreaks(0, "z = (y + 1).double()\nz.float_power_(y)\nreturn z");
  expectBreaks(0, "z = y + 1\nz.pow_(y)\nz.pow_(2)\nreturn z");
}

TEST(DynamoBreaksTest, AFactoryMakesNoLeafInsideAGraph) {
  expectBreaks(1, "z = torch.ones(3, requires_grad=True)\nreturn z + y");
  expectBreaks(0, "z = torch.ones(3, requires_grad=False)\nreturn z + y");
}

TEST(DynamoBreaksTest, ALeafThatIsMadeInsideStaysThere) {
  expectBreaks(1, "z = y * 2\nz.requires_grad_()\nreturn z + 1");
  expectBreaks(0, "z = y * 2\nz.requires_grad_()\nreturn (z + 1).detach()");
}

TEST(DynamoBreaksTest, AnOutKeepsItsSizesAndHasNoGaps) {
  expectBreaks(1, "z = torch.empty(3, 2).t()\ntorch.neg(y, out=z)\nreturn z + 1");
  expectBreaks(1, "z = torch.empty(0)\ntorch.neg(y, out=z)\nreturn z + 1");
  expectBreaks(0, "z = torch.empty(2, 3)\ntorch.neg(y, out=z)\nreturn z + 1");
}

TEST(DynamoBreaksTest, NumbersThatDynamoDoesNotKnowBreak) {
  expectBreaks(1, "n = y.storage_offset()\nreturn y + n");
  expectBreaks(0, "n = y.stride(0)\nreturn y + n");
}

TEST(DynamoBreaksTest, WhatDispatchesToPythonIsReplacedAndComputesTheSame) {
  const language::Case theCase =
      caseOfProgram({"", "1", "x",
                     "a = torch.nn.functional.softshrink(x)\n"
                     "b = torch.nn.functional.interpolate(x[None, None], (3, 5), mode=\"bilinear\")\n"
                     "return a, b"});
  const auto program =
      capture::captureProgram(theCase, {.compiler = aot_autograd::aotCompiler({.asPyTorch = true}), .asPyTorch = true});
  const at::Tensor x = at::arange(-3, 3, at::kFloat).view({2, 3}) / 2;
  values::ValueList arguments{values::Value(x)};
  const values::Value result = (*program)(arguments);
  EXPECT_TRUE((*result.items())[0].tensor().equal(at::softshrink(x)));
  const at::Tensor resized = at::upsample_bilinear2d(x.view({1, 1, 2, 3}), {3, 5}, false);
  EXPECT_TRUE((*result.items())[1].tensor().allclose(resized));
}

} // namespace
} // namespace touchstone::tests
