#include "program/evaluator/CustomFunctions.h"
#include "program/evaluator/EvaluatorHooks.h"
#include "program/evaluator/EvaluatorState.h"
#include "program/torch_names/OperatorCall.h"
#include "program/values/Data.h"
#include "program/values/DefaultDevice.h"

#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

// What a call means: a function of the file, an operator under one of torch's names, a method, a builtin.

namespace touchstone::evaluator {

using namespace std::string_view_literals; // their sizes are compared first

namespace {

constexpr size_t kLongestPath = 4; // `ops.aten.f.overload` after `torch`

// The names after `torch` of a callee such as `torch.nn.functional.relu`.
struct TorchPath {
  std::array<const std::string*, kLongestPath> names{};
  size_t length = 0; // 0: not a path under `torch`
};

TorchPath torchPath(const language::Expr& callee) {
  TorchPath path;
  const language::Expr* at = &callee;
  for (; at->kind == language::ExprKind::kAttribute; at = at->children[0].get()) {
    if (path.length == kLongestPath) {
      return {};
    }
    path.names[path.length++] = &at->text;
  }
  if (at->kind != language::ExprKind::kName || at->text != "torch") {
    return {};
  }
  std::reverse(path.names.begin(), path.names.begin() + path.length);
  return path;
}

const language::Expr& rootOf(const language::Expr& callee) {
  const language::Expr* at = &callee;
  while (at->kind == language::ExprKind::kAttribute) {
    at = at->children[0].get();
  }
  return *at;
}

values::Value setGradEnabled(const values::ValueList& positional, const torch_names::KeywordList& keywords) {
  Arguments arguments("set_grad_enabled", {"mode"}, positional, keywords, 1);
  if (!arguments.at(0).is<bool>()) {
    raiseError("TypeError", fmt::format("set_grad_enabled(): argument 'enabled' (position 1) must be bool, not {}",
                                        arguments.at(0).typeName()));
  }
  at::GradMode::set_enabled(arguments.at(0).as<bool>());
  return {};
}

// Seeds every default generator, as `torch.manual_seed` does.
values::Value manualSeed(const values::ValueList& positional, const torch_names::KeywordList& keywords) {
  Arguments arguments("manual_seed", {"seed"}, positional, keywords, 1);
  const values::Value& seed = arguments.at(0);
  if (!seed.isNumber() || seed.is<std::complex<double>>()) {
    raiseError("TypeError", fmt::format("`torch.manual_seed` takes a whole number, not {}.", seed.typeName()));
  }
  at::manual_seed(
      static_cast<uint64_t>(seed.is<double>() ? static_cast<int64_t>(seed.as<double>()) : arguments.integer(0, 0)));
  return {};
}

values::Value makeDevice(const values::ValueList& positional, const torch_names::KeywordList& keywords) {
  Arguments arguments("device", {"type", "index"}, positional, keywords, 1);
  const values::Value& type = arguments.at(0);
  if (type.is<at::Device>()) {
    return type;
  }
  if (!type.is<std::string>()) {
    raiseError("TypeError", fmt::format("device(): argument 'type' (position 1) must be str, not {}", type.typeName()));
  }
  at::Device device(type.as<std::string>());
  if (arguments.find(1)) {
    device = at::Device(device.type(), static_cast<c10::DeviceIndex>(arguments.integer(1, 0)));
  }
  return values::Value(values::Value::Payload(device));
}

using TorchFunction = values::Value (*)(const values::ValueList&, const torch_names::KeywordList&);

const std::unordered_map<std::string, TorchFunction>& torchFunctionsOfState() {
  static const std::unordered_map<std::string, TorchFunction> table = {
      {"set_grad_enabled", setGradEnabled},
      {"manual_seed", manualSeed},
      {"device", makeDevice},
      {"is_inference_mode_enabled",
       [](const values::ValueList&, const torch_names::KeywordList&) {
         return boolValue(c10::InferenceMode::is_enabled());
       }},
  };
  return table;
}

[[noreturn]] void raiseNotCallable(const values::Value& value) {
  raiseError("TypeError", fmt::format("'{}' object is not callable", value.typeName()));
}

} // namespace

Arguments::Arguments(std::string function, std::vector<const char*> names, const values::ValueList& positional,
                     const torch_names::KeywordList& keywords, size_t required)
    : function_(std::move(function)), names_(std::move(names)), values_(names_.size(), nullptr) {
  if (positional.size() > names_.size()) {
    raiseError("TypeError",
               fmt::format("{}() takes {} positional argument{} but {} {} given", function_, names_.size(),
                           names_.size() == 1 ? "" : "s", positional.size(), positional.size() == 1 ? "was" : "were"));
  }
  for (size_t i = 0; i < positional.size(); ++i) {
    values_[i] = &positional[i];
  }
  for (const auto& [name, value] : keywords) {
    auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) {
      raiseError("TypeError", fmt::format("{}() got an unexpected keyword argument '{}'", function_, name));
    }
    const values::Value*& slot = values_[found - names_.begin()];
    if (slot) {
      raiseError("TypeError", fmt::format("{}() got multiple values for argument '{}'", function_, name));
    }
    slot = &value;
  }
  for (size_t i = 0; i < required; ++i) {
    if (!values_[i]) {
      raiseError("TypeError", fmt::format("{}() missing 1 required positional argument: '{}'", function_, names_[i]));
    }
  }
}

