#include "program/language/CompileFlags.h"

#include "program/language/CasePrinter.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <optional>

namespace touchstone::language {

namespace {

constexpr std::string_view kMemoryBudgetFlag = "functorch.activation_memory_budget";
constexpr std::string_view kMemoryBudgetOption = "activation_memory_budget";
/// Options that native backends alone have.
constexpr std::array<std::string_view, 5> kNativeOptions = {"debug_interpreter", "fake_tensor_crossref", "fuser",
                                                            "keep_inference_input_mutations", "unlift_effect_tokens"};

using Kind = CompileFlag::Kind;

template <size_t kCount>
constexpr std::array<std::string_view, kCount> listed(std::initializer_list<std::string_view> texts) {
  std::array<std::string_view, kCount> all{};
  std::copy(texts.begin(), texts.end(), all.begin());
  return all;
}

constexpr CompileFlag toggle(std::string_view name, std::string_view drawn = "") {
  return {.name = name, .drawn = {drawn}};
}
constexpr CompileFlag count(std::string_view name, double least, double most,
                            std::initializer_list<std::string_view> drawn, bool mayBeNone = false) {
  return {name, Kind::kInteger, least, most, mayBeNone, {}, listed<2>(drawn)};
}
constexpr CompileFlag number(std::string_view name, double least, double most,
                             std::initializer_list<std::string_view> drawn) {
  return {name, Kind::kNumber, least, most, false, {}, listed<2>(drawn)};
}
constexpr CompileFlag choice(std::string_view name, std::initializer_list<std::string_view> choices,
                             std::initializer_list<std::string_view> drawn) {
  return {name, Kind::kChoice, 0, 0, false, listed<4>(choices), listed<2>(drawn)};
}

constexpr std::array kFlags = {
    toggle("dynamo.allow_empty_graphs", "True"),
    toggle("dynamo.allow_ignore_mark_dynamic"),
    toggle("dynamo.allow_rnn"),
    toggle("dynamo.allow_unspec_int_on_nn_module", "True"),
    toggle("dynamo.assume_static_by_default", "False"),
    toggle("dynamo.automatic_dynamic_exclusion_guard", "True"),
    toggle("dynamo.automatic_dynamic_shapes", "False"),
    choice("dynamo.automatic_dynamic_shapes_mark_as", {"dynamic", "unbacked"}, {}),
    toggle("dynamo.capture_dynamic_output_shape_ops", "True"),
    toggle("dynamo.capture_scalar_outputs", "True"),
    toggle("dynamo.do_not_emit_runtime_asserts"),
    toggle("dynamo.enable_dynamo_decompositions", "False"),
    toggle("dynamo.fake_tensor_cache_enabled", "False"),
    toggle("dynamo.fake_tensor_disable_inference_mode"),
    toggle("dynamo.force_nn_module_property_static_shapes", "False"),
    toggle("dynamo.force_parameter_static_shapes", "False"),
    toggle("dynamo.graph_break_on_nn_param_ctor", "False"),
    toggle("dynamo.guard_nn_modules"),
    toggle("dynamo.guard_nn_modules_using_dict_tags", "False"),
    toggle("dynamo.inline_inbuilt_nn_modules"),
    toggle("dynamo.install_free_tensors"),
    toggle("dynamo.nested_graph_breaks", "True"),
    toggle("dynamo.prefer_deferred_runtime_asserts_over_guards"),
    toggle("dynamo.prepare_freezing"),
    count("dynamo.recompile_limit", 1, 4096, {}),
    toggle("dynamo.skip_nnmodule_hook_guards"),
    toggle("dynamo.skip_no_tensor_aliasing_guards_on_parameters", "False"),
    toggle("dynamo.skip_tensor_guards_with_matching_dict_tags", "False"),
    toggle("dynamo.specialize_float", "True"),
    toggle("dynamo.specialize_int", "True"),
    toggle("dynamo.trace_autograd_ops", "True"),
    toggle("dynamo.use_graph_deduplication", "True"),
    toggle("dynamo.use_lamba_guard_for_object_aliasing", "False"),
    toggle("dynamo.use_recursive_dict_tags_for_guards", "True"),
    toggle("dynamo.wrap_top_frame"),
    number("functorch.activation_memory_budget", 0, 1, {"0", "0.5"}),
    choice("functorch.activation_memory_budget_runtime_estimator", {"flops", "testing"}, {}),
    choice("functorch.activation_memory_budget_solver", {"dp", "greedy", "dp_knapsack_sliding_hirschberg"}, {}),
    toggle("functorch.aggressive_recomputation", "True"),
    choice("functorch.backward_pass_autocast", {"same_as_forward", "off"}, {"\"off\""}),
    toggle("functorch.ban_recompute_long_fusible_chains", "False"),
    toggle("functorch.ban_recompute_materialized_backward", "False"),
    toggle("functorch.ban_recompute_not_in_allowlist", "False"),
    toggle("functorch.ban_recompute_reductions", "False"),
    toggle("functorch.ban_recompute_used_far_apart", "False"),
    toggle("functorch.cse", "False"),
    toggle("functorch.donated_buffer", "True"),
    toggle("functorch.enable_complex_wrapper"),
    toggle("functorch.force_non_lazy_backward_lowering", "True"),
    toggle("functorch.functionalize_rng_ops"),
    toggle("functorch.graphsafe_rng_functionalization"),
    toggle("functorch.guess_tangent_strides_as_outputs", "False"),
    count("functorch.max_dist_from_bw", 0, 100000, {"1"}),
    toggle("functorch.recompute_views", "True"),
    choice("functorch.saved_tensors_hooks_filtering_mode", {"donated", "no_static", "all"}, {}),
    toggle("functorch.static_weight_shapes", "False"),
    toggle("functorch.treat_parameters_as_free_to_save", "False"),
    toggle("functorch.unlift_effect_tokens"),
    toggle("functorch.view_replay_for_aliased_outputs", "False"),
    toggle("inductor.aggressive_fusion", "True"),
    toggle("inductor.align_random_eager"),
    toggle("inductor.allow_buffer_reuse", "False"),
    toggle("inductor.always_keep_tensor_constants", "True"),
    toggle("inductor.b2b_gemm_pass"),
    toggle("inductor.batch_fusion", "False"),
    toggle("inductor.batch_invariant"),
    toggle("inductor.bw_outputs_user_visible"),
    toggle("inductor.combo_kernels"),
    toggle("inductor.comprehensive_padding", "False"),
    toggle("inductor.compute_all_bounds", "True"),
    toggle("inductor.constant_and_index_propagation", "False"),
    toggle("inductor.conv_1x1_as_mm", "True"),
    toggle("inductor.coordinate_descent_check_all_directions"),
    count("inductor.coordinate_descent_search_radius", 1, 8, {}),
    toggle("inductor.coordinate_descent_tuning"),
    toggle("inductor.cpp.dynamic_threads", "True"),
    toggle("inductor.cpp.enable_concat_linear"),
    toggle("inductor.cpp.enable_grouped_gemm_template"),
    toggle("inductor.cpp.enable_loop_tail_vec", "False"),
    toggle("inductor.cpp.enable_tiling_heuristics", "False"),
    toggle("inductor.cpp.fallback_scatter_reduce_sum", "False"),
    toggle("inductor.cpp.force_inline_kernel"),
    count("inductor.cpp.max_horizontal_fusion_size", 1, 1024, {"1"}),
    count("inductor.cpp.min_chunk_size", 1, 1048576, {}),
    toggle("inductor.cpp.no_redundant_loops", "False"),
    count("inductor.cpp.simdlen", 1, 512, {"1"}, true),
    count("inductor.cpp.threads", -1, 64, {}),
    toggle("inductor.cpp.use_constexpr_for_int_array", "False"),
    toggle("inductor.cpp.use_decompose_tanh"),
    count("inductor.cpp.use_two_step_variance_threshold", 0, 1048576, {"1"}),
    toggle("inductor.cpp.weight_prepack"),
    toggle("inductor.cpp_wrapper"),
    toggle("inductor.dce", "True"),
    toggle("inductor.decompose_mem_bound_mm", "True"),
    toggle("inductor.delay_realize_cheap_outputs", "False"),
    toggle("inductor.deterministic"),
    toggle("inductor.disable_padding_cpu", "False"),
    toggle("inductor.efficient_conv_bn_eval_fx_passes", "True"),
    toggle("inductor.emulate_precision_casts", "True"),
    toggle("inductor.emulate_precision_casts_on_saved_tensors", "False"),
    toggle("inductor.enable_linear_binary_folding", "True"),
    toggle("inductor.epilogue_fusion", "False"),
    toggle("inductor.epilogue_fusion_first", "True"),
    toggle("inductor.expand_dimension_for_pointwise_nodes", "True"),
    toggle("inductor.fallback_by_default", "True"),
    toggle("inductor.fallback_random"),
    toggle("inductor.force_layout_optimization", "True"),
    toggle("inductor.force_pointwise_cat", "True"),
    toggle("inductor.force_shape_pad"),
    toggle("inductor.freezing"),
    toggle("inductor.graph_partition"),
    toggle("inductor.group_fusion", "True"),
    toggle("inductor.implicit_fallbacks"),
    toggle("inductor.inplace_buffers", "False"),
    toggle("inductor.inplace_padding", "False"),
    toggle("inductor.joint_graph_constant_folding", "False"),
    toggle("inductor.keep_output_stride"),
    toggle("inductor.layout_optimization", "False"),
    toggle("inductor.loop_index_inversion_in_fusion", "False"),
    toggle("inductor.loop_ordering_after_fusion", "False"),
    toggle("inductor.loop_reindexing_after_fusion", "False"),
    count("inductor.max_complex_pointwise_cat_inputs", 0, 1024, {"0"}),
    count("inductor.max_fusion_buffer_group_pairwise_attempts", 1, 1024, {"1"}),
    count("inductor.max_fusion_size", 1, 1024, {"1", "2"}),
    count("inductor.max_fusion_unique_io_buffers", 1, 1024, {"2"}, true),
    count("inductor.max_pointwise_cat_inputs", 0, 1024, {"0"}),
    toggle("inductor.memory_planning", "True"),
    choice("inductor.memory_pool", {"none", "intermediates", "outputs", "combined"}, {}),
    number("inductor.min_overlap_ratio", 0, 2, {"0.1"}),
    toggle("inductor.online_softmax", "False"),
    toggle("inductor.optimize_scatter_upon_const_tensor", "False"),
    toggle("inductor.pad_channels_last"),
    toggle("inductor.pad_dynamic_shapes"),
    toggle("inductor.pad_outputs"),
    count("inductor.padding_stride_threshold", 0, 1048576, {"0"}),
    toggle("inductor.pattern_matcher", "False"),
    toggle("inductor.permute_fusion", "True"),
    toggle("inductor.pick_loop_orders", "False"),
    toggle("inductor.prologue_fusion"),
    count("inductor.realize_acc_reads_threshold", 0, 1024, {"1"}, true),
    count("inductor.realize_cpu_acc_reads_threshold", 0, 1024, {"1"}),
    count("inductor.realize_cpu_opcount_threshold", 0, 1024, {"1"}),
    count("inductor.realize_opcount_threshold", 0, 1024, {"1"}, true),
    count("inductor.realize_reads_threshold", 0, 1024, {"0"}),
    toggle("inductor.reorder_for_locality", "False"),
    toggle("inductor.reorder_for_peak_memory", "False"),
    number("inductor.score_fusion_memory_threshold", 0, 1048576, {"1000"}),
    toggle("inductor.shape_padding"),
    toggle("inductor.size_asserts"),
    toggle("inductor.split_cat_fx_passes", "False"),
    toggle("inductor.split_reductions", "False"),
    toggle("inductor.static_weight_shapes", "False"),
    count("inductor.unroll_reductions_threshold", 1, 1024, {"1"}),
    toggle("inductor.use_dce", "False"),
    toggle("inductor.use_joint_graph_passes", "False"),
    toggle("inductor.use_post_grad_passes", "False"),
    toggle("inductor.use_pre_grad_passes", "False"),
};
static_assert(std::ranges::is_sorted(kFlags, {}, &CompileFlag::name));

std::optional<double> numberOf(const Expr& value) {
  const bool negative = value.kind == ExprKind::kUnary && value.text == "-";
  const Expr& digits = negative ? *value.children[0] : value;
  if (digits.kind != ExprKind::kInt && digits.kind != ExprKind::kFloat) {
    return std::nullopt;
  }
  double number = 0;
  const char* const end = digits.text.data() + digits.text.size();
  const auto read = std::from_chars(digits.text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end) {
    return std::nullopt;
  }
  return negative ? -number : number;
}

bool isInteger(const Expr& value) {
  return value.kind == ExprKind::kInt || (value.kind == ExprKind::kUnary && value.children[0]->kind == ExprKind::kInt);
}

std::string numberText(double number) {
  std::string text = std::to_string(number);
  text.erase(text.find_last_not_of('0') + 1);
  return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
}

/// The entry of that name, taken out; null: there is none.
ExprPtr taken(NamedLiterals& literals, std::string_view name) {
  const auto found = std::ranges::find_if(literals, [&](const auto& each) { return each.first == name; });
  if (found == literals.end()) {
    return nullptr;
  }
  ExprPtr value = found->second;
  literals.erase(found);
  return value;
}

} // namespace

std::span<const CompileFlag> compileFlags() {
  return kFlags;
}

const CompileFlag* findCompileFlag(std::string_view name) {
  const auto found = std::ranges::lower_bound(kFlags, name, {}, &CompileFlag::name);
  return found != kFlags.end() && found->name == name ? &*found : nullptr;
}

bool takes(const CompileFlag& flag, const Expr& value) {
  if (value.kind == ExprKind::kNone) {
    return flag.mayBeNone;
  }
  const std::optional<double> number = numberOf(value);
  const bool isWithin = number && *number >= flag.least && *number <= flag.most;
  switch (flag.kind) {
    case Kind::kBool: return value.kind == ExprKind::kTrue || value.kind == ExprKind::kFalse;
    case Kind::kInteger: return isWithin && isInteger(value);
    case Kind::kNumber: return isWithin;
    case Kind::kChoice:
      return value.kind == ExprKind::kString && !value.text.empty() &&
             std::ranges::find(flag.choices, value.text) != flag.choices.end();
  }
  return false;
}

std::string takenBy(const CompileFlag& flag) {
  std::string text;
  switch (flag.kind) {
    case Kind::kBool: text = "True or False"; break;
    case Kind::kInteger:
    case Kind::kNumber:
      text = (flag.kind == Kind::kInteger ? "an integer from " : "a number from ") + numberText(flag.least) + " to " +
             numberText(flag.most);
      break;
    case Kind::kChoice:
      for (const std::string_view each : flag.choices) {
        text += each.empty() ? "" : (text.empty() ? "" : " or ") + printString(std::string(each));
      }
      break;
  }
  return flag.mayBeNone ? text + ", or None" : text;
}

TorchSettings torchSettings(const CompileSpec& compile, bool isOwnBackend) {
  TorchSettings settings{compile.config, compile.options};
  if (isOwnBackend) {
    return settings;
  }
  for (const std::string_view name : kNativeOptions) {
    taken(settings.options, name);
  }
  if (ExprPtr budget = taken(settings.options, kMemoryBudgetOption)) {
    taken(settings.flags, kMemoryBudgetFlag); // a profile may have added the option
    settings.flags.emplace_back(kMemoryBudgetFlag, std::move(budget));
  }
  return settings;
}

NamedLiterals nativeOptions(const CompileSpec& compile, bool hasMemoryBudget) {
  NamedLiterals options = compile.options, flags = compile.config;
  const bool isGiven = std::ranges::any_of(options, [](const auto& each) { return each.first == kMemoryBudgetOption; });
  if (ExprPtr budget = taken(flags, kMemoryBudgetFlag); budget && hasMemoryBudget && !isGiven) {
    options.emplace_back(kMemoryBudgetOption, std::move(budget));
  }
  return options;
}

std::string printLiterals(const NamedLiterals& literals) {
  std::string text;
  for (const auto& [name, value] : literals) {
    text += (text.empty() ? "" : ", ") + printString(name) + ": " + printExpression(*value);
  }
  return "{" + text + "}";
}

} // namespace touchstone::language
