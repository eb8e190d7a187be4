// For every observed property one planted difference: the verdict names that property and no other.
#include "PlantedProgram.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/as_strided.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/zeros.h>

#include <c10/core/GradMode.h>

#include <gtest/gtest.h>

#include <cstring>
#include <map>

namespace touchstone::tests {
namespace {

using language::Property;

constexpr const char* kPropertyFunctions = R"(
def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((2, 3), torch.float32, (seed, 1), kind)
    base = data((24,), torch.float32, (seed, 2), kind)
    window = torch.as_strided(base, (2, 3), (4, 1), 5)
    gapped = torch.as_strided(data((9,), torch.float32, (seed, 3), kind), (3,), (2,), 1)
    unused = data((2, 3), torch.float32, (seed, 4), kind)
    return (x, y, window, gapped, unused), (base,)


def program(x, y, window, gapped, unused):
    product = x * y
    fresh = y + 2
    shared = y + 1
    window.add_(1)
    return product, fresh, shared, shared[0], shared, y.t(), x.dim()
)";
constexpr size_t kProduct = 0, kFresh = 1, kShared = 2, kPiece = 3, kSharedAgain = 4, kNumber = 6;
constexpr size_t kWindow = 2, kGapped = 3, kUnused = 4;

language::Case forwardCase() {
  return caseOf(kPropertyFunctions, "    dict(inputs=\"inputs\", seed=7),\n    dict(inputs=\"inputs\", seed=8),");
}
language::Case backwardCase() {
  return caseOf(
      kPropertyFunctions,
      "    dict(inputs=\"inputs\", seed=7, backward=[0]),\n    dict(inputs=\"inputs\", seed=8, backward=[0]),");
}

void expectOnly(const compare::CaseVerdict& verdict, Property property, const std::string& where) {
  EXPECT_EQ(verdict.outcome, language::Outcome::kDiffers) << verdict.text();
  ASSERT_TRUE(verdict.worst().property) << verdict.text() << verdict.worst().message;
  EXPECT_EQ(*verdict.worst().property, property) << verdict.text() << ": " << verdict.worst().message;
  EXPECT_EQ(verdict.worst().where, where);
  EXPECT_FALSE(verdict.worst().message.empty());
  for (Property other : verdict.worst().alsoDiffers) {
    ADD_FAILURE() << "also differs in " << language::propertyName(other);
  }
}

float* elements(const at::Tensor& tensor) {
  return static_cast<float*>(tensor.storage().mutable_data());
}

TEST(PropertiesTest, NothingPlantedAgrees) {
  for (const language::Case& theCase : {forwardCase(), backwardCase()}) {
    const compare::CaseVerdict verdict = verdictOn(theCase, PlantedProgram::Plant(), ir::RuleSet::kNativeExact);
    EXPECT_EQ(verdict.text(), "Agreed") << verdict.worst().message;
    EXPECT_TRUE(verdict.calls.at(1).fresh);
    EXPECT_EQ(verdict.allowed, (std::array<int, compare::kRuleCount>{}));
  }
}

TEST(PropertiesTest, Structure) {
  expectOnly(verdictOn(forwardCase(), changeReturned([](values::ValueList& returned) { returned.pop_back(); })),
             Property::kStructure, "");
}

TEST(PropertiesTest, Values) {
  const compare::CaseVerdict verdict = verdictOn(forwardCase(), changeOutput(kFresh, [](const at::Tensor& fresh) {
                                                   elements(fresh)[4] += 1;
                                                   return fresh;
                                                 }));
  expectOnly(verdict, Property::kValues, "output 1");
  EXPECT_EQ(verdict.text(), "Differs/values/call 0 output 1");
  EXPECT_NE(verdict.worst().message.find("output 1[1, 1]: eager "), std::string::npos) << verdict.worst().message;
  EXPECT_NE(verdict.worst().message.find("1 of 6 elements differ"), std::string::npos);
}

TEST(PropertiesTest, ValuesOfAResultBufferThatIsUsedAgain) {
  const auto buffer = std::make_shared<at::Tensor>();
  const compare::CaseVerdict verdict = verdictOn(forwardCase(), changeOutput(kFresh, [buffer](const at::Tensor& fresh) {
                                                   if (!buffer->defined()) {
                                                     *buffer = at::empty({2, 3});
                                                   }
                                                   buffer->copy_(fresh);
                                                   return buffer->detach();
                                                 }));
  expectOnly(verdict, Property::kValues, "output 1");
  EXPECT_NE(verdict.worst().message.find("looked at again after call"), std::string::npos) << verdict.worst().message;
}

TEST(PropertiesTest, Dtype) {
  expectOnly(
      verdictOn(forwardCase(), changeOutput(kFresh, [](const at::Tensor& fresh) { return fresh.to(at::kDouble); })),
      Property::kDtype, "output 1");
}

TEST(PropertiesTest, Shape) {
  expectOnly(verdictOn(forwardCase(), changeOutput(kFresh, [](const at::Tensor& fresh) { return fresh.unsqueeze(0); })),
             Property::kShape, "output 1");
}

TEST(PropertiesTest, Strides) {
  const compare::CaseVerdict verdict = verdictOn(
      forwardCase(), changeOutput(kFresh, [](const at::Tensor& fresh) { return fresh.t().contiguous().t(); }));
  expectOnly(verdict, Property::kStrides, "output 1");
  EXPECT_NE(verdict.worst().message.find("eager [3, 1], compiled [1, 2]"), std::string::npos);
}

TEST(PropertiesTest, Offset) {
  expectOnly(verdictOn(forwardCase(),
                       changeOutput(kFresh,
                                    [](const at::Tensor& fresh) {
                                      const at::Tensor moved = at::as_strided(at::empty({7}), {2, 3}, {3, 1}, 1);
                                      return moved.copy_(fresh);
                                    })),
             Property::kOffset, "output 1");
}

TEST(PropertiesTest, RequiresGrad) {
  expectOnly(
      verdictOn(backwardCase(), changeOutput(kProduct, [](const at::Tensor& product) { return product.detach(); })),
      Property::kRequiresGrad, "output 0");
}

TEST(PropertiesTest, Leaf) {
  expectOnly(
      verdictOn(forwardCase(),
                changeOutput(kProduct, [](const at::Tensor& product) { return product.detach().requires_grad_(); })),
      Property::kLeaf, "output 0");
}

TEST(PropertiesTest, GradFn) {
  expectOnly(verdictOnEdited(forwardCase(),
                             [](observe::CallObservation& call) { call.outputs.at(kProduct).hasGradFn = false; }),
             Property::kGradFn, "output 0");
}

TEST(PropertiesTest, Identity) {
  expectOnly(
      verdictOn(forwardCase(), changeOutput(kSharedAgain, [](const at::Tensor& shared) { return shared.detach(); })),
      Property::kIdentity, "output 4");
}

TEST(PropertiesTest, Partition) {
  expectOnly(verdictOn(forwardCase(), changeOutput(kPiece, [](const at::Tensor& piece) { return piece.clone(); })),
             Property::kPartition, "output 3");
}

TEST(PropertiesTest, Effect) {
  expectOnly(
      verdictOnEdited(forwardCase(), [](observe::CallObservation& call) { call.effects.at(0).changed.pop_back(); }),
      Property::kEffect, "output 2");
}

TEST(PropertiesTest, Version) {
  const auto withoutBump = [](values::Callable& eager, values::ValueList& arguments) {
    const at::Tensor window = arguments.at(kWindow).tensor();
    const at::Tensor copy = window.clone();
    arguments.at(kWindow) = values::Value(copy);
    values::Value result = eager(arguments);
    for (int row = 0; row < 2; ++row) {
      std::memcpy(elements(window) + 5 + 4 * row, elements(copy) + 3 * row, 3 * sizeof(float));
    }
    return result;
  };
  expectOnly(verdictOn(forwardCase(), withoutBump), Property::kVersion, "arg 2");
}

TEST(PropertiesTest, InputValues) {
  expectOnly(verdictOn(forwardCase(), changeArguments([](const std::vector<at::Tensor>& arguments) {
                         arguments.at(kWindow).select(0, 1).add_(1);
                       })),
             Property::kInputValues, "arg 2");
}

TEST(PropertiesTest, InputMetadata) {
  expectOnly(verdictOn(forwardCase(), changeArguments([](const std::vector<at::Tensor>& arguments) {
                         arguments.at(kUnused).unsqueeze_(0);
                       })),
             Property::kInputMetadata, "arg 4");
}

TEST(PropertiesTest, StorageBytes) {
  expectOnly(verdictOn(forwardCase(), changeArguments([](const std::vector<at::Tensor>& arguments) {
                         elements(arguments.at(kGapped))[2] += 1;
                       })),
             Property::kStorageBytes, "arg 3");
}

TEST(PropertiesTest, GradientPresence) {
  expectOnly(
      verdictOn(
          backwardCase(),
          changeOutput(kProduct, [](const at::Tensor& product) { return product.detach().requires_grad_().mul(1); })),
      Property::kGradientPresence, "leaf 0");
}

TEST(PropertiesTest, GradientValues) {
  expectOnly(verdictOn(backwardCase(), changeOutput(kProduct,
                                                    [](const at::Tensor& product) {
                                                      product.register_hook([](at::Tensor grad) { return grad * 2; });
                                                      return product;
                                                    })),
             Property::kGradientValues, "leaf 0");
}

TEST(PropertiesTest, NonTensor) {
  expectOnly(verdictOn(forwardCase(), changeReturned([](values::ValueList& returned) {
                         returned.at(kNumber) = values::Value(values::Value::Payload(int64_t{3}));
                       })),
             Property::kNonTensor, "");
}

TEST(PropertiesTest, State) {
  expectOnly(verdictOn(forwardCase(), changeReturned([](values::ValueList&) { at::rand({1}); })), Property::kState, "");
}

TEST(PropertiesTest, Recompiles) {
  const language::Case theCase = forwardCase();
  PlantedProgram program(theCase);
  program.compilesAlways = true;
  const compare::CaseVerdict verdict = verdictOn(theCase, program);
  expectOnly(verdict, Property::kRecompiles, "");
  EXPECT_EQ(verdict.call, 1);
}

TEST(PropertiesTest, ASizeThatIsATensorMayBeCompiledAnewForOtherValues) {
  const language::Case theCase = caseOf(
      "def inputs(seed, kind):\n    n = data((1,), torch.int64, (seed, 0), kind)\n    return (n.abs() + 1,), ()\n\n\n"
      "def program(n):\n    return torch.full((n, 1), 1.0)\n",
      "    dict(inputs=\"inputs\", seed=1),\n    dict(inputs=\"inputs\", seed=2),");
  PlantedProgram program(theCase);
  program.compilesAlways = true;
  const compare::CaseVerdict verdict = verdictOn(theCase, program);
  EXPECT_EQ(verdict.text().find("recompiles"), std::string::npos) << verdict.text();
}

TEST(PropertiesTest, TheFirstInTheContractsOrderNamesTheCall) {
  const compare::CaseVerdict verdict = verdictOn(forwardCase(), changeReturned([](values::ValueList& returned) {
                                                   returned.at(kPiece) =
                                                       values::Value(returned.at(kPiece).tensor().clone());
                                                   const at::Tensor fresh = returned.at(kFresh).tensor();
                                                   returned.at(kFresh) = values::Value(fresh.to(at::kDouble));
                                                 }));
  EXPECT_EQ(verdict.text(), "Differs/dtype/call 0 output 1");
  EXPECT_EQ(verdict.worst().alsoDiffers, (std::vector<Property>{Property::kPartition}));
}

} // namespace
} // namespace touchstone::tests