bool Arguments::flag(size_t index, bool otherwise) const {
  const values::Value* value = values_[index];
  if (!value || value->isNone()) {
    return otherwise;
  }
  if (const auto* number = value->maybe<int64_t>()) {
    return *number != 0;
  }
  if (!value->is<bool>()) {
    raiseError("TypeError",
               fmt::format("{}(): argument '{}' must be bool, not {}", function_, names_[index], value->typeName()));
  }
  return value->as<bool>();
}

int64_t Arguments::integer(size_t index, int64_t otherwise) const {
  const values::Value* value = values_[index];
  if (!value || value->isNone()) {
    return otherwise;
  }
  if (const auto* truth = value->maybe<bool>()) {
    return *truth;
  }
  if (!value->is<int64_t>()) {
    raiseError("TypeError",
               fmt::format("{}(): argument '{}' must be int, not {}", function_, names_[index], value->typeName()));
  }
  return value->as<int64_t>();
}

double Arguments::number(size_t index, double otherwise) const {
  const values::Value* value = values_[index];
  if (value && value->is<double>()) {
    return value->as<double>();
  }
  return value && !value->isNone() ? static_cast<double>(integer(index, 0)) : otherwise;
}

void Evaluator::State::evaluateArguments(const language::Expr& call, Frame& frame, values::ValueList& positional,
                                         torch_names::KeywordList& keywords, Use use) {
  const size_t positionalCount = call.children.size() - 1 - call.keywords.size();
  positional.reserve(positionalCount + 1); // a method's own object comes before them
  for (size_t i = 1; i <= positionalCount; ++i) {
    const language::Expr& child = *call.children[i];
    if (child.kind == language::ExprKind::kStarred) {
      const values::Value several = evaluate(*child.children[0], frame, use == Use::kWhole ? use : Use::kOpened);
      readsItems(several);
      values::ValueList rest = iterate(several, "argument after * must be an iterable, not {}");
      std::move(rest.begin(), rest.end(), std::back_inserter(positional));
    } else {
      positional.push_back(evaluate(child, frame, use));
    }
  }
  keywords.reserve(call.keywords.size());
  for (size_t i = 0; i < call.keywords.size(); ++i) {
    keywords.emplace_back(call.keywords[i], evaluate(*call.children[1 + positionalCount + i], frame, use));
  }
}

