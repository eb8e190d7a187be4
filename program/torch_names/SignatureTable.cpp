#include "program/torch_names/SignatureTable.h"

#include "program/torch_names/SignatureTable.inc"

#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace touchstone::torch_names {
namespace {

struct KindNames {
  ParameterKind kind;
  std::string_view shown; // in error messages
  std::vector<std::string_view> spelled; // in the table
};

const std::vector<KindNames>& kindNames() {
  using enum ParameterKind;
  static const std::vector<KindNames> names = {
      {kTensor, "Tensor", {"Tensor"}},
      {kScalar, "Number", {"Scalar"}},
      {kInt, "int", {"int64_t"}},
      {kIndex, "int", {"SymInt"}},
      {kDouble, "float", {"double"}},
      {kComplex, "complex", {"complex"}},
      {kTensorList, "tuple of Tensors", {"TensorList", "c10::List<::std::optional<Tensor>>"}},
      {kIntList, "tuple of ints", {"IntArrayRef", "SymIntArrayRef"}},
      {kDoubleList, "tuple of floats", {"ArrayRef<double>"}},
      {kScalarList, "tuple of Scalars", {"ScalarList"}},
      {kGenerator, "torch.Generator", {"Generator"}},
      {kBool, "bool", {"bool"}},
      {kDtype, "torch.dtype", {"ScalarType"}},
      {kLayout, "torch.layout", {"Layout"}},
      {kMemoryFormat, "torch.memory_format", {"MemoryFormat"}},
      {kDevice, "torch.device", {"Device"}},
      {kString, "str", {"std::string", "::std::string", "c10::string_view", "std::string_view", "::std::string_view"}},
  };
  return names;
}

std::vector<std::string_view> numpyNames(std::string_view name) {
  static const std::unordered_map<std::string_view, std::vector<std::string_view>> names = {
      {"dim", {"axis"}}, {"keepdim", {"keepdims"}}, {"input", {"x", "a", "x1"}}, {"other", {"x2"}}};
  const auto found = names.find(name);
  return found == names.end() ? std::vector<std::string_view>() : found->second;
}

Parameter parseParameter(std::string_view text, bool keywordOnly, bool numbersAsTensors) {
  Parameter parameter;
  parameter.keywordOnly = keywordOnly;
  parameter.numbersAsTensors = numbersAsTensors;
  size_t space = text.find(' ');
  TORCH_INTERNAL_ASSERT(space != std::string_view::npos, "a parameter without a type: ", std::string(text));
  std::string_view type = text.substr(0, space);
  std::string_view rest = text.substr(space + 1);
  if (type.ends_with('?')) {
    parameter.allowNone = true;
    type.remove_suffix(1);
  }
  if (type.ends_with(']')) {
    size_t bracket = type.find('[');
    parameter.size = std::atoi(std::string(type.substr(bracket + 1)).c_str());
    type = type.substr(0, bracket);
  }
  for (const KindNames& names : kindNames()) {
    if (std::find(names.spelled.begin(), names.spelled.end(), type) != names.spelled.end()) {
      parameter.kind = names.kind;
    }
  }
  size_t equals = rest.find('=');
  if (equals != std::string_view::npos) {
    parameter.optional = true;
    parameter.fallback = std::string(rest.substr(equals + 1));
    parameter.allowNone |= parameter.fallback == "None";
    rest = rest.substr(0, equals);
  }
  parameter.name = std::string(rest);
  parameter.aliases = numpyNames(rest);
  return parameter;
}

std::vector<std::string> splitText(const std::string& text, char separator) {
  std::vector<std::string> parts;
  size_t start = 0;
  while (true) {
    size_t end = text.find(separator, start);
    parts.push_back(text.substr(start, end == std::string::npos ? end : end - start));
    if (end == std::string::npos) {
      return parts;
    }
    start = end + 1;
  }
}

Signature parseRow(const std::string& line) {
  std::vector<std::string> fields = splitText(line, '\t');
  TORCH_INTERNAL_ASSERT(fields.size() == 5, "a malformed row of the signature table: ", line);
  Signature signature = parseSignature(fields[0]);
  signature.base = fields[1];
  signature.out = fields[2];
  signature.isFactory = fields[3].find('f') != std::string::npos;
  signature.isLike = fields[3].find('l') != std::string::npos;
  signature.isDeprecated = fields[3].find('d') != std::string::npos;
  if (!fields[4].empty()) {
    signature.call = splitText(fields[4], ',');
  }
  return signature;
}

/// One space of the table: the text split into names at first use, the signatures of a name at its first use.
class SpaceTable {
 public:
  template <size_t N>
  SpaceTable(const char* const (&chunks)[N], bool isMethod) : isMethod_(isMethod) {
    std::vector<std::string>* rows = nullptr;
    for (const char* chunk : chunks) {
      for (std::string& line : splitText(chunk, '\n')) {
        if (line.empty()) {
          continue;
        }
        if (line[0] == '@') {
          rows = &rows_[line.substr(1)];
        } else {
          rows->push_back(std::move(line));
        }
      }
    }
  }

