#include "program/parser/LanguageNames.h"

#include "base/EditDistance.h"
#include "program/parser/CaseParserNames.h"
#include "program/torch_names/DenyList.h"

#include <algorithm>

namespace touchstone::parser {
namespace {

const Names kDtypes = {"bfloat16", "bool",  "complex128", "complex32", "complex64", "float16", "float32", "float64",
                       "int16",    "int32", "int64",      "int8",      "uint16",    "uint32",  "uint64",  "uint8"};

const Names kModuleFields = {"bias", "num_batches_tracked", "running_mean", "running_var", "training", "weight"};

const Names kModuleHookMethods = {"register_forward_hook", "register_forward_pre_hook", "register_full_backward_hook",
                                  "register_full_backward_pre_hook"};

const Names kOtherMethods = {"backward", "register_hook", "register_post_accumulate_grad_hook", "retain_grad",
                             "remove", // of a hook's handle
                             // of lists and dicts
                             "append", "clear", "copy", "extend", "get", "insert", "items", "keys", "pop", "reverse",
                             "values"};

const Names kTorchCalls = {
    "torch._dynamo.graph_break", "torch.autograd.backward",         "torch.autograd.grad", "torch.device",
    "torch.is_grad_enabled",     "torch.is_inference_mode_enabled", "torch.manual_seed",   "torch.Size"};

// Of dimensions of inputs.
const Names kMarks = {"torch._dynamo.decorators.mark_unbacked", "torch._dynamo.mark_dynamic",
                      "torch._dynamo.mark_static", "torch._dynamo.maybe_mark_dynamic"};

} // namespace

const Names kBuiltins = {"abs", "bool", "complex", "float", "int",   "len", "list",
                         "max", "min",  "print",   "range", "round", "sum", "tuple"};

const Names kContextManagers = {"autocast", "enable_grad", "inference_mode", "no_grad", "set_grad_enabled"};

const Names kTorchConstants = [] {
  Names names = {"double",
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
  names.insert(kDtypes.begin(), kDtypes.end());
  return names;
}();

const Names kTensorAttributes = {"H", "T", "device", "dtype", "grad", "imag", "is_cpu", "is_cuda", "is_leaf",
                                 "is_sparse", "itemsize", "layout", "mH", "mT", "nbytes", "ndim", "real",
                                 "requires_grad", "retains_grad", "shape",
                                 // of dtypes
                                 "is_complex", "is_floating_point"};

const Names kModuleMethods = {"eval",           "forward", "parameters", "register_buffer", "register_parameter",
                              "requires_grad_", "train",   "zero_grad"};

const Names kModuleConstructors = {"AvgPool2d", "BatchNorm1d",    "BatchNorm2d", "BatchNorm3d", "Conv1d",  "Conv2d",
                                   "Conv3d",    "Dropout",        "Embedding",   "GELU",        "GRU",     "GroupNorm",
                                   "Identity",  "InstanceNorm2d", "LSTM",        "LayerNorm",   "Linear",  "MaxPool2d",
                                   "Module",    "Parameter",      "RNN",         "ReLU",        "Sigmoid", "Tanh"};

const Names kContextMethods = {"mark_dirty", "mark_non_differentiable", "save_for_backward", "set_materialize_grads"};

const Names kContextAttributes = {"apply",
                                  "apply_boxed",
                                  "apply_jvp",
                                  "clear_saved_tensors_on_access",
                                  "dirty_tensors",
                                  "mark_dirty",
                                  "mark_shared_storage",
                                  "mark_non_differentiable",
                                  "metadata",
                                  "materialize_grads",
                                  "materialize_non_diff_grads",
                                  "maybe_clear_saved_tensors",
                                  "name",
                                  "needs_input_grad",
                                  "next_functions",
                                  "non_differentiable",
                                  "pure_view",
                                  "register_hook",
                                  "register_prehook",
                                  "requires_grad",
                                  "save_for_backward",
                                  "save_for_forward",
                                  "saved_for_forward",
                                  "saved_tensors",
                                  "saved_variables",
                                  "set_materialize_grads",
                                  "to_save"};

bool isDtypeName(const std::string& name) {
  return kDtypes.contains(name);
}

bool isModuleField(const std::string& name) {
  // of recurrent modules: `weight_ih_l0`, `bias_hh_l1_reverse`
  const bool recurrent = name.starts_with("weight_ih_l") || name.starts_with("weight_hh_l") ||
                         name.starts_with("bias_ih_l") || name.starts_with("bias_hh_l");
  return recurrent || kModuleFields.contains(name);
}

bool isMethod(const std::string& name) {
  return kOtherMethods.contains(name) || kModuleHookMethods.contains(name) ||
         (kModuleMethods.contains(name) && name != "forward");
}

bool takesHookOfModule(const std::string& method) {
  return kModuleHookMethods.contains(method);
}

bool isMark(const std::string& path) {
  return kMarks.contains(path);
}

bool isTorchCall(const std::string& path) {
  constexpr std::string_view kModules = "torch.nn.";
  return kTorchCalls.contains(path) ||
         (path.starts_with(kModules) && kModuleConstructors.contains(path.substr(kModules.size())));
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

std::vector<std::string> nearestNames(const std::string& name, const std::set<std::string>& valid) {
  return base::namesNear(name, {valid.begin(), valid.end()}, std::max(1, static_cast<int>(name.size()) / 3), 3);
}

} // namespace touchstone::parser