values::Value Evaluator::State::evaluateCall(const language::Expr& call, Frame& frame) {
  const language::Expr& callee = *call.children[0];
  values::ValueList positional;
  torch_names::KeywordList keywords;
  if (callee.kind == language::ExprKind::kName) {
    if (const values::Value* value = findName(callee.text, frame)) {
      const values::Value called = *value;
      reads(called);
      evaluateArguments(call, frame, positional, keywords);
      return callValue(called, positional, keywords);
    }
    if (callee.text == "data"sv) {
      return callData(call, frame);
    }
    const language::Function* function = findFunction(callee.text);
    const bool isLength = !function && callee.text == "len"sv;
    evaluateArguments(call, frame, positional, keywords, function || isLength ? Use::kMoved : Use::kWhole);
    if (isLength && !positional.empty() && positional[0].isTensor()) {
      reads(positional[0]); // of containers the length is not among the items
    }
    if (function) {
      return callFunction(*function, std::move(positional), std::move(keywords));
    }
    if (isBuiltinFunction(callee.text)) {
      return callBuiltin(callee.text, positional, keywords);
    }
    raiseUnbound(callee.text, frame);
  }
  if (callee.kind == language::ExprKind::kAttribute) {
    const language::Expr& root = rootOf(callee);
    if (root.kind == language::ExprKind::kName && !findName(root.text, frame)) {
      if (const TorchPath path = torchPath(callee); path.length > 0) {
        evaluateArguments(call, frame, positional, keywords);
        return callTorch({path.names.data(), path.length}, positional, keywords);
      }
      if (callee.text == "apply"sv && callee.children[0].get() == &root && isCustomFunction(root.text)) {
        evaluateArguments(call, frame, positional, keywords);
        if (!options.onCallable) {
          return applyCustomFunction(root.text, positional, keywords, dispatch);
        }
        return callCallable(runtime::CallableCall::custom(
            root.text + ".apply", positional, keywords,
            [name = root.text](const values::ValueList& values, const torch_names::KeywordList& named) {
              return applyCustomFunction(name, values, named);
            }));
      }
    }
    const values::Value object = evaluate(*callee.children[0], frame, Use::kOpened);
    const bool isAppend = callee.text == "append"sv && object.is<values::ListPtr>();
    const bool isGet = callee.text == "get"sv && object.is<values::DictPtr>();
    const bool givesItems = (callee.text == "copy"sv && object.is<values::ListPtr>()) ||
                            ((callee.text == "values"sv || callee.text == "items"sv) && object.is<values::DictPtr>());
    if (object.isTensor()) {
      readsAttribute(object, callee.text);
    } else if (givesItems) {
      readsItems(object);
    } else if (!isAppend && !isGet) {
      reads(object);
    }
    if (object.isTensor() && isHookRegistration(callee.text)) {
      return registerHook(call, object.tensor(), frame);
    }
    evaluateArguments(call, frame, positional, keywords, isAppend ? Use::kMoved : Use::kWhole);
    if (isGet && !positional.empty()) {
      readsItem(object, positional[0]);
    }
    return callMethod(object, callee.text, positional, keywords);
  }
  const values::Value called = evaluate(callee, frame);
  evaluateArguments(call, frame, positional, keywords);
  return callValue(called, positional, keywords);
}

values::Value Evaluator::State::callValue(const values::Value& called, values::ValueList& positional,
                                          torch_names::KeywordList& keywords) {
  if (const auto* module = called.maybe<values::ModulePtr>()) {
    return callModule(**module, positional, keywords);
  }
  raiseNotCallable(called);
}

values::Value Evaluator::State::callData(const language::Expr& call, Frame& frame) {
  values::ValueList positional;
  torch_names::KeywordList keywords;
  const bool widened = std::exchange(inDouble, false); // the declared dtype decides which values there are
  try {
    evaluateArguments(call, frame, positional, keywords);
  } catch (...) {
    inDouble = widened;
    throw;
  }
  inDouble = widened;
  Arguments arguments("data", {"shape", "dtype", "seed", "kind"}, positional, keywords, 4);
  const values::ValueList* seed = arguments.at(2).items();
  if (!arguments.at(1).is<at::ScalarType>() || !seed || seed->size() != 2 || !arguments.at(3).is<std::string>()) {
    raiseError("TypeError", "`data` takes a shape, a dtype, a pair (seed, number) and the name of a kind.");
  }
  std::vector<int64_t> shape;
  for (const values::Value& size : iterate(arguments.at(0))) {
    shape.push_back(indexOf(size));
  }
  const at::ScalarType dtype = arguments.at(1).as<at::ScalarType>();
  at::Tensor made =
      values::data(shape, dtype, indexOf((*seed)[0]), indexOf((*seed)[1]), arguments.at(3).as<std::string>());
  if (options.onData) {
    made = options.onData(std::move(made));
  }
  if (precise(dtype) != dtype) {
    made = made.to(precise(dtype));
  }
  return made.device() == values::defaultDevice() ? made : made.to(values::defaultDevice());
}

