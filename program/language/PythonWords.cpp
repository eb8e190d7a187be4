#include "program/language/PythonWords.h"

#include <algorithm>
#include <array>

namespace touchstone::language {
namespace {

// clang-format off
const std::vector<PythonWords> kWords = {
    {"try", WordUse::kBuiltin, {"Exception", "ArithmeticError", "AssertionError", "AttributeError", "IndexError", "KeyError",
      "LookupError", "NotImplementedError", "OverflowError", "RuntimeError", "StopIteration", "TypeError", "ValueError",
      "ZeroDivisionError"}},
    {"isinstance", WordUse::kBuiltin, {"isinstance", "issubclass"}},
    {"type", WordUse::kBuiltin, {"type"}},
    {"super", WordUse::kBuiltin, {"super"}},
    {"enumerate", WordUse::kBuiltin, {"enumerate"}},
    {"zip", WordUse::kBuiltin, {"zip"}},
    {"sorted", WordUse::kBuiltin, {"sorted"}},
    {"reversed", WordUse::kBuiltin, {"reversed"}},
    {"any", WordUse::kBuiltin, {"any"}},
    {"all", WordUse::kBuiltin, {"all"}},
    {"map", WordUse::kBuiltin, {"map"}},
    {"filter", WordUse::kBuiltin, {"filter"}},
    {"other builtins", WordUse::kBuiltin, {"callable", "dict", "divmod", "iter", "next", "pow", "repr", "set", "str"}},
    {"functools.partial", WordUse::kCall, {"functools.partial", "functools.reduce"}},
    {"random", WordUse::kCall, {"random.choice", "random.gauss", "random.randint", "random.random", "random.randrange",
      "random.sample", "random.seed", "random.shuffle", "random.uniform"}},
    {"namedtuple", WordUse::kCall, {"collections.namedtuple"}},
    {"namedtuple", WordUse::kMethod, {"_asdict", "_replace"}},
    {"namedtuple", WordUse::kBase, {"typing.NamedTuple"}},
    {"further containers", WordUse::kCall, {"collections.OrderedDict", "collections.defaultdict", "collections.deque"}},
    {"further containers", WordUse::kMethod, {"appendleft", "extendleft", "move_to_end", "popitem", "popleft", "rotate",
      "setdefault", "update"}},
    {"dataclass", WordUse::kDecorator, {"dataclasses.dataclass"}},
    {"dataclass", WordUse::kCall, {"dataclasses.field", "dataclasses.replace"}},
    {"method decorators", WordUse::kDecorator, {"classmethod", "property", "staticmethod"}},
    {"module subclass", WordUse::kBase, {"torch.nn.Module", "torch.nn.Sequential", "torch.nn.ModuleList", "torch.nn.Linear"}},
    {"tensor subclass", WordUse::kBase, {"torch.Tensor"}},
    {"tensor subclass", WordUse::kCall, {"torch.Tensor._make_wrapper_subclass"}},
    {"tensor subclass", WordUse::kMethod, {"as_subclass"}},
    {"tensor subclass", WordUse::kContext, {"torch._C.DisableTorchFunctionSubclass"}},
    {"containers of modules", WordUse::kCall, {"torch.nn.ModuleDict", "torch.nn.ModuleList", "torch.nn.ParameterDict",
      "torch.nn.ParameterList", "torch.nn.Sequential"}},
    {"further modules", WordUse::kCall, {
      "torch.nn.AdaptiveAvgPool1d", "torch.nn.AdaptiveAvgPool2d", "torch.nn.AdaptiveMaxPool2d", "torch.nn.AlphaDropout",
      "torch.nn.AvgPool1d", "torch.nn.AvgPool3d", "torch.nn.BCELoss", "torch.nn.BCEWithLogitsLoss", "torch.nn.Bilinear",
      "torch.nn.CELU", "torch.nn.ConstantPad1d", "torch.nn.ConstantPad2d", "torch.nn.ConvTranspose1d",
      "torch.nn.ConvTranspose2d", "torch.nn.CosineSimilarity", "torch.nn.CrossEntropyLoss", "torch.nn.Dropout1d",
      "torch.nn.Dropout2d", "torch.nn.ELU", "torch.nn.EmbeddingBag", "torch.nn.Flatten", "torch.nn.Fold", "torch.nn.GLU",
      "torch.nn.GRUCell", "torch.nn.HuberLoss", "torch.nn.InstanceNorm1d", "torch.nn.InstanceNorm3d", "torch.nn.KLDivLoss",
      "torch.nn.L1Loss", "torch.nn.LPPool2d", "torch.nn.LSTMCell", "torch.nn.LeakyReLU", "torch.nn.LocalResponseNorm",
      "torch.nn.LogSigmoid", "torch.nn.LogSoftmax", "torch.nn.MSELoss", "torch.nn.MaxPool1d", "torch.nn.MaxPool3d",
      "torch.nn.Mish", "torch.nn.MultiheadAttention", "torch.nn.NLLLoss", "torch.nn.PReLU", "torch.nn.PixelShuffle",
      "torch.nn.RMSNorm", "torch.nn.RNNCell", "torch.nn.ReLU6", "torch.nn.ReflectionPad1d", "torch.nn.ReflectionPad2d",
      "torch.nn.ReplicationPad2d", "torch.nn.SELU", "torch.nn.SiLU", "torch.nn.SmoothL1Loss", "torch.nn.Softmax",
      "torch.nn.Softmin", "torch.nn.Softplus", "torch.nn.Softshrink", "torch.nn.Softsign", "torch.nn.SyncBatchNorm",
      "torch.nn.Tanhshrink", "torch.nn.Threshold", "torch.nn.Transformer", "torch.nn.TransformerDecoder",
      "torch.nn.TransformerDecoderLayer", "torch.nn.TransformerEncoder", "torch.nn.TransformerEncoderLayer", "torch.nn.Unflatten", "torch.nn.Unfold",
      "torch.nn.Upsample", "torch.nn.ZeroPad2d"}},
    {"methods of modules", WordUse::kMethod, {"add_module", "buffers", "children", "load_state_dict", "modules",
      "named_buffers", "named_children", "named_modules", "named_parameters", "register_module", "state_dict"}},
    {"packed sequences", WordUse::kCall, {"torch.nn.utils.rnn.pack_padded_sequence", "torch.nn.utils.rnn.pack_sequence",
      "torch.nn.utils.rnn.pad_packed_sequence", "torch.nn.utils.rnn.pad_sequence"}},
    {"parametrizations", WordUse::kCall, {"torch.nn.utils.parametrize.is_parametrized",
      "torch.nn.utils.parametrize.register_parametrization",
      "torch.nn.utils.parametrize.remove_parametrizations", "torch.nn.utils.parametrizations.orthogonal",
      "torch.nn.utils.parametrizations.spectral_norm", "torch.nn.utils.parametrizations.weight_norm"}},
    {"parametrizations", WordUse::kMethod, {"right_inverse"}},
    {"parametrizations", WordUse::kAttribute, {"original", "parametrizations"}},
    {"parametrizations", WordUse::kContext, {"torch.nn.utils.parametrize.cached"}},
    {"optimizers", WordUse::kCall, {"torch.optim.ASGD", "torch.optim.Adadelta", "torch.optim.Adagrad", "torch.optim.Adam",
      "torch.optim.AdamW", "torch.optim.Adamax", "torch.optim.NAdam", "torch.optim.RAdam", "torch.optim.RMSprop",
      "torch.optim.Rprop", "torch.optim.SGD", "torch.optim.lr_scheduler.CosineAnnealingLR",
      "torch.optim.lr_scheduler.ExponentialLR", "torch.optim.lr_scheduler.StepLR", "torch.nn.utils.clip_grad_norm_",
      "torch.nn.utils.clip_grad_value_", "torch.nn.utils.parameters_to_vector", "torch.nn.utils.vector_to_parameters"}},
    {"optimizers", WordUse::kMethod, {"get_last_lr", "step"}},
    {"optimizers", WordUse::kAttribute, {"param_groups"}},
    {"flex_attention", WordUse::kCall, {"torch.nn.attention.flex_attention.and_masks",
      "torch.nn.attention.flex_attention.create_block_mask", "torch.nn.attention.flex_attention.create_mask",
      "torch.nn.attention.flex_attention.flex_attention", "torch.nn.attention.flex_attention.or_masks"}},
    {"torch.compiler", WordUse::kCall, {"torch.compiler.allow_in_graph", "torch.compiler.assume_constant_result",
      "torch.compiler.disable", "torch.compiler.is_compiling", "torch.compiler.is_dynamo_compiling", "torch.compiler.is_exporting"}},
    {"torch.compiler", WordUse::kDecorator, {"torch.compiler.allow_in_graph", "torch.compiler.assume_constant_result",
      "torch.compiler.disable"}},
    {"torch.compiler", WordUse::kContext, {"torch.compiler.set_stance"}},
    {"nested torch.compile", WordUse::kCall, {"torch.compile"}},
    {"torch.Generator", WordUse::kCall, {"torch.Generator"}},
    {"torch.Generator", WordUse::kMethod, {"clone_state", "get_state", "manual_seed", "set_state"}},
    {"torch.random.fork_rng", WordUse::kContext, {"torch.random.fork_rng"}},
    {"pytree", WordUse::kCall, {"torch.utils._pytree.register_dataclass", "torch.utils._pytree.tree_flatten",
      "torch.utils._pytree.tree_leaves", "torch.utils._pytree.tree_map", "torch.utils._pytree.tree_map_only",
      "torch.utils._pytree.tree_unflatten"}},
    {"checkpoint", WordUse::kCall, {"torch.utils.checkpoint.checkpoint", "torch.utils.checkpoint.checkpoint_sequential"}},
    {"torch.func", WordUse::kCall, {"torch.func.functionalize", "torch.func.linearize", "torch.func.stack_module_state"}},
    {"torch.cond", WordUse::kCall, {"torch.cond"}},
    {"torch.while_loop", WordUse::kCall, {"torch.while_loop", "torch._higher_order_ops.while_loop"}},
    {"scan", WordUse::kCall, {"torch._higher_order_ops.scan"}},
    {"associative_scan", WordUse::kCall, {"torch._higher_order_ops.associative_scan"}},
    {"torch map", WordUse::kCall, {"torch._higher_order_ops.map"}},
    {"nested tensors", WordUse::kCall, {"torch.nested.as_nested_tensor", "torch.nested.nested_tensor",
      "torch.nested.nested_tensor_from_jagged", "torch.nested.to_padded_tensor"}},
    {"nested tensors", WordUse::kMethod, {"offsets", "unbind_nested"}},
    {"nested tensors", WordUse::kValue, {"torch.jagged"}},
    {"types as values", WordUse::kValue, {"torch.Tensor", "torch.nn.Module", "torch.nn.Parameter"}},
    {"named results", WordUse::kAttribute, {"indices", "values"}},
    {"exceptions", WordUse::kAttribute, {"args"}},
};
// clang-format on

constexpr std::array<std::string_view, 10> kModules = {"collections",
                                                       "dataclasses",
                                                       "functools",
                                                       "random",
                                                       "typing",
                                                       "torch.nn.attention.flex_attention",
                                                       "torch.nn.utils.parametrize",
                                                       "torch.utils._pytree",
                                                       "torch.utils.checkpoint",
                                                       "torch._higher_order_ops"};

} // namespace

std::span<const PythonWords> pythonWords() {
  return kWords;
}

const PythonWords* pythonWordsOf(WordUse use, std::string_view word) {
  const auto found = std::ranges::find_if(kWords, [&](const PythonWords& row) {
    return row.use == use && std::ranges::find(row.words, word) != row.words.end();
  });
  return found == kWords.end() ? nullptr : &*found;
}

bool isPythonWord(WordUse use, std::string_view word) {
  return pythonWordsOf(use, word) != nullptr;
}

std::span<const std::string_view> pythonModules() {
  return kModules;
}

} // namespace touchstone::language