  const SignatureGroup* find(const std::string& name) {
    if (auto found = groups_.find(name); found != groups_.end()) {
      return found->second.get();
    }
    auto rows = rows_.find(name);
    if (rows == rows_.end()) {
      return nullptr;
    }
    auto group = std::make_unique<SignatureGroup>();
    group->name = name;
    group->isMethod = isMethod_;
    for (const std::string& row : rows->second) {
      group->signatures.push_back(parseRow(row));
    }
    return (groups_[name] = std::move(group)).get();
  }

  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto& [name, rows] : rows_) {
      result.push_back(name);
    }
    return result;
  }

 private:
  bool isMethod_;
  std::map<std::string, std::vector<std::string>> rows_;
  std::unordered_map<std::string, std::unique_ptr<SignatureGroup>> groups_;
};

template <const auto& kChunks>
SpaceTable& tableOf(bool isMethod = false) {
  static SpaceTable table(kChunks, isMethod);
  return table;
}

SpaceTable& spaceTable(TableSpace which) {
  switch (which) {
    case TableSpace::kTorch: return tableOf<torchSignatures>();
    case TableSpace::kMethod: return tableOf<methodSignatures>(/*isMethod=*/true);
    case TableSpace::kNn: return tableOf<nnSignatures>();
    case TableSpace::kLinalg: return tableOf<linalgSignatures>();
    case TableSpace::kFft: return tableOf<fftSignatures>();
    case TableSpace::kSpecial: break;
  }
  return tableOf<specialSignatures>();
}

} // namespace

bool takesNumbersAsTensors(std::string_view function) {
  static const std::unordered_set<std::string_view> names = {"add",          "div", "divide",   "mul",
                                                             "multiply",     "sub", "subtract", "true_divide",
                                                             "floor_divide", "to",  "_to_copy", "copy"};
  for (const std::string_view ending : {"_out", "_"}) {
    if (function.ends_with(ending)) {
      function.remove_suffix(ending.size());
      break;
    }
  }
  return names.contains(function);
}

std::string_view Parameter::typeName() const {
  const auto names =
      std::find_if(kindNames().begin(), kindNames().end(), [&](const KindNames& each) { return each.kind == kind; });
  return names == kindNames().end() ? "object" : names->shown;
}

std::string Signature::text() const {
  std::string result = "(";
  bool starred = false;
  for (const Parameter& parameter : parameters) {
    if (&parameter != parameters.data()) {
      result += ", ";
    }
    if (parameter.keywordOnly && !starred) {
      result += "*, ";
      starred = true;
    }
    result.append(parameter.typeName()).append(" ").append(parameter.name);
    if (parameter.optional) {
      result.append(" = ").append(parameter.fallback);
    }
  }
  return result + ")";
}

Signature parseSignature(const std::string& text) {
  Signature signature;
  size_t open = text.find('(');
  TORCH_INTERNAL_ASSERT(open != std::string::npos && text.ends_with(')'), "a malformed signature: ", text);
  signature.function = text.substr(0, open);
  const bool numbersAsTensors = takesNumbersAsTensors(signature.function);
  bool keywordOnly = false;
  size_t start = open + 1;
  const size_t end = text.size() - 1;
  while (start < end) {
    size_t stop = std::min(text.find(", ", start), end);
    std::string_view piece(text.data() + start, stop - start);
    if (piece == "*") {
      keywordOnly = true;
    } else {
      signature.parameters.push_back(parseParameter(piece, keywordOnly, numbersAsTensors));
    }
    start = stop + 2;
  }
  for (const Parameter& parameter : signature.parameters) {
    signature.minimumArguments += !parameter.optional;
    signature.maximumPositional += !parameter.keywordOnly;
  }
  return signature;
}

const SignatureGroup* findSignatures(TableSpace which, const std::string& name) {
  return spaceTable(which).find(name);
}

std::vector<std::string> tableNames(TableSpace which) {
  return spaceTable(which).names();
}

const c10::OperatorHandle& atenOperator(const std::string& name) {
  static std::unordered_map<std::string, c10::OperatorHandle> known;
  auto found = known.find(name);
  if (found == known.end()) {
    size_t dot = name.find('.');
    std::string overload = dot == std::string::npos ? "" : name.substr(dot + 1);
    c10::OperatorHandle handle =
        c10::Dispatcher::singleton().findSchemaOrThrow(("aten::" + name.substr(0, dot)).c_str(), overload.c_str());
    found = known.emplace(name, handle).first;
  }
  return found->second;
}

} // namespace touchstone::torch_names
