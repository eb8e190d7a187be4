#include "program/parser/LanguageNames.h"

#include "base/EditDistance.h"
#include "program/language/PythonConstructs.h"
#include "program/language/TorchConstants.h"
#include "program/parser/CaseLexer.h"
#include "program/parser/CaseParserNames.h"
#include "program/torch_names/DenyList.h"

#include <algorithm>

namespace touchstone::parser {
namespace {

const Names kModuleFields = {"bias", "num_batches_tracked", "running_mean", "running_var", "training", "weight"};

const Names kModuleHookMethods = {"register_forward_hook", "register_forward_pre_hook", "register_full_backward_hook",
                                  "register_full_backward_pre_hook"};

const Names kOtherMethods = {"backward", "register_hook", "register_post_accumulate_grad_hook", "retain_grad",
                             "remove", // of a hook's handle
                             // of lists and dicts
                             "append", "clear", "copy", "extend", "get", "insert", "items", "keys", "pop", "reverse",
                             "values"};

const Names kTorchCalls = {"torch._dynamo.graph_break",
                           "torch.autograd.backward",
                           "torch.autograd.grad",
                           "torch.device",
                           "torch.func.functional_call",
                           "torch.func.grad",
                           "torch.func.grad_and_value",
                           "torch.func.hessian",
                           "torch.func.jacfwd",
                           "torch.func.jacrev",
                           "torch.func.jvp",
                           "torch.func.vjp",
                           "torch.func.vmap",
                           "torch.is_grad_enabled",
                           "torch.is_inference_mode_enabled",
                           "torch.manual_seed",
                           "torch.Size",
                           "torch.utils.checkpoint.checkpoint",
                           "torch.vmap"};

// Of dimensions of inputs.
const Names kMarks = {"torch._dynamo.decorators.mark_unbacked", "torch._dynamo.mark_dynamic",
                      "torch._dynamo.mark_static", "torch._dynamo.maybe_mark_dynamic"};

// Builtins of Python that are no words of the language, and what a whole case file has besides its functions.
const Names kWithheld = {"COMPILE",
                         "CALLS",
                         "_main",
                         "breakpoint",
                         "classmethod",
                         "compile",
                         "data",
                         "delattr",
                         "dict",
                         "eval",
                         "exec",
                         "exit",
                         "getattr",
                         "globals",
                         "hasattr",
                         "help",
                         "input",
                         "locals",
                         "on_default_device",
                         "open",
                         "property",
                         "quit",
                         "setattr",
                         "staticmethod",
                         "sys",
                         "torch",
                         "vars"};

// Namespaces of operators that PyTorch has, those of parts that are loaded later included, and names that `torch.ops` has a use for.
const Names kOperatorSpaces = {"aten",
                               "c10",
                               "c10d",
                               "c10d_functional",
                               "caffe2",
                               "cuda",
                               "cudnn",
                               "debug_mode_ops",
                               "debugprims",
                               "export",
                               "flex_lib",
                               "fsdp",
                               "higher_order",
                               "import_module",
                               "inductor",
                               "inductor_prims",
                               "load_library",
                               "loaded_libraries",
                               "mkl",
                               "mkldnn",
                               "mkldnn_prepacked",
                               "mtia",
                               "nvprims",
                               "onednn",
                               "onnx",
                               "onnx_symbolic",
                               "prim",
                               "prims",
                               "profiler",
                               "quantization",
                               "quantized",
                               "quantized_decomposed",
                               "rngprims",
                               "sparse",
                               "static_runtime",
                               "streams",
                               "symm_mem",
                               "touchstone",
                               "tr_c10d",
                               "with_effects",
                               "xnnpack"};

} // namespace

bool isOperatorSpace(const std::string& name) {
  return kOperatorSpaces.contains(name) || name.starts_with("_") || name.starts_with("torch");
}

bool isOperatorPart(const std::string& name) {
  const auto isPart = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && !(name[0] >= '0' && name[0] <= '9') && !name.starts_with("__") &&
         std::all_of(name.begin(), name.end(), isPart) && !isKeyword(name);
}

const Names kBuiltins = {"abs", "bool", "complex", "float", "int",   "len", "list",
                         "max", "min",  "print",   "range", "round", "sum", "tuple"};

const Names kContextManagers = {"autocast", "enable_grad", "inference_mode", "no_grad", "set_grad_enabled"};

const Names kTorchConstants = language::torchConstants();

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

// None that Python calls to find a name, to make a class, or to take an object apart.
const Names kClassMethods = {"__add__",
                             "__bool__",
                             "__call__",
                             "__contains__",
                             "__enter__",
                             "__eq__",
                             "__exit__",
                             "__ge__",
                             "__getitem__",
                             "__gt__",
                             "__hash__",
                             "__iadd__",
                             "__init__",
                             "__iter__",
                             "__le__",
                             "__len__",
                             "__lt__",
                             "__matmul__",
                             "__mul__",
                             "__ne__",
                             "__neg__",
                             "__new__",
                             "__next__",
                             "__post_init__",
                             "__pow__",
                             "__radd__",
                             "__repr__",
                             "__rmul__",
                             "__rsub__",
                             "__setitem__",
                             "__str__",
                             "__sub__",
                             "__tensor_flatten__",
                             "__tensor_unflatten__",
                             "__torch_dispatch__",
                             "__torch_function__",
                             "__truediv__"};

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

bool isReservedMember(const std::string& name) {
  static const Names reserved = {
#include "program/parser/ReservedNames.inc"
  };
  const bool isListed =
      kTensorAttributes.contains(name) || isModuleField(name) || isMethod(name) || name == "forward" ||
      language::isPythonWord(language::WordUse::kMethod, name) ||
      language::isPythonWord(language::WordUse::kAttribute, name) ||
      torch_names::nameStatus(torch_names::NameSpace::kMethod, name) == torch_names::NameStatus::kKnown;
  const bool isOfFrames = name.starts_with("gi_") || name.starts_with("cr_") || name.starts_with("ag_") ||
                          name.starts_with("f_") || name.starts_with("tb_") || name.starts_with("co_");
  return name.starts_with("_") || isOfFrames || torch_names::denialReason(torch_names::NameSpace::kMethod, name) ||
         (reserved.contains(name) && !isListed);
}

bool isTaken(const std::string& name) {
  return name.starts_with("__") || kBuiltins.contains(name) || kWithheld.contains(name) ||
         language::isPythonWord(language::WordUse::kBuiltin, name) ||
         std::ranges::find(language::pythonModules(), name) != language::pythonModules().end();
}

bool isDtypeName(const std::string& name) {
  return language::dtypeNames().contains(name);
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
