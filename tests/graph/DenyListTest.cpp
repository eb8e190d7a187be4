#include "program/torch_names/DenyList.h"

#include "program/torch_names/NameResolver.h"
#include "program/torch_names/OperatorCall.h"
#include "program/values/RaisedException.h"
#include "program/torch_names/SignatureTable.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace touchstone::graph {
namespace {

constexpr NameSpace kNameSpaces[] = {NameSpace::kTorch, NameSpace::kMethod,  NameSpace::kFunctional, NameSpace::kLinalg,
                                     NameSpace::kFft,   NameSpace::kSpecial, NameSpace::kAten};

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
    const char* reason = operatorDenialReason(name.name);
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
  for (NameSpace space : kNameSpaces) {
    const std::vector<std::string> names = knownNames(space);
    EXPECT_GT(names.size(), 10u);
    EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
    for (const std::string& name : names) {
      EXPECT_EQ(nameStatus(space, name), NameStatus::kKnown) << name;
      EXPECT_EQ(denialReason(space, name), nullptr) << name;
    }
  }
  for (TableSpace space : {TableSpace::kTorch, TableSpace::kMethod}) {
    const NameSpace names = space == TableSpace::kTorch ? NameSpace::kTorch : NameSpace::kMethod;
    for (const std::string& name : tableNames(space)) {
      EXPECT_NE(nameStatus(names, name), NameStatus::kUnknown) << name;
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
    for (NameSpace space : kNameSpaces) {
      EXPECT_EQ(nameStatus(space, name), NameStatus::kForbidden) << name;
    }
  }
  EXPECT_EQ(nameStatus(NameSpace::kAten, "from_file.default"), NameStatus::kForbidden);
  EXPECT_EQ(nameStatus(NameSpace::kAten, "_to_copy.default"), NameStatus::kKnown);
}

TEST(DenyListTest, AForbiddenNameIsNeverCalled) {
  for (NameSpace space : kNameSpaces) {
    try {
      callNamed(space, "from_file", {Value(Value::Payload(std::string("/etc/passwd")))}, {}, refuseToDispatch);
      ADD_FAILURE() << "nothing was raised";
    } catch (const RaisedException& error) {
      EXPECT_NE(error.message().find("may not be used in a case: it reads or writes files"), std::string::npos)
          << error.what();
    }
  }
}

TEST(DenyListTest, UnknownNamesSayWhatIsNear) {
  std::vector<std::string> near;
  EXPECT_EQ(nameStatus(NameSpace::kTorch, "sofmax", &near), NameStatus::kUnknown);
  ASSERT_FALSE(near.empty());
  EXPECT_EQ(near.front(), "softmax");
  EXPECT_EQ(nameStatus(NameSpace::kMethod, "unsqueze", &near), NameStatus::kUnknown);
  ASSERT_FALSE(near.empty());
  EXPECT_EQ(near.front(), "unsqueeze");
  EXPECT_EQ(nameStatus(NameSpace::kAten, "ad.Tensor", &near), NameStatus::kUnknown);
  ASSERT_FALSE(near.empty());
}

// Each row names operators of this library, and gives each of their arguments a source.
TEST(DenyListTest, EveryRowOfTheSignatureTableHasItsOperators) {
  const TableSpace spaces[] = {TableSpace::kTorch,  TableSpace::kMethod, TableSpace::kNn,
                               TableSpace::kLinalg, TableSpace::kFft,    TableSpace::kSpecial};
  for (TableSpace space : spaces) {
    for (const std::string& name : tableNames(space)) {
      for (const Signature& signature : findSignatures(space, name)->signatures) {
        EXPECT_NO_THROW(prepareSignature(signature, space == TableSpace::kMethod)) << name << signature.text();
      }
    }
  }
}

} // namespace
} // namespace touchstone::graph
