#include "program/evaluator/Evaluator.h"
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"
#include "program/values/DefaultDevice.h"
#include "program/values/GeneratorState.h"

#include <ATen/ops/rand.h>

#include <gtest/gtest.h>

#include <string>

namespace touchstone::tests {
namespace {

std::string fileWith(const std::string& header, const std::string& statement, const std::string& program) {
  return "# touchstone: 1\n" + header + "import torch\n" + statement +
         "\n\ndef inputs(seed, kind):\n    x = data((2, 3), torch.float32, (seed, 0), kind)\n    return (x,), ()\n\n\n"
         "def program(x):\n    " +
         program + "\n\n\nCALLS = [\n    dict(inputs=\"inputs\", seed=7),\n]\n";
}

std::string complaintAboutDevice(const std::string& text) {
  try {
    parser::parseCase(text);
  } catch (const parser::ParseError& error) {
    return error.message();
  }
  return "accepted";
}

/// What the program returns, with the file's device as the default one.
at::Tensor resultOf(const std::string& program, const std::string& device) {
  const language::Case theCase = parser::parseCase(fileWith("# device: " + device + "\n", "", program));
  const values::DefaultDeviceScope scope(values::deviceOf(theCase));
  evaluator::Evaluator evaluator(theCase);
  return evaluator.call("program", evaluator.makeInputs("inputs", 7, "grid").arguments).tensor();
}

TEST(DeviceLineTest, PrintsADefaultDeviceThatPythonSets) {
  const language::Case theCase = parser::parseCase(fileWith("# device: cuda:1\n", "", "return x"));
  const std::string text = standalone::printCase(theCase);
  EXPECT_NE(text.find("\ntorch.set_default_device(\"cuda:1\")\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\ndata = on_default_device(data)\n"), std::string::npos) << text;
  EXPECT_EQ(standalone::printCase(parser::parseCase(text)), text);
  EXPECT_EQ(values::deviceOf(parser::parseCase(text)), c10::Device("cuda:1"));
}

TEST(DeviceLineTest, WithoutALineThereIsNoSuchStatement) {
  const language::Case theCase = parser::parseCase(fileWith("", "", "return x"));
  EXPECT_EQ(standalone::printCase(theCase).find("default_device"), std::string::npos);
  EXPECT_TRUE(values::deviceOf(theCase).is_cpu());
}

TEST(DeviceLineTest, TheStatementIsThatOfTheLine) {
  EXPECT_NE(complaintAboutDevice(fileWith("# device: gpu\n", "", "return x")).find("`gpu` is no device; expected"),
            std::string::npos);
  EXPECT_NE(complaintAboutDevice(fileWith("", "\ntorch.set_default_device(\"cuda\")\n", "return x"))
                .find("expected one above"),
            std::string::npos);
  EXPECT_NE(complaintAboutDevice(fileWith("# device: cuda\n", "\ntorch.set_default_device(\"cuda:1\")\n", "return x"))
                .find("expected `torch.set_default_device(\"cuda\")`"),
            std::string::npos);
}

TEST(DeviceLineTest, WhatIsNotToldWhereIsMadeOnTheDevice) {
  for (const char* program :
       {"return torch.ones((2,))", "return torch.rand(3)", "return torch.arange(3)", "return torch.range(0, 2)",
        "return torch.tensor([1, 2])", "return torch.full((2,), 1.5, device=None)", "return torch.eye(2)",
        "return torch.nn.Linear(3, 2).weight", "return x", "return torch.zeros_like(x)", "return x.new_ones((2,))"}) {
    EXPECT_TRUE(resultOf(program, "meta").is_meta()) << program;
    EXPECT_TRUE(resultOf(program, "cpu").is_cpu()) << program;
  }
  EXPECT_TRUE(resultOf("return torch.ones((2,), device=\"cpu\")", "meta").is_cpu());
  EXPECT_TRUE(resultOf("return torch.tensor([1.0], device=\"cpu\")", "meta").is_cpu());
}

TEST(DeviceLineTest, TheDefaultDeviceIsPutBack) {
  const bool threads = c10::AutogradState::get_tls_state().get_multithreading_enabled();
  {
    const values::DefaultDeviceScope outer{c10::Device("meta")};
    EXPECT_FALSE(c10::AutogradState::get_tls_state().get_multithreading_enabled());
    {
      const values::DefaultDeviceScope inner{c10::Device("cpu")};
      EXPECT_TRUE(values::defaultDevice().is_cpu());
    }
    EXPECT_TRUE(values::defaultDevice().is_meta());
  }
  EXPECT_TRUE(values::defaultDevice().is_cpu());
  EXPECT_EQ(c10::AutogradState::get_tls_state().get_multithreading_enabled(), threads);
}

TEST(GeneratorStateTest, IsPutBack) {
  const values::GeneratorState before = values::GeneratorState::now();
  const at::Tensor first = at::rand({4});
  {
    const values::GeneratorStateScope scope;
    at::rand({4});
  }
  const at::Tensor second = at::rand({4});
  before.putBack();
  EXPECT_TRUE(at::rand({4}).equal(first));
  EXPECT_TRUE(at::rand({4}).equal(second));
}

} // namespace
} // namespace touchstone::tests
