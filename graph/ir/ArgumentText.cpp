#include "graph/ir/ArgumentText.h"

#include "graph/ir/Geometry.h"
#include "graph/ir/PythonNames.h"

#include <array>
#include <charconv>
#include <cmath>

namespace touchstone::ir {

namespace {

template <size_t count>
std::string nameAt(const std::array<const char*, count>& names, int64_t number, const std::string& otherwise) {
  return number >= 0 && number < static_cast<int64_t>(count) ? names.at(static_cast<size_t>(number))
                                                             : otherwise + std::to_string(number);
}

// Each in the order of the dispatcher's numbers.
constexpr std::array kDtypeNames{"uint8",           "int8",
                                 "int16",           "int32",
                                 "int64",           "float16",
                                 "float32",         "float64",
                                 "complex32",       "complex64",
                                 "complex128",      "bool",
                                 "qint8",           "quint8",
                                 "qint32",          "bfloat16",
                                 "quint4x2",        "quint2x4",
                                 "bits1x8",         "bits2x4",
                                 "bits4x2",         "bits8",
                                 "bits16",          "float8_e5m2",
                                 "float8_e4m3fn",   "float8_e5m2fnuz",
                                 "float8_e4m3fnuz", "uint16",
                                 "uint32",          "uint64"};
constexpr std::array kShortDtypeNames{
    "u8",      "i8",    "i16",    "i32",    "i64",      "f16",        "f32",        "f64",      "c32",     "c64",
    "c128",    "b8",    "qi8",    "qu8",    "qi32",     "bf16",       "quint4x2",   "quint2x4", "bits1x8", "bits2x4",
    "bits4x2", "bits8", "bits16", "f8e5m2", "f8e4m3fn", "f8e5m2fnuz", "f8e4m3fnuz", "u16",      "u32",     "u64"};
constexpr std::array kLayoutNames{"strided",    "sparse_coo", "sparse_csr", "_mkldnn",
                                  "sparse_csc", "sparse_bsr", "sparse_bsc", "jagged"};
constexpr std::array kMemoryFormatNames{"contiguous_format", "preserve_format", "channels_last", "channels_last_3d"};

std::string listText(const std::vector<int64_t>& numbers) {
  std::string result = "[";
  for (size_t i = 0; i < numbers.size(); ++i) {
    result += (i > 0 ? ", " : "") + std::to_string(numbers[i]);
  }
  return result + "]";
}

struct ArgumentSpelling {
  const std::function<std::string(NodeId)>& nodeText;

  std::string operator()(std::monostate) const { return "None"; }
  std::string operator()(NodeReference reference) const { return nodeText(reference.node); }
  std::string operator()(bool value) const { return value ? "True" : "False"; }
  std::string operator()(int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return numberText(value); }
  std::string operator()(std::complex<double> value) const {
    return "complex(" + numberText(value.real()) + ", " + numberText(value.imag()) + ")";
  }
  std::string operator()(const std::string& value) const { return quotedPython(value); }
  std::string operator()(DtypeConstant value) const { return "torch." + dtypeName(value); }
  std::string operator()(LayoutConstant value) const { return "torch." + nameAt(kLayoutNames, value.value, "layout"); }
  std::string operator()(MemoryFormatConstant value) const {
    return "torch." + nameAt(kMemoryFormatNames, value.value, "memory_format");
  }
  std::string operator()(const DeviceConstant& value) const { return "torch.device(" + quotedPython(value.text) + ")"; }
  std::string operator()(const Argument::Container& container) const {
    using Kind = Argument::Container::Kind;
    std::string items;
    for (size_t i = 0; i < container.items.size(); ++i) {
      items += i > 0 ? ", " : "";
      items += container.kind == Kind::kDict ? quotedPython(container.keys.at(i)) + ": " : "";
      items += argumentText(container.items[i], nodeText);
    }
    switch (container.kind) {
      case Kind::kList: return "[" + items + "]";
      case Kind::kTuple: return "(" + items + (container.items.size() == 1 ? ",)" : ")");
      case Kind::kSize: return "torch.Size([" + items + "])";
      case Kind::kDict: break;
    }
    return "{" + items + "}";
  }
};

bool isContiguous(const TensorMetadata& metadata) {
  TensorMetadata contiguous = metadata;
  contiguous.strides = contiguousStrides(metadata.sizes);
  return elementCount(metadata) <= 1 || sameSignificantLayout(metadata, contiguous);
}

} // namespace

std::string dtypeName(DtypeConstant dtype) {
  return nameAt(kDtypeNames, dtype.value, "dtype");
}

std::string numberText(double value) {
  if (std::isnan(value)) {
    return "float(\"nan\")";
  }
  if (std::isinf(value)) {
    return value > 0 ? "float(\"inf\")" : "-float(\"inf\")";
  }
  std::array<char, 32> digits{};
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  std::string text(digits.data(), written.ptr);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string argumentText(const Argument& argument, const std::function<std::string(NodeId)>& nodeText) {
  return std::visit(ArgumentSpelling{nodeText}, argument.payload);
}

std::string tensorTypeText(const TensorMetadata& metadata) {
  const std::string text = nameAt(kShortDtypeNames, metadata.dtype.value, "dtype") + listText(metadata.sizes);
  // A tensor that is not strided has no strides.
  const bool isPlain = metadata.strides.size() != metadata.sizes.size() || isContiguous(metadata);
  return isPlain ? text : text + listText(metadata.strides);
}

} // namespace touchstone::ir
