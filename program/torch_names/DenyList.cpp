#include "program/torch_names/DenyList.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace touchstone::torch_names {
namespace {

enum class Match { kExact, kPrefix, kContains };

/// One rule; it holds in every name space, since Python gives most operators under several names.
struct Denial {
  Match match;
  std::string_view text;
  const char* reason;
};

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

constexpr Denial kDenials[] = {
    {Match::kExact, "load", kFiles},
    {Match::kExact, "save", kFiles},
    {Match::kExact, "from_file", kFiles},
    {Match::kExact, "read_vitals", kFiles},
    {Match::kExact, "hub", kFiles},
    {Match::kExact, "as_tensor_from_file", kFiles},
    {Match::kExact, "package", kFiles},
    {Match::kExact, "serialization", kFiles},

    {Match::kExact, "data_ptr", kMemory},
    {Match::kExact, "const_data_ptr", kMemory},
    {Match::kExact, "mutable_data_ptr", kMemory},
    {Match::kExact, "numpy", kMemory},
    {Match::kExact, "from_numpy", kMemory},
    {Match::kExact, "frombuffer", kMemory},
    {Match::kExact, "from_blob", kMemory},
    {Match::kExact, "from_dlpack", kMemory},
    {Match::kExact, "to_dlpack", kMemory},
    {Match::kExact, "asarray", kMemory},
    {Match::kExact, "storage", kMemory},
    {Match::kExact, "untyped_storage", kMemory},
    {Match::kExact, "storage_type", kMemory},
    {Match::kExact, "set_data", kMemory},
    {Match::kExact, "share_memory_", kMemory},
    {Match::kExact, "is_shared", kMemory},
    {Match::kExact, "pin_memory", kMemory},
    {Match::kExact, "is_pinned", kMemory},
    {Match::kExact, "module_load", kMemory},
    {Match::kExact, "as_subclass", kMemory},

    {Match::kPrefix, "set_num_", kGlobal},
    {Match::kPrefix, "set_default_", kGlobal},
    {Match::kPrefix, "set_deterministic", kGlobal},
    {Match::kPrefix, "set_float32_", kGlobal},
    {Match::kPrefix, "set_autocast_", kGlobal},
    {Match::kPrefix, "use_deterministic_", kGlobal},
    {Match::kExact, "set_flush_denormal", kGlobal},
    {Match::kExact, "set_printoptions", kGlobal},
    {Match::kExact, "set_warn_always", kGlobal},
    {Match::kExact, "set_vital", kGlobal},
    {Match::kExact, "set_anomaly_enabled", kGlobal},
    {Match::kExact, "set_anomaly", kGlobal},
    {Match::kExact, "set_multithreading_enabled", kGlobal},
    {Match::kExact, "init_num_threads", kGlobal},
    {Match::kExact, "clear_autocast_cache", kGlobal},
    {Match::kPrefix, "autocast_increment", kGlobal},
    {Match::kPrefix, "autocast_decrement", kGlobal},
    {Match::kExact, "backends", kGlobal},

    {Match::kExact, "manual_seed", kSeeds},
    {Match::kExact, "seed", kSeeds},
    {Match::kExact, "initial_seed", kSeeds},
    {Match::kExact, "get_rng_state", kSeeds},
    {Match::kExact, "set_rng_state", kSeeds},

    {Match::kExact, "apply_", kCode},
    {Match::kExact, "map_", kCode},
    {Match::kExact, "map2_", kCode},
    {Match::kExact, "compile", kCode},
    {Match::kExact, "jit", kCode},
    {Match::kExact, "library", kCode},
    {Match::kExact, "classes", kCode},
    {Match::kExact, "import_ir_module", kCode},
    {Match::kExact, "vmap", kCode},

    {Match::kExact, "distributed", kProcesses},
    {Match::kExact, "multiprocessing", kProcesses},
    {Match::kExact, "fork", kProcesses},
    {Match::kExact, "wait", kProcesses},
    {Match::kExact, "record_stream", kProcesses},

    {Match::kPrefix, "cudnn_", kVendor},
    {Match::kPrefix, "miopen_", kVendor},
    {Match::kPrefix, "mkldnn_", kVendor},
    {Match::kPrefix, "mps_", kVendor},
    {Match::kExact, "backward", kInternal},

    {Match::kPrefix, "to_sparse", kOpaque},
    {Match::kPrefix, "sparse_", kOpaque},
    {Match::kPrefix, "copy_sparse_", kOpaque},
    {Match::kPrefix, "to_mkldnn", kOpaque},
    {Match::kPrefix, "nested_", kOpaque},
    {Match::kPrefix, "quantize_per_", kOpaque},
    {Match::kPrefix, "quantized_", kOpaque},
    {Match::kPrefix, "q_per_", kOpaque},
    {Match::kPrefix, "q_scale", kOpaque},
    {Match::kPrefix, "q_zero_", kOpaque},
    {Match::kExact, "qscheme", kOpaque},

    {Match::kPrefix, "fbgemm_", kPacked},
    {Match::kExact, "segment_reduce", kTrusting},
    {Match::kContains, "_backward", kTrusting},
    {Match::kContains, "_overrideable", kInternal},
    {Match::kPrefix, "_", kInternal},
};

/// What a rule above would deny but may be used: gradient kernels that only compute element by element or from shapes,
/// and internal operators that graphs of compilers are full of.
constexpr std::string_view kAllowed[] = {
    // gradients
    "threshold_backward",
    "tanh_backward",
    "sigmoid_backward",
    "gelu_backward",
    "silu_backward",
    "elu_backward",
    "leaky_relu_backward",
    "hardtanh_backward",
    "hardsigmoid_backward",
    "hardswish_backward",
    "softplus_backward",
    "softshrink_backward",
    "hardshrink_backward",
    "log_sigmoid_backward",
    "logit_backward",
    "mish_backward",
    "glu_backward",
    "mse_loss_backward",
    "smooth_l1_loss_backward",
    "huber_loss_backward",
    "native_layer_norm_backward",
    "native_dropout_backward",
    "select_backward",
    "slice_backward",
    "unfold_backward",
    "value_selecting_reduction_backward",
    "_softmax_backward_data",
    "_log_softmax_backward_data",
    // graphs of compilers
    "_to_copy",
    "_unsafe_view",
    "_softmax",
    "_log_softmax",
    "_adaptive_avg_pool2d",
    "_adaptive_avg_pool3d",
    "_native_batch_norm_legit",
    "_native_batch_norm_legit_functional",
    "_local_scalar_dense",
    "_conj",
    "_conj_physical",
    "_neg_view",
    "_convolution",
    "_weight_norm",
    "_trilinear",
    "_unique2",
    "_stack",
    "_is_all_true",
    "_is_any_true",
    "_linalg_det",
    "_linalg_eigh",
    "_linalg_slogdet",
    "_linalg_solve_ex",
    "_linalg_svd",
    "_fft_c2c",
    "_fft_c2r",
    "_fft_r2c",
    "_prelu_kernel",
    "_addmm_activation",
    "_grouped_mm",
};
// Families of them.
constexpr std::string_view kAllowedPrefixes[] = {"_foreach_"};

bool matches(const Denial& denial, std::string_view name) {
  switch (denial.match) {
    case Match::kExact: return name == denial.text;
    case Match::kPrefix: return name.starts_with(denial.text);
    case Match::kContains: return name.find(denial.text) != std::string_view::npos;
  }
  return false;
}

const char* reasonAgainst(std::string_view name) {
  for (std::string_view allowed : kAllowed) {
    if (name == allowed) {
      return nullptr;
    }
  }
  for (std::string_view allowed : kAllowedPrefixes) {
    if (name.starts_with(allowed)) {
      return nullptr;
    }
  }
  for (const Denial& denial : kDenials) {
    if (matches(denial, name)) {
      return denial.reason;
    }
  }
  return nullptr;
}

/// Of a reason: it holds for Graphs, too, not for Programs alone.
bool holdsForGraphs(const char* reason) {
  constexpr std::array kReasons{kFiles, kMemory, kGlobal, kSeeds, kCode, kProcesses};
  return std::find(kReasons.begin(), kReasons.end(), reason) != kReasons.end();
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
  return reasonAgainst(base);
}

const char* operatorDenialReason(const std::string& qualifiedName) {
  constexpr std::string_view kAten = "aten::";
  if (!std::string_view(qualifiedName).starts_with(kAten)) {
    return "only operators of the ATen name space may be used";
  }
  return denialReason(NameSpace::kAten, qualifiedName.substr(kAten.size()));
}

const char* graphOperatorDenialReason(const std::string& qualifiedName) {
  constexpr std::string_view kAten = "aten::";
  std::string_view name(qualifiedName);
  if (!name.starts_with(kAten)) {
    return "only operators of the ATen name space may be used";
  }
  name = name.substr(kAten.size());
  name = name.substr(0, name.find('.'));
  for (const Denial& denial : kDenials) {
    if (holdsForGraphs(denial.reason) && matches(denial, name)) {
      return denial.reason;
    }
  }
  return nullptr;
}

} // namespace touchstone::torch_names
