#include "generators/catalogue/Recipe.h"
#include "generators/decoder/CallTrial.h"
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

language::Case decoded(uint64_t index, catalogue::Features features) {
  decoder::DecodeOptions options;
  options.features = std::move(features);
  return decoder::decode(catalogue::makeRecipe(14, index, options.features), options);
}

std::string printed(const language::Case& theCase) {
  return standalone::printCase(theCase, language::CaseForm::kShort);
}

void erasePresent(std::set<std::string>& texts, const std::string& text) {
  std::erase_if(texts, [&](const std::string& each) { return text.find(each) != std::string::npos; });
}

TEST(LayerFormsTest, ARecurrentLayerIsPutWhereEagerTakesItsCalls) {
  std::set<std::string> missing = {"num_layers=2",
                                   "bidirectional=True",
                                   "batch_first=True",
                                   "bias=False",
                                   "dtype=torch.float64",
                                   "gru.register_forward_hook(scale_first)",
                                   "gru.register_full_backward_hook(scale_gradient)",
                                   "def through_gru(t, gru):",
                                   "    def through_gru(t):",
                                   "checkpoint(through_gru, ",
                                   "checkpoint(lambda t: ",
                                   "with torch.no_grad():\n        out_gru, ",
                                   "out.mul_(0.5)",
                                   "kept_gru.add_(1)"};
  int with = 0, decodedCases = 0;
  for (uint64_t index = 0; index < 400; ++index) {
    catalogue::Features features = catalogue::featuresOf(14, index);
    if (features.exactOnly) {
      continue;
    }
    features.layers = false;
    const language::Case plain = decoded(index, features);
    features.layers = true;
    const language::Case theCase = decoded(index, features);
    const std::string text = printed(theCase);
    ++decodedCases;
    if (text.find("torch.nn.GRU(") == std::string::npos) {
      EXPECT_EQ(text, printed(plain));
      continue;
    }
    ++with;
    EXPECT_TRUE(language::needsPython(theCase).empty()) << text;
    EXPECT_GE(decoder::callsThatRun(theCase).size(), decoder::callsThatRun(plain).size()) << text;
    EXPECT_EQ(printed(parser::parseCase(text)), text);
    erasePresent(missing, text);
  }
  EXPECT_GT(with, decodedCases / 2);
  EXPECT_EQ(missing, std::set<std::string>());
}

TEST(LayerFormsTest, AttentionComesUpWhereCasesNeedPython) {
  std::set<std::string> missing = {
      "torch.nn.MultiheadAttention(",
      "need_weights=False",
      "attn_mask=",
      "key_padding_mask=",
      "(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.inner = ",
      "torch.nn.TransformerEncoderLayer(",
      "torch.nn.TransformerEncoder(",
      "norm_first=True",
      "activation=\"gelu\"",
      ".eval()",
      "src_mask=",
      "import torch.nn.attention.flex_attention\n",
      "score_mod=drawn_score",
      "score_mod=lambda ",
      "block_mask=",
      "return_lse=True"};
  catalogue::Parts parts = catalogue::kDefaultParts;
  parts.set(Part::kPython, true);
  for (uint64_t index = 0; index < 6000; ++index) {
    const catalogue::Features features = catalogue::featuresOf(14, index, parts);
    if (!features.python) {
      continue;
    }
    const std::string text = printed(decoded(index, features));
    EXPECT_EQ(printed(parser::parseCase(text)), text);
    erasePresent(missing, text);
  }
  EXPECT_EQ(missing, std::set<std::string>());
}

} // namespace
} // namespace touchstone::tests
