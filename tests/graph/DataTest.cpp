#include "program/values/Data.h"

#include "program/language/CasePrinter.h"
#include "program/values/RaisedException.h"
#include "tests/graph/PythonProcess.h"

#include <ATen/CPUGeneratorImpl.h>
#include <c10/core/ScalarType.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace touchstone::tests {
namespace {

const std::vector<std::pair<const char*, at::ScalarType>> kDtypes = {{"float16", at::kHalf},
                                                                     {"bfloat16", at::kBFloat16},
                                                                     {"float32", at::kFloat},
                                                                     {"float64", at::kDouble},
                                                                     {"complex32", at::kComplexHalf},
                                                                     {"complex64", at::kComplexFloat},
                                                                     {"complex128", at::kComplexDouble},
                                                                     {"int8", at::kChar},
                                                                     {"int16", at::kShort},
                                                                     {"int32", at::kInt},
                                                                     {"int64", at::kLong},
                                                                     {"uint8", at::kByte},
                                                                     {"uint16", at::kUInt16},
                                                                     {"uint32", at::kUInt32},
                                                                     {"uint64", at::kUInt64},
                                                                     {"bool", at::kBool}};
const std::vector<std::vector<int64_t>> kShapes = {{}, {0}, {3, 0, 2}, {1}, {7}, {3, 5}, {2, 3, 4}, {40}, {700}};
const std::vector<std::pair<int64_t, int64_t>> kSeeds = {{0, 0},
                                                         {7, 0},
                                                         {7, 1},
                                                         {8, 0},
                                                         {123456789012345, 3},
                                                         {-5, 2},
                                                         {7, values::kTangentNumber},
                                                         {INT64_MAX, values::kTangentNumber + 31}};

std::string hex(const at::Tensor& tensor) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  const auto* bytes = static_cast<const unsigned char*>(tensor.const_data_ptr());
  for (size_t index = 0; index < tensor.nbytes(); ++index) {
    text += {digits[bytes[index] >> 4], digits[bytes[index] & 15]};
  }
  return text;
}

std::string shapeText(const std::vector<int64_t>& shape) {
  std::string text = "(";
  for (const int64_t size : shape) {
    text += std::to_string(size) + ",";
  }
  return text + ")";
}

// What Python's `data` gives for every combination, one line of hexadecimal digits each.
std::vector<std::string> linesFromPython() {
  std::ostringstream script;
  script << "import torch\n\n\n" << language::dataPreamble() << "\n\ntorch.set_num_threads(1)\n";
  script << "for shape in [";
  for (const auto& shape : kShapes) {
    script << shapeText(shape) << ", ";
  }
  script << "]:\n    for name in [";
  for (const auto& [name, dtype] : kDtypes) {
    script << '"' << name << "\", ";
  }
  script << "]:\n        for seed in [";
  for (const auto& [call, number] : kSeeds) {
    script << "(" << call << ", " << number << "), ";
  }
  script << "]:\n            for kind in [";
  for (const std::string& kind : values::dataKinds()) {
    script << '"' << kind << "\", ";
  }
  script << "]:\n"
            "                t = data(shape, getattr(torch, name), seed, kind)\n"
            "                assert t.is_contiguous() and t.storage_offset() == 0 and tuple(t.shape) == shape\n"
            "                assert t.untyped_storage().nbytes() == t.numel() * t.element_size()\n"
            "                assert str(t.dtype) == 'torch.' + name\n"
            "                print(bytes(t.untyped_storage().tolist()).hex())\n";
  const PythonResult result = runPython(script.str());
  EXPECT_EQ(result.status, 0) << result.output;
  std::vector<std::string> lines(1);
  for (const char c : result.output) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  lines.pop_back();
  return lines;
}

TEST(DataTest, SameBitsAsThePreambleInPython) {
  const std::vector<std::string> expected = linesFromPython();
  ASSERT_EQ(expected.size(), kShapes.size() * kDtypes.size() * kSeeds.size() * values::dataKinds().size());
  size_t line = 0;
  for (const auto& shape : kShapes) {
    for (const auto& [name, dtype] : kDtypes) {
      for (const auto& [call, number] : kSeeds) {
        for (const std::string& kind : values::dataKinds()) {
          const at::Tensor tensor = values::data(shape, dtype, call, number, kind);
          ASSERT_EQ(hex(tensor), expected[line++])
              << name << " " << kind << " " << shapeText(shape) << " (" << call << ", " << number << ")";
          EXPECT_TRUE(tensor.is_contiguous());
          EXPECT_EQ(tensor.storage_offset(), 0);
          EXPECT_EQ(tensor.scalar_type(), dtype);
          EXPECT_EQ(tensor.storage().nbytes(), tensor.nbytes());
        }
      }
    }
  }
}

TEST(DataTest, EachNumberAndSeedHasValuesOfItsOwn) {
  std::set<std::string> seen;
  int made = 0;
  for (int64_t call = 0; call < 20; ++call) {
    for (int64_t number = 0; number < 20; ++number) {
      seen.insert(hex(values::data({40}, at::kFloat, call, number, "uniform")));
      seen.insert(hex(values::data({40}, at::kFloat, call, values::kTangentNumber + number, "uniform")));
      made += 2;
    }
  }
  EXPECT_EQ(static_cast<int>(seen.size()), made);
}

TEST(DataTest, StridesAreContiguousWhateverTheKind) {
  for (const std::string& kind : values::dataKinds()) {
    for (const at::ScalarType dtype : {at::kFloat, at::kLong, at::kBool, at::kComplexFloat, at::kDouble}) {
      EXPECT_EQ(values::data({1, 0, 1}, dtype, 1, 2, kind).strides(), at::IntArrayRef({1, 1, 1})) << kind;
      EXPECT_EQ(values::data({3, 0, 2}, dtype, 1, 2, kind).strides(), at::IntArrayRef({2, 2, 1})) << kind;
    }
  }
}

TEST(DataTest, DoesNotTouchTheDefaultGenerator) {
  const at::Generator& generator = at::detail::getDefaultCPUGenerator();
  const at::Tensor before = generator.get_state();
  values::data({5}, at::kFloat, 1, 2, "grid");
  EXPECT_TRUE(before.equal(generator.get_state()));
}

TEST(DataTest, GridIsExactAndSpecialIsSpecial) {
  const at::Tensor grid = values::data({1000}, at::kFloat, 1, 0, "grid");
  const at::Tensor quarters = grid.mul(4);
  EXPECT_TRUE(quarters.equal(quarters.round()));
  EXPECT_EQ(grid.max().item().toFloat(), 2);
  EXPECT_EQ(grid.min().item().toFloat(), -2);
  const at::Tensor special = values::data({1000}, at::kBFloat16, 1, 0, "special");
  EXPECT_TRUE(special.isnan().any().item().toBool());
  EXPECT_TRUE(special.isinf().any().item().toBool());
  EXPECT_TRUE(special.eq(0).logical_and(special.signbit()).any().item().toBool());
}

TEST(DataTest, RefusesUnknownKindsAndDtypes) {
  try {
    values::data({2}, at::kFloat, 1, 0, "gauss");
    FAIL();
  } catch (const values::RaisedException& error) {
    EXPECT_EQ(error.type(), "ValueError");
  }
  try {
    values::data({2}, at::kQInt8, 1, 0, "grid");
    FAIL();
  } catch (const values::RaisedException& error) {
    EXPECT_EQ(error.type(), "TypeError");
  }
}

} // namespace
} // namespace touchstone::tests
