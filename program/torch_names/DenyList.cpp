#include "program/torch_names/DenyList.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace touchstone::torch_names {
namespace {

/// Names with a reason against them. They hold in every name space, since Python gives most operators under several names;
/// `*` at an end stands for anything.
struct Denial {
  const char* reason;
  std::vector<std::string_view> patterns;
};

constexpr std::string_view kAten = "aten::";
constexpr const char* kOutsideOfAten = "only operators of the ATen name space may be used";

constexpr const char* kFiles = "it reads or writes files";
constexpr const char* kMemory = "it gives or takes raw memory";
constexpr const char* kGlobal = "it changes a switch of the whole process";
constexpr const char* kSeeds = "the generators are seeded by the call's `rng_seed`";
constexpr const char* kCode = "it runs or builds other code";
constexpr const char* kProcesses = "it reaches other processes, threads or streams";
constexpr const char* kVendor = "it is the entry to one vendor's library; the public operator calls it";
constexpr const char* kOpaque = "its results are not strided tensors, and only those are compared";
constexpr const char* kTrusting = "its kernel trusts indices or sizes that a case could forge";
constexpr const char* kInternal = "names that begin with `_` are internal to PyTorch";
constexpr const char* kPacked = "it hides objects in tensors, which a case could forge";

const Denial kDenials[] = {
    {kFiles, {"load", "save", "from_file", "read_vitals", "hub", "as_tensor_from_file", "package", "serialization"}},
    {kMemory, {"data_ptr",   "const_data_ptr",  "mutable_data_ptr", "numpy",       "from_numpy",
               "frombuffer", "from_blob",       "from_dlpack",      "to_dlpack",   "asarray",
               "storage",    "untyped_storage", "storage_type",     "set_data",    "share_memory_",
               "is_shared",  "pin_memory",      "is_pinned",        "module_load", "as_subclass"}},
    {kGlobal,
     {"set_num_*", "set_default_*", "set_deterministic*", "set_float32_*", "set_autocast_*", "use_deterministic_*",
      "set_flush_denormal", "set_printoptions", "set_warn_always", "set_vital", "set_anomaly_enabled", "set_anomaly",
      "set_multithreading_enabled", "init_num_threads", "clear_autocast_cache", "autocast_increment*",
      "autocast_decrement*", "backends"}},
    {kSeeds, {"manual_seed", "seed", "initial_seed", "get_rng_state", "set_rng_state"}},
    {kCode, {"apply_", "map_", "map2_", "compile", "jit", "library", "classes", "import_ir_module", "vmap"}},
    {kProcesses, {"distributed", "multiprocessing", "fork", "wait", "record_stream"}},
    {kVendor, {"cudnn_*", "miopen_*", "mkldnn_*", "mps_*"}},
    {kInternal, {"backward"}},
    {kOpaque,
     {"to_sparse*", "sparse_*", "copy_sparse_*", "to_mkldnn*", "nested_*", "quantize_per_*", "quantized_*", "q_per_*",
      "q_scale*", "q_zero_*", "qscheme"}},
    {kPacked, {"fbgemm_*"}},
    {kTrusting, {"segment_reduce", "*_backward*"}},
    {kInternal, {"*_overrideable*", "_*"}},
};

/// What a rule above would deny but may be used: gradient kernels that only compute element by element or from shapes,
/// and internal operators that graphs of compilers are full of.
constexpr std::string_view kAllowed[] = {
    // gradients
    "threshold_backward", "tanh_backward", "sigmoid_backward", "gelu_backward", "silu_backward", "elu_backward",
    "leaky_relu_backward", "hardtanh_backward", "hardsigmoid_backward", "hardswish_backward", "softplus_backward",
    "softshrink_backward", "hardshrink_backward", "log_sigmoid_backward", "logit_backward", "mish_backward",
    "glu_backward", "mse_loss_backward", "smooth_l1_loss_backward", "huber_loss_backward", "native_layer_norm_backward",
    "native_dropout_backward", "select_backward", "slice_backward", "unfold_backward",
    "value_selecting_reduction_backward", "_softmax_backward_data", "_log_softmax_backward_data",
    // graphs of compilers
    "_to_copy", "_unsafe_view", "_softmax", "_log_softmax", "_adaptive_avg_pool2d", "_adaptive_avg_pool3d",
    "_native_batch_norm_legit", "_native_batch_norm_legit_functional", "_local_scalar_dense", "_conj", "_conj_physical",
    "_neg_view", "_convolution", "_weight_norm", "_trilinear", "_unique2", "_stack", "_is_all_true", "_is_any_true",
    "_linalg_det", "_linalg_eigh", "_linalg_slogdet", "_linalg_solve_ex", "_linalg_svd", "_fft_c2c", "_fft_c2r",
    "_fft_r2c", "_prelu_kernel", "_addmm_activation", "_grouped_mm", "_foreach_*",
    // effects
    "_assert_async", "_print"};

// Whether the name is the pattern, in which `*` at an end stands for anything.
bool matches(std::string_view name, std::string_view pattern) {
  const bool openEnd = pattern.ends_with('*');
  const bool openStart = pattern.starts_with('*');
  const std::string_view text = pattern.substr(openStart, pattern.size() - openStart - openEnd);
  return openStart ? name.find(text) != std::string_view::npos : openEnd ? name.starts_with(text) : name == text;
}

template <class Patterns>
bool matchesAny(std::string_view name, const Patterns& patterns) {
  return std::any_of(std::begin(patterns), std::end(patterns),
                     [&](std::string_view pattern) { return matches(name, pattern); });
}

/// Of a reason: it holds for Graphs, too, not for Programs alone.
bool holdsForGraphs(const char* reason) {
  constexpr std::array kReasons{kFiles, kMemory, kGlobal, kSeeds, kCode, kProcesses};
  return std::find(kReasons.begin(), kReasons.end(), reason) != kReasons.end();
}

const char* reasonAgainst(std::string_view name, bool ofGraphs) {
  if (!ofGraphs && matchesAny(name, kAllowed)) {
    return nullptr;
  }
  for (const Denial& denial : kDenials) {
    if ((!ofGraphs || holdsForGraphs(denial.reason)) && matchesAny(name, denial.patterns)) {
      return denial.reason;
    }
  }
  return nullptr;
}

} // namespace

