#include "generators/catalogue/Recipe.h"
#include "generators/decoder/Decoder.h"
#include "program/language/PythonConstructs.h"
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace touchstone::tests {
namespace {

using catalogue::Part;

language::Case decoded(uint64_t seed, uint64_t index, catalogue::Parts parts) {
  decoder::DecodeOptions options;
  options.features = catalogue::featuresOf(seed, index, parts);
  return decoder::decode(catalogue::makeRecipe(seed, index, options.features), options);
}

/// Which of the texts some of the Cases hold; each Case is read again as it was.
std::set<std::string> seen(const std::set<std::string>& texts, catalogue::Parts parts, uint64_t cases) {
  std::set<std::string> found;
  for (uint64_t index = 0; index < cases; ++index) {
    const std::string printed = standalone::printCase(decoded(12, index, parts), language::CaseForm::kShort);
    EXPECT_EQ(standalone::printCase(parser::parseCase(printed), language::CaseForm::kShort), printed) << index;
    for (const std::string& text : texts) {
      if (printed.find(text) != std::string::npos) {
        found.insert(text);
      }
    }
  }
  return found;
}

TEST(FunctionFormsTest, EachFormComesUpWhereTheirPartIsOn) {
  const std::set<std::string> forms = {"torch.func.vmap(",
                                       "torch.func.vjp(",
                                       "torch.func.jvp(",
                                       "torch.func.grad(",
                                       "torch.func.grad_and_value(",
                                       "torch.func.jacrev(",
                                       "torch.func.jacfwd(",
                                       "(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, ",
                                       "def setup_context(",
                                       "once_differentiable",
                                       "nonlocal ",
                                       "torch.cond(",
                                       ", lambda: helper_",
                                       ": torch.cond(",
                                       "torch.func.vmap(torch.func.vmap(",
                                       "torch.utils.checkpoint.checkpoint(lambda ",
                                       "torch.while_loop(",
                                       "torch._higher_order_ops.map(",
                                       "torch._higher_order_ops.scan(",
                                       "torch._higher_order_ops.associative_scan(",
                                       ", reverse=True)",
                                       "torch.func.functional_call(",
                                       "m.bn.register_"};
  catalogue::Parts parts = catalogue::kDefaultParts;
  EXPECT_EQ(seen(forms, parts, 1500), forms);
  parts.set(Part::kConstructs, false);
  parts.set(Part::kCustomOperators, false);
  EXPECT_EQ(seen(forms, parts, 300),
            std::set<std::string>{"(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, "});
}

TEST(FunctionFormsTest, WhatNeedsPythonComesUpWhereItsPartIsOn) {
  catalogue::Parts parts = catalogue::kDefaultParts;
  std::set<std::string> constructs;
  const auto needed = [&](uint64_t cases) {
    std::set<std::string> all;
    for (uint64_t index = 0; index < cases; ++index) {
      for (const std::string& each : language::needsPython(decoded(13, index, parts))) {
        all.insert(each);
      }
    }
    return all;
  };
  EXPECT_EQ(needed(300), std::set<std::string>());
  parts.set(Part::kPython, true);
  const std::set<std::string> found = needed(900);
  for (const char* construct :
       {"dataclass", "method decorators", "namedtuple", "module subclass", "try", "tensor subclass", "nested tensors",
        "optimizers", "torch.Generator", "checkpoint", "torch.compiler", "nested torch.compile", "torch.func",
        "functools.partial", "pytree", "random"}) {
    EXPECT_TRUE(found.contains(construct)) << construct;
  }
  const std::set<std::string> forms = {"saved_tensors_hooks(",     "return Outputs(",  "self.second = self.first",
                                       "torch.optim.Adam(",        "torch.optim.SGD(", "torch.compiler.is_compiling()",
                                       "register_parametrization("};
  EXPECT_EQ(seen(forms, parts, 1200), forms);
}

TEST(FunctionFormsTest, WhatTrainsIsDrawnOnlyWhereThereAreGradients) {
  catalogue::Parts parts = catalogue::kDefaultParts;
  parts.set(Part::kPython, true);
  const auto training = [&](bool hasBackward) {
    int count = 0;
    for (uint64_t index = 0; index < 600; ++index) {
      decoder::DecodeOptions options;
      options.features = catalogue::featuresOf(12, index, parts);
      options.features.backward = options.features.backward && hasBackward;
      const language::Case theCase = decoder::decode(catalogue::makeRecipe(12, index, options.features), options);
      count += standalone::printCase(theCase, language::CaseForm::kShort).find("torch.optim.") != std::string::npos;
    }
    return count;
  };
  EXPECT_GT(training(true), 0);
  EXPECT_EQ(training(false), 0);
}

} // namespace
} // namespace touchstone::tests
