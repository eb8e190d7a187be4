#include "backends/decompositions/TorchSelection.h"

#include <sstream>

namespace touchstone::decompositions {

namespace {

// torch/_decomp/__init__.py, core_aten_decompositions(), and torch/_inductor/decomposition.py of PyTorch 2.13, without `aten::`:
// the overloads that write to nothing and that autograd sees as one operator. tests/python/check_decompositions.py holds them
// against the installed PyTorch.
constexpr const char* kInductorAndCore =
    "_chunk_cat _euclidean_dist _fused_rms_norm_backward _log_softmax_backward_data _prelu_kernel "
    "_prelu_kernel_backward _reshape_alias _safe_softmax _softmax_backward_data _unsafe_index_put _unsafe_view "
    "_upsample_nearest_exact1d _upsample_nearest_exact2d _upsample_nearest_exact3d _weight_norm_interface addr "
    "affine_grid_generator alias_copy all all.dim all.dims aminmax arange arange.start bernoulli "
    "binary_cross_entropy binary_cross_entropy_backward binary_cross_entropy_with_logits block_diag celu "
    "channel_shuffle col2im count_nonzero count_nonzero.dim_IntList cudnn_batch_norm cudnn_batch_norm_backward "
    "deg2rad detach diag_embed diagonal_backward diagonal_copy dot elu_backward embedding_dense_backward empty_like "
    "expand_copy eye eye.m fill.Scalar fill.Tensor floor_divide floor_divide.Scalar frac gelu_backward glu_backward "
    "hann_window hann_window.periodic hardshrink hardsigmoid hardsigmoid_backward hardswish hardswish_backward "
    "hardtanh_backward heaviside huber_loss huber_loss_backward im2col index_add index_copy index_fill.int_Scalar "
    "index_fill.int_Tensor isin.Scalar_Tensor isin.Tensor_Scalar isin.Tensor_Tensor isneginf isposinf "
    "leaky_relu_backward lerp.Scalar lerp.Tensor linalg_cross linspace linspace.Scalar_Tensor "
    "linspace.Tensor_Scalar linspace.Tensor_Tensor log_sigmoid_backward log_sigmoid_forward logaddexp logaddexp2 "
    "logit logit_backward logspace logspace.Scalar_Tensor logspace.Tensor_Scalar logspace.Tensor_Tensor logsumexp "
    "masked_fill.Scalar masked_fill.Tensor max_unpool2d max_unpool3d miopen_batch_norm_backward mish mse_loss "
    "mse_loss_backward multi_margin_loss multilabel_margin_loss_forward mv mvlgamma nan_to_num nansum "
    "native_batch_norm_backward native_dropout_backward native_group_norm_backward native_layer_norm_backward "
    "new_empty new_full new_ones new_zeros nll_loss2d_backward nll_loss2d_forward nll_loss_backward "
    "nll_loss_forward norm.Scalar norm.ScalarOpt_dim norm.ScalarOpt_dim_dtype norm.ScalarOpt_dtype ones ones_like "
    "pixel_shuffle pixel_unshuffle rad2deg reflection_pad1d reflection_pad1d_backward reflection_pad2d "
    "reflection_pad2d_backward reflection_pad3d reflection_pad3d_backward renorm replication_pad1d "
    "replication_pad2d replication_pad3d resize_as roll rot90 rsub.Scalar rsub.Tensor select_backward sgn "
    "sigmoid_backward silu sinc slice_backward smooth_l1_loss smooth_l1_loss_backward soft_margin_loss "
    "soft_margin_loss_backward softplus softplus_backward softshrink special_entr special_log_ndtr special_xlog1py "
    "special_xlog1py.other_scalar special_xlog1py.self_scalar split_with_sizes_copy squeeze_copy squeeze_copy.dim "
    "squeeze_copy.dims stack std.correction std_mean.correction t t_copy take tanh_backward threshold "
    "threshold_backward trace transpose.int transpose_copy.int tril triu unfold_backward unfold_copy "
    "unsafe_split.Tensor unsafe_split_with_sizes unsqueeze_copy upsample_linear1d upsample_nearest1d "
    "upsample_nearest2d upsample_nearest3d vdot xlogy.Scalar_Other xlogy.Scalar_Self xlogy.Tensor zero zeros "
    "zeros_like ";
constexpr const char* kInductorAlone =
    "_batch_norm_no_update _batch_norm_with_update_functional _foreach_lerp.Scalar _foreach_lerp.ScalarList "
    "_log_softmax _native_batch_norm_legit.no_stats _native_batch_norm_legit_functional "
    "_native_batch_norm_legit_no_training _softmax _to_copy adaptive_max_pool2d adaptive_max_pool3d add.Scalar "
    "add.Tensor addmm addmm.dtype addmv amax amin angle arange.start_step batch_norm_backward bmm bmm.dtype "
    "bucketize.Scalar cat clamp clamp.Tensor convolution_backward dist elu empty_permuted flip fmax fmin full "
    "full_like gelu grid_sampler_2d hardtanh index_reduce index_select lcm leaky_relu lift linalg_vector_norm "
    "masked_scatter max_pool2d_with_indices max_pool2d_with_indices_backward max_pool3d_with_indices "
    "miopen_batch_norm mm mm.dtype narrow_copy native_batch_norm native_group_norm native_layer_norm permute_copy "
    "put randint repeat_interleave.Tensor round.decimals rrelu_with_noise_backward searchsorted.Scalar "
    "sym_constrain_range_for_size tril_indices triu_indices unbind_copy.int view_copy view_copy.dtype ";
constexpr const char* kInductorRandom =
    "bernoulli.p cauchy exponential geometric log_normal native_dropout normal.Tensor_Tensor normal.Tensor_float "
    "normal.float_Tensor normal.float_float rand_like rand_like.generator randint_like randint_like.low_dtype "
    "randn_like "
    "randn_like.generator rrelu_with_noise_functional";
constexpr const char* kCoreAlone =
    "_scaled_dot_product_flash_attention_for_cpu _unsafe_index.Tensor _unsafe_masked_index "
    "_unsafe_masked_index_put_accumulate addcdiv addcmul baddbmm baddbmm.dtype clamp_max clamp_max.Tensor clamp_min "
    "clamp_min.Tensor glu select_scatter split.Tensor squeeze squeeze.dim sum unbind.int ";

// torch/_functorch/compilers.py, default_decompositions, its overloads that write to nothing.
constexpr const char* kDefault =
    "detach gelu_backward leaky_relu_backward sigmoid_backward threshold_backward hardtanh_backward "
    "hardsigmoid_backward "
    "hardswish_backward tanh_backward silu_backward elu_backward cudnn_batch_norm cudnn_batch_norm_backward "
    "masked_fill.Scalar masked_fill.Tensor elu leaky_relu hardtanh hardswish hardsigmoid conj_physical is_same_size";

} // namespace

std::vector<std::string> targetsIn(std::initializer_list<std::string_view> lists) {
  std::vector<std::string> targets;
  for (const std::string_view list : lists) {
    std::istringstream words{std::string(list)};
    for (std::string word; words >> word;) {
      targets.push_back("aten::" + word);
    }
  }
  return targets;
}

const std::vector<std::string>& inductorSelection() {
  static const std::vector<std::string> kTargets = targetsIn({kInductorAndCore, kInductorAlone, kInductorRandom});
  return kTargets;
}

const std::vector<std::string>& coreSelection() {
  static const std::vector<std::string> kTargets = targetsIn({kInductorAndCore, kCoreAlone});
  return kTargets;
}

const std::vector<std::string>& defaultSelection() {
  static const std::vector<std::string> kTargets = targetsIn({kDefault});
  return kTargets;
}

} // namespace touchstone::decompositions
