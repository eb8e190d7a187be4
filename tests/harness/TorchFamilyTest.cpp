#include "tests/harness/BinaryRun.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace touchstone::tests {

TEST(TorchFamilyTest, OneFileUnderBothFamilies) {
  const TemporaryFolder folder("families");
  const std::string file = folder.file("case.py", smallCase("torch.sin(x), x.t()"));
  const BinaryRun run =
      runBinary({"run", file, "--backends", "eager,torch:eager_python,torch:eager,torch:aot_eager", "--json"});
  ASSERT_EQ(run.status, 0) << run.output << run.errors;
  const auto object = nlohmann::json::parse(run.output);
  EXPECT_EQ(object.at("cases"), 1);
  EXPECT_EQ(object.at("backends").size(), 4u);
  EXPECT_EQ(object.at("calls_judged"), 8);
  for (const auto& result : object.at("results")) {
    EXPECT_EQ(result.at("outcome"), "Agreed") << result;
  }
}

TEST(TorchFamilyTest, ABackendOfOnesOwnDrawsEagersRandomNumbersAsTheBuiltInOnesDo) {
  const TemporaryFolder folder("random");
  const std::string file = folder.file("case.py", smallCase("torch.nn.functional.dropout(x, 0.5), torch.rand_like(x)"));
  const BinaryRun run =
      runBinary({"run", file, "--backends", "torch:torch._dynamo.backends.debugging:aot_eager_decomp_partition"});
  EXPECT_EQ(run.status, 0) << run.output << run.errors;
}

} // namespace touchstone::tests
