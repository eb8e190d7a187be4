#include "program/evaluator/Calls.h"

#include "program/evaluator/Contexts.h"
#include "program/evaluator/Hooks.h"
#include "program/semantics/Slices.h"

#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <unordered_map>

namespace touchstone::evaluator {

using namespace semantics;

using namespace std::string_view_literals; // their sizes are compared first

namespace {

values::Value setGradEnabled(const values::ValueList& positional, const torch_names::KeywordList& keywords) {
  at::GradMode::set_enabled(wantedGradMode("set_grad_enabled", positional, keywords));
  return {};
}

// Seeds every default generator, as `torch.manual_seed` does.
values::Value manualSeed(const values::ValueList& positional, const torch_names::KeywordList& keywords) {
  Arguments arguments("manual_seed", {"seed"}, positional, keywords, 1);
  const values::Value& seed = arguments.at(0);
  if (!seed.isNumber() || seed.is<std::complex<double>>()) {
    values::raiseError("TypeError", "`torch.manual_seed` takes a whole number, not {}.", seed.typeName());
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
    values::raiseError("TypeError", "device(): argument 'type' (position 1) must be str, not {}", type.typeName());
  }
  at::Device device(type.as<std::string>());
  if (arguments.find(1)) {
    device = at::Device(device.type(), static_cast<c10::DeviceIndex>(arguments.integer(1, 0)));
  }
  return values::Value(device);
}

// `mark_dynamic(x, 0, min=2, max=64)`: its values and sizes stay as they are.
void markDimension(const std::string& function, const values::ValueList& positional,
                   const torch_names::KeywordList& keywords, const Watchers& watchers) {
  Arguments arguments(function, {"t", "index", "min", "max"}, positional, keywords, 2);
  if (!arguments.at(0).isTensor()) {
    values::raiseError("TypeError", "`{}` marks a dimension of a tensor, not of {}.", function,
                       arguments.at(0).typeName());
  }
  values::DimensionMark mark{.function = function, .dimension = arguments.integer(1, 0)};
  if (arguments.find(2)) {
    mark.minimum = arguments.integer(2, 0);
  }
  if (arguments.find(3)) {
    mark.maximum = arguments.integer(3, 0);
  }
  watchers.marks(arguments.at(0).tensor(), mark);
}

using TorchFunction = values::Value (*)(const values::ValueList&, const torch_names::KeywordList&);

const std::unordered_map<std::string, TorchFunction>& torchFunctionsOfState() {
  static const std::unordered_map<std::string, TorchFunction> table = {
      {"set_grad_enabled", setGradEnabled},
      {"manual_seed", manualSeed},
      {"device", makeDevice},
      {"is_grad_enabled",
       [](const values::ValueList&, const torch_names::KeywordList&) { return boolValue(at::GradMode::is_enabled()); }},
      {"is_inference_mode_enabled",
       [](const values::ValueList&, const torch_names::KeywordList&) {
         return boolValue(c10::InferenceMode::is_enabled());
       }},
  };
  return table;
}

} // namespace

values::Value Calls::torch(c10::ArrayRef<const std::string*> path, const values::ValueList& positional,
                           const torch_names::KeywordList& keywords) {
  limits_.spendOnArguments(positional, keywords);
  const std::string& first = *path.front();
  const std::string& last = *path.back();
  if (path.size() == 1) {
    const auto& table = torchFunctionsOfState();
    if (auto found = table.find(last); found != table.end()) {
      if (last == "manual_seed"sv) {
        watchers_.cannotCapture("the generator is seeded");
      }
      return found->second(positional, keywords);
    }
    if (last == "vmap"sv) {
      return transforms_.call(last, positional, keywords);
    }
    if (last == "Size"sv) {
      Arguments arguments("Size", {"sizes"}, positional, keywords);
      std::vector<int64_t> sizes;
      for (const values::Value& size :
           arguments.find(0) ? builtins_.containers.iterate(arguments.at(0)) : values::ValueList()) {
        sizes.push_back(indexOf(size, dispatch_));
      }
      return values::Value::size(sizes);
    }
    return torch_names::callNamed(torch_names::NameSpace::kTorch, last, positional, keywords, dispatch_);
  }
  if (path.size() == 2) {
    if (first == "nn"sv) {
      watchers_.cannotCapture("a parameter or a module is made");
      return last == "Parameter"sv ? modules_.parameters.make(positional, keywords)
                                   : modules_.make(last, positional, keywords);
    }
    if (first == "func"sv) {
      return transforms_.call(last, positional, keywords);
    }
    if (first == "autograd"sv && last == "grad"sv) {
      return gradients_.isWhole()
                 ? gradients_.grad(positional, keywords)
                 : watchers_.call(runtime::CallableCall::custom("autograd::grad", positional, keywords, gradientsOf));
    }
    if (first == "autograd"sv && last == "backward"sv) {
      watchers_.cannotCapture("a backward runs");
      return gradients_.backward(positional, keywords);
    }
    if (first == "_dynamo"sv && last == "graph_break"sv) {
      watchers_.cannotCapture("torch._dynamo.graph_break()");
      return {};
    }
  }
  if (first == "_dynamo"sv && last.find("mark_"sv) != std::string::npos) {
    markDimension(path.size() == 2 ? last : *path[1] + "." + last, positional, keywords, watchers_);
    return {};
  }
  if (const auto name = torch_names::operatorName(path)) {
    return torch_names::callNamed(name->space, name->name, positional, keywords, dispatch_);
  }
  values::raiseError("AttributeError", "module 'torch' has no attribute '{}' that a case may use", first);
}

values::Value Calls::method(const values::Value& object, const std::string& name, values::ValueList& positional,
                            const torch_names::KeywordList& keywords) {
  if (object.isTensor()) {
    return tensorMethod(object, name, positional, keywords);
  }
  if (const auto* module = object.maybe<values::ModulePtr>()) {
    return modules_.callMethod(*module, name, positional, keywords);
  }
  if (object.is<values::HandlePtr>() && name == "remove") {
    return watchers_.call(
        {.name = "autograd::remove_hook", .arguments = {object}, .run = [](const values::ValueList& values) {
           values.at(0).as<values::HandlePtr>()->remove();
           return values::Value();
         }});
  }
  return builtins_.callMethod(object, name, positional, keywords);
}

values::Value Calls::tensorMethod(const values::Value& object, const std::string& name, values::ValueList& positional,
                                  const torch_names::KeywordList& keywords) {
  const at::Tensor& tensor = object.tensor();
  limits_.spendOnArguments(positional, keywords);
  if (name == "tolist"sv) {
    limits_.spend(std::min(tensor.numel(), Limits::kElements + 1));
  }
  if (name == "backward"sv) {
    watchers_.cannotCapture("a backward runs");
    return gradients_.tensorBackward(tensor, positional, keywords);
  }
  if (name == "retain_grad"sv) {
    refusePartialGradient(tensor);
  }
  positional.insert(positional.begin(), object);
  const auto call = [&](const std::string& method) {
    return torch_names::callNamed(torch_names::NameSpace::kMethod, method, positional, keywords, dispatch_);
  };
  if (precision_.inDouble) {
    static const std::unordered_map<std::string, std::string> wider = {
        {"float", "double"}, {"half", "double"}, {"bfloat16", "double"}, {"cfloat", "cdouble"}, {"chalf", "cdouble"}};
    if (auto found = wider.find(name); found != wider.end()) {
      return call(found->second);
    }
  }
  return call(name);
}

} // namespace touchstone::evaluator