values::Value Evaluator::State::callTorch(c10::ArrayRef<const std::string*> path, values::ValueList& positional,
                                          torch_names::KeywordList& keywords) {
  spendOnArguments(positional, keywords);
  const std::string& last = *path.back();
  if (path.size() == 1) {
    const auto& table = torchFunctionsOfState();
    if (auto found = table.find(last); found != table.end()) {
      if (last == "manual_seed"sv) {
        cannotCapture("the generator is seeded");
      }
      return found->second(positional, keywords);
    }
    if (last == "Size"sv) {
      Arguments arguments("Size", {"sizes"}, positional, keywords);
      std::vector<int64_t> sizes;
      for (const values::Value& size : arguments.find(0) ? iterate(arguments.at(0)) : values::ValueList()) {
        sizes.push_back(indexOf(size));
      }
      return values::Value::size(sizes);
    }
    return torch_names::callNamed(torch_names::NameSpace::kTorch, last, positional, keywords, dispatch);
  }
  const std::string& first = *path[0];
  if (path.size() == 2) {
    if (first == "nn"sv) {
      cannotCapture("a parameter or a module is made");
      return last == "Parameter"sv ? makeParameter(positional, keywords) : makeModule(last, positional, keywords);
    }
    if (first == "linalg"sv) {
      return torch_names::callNamed(torch_names::NameSpace::kLinalg, last, positional, keywords, dispatch);
    }
    if (first == "fft"sv) {
      return torch_names::callNamed(torch_names::NameSpace::kFft, last, positional, keywords, dispatch);
    }
    if (first == "special"sv) {
      return torch_names::callNamed(torch_names::NameSpace::kSpecial, last, positional, keywords, dispatch);
    }
    if (first == "autograd"sv && last == "grad"sv) {
      if (options.wholeGradients) {
        return autogradGrad(positional, keywords);
      }
      return callCallable(runtime::CallableCall::custom("autograd::grad", positional, keywords, gradientsOf));
    }
    if (first == "autograd"sv && last == "backward"sv) {
      cannotCapture("a backward runs");
      return autogradBackward(positional, keywords);
    }
    if (first == "_dynamo"sv && last == "graph_break"sv) {
      cannotCapture("torch._dynamo.graph_break()");
      return {};
    }
  }
  if (path.size() == 3 && first == "nn"sv && *path[1] == "functional"sv) {
    return torch_names::callNamed(torch_names::NameSpace::kFunctional, last, positional, keywords, dispatch);
  }
  if (path.size() >= 3 && first == "ops"sv && *path[1] == "aten"sv) {
    return torch_names::callNamed(torch_names::NameSpace::kAten, path.size() == 3 ? last : *path[2] + "." + last,
                                  positional, keywords, dispatch);
  }
  raiseError("AttributeError", fmt::format("module 'torch' has no attribute '{}' that a case may use", first));
}

values::Value Evaluator::State::callMethod(const values::Value& object, const std::string& name,
                                           values::ValueList& positional, torch_names::KeywordList& keywords) {
  if (object.isTensor()) {
    return callTensorMethod(object, name, positional, keywords);
  }
  if (const auto* module = object.maybe<values::ModulePtr>()) {
    return callModuleMethod(*module, name, positional, keywords);
  }
  if (const auto* handle = object.maybe<values::HandlePtr>(); handle && name == "remove") {
    return callCallable(
        {.name = "autograd::remove_hook", .arguments = {object}, .run = [](const values::ValueList& values) {
           values.at(0).as<values::HandlePtr>()->remove();
           return values::Value();
         }});
  }
  return callContainerMethod(object, name, positional, keywords);
}

values::Value Evaluator::State::callTensorMethod(const values::Value& object, const std::string& name,
                                                 values::ValueList& positional, torch_names::KeywordList& keywords) {
  const at::Tensor& tensor = object.tensor();
  spendOnArguments(positional, keywords);
  if (name == "tolist"sv) {
    spend(std::min(tensor.numel(), EvaluatorLimits::kElements + 1));
  }
  if (name == "backward"sv) {
    cannotCapture("a backward runs");
    return tensorBackward(tensor, positional, keywords);
  }
  if (name == "retain_grad"sv) {
    Arguments("retain_grad", {}, positional, keywords);
    refusePartialGradient(tensor);
    static const torch_names::AtenCall retainGrad("retain_grad");
    retainGrad(dispatch, {tensor});
    return {};
  }
  positional.insert(positional.begin(), object);
  if (inDouble) {
    static const std::unordered_map<std::string, std::string> wider = {
        {"float", "double"}, {"half", "double"}, {"bfloat16", "double"}, {"cfloat", "cdouble"}, {"chalf", "cdouble"}};
    if (auto found = wider.find(name); found != wider.end()) {
      return torch_names::callNamed(torch_names::NameSpace::kMethod, found->second, positional, keywords, dispatch);
    }
  }
  return torch_names::callNamed(torch_names::NameSpace::kMethod, name, positional, keywords, dispatch);
}

} // namespace touchstone::evaluator
