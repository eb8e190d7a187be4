#include "program/parser/LanguageNames.h"

#include "base/EditDistance.h"
#include "program/parser/CaseParserNames.h"
#include "program/torch_names/DenyList.h"

#include <algorithm>
#include <set>

namespace touchstone::parser {
namespace {

using Names = std::set<std::string>;

const Names kBuiltins = {"abs", "bool", "complex", "float", "int",   "len", "list",
                         "max", "min",  "print",   "range", "round", "sum", "tuple"};

const Names kContextManagers = {"autocast", "enable_grad", "inference_mode", "no_grad", "set_grad_enabled"};

const Names kDtypes = {"bfloat16", "bool",  "complex128", "complex32", "complex64", "float16", "float32", "float64",
                       "int16",    "int32", "int64",      "int8",      "uint16",    "uint32",  "uint64",  "uint8"};

const Names kOtherConstants = {"double",
                               "float",
                               "half",
                               "int",
                               "long",
                               "short",
                               "cdouble",
                               "cfloat",
                               "chalf",
                               "channels_last",
                               "contiguous_format",
                               "channels_last_3d",
                               "newaxis",
                               "preserve_format",
                               "strided",
                               "e",
                               "inf",
                               "nan",
                               "pi"};

const Names kTensorAttributes = {"H", "T", "device", "dtype", "grad", "imag", "is_cpu", "is_cuda", "is_leaf",
                                 "is_sparse", "itemsize", "layout", "mH", "mT", "nbytes", "ndim", "real",
                                 "requires_grad", "retains_grad", "shape",
                                 // of dtypes
                                 "is_complex", "is_floating_point"};

const Names kModuleFields = {"bias", "num_batches_tracked", "running_mean", "running_var", "training", "weight"};

const Names kModuleMethods = {"eval",           "forward", "parameters", "register_buffer", "register_parameter",
                              "requires_grad_", "train",   "zero_grad"};

const Names kConstructors = {"AvgPool2d", "BatchNorm1d",    "BatchNorm2d", "BatchNorm3d", "Conv1d",  "Conv2d",
                             "Conv3d",    "Dropout",        "Embedding",   "GELU",        "GRU",     "GroupNorm",
                             "Identity",  "InstanceNorm2d", "LSTM",        "LayerNorm",   "Linear",  "MaxPool2d",
                             "Module",    "Parameter",      "RNN",         "ReLU",        "Sigmoid", "Tanh"};

const Names kOtherMethods = {"backward", "register_hook", "register_post_accumulate_grad_hook", "retain_grad",
                             "remove", // of a hook's handle
                             // of lists and dicts
                             "append", "clear", "copy", "extend", "get", "insert", "items", "keys", "pop", "reverse",
                             "values"};

const Names kTorchCalls = {
    "torch._dynamo.graph_break", "torch.autograd.backward",         "torch.autograd.grad", "torch.device",
    "torch.is_grad_enabled",     "torch.is_inference_mode_enabled", "torch.manual_seed",   "torch.Size"};

} // namespace

bool isBuiltin(const std::string& name) {
  return kBuiltins.contains(name);
}
bool isContextManager(const std::string& name) {
  return kContextManagers.contains(name);
}
bool isDtypeName(const std::string& name) {
  return kDtypes.contains(name);
}
bool isTorchConstant(const std::string& name) {
  return kDtypes.contains(name) || kOtherConstants.contains(name);
}

std::vector<std::string> torchConstants() {
  std::vector<std::string> names(kDtypes.begin(), kDtypes.end());
  names.insert(names.end(), kOtherConstants.begin(), kOtherConstants.end());
  return names;
}

bool isTensorAttribute(const std::string& name) {
  return kTensorAttributes.contains(name);
}
std::vector<std::string> tensorAttributes() {
  return {kTensorAttributes.begin(), kTensorAttributes.end()};
}

bool isModuleField(const std::string& name) {
  // of recurrent modules: `weight_ih_l0`, `bias_hh_l1_reverse`
  const bool recurrent = name.starts_with("weight_ih_l") || name.starts_with("weight_hh_l") ||
                         name.starts_with("bias_ih_l") || name.starts_with("bias_hh_l");
  return recurrent || kModuleFields.contains(name);
}

bool isModuleMethod(const std::string& name) {
  return kModuleMethods.contains(name);
}

std::vector<std::string> moduleConstructors() {
  return {kConstructors.begin(), kConstructors.end()};
}

bool isMethod(const std::string& name) {
  return kOtherMethods.contains(name) || (kModuleMethods.contains(name) && name != "forward");
}

bool takesHook(const std::string& method) {
  return method == "register_hook" || method == "register_post_accumulate_grad_hook";
}

bool isTorchCall(const std::string& path) {
  constexpr std::string_view kModules = "torch.nn.";
  return kTorchCalls.contains(path) ||
         (path.starts_with(kModules) && kConstructors.contains(path.substr(kModules.size())));
}

std::string denialText(torch_names::NameSpace space, const std::string& name) {
  const char* reason = torch_names::denialReason(space, name);
  return reason ? std::string(": ") + reason : std::string();
}

std::string suggestion(const std::vector<std::string>& near) {
  std::string text;
  for (const std::string& name : near) {
    text += (text.empty() ? ", perhaps `" : "`, `") + name;
  }
  return text.empty() ? text : text + "`";
}

std::vector<std::string> nearestNames(const std::string& name, const std::vector<std::string>& valid) {
  std::vector<std::pair<int, std::string>> near;
  for (const std::string& candidate : valid) {
    if (name.size() > 100) {
      break;
    }
    const int steps = base::editDistance(name, candidate);
    if (steps <= std::max<int>(1, static_cast<int>(name.size()) / 3)) {
      near.emplace_back(steps, candidate);
    }
  }
  std::sort(near.begin(), near.end());
  std::vector<std::string> names;
  for (size_t index = 0; index < std::min<size_t>(3, near.size()); ++index) {
    names.push_back(near[index].second);
  }
  return names;
}

} // namespace touchstone::parser
