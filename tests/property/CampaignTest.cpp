#include <touchstone/property.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace touchstone::property {
namespace {

namespace fs = std::filesystem;

aot::GraphFunction compilesNothing(const ir::Graph&, const aot::Tensors&) {
  return nullptr;
}
aot::GraphFunction takesNothing(const ir::Graph&, const aot::Tensors&) {
  throw ir::Unsupported("no graph at all");
}
aot::GraphFunction nodeByNode(const ir::Graph& graph, const aot::Tensors&) {
  return aot::interpret(graph);
}
aot::GraphFunction dropsOutputs(const ir::Graph& graph, const aot::Tensors&) {
  return [run = aot::interpret(graph)](aot::Tensors inputs) {
    aot::Tensors outputs = run(std::move(inputs));
    for (at::Tensor& each : outputs) {
      each = each.defined() ? each.detach() : each;
    }
    return outputs;
  };
}

/// Wrong in the first call of the process alone.
aot::GraphFunction wrongOnce(const ir::Graph& graph, const aot::Tensors&) {
  return [run = aot::interpret(graph)](aot::Tensors inputs) {
    static bool was = false;
    aot::Tensors outputs = run(std::move(inputs));
    for (at::Tensor& each : outputs) {
      if (!was && each.defined() && each.is_floating_point() && each.numel() > 0) {
        was = true;
        each = each.add(1);
      }
    }
    return outputs;
  };
}

class CampaignTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("touchstone_property_" + std::to_string(getpid()));
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  Options options() const {
    Options options;
    options.findings = folder_.string();
    options.reduceSeconds = 20;
    return options;
  }
  static std::string judgeSome(Campaign& campaign, uint64_t cases = 20) {
    for (uint64_t number = 0; number < cases; ++number) {
      if (std::string failure = campaign.judge(number); !failure.empty()) {
        return failure;
      }
    }
    return "";
  }
  fs::path folder_;
};

TEST_F(CampaignTest, WhatIsRightIsJudgedAndLeavesNothing) {
  Campaign campaign("Right", aot::Compiler(nodeByNode), options());
  EXPECT_EQ(judgeSome(campaign), "");
  EXPECT_EQ(campaign.trouble(), "");
  EXPECT_EQ(campaign.replayStored(), "");
  EXPECT_FALSE(fs::exists(folder_));
}

TEST_F(CampaignTest, WhatCompilesNothingIsNotTested) {
  Campaign campaign("Nothing", aot::Compiler(compilesNothing), options());
  EXPECT_EQ(judgeSome(campaign), "");
  EXPECT_NE(campaign.trouble().find("were Vacuous"), std::string::npos) << campaign.trouble();
}

TEST_F(CampaignTest, WhatIsRefusedIsCountedAndTooMuchOfItFails) {
  Campaign campaign("Picky", aot::Compiler(takesNothing), options());
  EXPECT_EQ(judgeSome(campaign), "");
  EXPECT_NE(campaign.trouble().find("Too little was judged"), std::string::npos) << campaign.trouble();
}

TEST_F(CampaignTest, AFailureIsReducedStoredAndFoundAgain) {
  const Options stored = options();
  Campaign campaign("Detached", aot::Compiler(dropsOutputs), stored);
  const std::string failure = judgeSome(campaign, 100);
  EXPECT_NE(failure.find("Detached is not eager: Differs/"), std::string::npos) << failure;
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
  EXPECT_NE(campaign.replayStored().find("fails the stored Case"), std::string::npos);
  Campaign mended("Detached-Mended", aot::Compiler(nodeByNode), stored);
  fs::rename(fs::directory_iterator(folder_)->path(), folder_ / "Detached-Mended-1.py");
  EXPECT_EQ(mended.replayStored(), "");
}

TEST_F(CampaignTest, WhatDoesNotShowAgainIsNoFailureAndIsKept) {
  Campaign campaign("Once", aot::Compiler(wrongOnce), options());
  EXPECT_EQ(judgeSome(campaign), "");
  EXPECT_NE(campaign.summary().find("1 Unconfirmed"), std::string::npos) << campaign.summary();
  ASSERT_EQ(std::distance(fs::directory_iterator(folder_ / "unconfirmed"), fs::directory_iterator()), 1);
  EXPECT_TRUE(fs::directory_iterator(folder_ / "unconfirmed")->path().filename().string().starts_with("Once-seed-"));
  EXPECT_EQ(campaign.replayStored(), "");
}

TEST_F(CampaignTest, AStoredCaseThatCannotBeReadIsNamedAndTheOthersAreJudged) {
  fs::create_directories(folder_);
  std::ofstream(folder_ / "Torn-1.py") << "# touchstone: 1\nimport torch\n\ndef prog";
  Campaign campaign("Torn", aot::Compiler(nodeByNode), options());
  const std::string failures = campaign.replayStored();
  EXPECT_NE(failures.find("Torn-1.py cannot be judged: "), std::string::npos) << failures;
}

TEST_F(CampaignTest, NamesAndOptionsAreChecked) {
  EXPECT_THROW(Campaign("Unknown", std::string("aot_eeager"), {}), std::invalid_argument);
  EXPECT_THROW(Campaign("Python", std::string("torch:aot_eager"), {}), std::invalid_argument);
  EXPECT_THROW(Campaign("aot_eager", aot::Compiler(nodeByNode), {}), std::invalid_argument);
  EXPECT_THROW(Campaign("Null", aot::Compiler(), {}), std::invalid_argument);
  EXPECT_THROW(Campaign("Feature", std::string("eager"), {.without = {"speed"}}), std::invalid_argument);
  EXPECT_NO_THROW(Campaign("Named", std::string("eager"), {.without = {"mutation"}, .dtypes = {"float32"}}));
}

const char* const Eager = "eager";

} // namespace
} // namespace touchstone::property

using touchstone::property::Eager;
TOUCHSTONE_PROPERTY(Eager, .cases = 20)