const char* denialReason(NameSpace space, const std::string& name) {
  std::string_view base(name);
  if (space == NameSpace::kAten) {
    base = base.substr(0, base.find('.'));
  }
  if (base.starts_with("linalg_") || base.starts_with("special_") || base.starts_with("fft_")) {
    base = base.substr(base.find('_') + 1);
  }
  return reasonAgainst(base, /*ofGraphs=*/false);
}

const char* operatorDenialReason(const std::string& qualifiedName) {
  return qualifiedName.starts_with(kAten) ? denialReason(NameSpace::kAten, qualifiedName.substr(kAten.size()))
                                          : kOutsideOfAten;
}

const char* graphOperatorDenialReason(const std::string& qualifiedName) {
  constexpr std::string_view kWithEffects = "with_effects::"; // see backends/fake/EffectfulOperators.h
  if (qualifiedName == "touchstone::make_token" || qualifiedName == "touchstone::sink_tokens") {
    return nullptr;
  }
  std::string effect;
  if (qualifiedName.starts_with(kWithEffects)) { // held to what the operator is that it calls
    effect = qualifiedName.substr(kWithEffects.size());
    if (const size_t between = effect.find("__"); between != std::string::npos) {
      effect.replace(between, 2, "::");
    }
  }
  std::string_view name(effect.empty() ? qualifiedName : effect);
  if (!name.starts_with(kAten)) {
    return kOutsideOfAten;
  }
  name = name.substr(kAten.size());
  return reasonAgainst(name.substr(0, name.find('.')), /*ofGraphs=*/true);
}

} // namespace touchstone::torch_names
