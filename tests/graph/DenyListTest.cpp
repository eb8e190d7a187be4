#include "program/torch_names/DenyList.h"

#include "program/torch_names/NameResolver.h"
#include "program/torch_names/OperatorCall.h"
#include "program/torch_names/SignatureTable.h"
#include "program/values/RaisedException.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace touchstone::tests {
namespace {

constexpr torch_names::NameSpace kNameSpaces[] = {torch_names::NameSpace::kTorch,      torch_names::NameSpace::kMethod,
                                                  torch_names::NameSpace::kFunctional, torch_names::NameSpace::kLinalg,
                                                  torch_names::NameSpace::kFft,        torch_names::NameSpace::kSpecial,
                                                  torch_names::NameSpace::kAten};

void refuseToDispatch(const c10::OperatorHandle& op, torch::jit::Stack&) {
  FAIL() << "`" << op.operator_name() << "` was called";
}

// What a schema must not take or give for a Program to be harmless, whatever the operator is called.
bool touchesRawThings(const c10::FunctionSchema& schema) {
  auto isRaw = [](const c10::TypePtr& type) {
    const std::string text = type->str();
    return text.find("Storage") != std::string::npos || text.find("Stream") != std::string::npos ||
           text.find("Capsule") != std::string::npos || text.find("Any") != std::string::npos;
  };
  for (const c10::Argument& argument : schema.arguments()) {
    if (isRaw(argument.type()) || argument.name() == "filename") {
      return true;
    }
  }
  for (const c10::Argument& result : schema.returns()) {
    if (isRaw(result.type())) {
      return true;
    }
  }
  return false;
}

TEST(DenyListTest, EveryOperatorOfTheDispatcherIsAllowedOrDeniedByRule) {
  std::set<std::string> allowed;
  int denied = 0;
  for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) {
    auto op = c10::Dispatcher::singleton().findSchema(name);
    if (!op) {
      continue; // implementations that were registered without a schema
    }
    const char* reason = torch_names::operatorDenialReason(name.name);
    if (reason) {
      EXPECT_NE(std::string(reason), "") << name;
      ++denied;
      continue;
    }
    EXPECT_TRUE(name.name.starts_with("aten::")) << name;
    allowed.insert(name.name);
    // The overloads of `set_` that take a storage fall out by type: a Program has no storages.
    if (touchesRawThings(op->schema())) {
      EXPECT_TRUE(name.name == "aten::set_" || name.name == "aten::set") << op->schema();
    }
  }
  EXPECT_GT(allowed.size(), 1000u);
  EXPECT_GT(denied, 500);
}

TEST(DenyListTest, NamesOfTheTablesAreKnownOrForbidden) {
  for (torch_names::NameSpace space : kNameSpaces) {
    const std::vector<std::string> names = torch_names::knownNames(space);
    EXPECT_GT(names.size(), 10u);
    EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
    for (const std::string& name : names) {
      EXPECT_EQ(torch_names::nameStatus(space, name), torch_names::NameStatus::kKnown) << name;
      EXPECT_EQ(torch_names::denialReason(space, name), nullptr) << name;
    }
  }
  for (torch_names::TableSpace space : {torch_names::TableSpace::kTorch, torch_names::TableSpace::kMethod}) {
    const torch_names::NameSpace names =
        space == torch_names::TableSpace::kTorch ? torch_names::NameSpace::kTorch : torch_names::NameSpace::kMethod;
    for (const std::string& name : torch_names::tableNames(space)) {
      EXPECT_NE(torch_names::nameStatus(names, name), torch_names::NameStatus::kUnknown) << name;
    }
  }
}

TEST(DenyListTest, DangerousNamesAreForbiddenEverywhere) {
  const char* const dangerous[] = {
      "load",
      "save",
      "from_file",
      "from_numpy",
      "frombuffer",
      "from_dlpack",
      "data_ptr",
      "numpy",
      "storage",
      "untyped_storage",
      "share_memory_",
      "set_data",
      "apply_",
      "map_",
      "record_stream",
      "set_num_threads",
      "manual_seed",
      "set_rng_state",
      "compile",
      "jit",
      "set_default_dtype",
      "cudnn_convolution",
      "mkldnn_linear",
      "fbgemm_pack_gemm_matrix_fp16",
      "to_sparse",
      "_cuda_getCurrentRawStream",
      "_C",
      "__class__",
      "__reduce_ex__",
      "_index_put_impl_",
      "max_pool2d_with_indices_backward",
      "set_flush_denormal",
      "import_ir_module",
      "pin_memory",
      "hub",
      "vmap",
  };
  for (const char* name : dangerous) {
    for (torch_names::NameSpace space : kNameSpaces) {
      EXPECT_EQ(torch_names::nameStatus(space, name), torch_names::NameStatus::kForbidden) << name;
    }
  }
  EXPECT_EQ(torch_names::nameStatus(torch_names::NameSpace::kAten, "from_file.default"),
            torch_names::NameStatus::kForbidden);
  EXPECT_EQ(torch_names::nameStatus(torch_names::NameSpace::kAten, "_to_copy.default"),
            torch_names::NameStatus::kKnown);
}

TEST(DenyListTest, AForbiddenNameIsNeverCalled) {
  for (torch_names::NameSpace space : kNameSpaces) {
    try {
      torch_names::callNamed(space, "from_file", {values::Value(values::Value::Payload(std::string("/etc/passwd")))},
                             {}, refuseToDispatch);
      ADD_FAILURE() << "nothing was raised";
    } catch (const values::RaisedException& error) {
      EXPECT_NE(error.message().find("may not be used in a case: it reads or writes files"), std::string::npos)
          << error.what();
    }
  }
}

TEST(DenyListTest, UnknownNamesSayWhatIsNear) {
  std::vector<std::string> near;
  EXPECT_EQ(torch_names::nameStatus(torch_names::NameSpace::kTorch, "sofmax", &near),
            torch_names::NameStatus::kUnknown);
  ASSERT_FALSE(near.empty());
  EXPECT_EQ(near.front(), "softmax");
  EXPECT_EQ(torch_names::nameStatus(torch_names::NameSpace::kMethod, "unsqueze", &near),
            torch_names::NameStatus::kUnknown);
  ASSERT_FALSE(near.empty());
  EXPECT_EQ(near.front(), "unsqueeze");
  EXPECT_EQ(torch_names::nameStatus(torch_names::NameSpace::kAten, "ad.Tensor", &near),
            torch_names::NameStatus::kUnknown);
  ASSERT_FALSE(near.empty());
}

// Each row names operators of this library, and gives each of their arguments a source.
TEST(DenyListTest, EveryRowOfTheSignatureTableHasItsOperators) {
  const torch_names::TableSpace spaces[] = {torch_names::TableSpace::kTorch, torch_names::TableSpace::kMethod,
                                            torch_names::TableSpace::kNn,    torch_names::TableSpace::kLinalg,
                                            torch_names::TableSpace::kFft,   torch_names::TableSpace::kSpecial};
  for (torch_names::TableSpace space : spaces) {
    for (const std::string& name : torch_names::tableNames(space)) {
      for (const torch_names::Signature& signature : torch_names::findSignatures(space, name)->signatures) {
        EXPECT_NO_THROW(torch_names::prepareSignature(signature, space == torch_names::TableSpace::kMethod))
            << name << signature.text();
      }
    }
  }
}

} // namespace
} // namespace touchstone::tests
