#include "program/torch_names/ArgumentParser.h"

#include "program/values/RaiseError.h"

#include <ATen/ScalarOps.h>
#include <ATen/core/LegacyTypeDispatch.h>

#include <algorithm>

namespace touchstone::torch_names {
namespace {

bool isRealNumber(const values::Value& value) {
  return value.is<double>() || value.is<int64_t>() || value.is<bool>();
}

// A tensor that may stand where a number is wanted.
bool isZeroDimensional(const values::Value& value) {
  const at::Tensor* tensor = value.maybe<at::Tensor>();
  return tensor && tensor->dim() == 0 && !tensor->requires_grad();
}

bool isIntegerTensor(const values::Value& value) {
  return isZeroDimensional(value) && at::isIntegralType(value.tensor().scalar_type(), /*includeBool=*/false);
}

/// `failed` receives the position of an item that spoils a list.
bool isIntListLike(c10::ArrayRef<values::Value> items, int* failed) {
  const bool fits = items.empty() || isIndexLike(items[0]);
  *failed = fits ? *failed : 0;
  return fits;
}

bool accepts(const Parameter& parameter, const values::Value& value, int position, int* failed) {
  switch (parameter.kind) {
    case ParameterKind::kTensor: return value.isTensor() || (parameter.numbersAsTensors && value.isNumber());
    case ParameterKind::kScalar: return value.isNumber() || isZeroDimensional(value);
    case ParameterKind::kComplex:
      return isRealNumber(value) || value.is<std::complex<double>>() || isZeroDimensional(value);
    case ParameterKind::kDouble: return isRealNumber(value) || isZeroDimensional(value);
    case ParameterKind::kInt: return value.is<int64_t>() || isIntegerTensor(value);
    case ParameterKind::kIndex: return isIndexLike(value);
    case ParameterKind::kTensorList: {
      const values::ValueList* items = value.items();
      if (!items) {
        return false;
      }
      for (size_t i = 0; i < items->size(); ++i) {
        if (!(*items)[i].isTensor()) {
          values::raiseError("TypeError", "expected Tensor as element {} in argument {}, but got {}", i, position,
                             (*items)[i].typeName());
        }
      }
      return true;
    }
    case ParameterKind::kIntList: {
      if (const values::ValueList* items = value.items()) {
        return isIntListLike(*items, failed);
      }
      return parameter.size > 0 && isIndexLike(value);
    }
    case ParameterKind::kDoubleList: {
      const values::ValueList* items = value.items();
      return items && (items->empty() || isRealNumber(items->front()) || items->front().is<std::complex<double>>());
    }
    case ParameterKind::kScalarList: {
      const values::ValueList* items = value.items();
      return items &&
             std::all_of(items->begin(), items->end(), [](const values::Value& item) { return item.isNumber(); });
    }
    case ParameterKind::kBool: return value.is<bool>();
    case ParameterKind::kDtype: return value.is<at::ScalarType>();
    case ParameterKind::kLayout: return value.is<at::Layout>();
    case ParameterKind::kMemoryFormat: return value.is<at::MemoryFormat>();
    case ParameterKind::kDevice: return value.is<at::Device>() || value.is<std::string>() || value.is<int64_t>();
    case ParameterKind::kString: return value.is<std::string>();
    case ParameterKind::kGenerator:
    case ParameterKind::kUnsupported: return false;
  }
  return false;
}

const values::Value* findKeyword(const KeywordList& keywords, const Parameter& parameter) {
  for (const auto& [name, value] : keywords) {
    if (name == parameter.name) {
      return &value;
    }
  }
  for (std::string_view alias : parameter.aliases) {
    for (const auto& [name, value] : keywords) {
      if (name == alias) {
        return &value;
      }
    }
  }
  return nullptr;
}

[[noreturn]] void raiseTooMany(const Signature& signature, size_t given) {
  if (signature.minimumArguments != signature.maximumPositional) {
    values::raiseError("TypeError", "{}() takes from {} to {} positional arguments but {} were given",
                       signature.function, signature.minimumArguments, signature.maximumPositional, given);
  }
  values::raiseError("TypeError", "{}() takes {} positional argument{} but {} {} given", signature.function,
                     signature.maximumPositional, signature.maximumPositional == 1 ? "" : "s", given,
                     given == 1 ? "was" : "were");
}

[[noreturn]] void raiseMissing(const Signature& signature, size_t from) {
  std::string names;
  int missing = 0;
  for (size_t i = from; i < signature.parameters.size(); ++i) {
    if (!signature.parameters[i].optional) {
      names += fmt::format("{}\"{}\"", missing++ ? ", " : "", signature.parameters[i].name);
    }
  }
  values::raiseError("TypeError", "{}() missing {} required positional argument{}: {}", signature.function, missing,
                     missing == 1 ? "s" : "", names);
}

[[noreturn]] void raiseUnexpectedKeyword(const Signature& signature, const KeywordList& keywords, size_t positional) {
  for (const auto& [name, value] : keywords) {
    auto found = std::find_if(signature.parameters.begin(), signature.parameters.end(),
                              [&name = name](const Parameter& parameter) { return parameter.name == name; });
    if (found == signature.parameters.end()) {
      values::raiseError("TypeError", "{}() got an unexpected keyword argument '{}'", signature.function, name);
    }
    if (static_cast<size_t>(found - signature.parameters.begin()) < positional) {
      values::raiseError("TypeError", "{}() got multiple values for argument '{}'", signature.function, name);
    }
  }
  values::raiseError("TypeError", "invalid keyword arguments");
}

[[noreturn]] void raiseWrongType(const Signature& signature, const Parameter& parameter, const values::Value& value,
                                 bool isKeyword, size_t position, int failed) {
  if (isKeyword) {
    values::raiseError("TypeError", "{}(): argument '{}' must be {}, not {}", signature.function, parameter.name,
                       parameter.typeName(), value.typeName());
  }
  if (failed >= 0 && value.items()) {
    const values::ValueList& items = *value.items();
    values::raiseError(
        "TypeError", "{}(): argument '{}' (position {}) must be {}, but found element of type {} at pos {}",
        signature.function, parameter.name, position + 1, parameter.typeName(), items[failed].typeName(), failed);
  }
  values::raiseError("TypeError", "{}(): argument '{}' (position {}) must be {}, not {}", signature.function,
                     parameter.name, position + 1, parameter.typeName(), value.typeName());
}

/// Binds the arguments to one signature; false when they do not fit, or an exception that says why when `raise`.
bool bind(const Signature& signature, c10::ArrayRef<values::Value> positional, const KeywordList& keywords, bool raise,
          BoundArguments& bound) {
  const bool takesSizesOneByOne =
      signature.maximumPositional == 1 && signature.parameters[0].kind == ParameterKind::kIntList;
  const auto refuse = [raise](const auto& raiseWhy) {
    if (raise) {
      raiseWhy();
    }
    return false;
  };
  const auto refuseTooMany = [&] { return refuse([&] { raiseTooMany(signature, positional.size()); }); };
  if (positional.size() > signature.maximumPositional && !takesSizesOneByOne) {
    return refuseTooMany();
  }
  bound.values.clear();
  size_t next = 0;
  size_t keywordsLeft = keywords.size();
  for (size_t i = 0; i < signature.parameters.size(); ++i) {
    const Parameter& parameter = signature.parameters[i];
    const values::Value* value = nullptr;
    bool isKeyword = false;
    if (next < positional.size()) {
      if (parameter.keywordOnly) {
        return refuseTooMany();
      }
      value = &positional[next];
    } else if (!keywords.empty()) {
      value = findKeyword(keywords, parameter);
      isKeyword = true;
    }
    int failed = -1;
    if (value ? value->isNone() && parameter.allowNone : parameter.optional) {
      bound.values.push_back(nullptr);
    } else if (!value) {
      return refuse([&] { raiseMissing(signature, i); });
    } else if (accepts(parameter, *value, static_cast<int>(i), &failed)) {
      bound.values.push_back(value);
    } else if (takesSizesOneByOne && next == 0 && !isKeyword && !value->items() && isIntListLike(positional, &failed)) {
      bound.packed = values::Value::tuple(positional.vec());
      bound.values.push_back(&bound.packed);
      next = positional.size();
      continue;
    } else {
      return refuse([&] { raiseWrongType(signature, parameter, *value, isKeyword, next, failed); });
    }
    if (!isKeyword && next < positional.size()) {
      ++next;
    } else if (value) {
      --keywordsLeft;
    }
  }
  if (next < positional.size()) {
    return refuseTooMany();
  }
  if (keywordsLeft > 0) {
    return refuse([&] { raiseUnexpectedKeyword(signature, keywords, positional.size()); });
  }
  return true;
}

std::string describeType(const values::Value& value) {
  const values::ValueList* items = value.items();
  if (!items || value.typeName() == "torch.Size") {
    return value.typeName();
  }
  const bool isList = value.is<values::ListPtr>();
  std::string result = isList ? "list of [" : "tuple of (";
  for (size_t i = 0; i < items->size(); ++i) {
    result += (i ? ", " : "") + (*items)[i].typeName();
  }
  if (!isList && items->size() == 1) {
    result += ",";
  }
  return result + (isList ? "]" : ")");
}

// Python shows the arguments that a single signature does not take between exclamation marks.
std::string describeArgument(const values::Value& value, bool fits) {
  return fits ? value.typeName() : "!" + describeType(value) + "!";
}

bool fitsAlone(const Parameter& parameter, const values::Value& value) {
  int failed = -1;
  return (value.isNone() && parameter.allowNone) || accepts(parameter, value, 0, &failed);
}

[[noreturn]] void raiseNoMatch(const SignatureGroup& group, c10::ArrayRef<values::Value> positional,
                               const KeywordList& keywords, BoundArguments& bound) {
  const size_t given = positional.size() + keywords.size();
  const Signature* plausible = nullptr;
  int plausibleCount = 0;
  std::string options;
  int optionCount = 0;
  for (const Signature& signature : group.signatures) {
    if (signature.isDeprecated) {
      continue;
    }
    if (given >= signature.minimumArguments && given <= signature.parameters.size()) {
      plausible = &signature;
      ++plausibleCount;
    }
    options += "\n * " + signature.text();
    ++optionCount;
  }
  if (plausibleCount == 1) {
    bind(*plausible, positional, keywords, /*raise=*/true, bound);
  }
  const Signature* only = optionCount == 1 ? &group.signatures.front() : nullptr;
  std::string got;
  for (size_t i = 0; i < positional.size(); ++i) {
    const bool fits = !only || (i < only->maximumPositional && fitsAlone(only->parameters[i], positional[i]));
    got += (i ? ", " : "") + describeArgument(positional[i], fits);
  }
  for (const auto& [name, value] : keywords) {
    bool fits = !only;
    for (size_t i = 0; only && i < only->parameters.size(); ++i) {
      fits |= only->parameters[i].name == name && fitsAlone(only->parameters[i], value);
    }
    got += fmt::format("{}{}={}", got.empty() ? "" : ", ", name, describeArgument(value, fits));
  }
  if (optionCount == 1) {
    values::raiseError("TypeError", "{}() received an invalid combination of arguments - got ({}), but expected {}",
                       group.signatures.front().function, got, options.substr(4));
  }
  values::raiseError("TypeError",
                     "{}() received an invalid combination of arguments - got ({}), but expected one of:{}\n",
                     group.signatures.front().function, got, options);
}

} // namespace

const Signature& matchSignature(const SignatureGroup& group, c10::ArrayRef<values::Value> positional,
                                const KeywordList& keywords, BoundArguments& bound) {
  if (group.signatures.size() == 1) {
    bind(group.signatures[0], positional, keywords, /*raise=*/true, bound);
    return group.signatures[0];
  }
  for (const Signature& signature : group.signatures) {
    if (bind(signature, positional, keywords, /*raise=*/false, bound)) {
      return signature;
    }
  }
  raiseNoMatch(group, positional, keywords, bound);
}

bool isIndexLike(const values::Value& value) {
  if (value.is<int64_t>()) {
    return true;
  }
  const at::Tensor* tensor = value.maybe<at::Tensor>();
  return tensor && tensor->numel() == 1 && at::isIntegralType(tensor->scalar_type(), /*includeBool=*/true);
}

int64_t toIndex(const values::Value& value) {
  if (auto* number = value.maybe<int64_t>()) {
    return *number;
  }
  if (auto* flag = value.maybe<bool>()) {
    return *flag;
  }
  if (isIndexLike(value)) {
    return value.tensor().item().toLong();
  }
  if (value.isTensor()) {
    values::raiseError("TypeError", "only integer tensors of a single element can be converted to an index");
  }
  values::raiseError("TypeError", "'{}' object cannot be interpreted as an integer", value.typeName());
}

at::Scalar toScalar(const values::Value& value) {
  if (auto* number = value.maybe<int64_t>()) {
    return *number;
  }
  if (auto* number = value.maybe<double>()) {
    return *number;
  }
  if (auto* flag = value.maybe<bool>()) {
    return *flag;
  }
  if (auto* number = value.maybe<std::complex<double>>()) {
    return c10::complex<double>(number->real(), number->imag());
  }
  if (auto* tensor = value.maybe<at::Tensor>()) {
    return tensor->item();
  }
  values::raiseError("TypeError", "must be real number, not {}", value.typeName());
}

at::Tensor wrapNumber(const values::Value& number) {
  at::AutoDispatchBelowADInplaceOrView below;
  at::Tensor tensor = c10::scalar_to_tensor(toScalar(number));
  tensor.unsafeGetTensorImpl()->set_wrapped_number(true);
  return tensor;
}

} // namespace touchstone::torch_names
