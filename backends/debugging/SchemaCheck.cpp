#include "backends/debugging/SchemaCheck.h"

#include "backends/fake/OperatorTraits.h"
#include "backends/fake/TensorMemory.h"
#include "program/values/TensorWalk.h"

#include <ATen/core/Tensor.h>
#include <torch/csrc/utils/schema_info.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>

namespace touchstone::debugging {

namespace {

using c10::SchemaArgType;
using c10::SchemaArgument;

// What they return lies in the argument's memory, and they do not say so, on purpose.
constexpr std::array<std::string_view, 2> kUndeclaredViews{"aten::_unsafe_view", "aten::unsafe_split"};
// They hand on what has no elements.
constexpr std::array<std::string_view, 1> kUndeclaredEmptyViews{"aten::channel_shuffle"};
// They bring a constant in, as the very tensor that it is.
constexpr std::array<std::string_view, 2> kLifts{"aten::lift", "aten::lift_fresh"};

template <size_t count>
bool isAmong(const std::array<std::string_view, count>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// A tensor as it was before a call.
struct TensorBefore {
  explicit TensorBefore(const at::Tensor& tensor) : tensor(tensor) {
    if (fake::memoryOf(tensor) != nullptr) {
      sizes = tensor.sizes().vec();
      strides = tensor.strides().vec();
      storage = tensor.storage().unsafeGetStorageImpl();
      if (tensor.is_cpu() && tensor.storage().data() != nullptr) {
        const auto* begin = static_cast<const char*>(tensor.storage().data());
        bytes.assign(begin, begin + tensor.storage().nbytes());
      }
    }
  }

  bool isChanged() const {
    if (fake::memoryOf(tensor) == nullptr) {
      return false;
    }
    return tensor.sizes() != at::IntArrayRef(sizes) || tensor.strides() != at::IntArrayRef(strides) ||
           tensor.storage().unsafeGetStorageImpl() != storage ||
           (!bytes.empty() && (tensor.storage().nbytes() < bytes.size() ||
                               std::memcmp(tensor.storage().data(), bytes.data(), bytes.size()) != 0));
  }

  at::Tensor tensor;
  std::vector<int64_t> sizes, strides;
  const c10::StorageImpl* storage = nullptr;
  std::vector<char> bytes;
};

bool anyShareMemory(const std::vector<at::Tensor>& left, const std::vector<at::Tensor>& right) {
  return std::any_of(left.begin(), left.end(), [&](const at::Tensor& one) {
    return std::any_of(right.begin(), right.end(),
                       [&](const at::Tensor& other) { return fake::shareMemory(one, other); });
  });
}

/// The operator may return memory of an argument without saying so.
bool maySayNothing(const c10::FunctionSchema& schema, const std::vector<at::Tensor>& result) {
  return isAmong(kUndeclaredViews, schema.name()) ||
         (isAmong(kUndeclaredEmptyViews, schema.name()) &&
          std::all_of(result.begin(), result.end(), [](const at::Tensor& each) { return each.numel() == 0; }));
}

[[noreturn]] void throwMismatch(const std::string& text, const c10::FunctionSchema& schema) {
  throw SchemaMismatch(text + " (`" + c10::toString(schema.operator_name()) + "`)");
}

/// One argument of a call, before it and after.
struct CheckedArgument {
  std::string name;
  bool isWritten = false; // as the schema says
  std::vector<TensorBefore> before;
  std::vector<at::Tensor> tensors;
  bool isTensor = false;
};

std::vector<CheckedArgument> argumentsBefore(const c10::FunctionSchema& schema, const torch::jit::Stack& stack) {
  const size_t base = stack.size() - schema.arguments().size();
  std::vector<CheckedArgument> arguments;
  for (size_t i = 0; i < schema.arguments().size(); ++i) {
    const std::string& name = schema.arguments()[i].name();
    const c10::AliasInfo* alias = schema.arguments()[i].alias_info();
    CheckedArgument argument{name == "self" ? "input" : name,
                             alias != nullptr && alias->isWrite(),
                             {},
                             values::definedTensors(stack[base + i]),
                             stack[base + i].isTensor()};
    for (const at::Tensor& tensor : argument.tensors) {
      argument.before.emplace_back(tensor);
    }
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

void checkArgument(const c10::FunctionSchema& schema, torch::utils::SchemaInfo& info, size_t position,
                   const std::vector<CheckedArgument>& arguments, const std::vector<std::vector<at::Tensor>>& results) {
  const CheckedArgument& argument = arguments[position];
  const SchemaArgument input(SchemaArgType::input, position);
  for (size_t j = 0; j < results.size(); ++j) {
    if (!maySayNothing(schema, results[j]) && anyShareMemory(results[j], argument.tensors) &&
        !info.may_contain_alias(SchemaArgument(SchemaArgType::output, j), input)) {
      throwMismatch("Argument " + argument.name + " is not defined to alias output but was aliasing", schema);
    }
    const bool isHandedBack = argument.isTensor && argument.tensors.size() == 1 && results[j].size() == 1 &&
                              results[j][0].is_same(argument.tensors[0]);
    if (isHandedBack && !info.is_mutable(input) && !isAmong(kLifts, schema.name())) {
      throwMismatch("Dispatcher operators below autograd are not allowed to directly return inputs. However, outputs[" +
                        std::to_string(j) + "] is " + argument.name,
                    schema);
    }
  }
  const bool isChanged = std::any_of(argument.before.begin(), argument.before.end(),
                                     [](const TensorBefore& before) { return before.isChanged(); });
  const bool sharesWithWritten =
      std::any_of(arguments.begin(), arguments.end(), [&](const CheckedArgument& other) { // of lists it does not know
        return other.isWritten && anyShareMemory(other.tensors, argument.tensors);
      });
  if (isChanged && !sharesWithWritten && !info.is_mutable(input)) {
    throwMismatch("Argument " + argument.name + " is not defined as mutable but was mutated", schema);
  }
}

} // namespace

void SchemaCheck::call(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const c10::FunctionSchema& schema = op.schema();
  operators_.push_back(fake::targetOf(op));
  const std::vector<CheckedArgument> arguments = argumentsBefore(schema, *stack);
  torch::utils::SchemaInfo info(schema);
  info.addArgumentValues(std::vector<std::optional<c10::IValue>>(
      stack->end() - static_cast<std::ptrdiff_t>(schema.arguments().size()), stack->end()));
  op.callBoxed(stack);
  std::vector<std::vector<at::Tensor>> results;
  for (size_t i = stack->size() - schema.returns().size(); i < stack->size(); ++i) {
    results.push_back(values::definedTensors((*stack)[i]));
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].tensors.empty()) {
      checkArgument(schema, info, i, arguments, results);
    }
  }
  for (size_t i = 0; i < results.size(); ++i) {
    for (size_t j = i + 1; j < results.size(); ++j) {
      if (anyShareMemory(results[i], results[j]) &&
          !info.may_contain_alias(SchemaArgument(SchemaArgType::output, i), SchemaArgument(SchemaArgType::output, j))) {
        throwMismatch("Outputs " + std::to_string(i) + " and " + std::to_string(j) + " alias unexpectedly", schema);
      }
    }
  }
}

} // namespace touchstone::debugging
