#include "program/torch_names/HandWritten.h"
#include "program/torch_names/OperatorCall.h"

#include <fmt/format.h>

// Activations, dropouts and embeddings of torch/nn/functional.py, each after the function of its name there.
namespace touchstone::torch_names {
namespace {

void checkLimits(const HandArguments& a) {
  if (a.real(1) > a.real(2)) {
    raise("ValueError", "min_val cannot be greater than max_val");
  }
}

void checkNoScalar(const HandArguments& a) {
  if (a.tensor(0).dim() == 0) {
    raise("RuntimeError", "glu does not support scalars because halving size must be even");
  }
}

values::Value tanhshrink(const HandArguments& a, const Python& python) {
  return python.binary("-", a[0], python.method("tanh", {a[0]}));
}

values::Value softsign(const HandArguments& a, const Python& python) {
  return python.binary("/", a[0], python.binary("+", python.method("abs", {a[0]}), number(1)));
}

// The dimension that the softmax family takes when none is given.
values::Value softmaxDim(const HandArguments& a) {
  if (!a[1].isNone()) {
    return a[1];
  }
  const int64_t dims = a.tensor(0).dim();
  return number(dims == 0 || dims == 1 || dims == 3 ? 0 : 1);
}

values::Value softmaxLike(const char* name, const values::Value& input, const HandArguments& a, const Python& python) {
  KeywordList keywords;
  if (!a[3].isNone()) {
    keywords.emplace_back("dtype", a[3]);
  }
  return python.method(name, {input, softmaxDim(a)}, std::move(keywords));
}

values::Value softmax(const HandArguments& a, const Python& python) {
  return softmaxLike("softmax", a[0], a, python);
}

values::Value logSoftmax(const HandArguments& a, const Python& python) {
  return softmaxLike("log_softmax", a[0], a, python);
}

values::Value softmin(const HandArguments& a, const Python& python) {
  return softmaxLike("softmax", python.negative(a[0]), a, python);
}

values::Value gumbelSoftmax(const HandArguments& a, const Python& python) {
  const values::Value legacy = values::Value(values::Value::Payload(at::MemoryFormat::Contiguous));
  const KeywordList contiguous{{"memory_format", legacy}};
  values::Value noise = python.method("exponential_", {python.torch("empty_like", {a[0]}, contiguous)});
  values::Value gumbels = python.negative(python.method("log", {noise}));
  gumbels = python.binary("/", python.binary("+", a[0], gumbels), a[1]);
  values::Value soft = python.method("softmax", {gumbels, a[4]});
  if (!a.truth(2)) {
    return soft;
  }
  values::Value index = (*python.method("max", {soft, a[4]}, {{"keepdim", flag(true)}}).items())[1];
  values::Value hard =
      python.method("scatter_", {python.torch("zeros_like", {a[0]}, contiguous), a[4], index, number(1.0)});
  return python.binary("+", python.binary("-", hard, python.method("detach", {soft})), soft);
}

void checkProbability(const HandArguments& a) {
  const double p = a.real(1);
  if (p < 0.0 || p > 1.0) {
    raise("ValueError", "dropout probability has to be between 0 and 1, but got " + shown(a[1]));
  }
}

// dropout1d and dropout3d add the batch dimension that is missing.
values::Value batchedDropout(int64_t batchedDims, const HandArguments& a, const Python& python) {
  checkProbability(a);
  const bool inplace = a.truth(3);
  const bool batched = a.tensor(0).dim() == batchedDims;
  const values::Value input = batched ? a[0] : python.method(inplace ? "unsqueeze_" : "unsqueeze", {a[0], number(0)});
  values::Value result = python.variable(inplace ? "feature_dropout_" : "feature_dropout", {input, a[1], a[2]});
  return batched ? result : python.method(inplace ? "squeeze_" : "squeeze", {result, number(0)});
}

values::Value dropout1d(const HandArguments& a, const Python& python) {
  const int64_t dims = a.tensor(0).dim();
  checkProbability(a);
  if (dims != 2 && dims != 3) {
    raise("RuntimeError", fmt::format("dropout1d: Expected 2D or 3D input, but received a {}D input. ", dims));
  }
  return batchedDropout(3, a, python);
}

values::Value dropout3d(const HandArguments& a, const Python& python) {
  return batchedDropout(5, a, python);
}

// embedding and embedding_bag renormalize the weight's data in place.
void renormalize(const values::Value& weight, const values::Value& input, const values::Value& maximum,
                 const values::Value& order, const Python& python) {
  python.variable("embedding_renorm_", {python.method("detach", {weight}), input, maximum, order});
}

values::Value embedding(const HandArguments& a, const Python& python) {
  int64_t padding = -1;
  if (!a[2].isNone()) {
    padding = a.integer(2);
    const int64_t count = a.tensor(1).size(0);
    if (padding >= count || padding < -count) {
      raise("AssertionError", "Padding_idx must be within num_embeddings");
    }
    padding += padding < 0 ? count : 0;
  }
  values::Value input = a[0];
  if (!a[3].isNone()) {
    input = python.method("contiguous", {input});
    renormalize(a[1], input, a[3], a[4], python);
  }
  return python.variable("embedding", {a[1], input, number(padding), a[5], a[6]});
}

values::Value embeddingBag(const HandArguments& a, const Python& python) {
  const at::Tensor& indices = a.tensor(0);
  const at::Tensor& weight = a.tensor(1);
  values::Value input = a[0];
  values::Value offsets = a[2];
  values::Value perSample = a[8];
  values::Value includeLast = a[9];
  if (weight.dim() != 2) {
    raise("ValueError", fmt::format("weight has to be a 2D Tensor, but got Tensor of dimension {}", weight.dim()));
  }
  if (indices.dim() == 2) {
    if (!offsets.isNone()) {
      raise("ValueError",
            "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed "
            "length sequences. However, found offsets of type <class 'torch.Tensor'>");
    }
    offsets = python.torch("arange", {number(0), number(indices.numel()), number(indices.size(1))},
                           {{"dtype", dtypeValue(indices.scalar_type())},
                            {"device", values::Value(values::Value::Payload(indices.device()))}});
    includeLast = flag(false);
    input = python.method("reshape", {input, number(-1)});
    if (!perSample.isNone()) {
      perSample = python.method("reshape", {perSample, number(-1)});
    }
  } else if (indices.dim() != 1) {
    raise("ValueError", fmt::format("input has to be 1D or 2D Tensor, but got Tensor of dimension {}", indices.dim()));
  } else if (offsets.isNone()) {
    raise("ValueError", "offsets has to be a 1D Tensor but got None");
  } else if (a.tensor(2).dim() != 1) {
    raise("ValueError", "offsets has to be a 1D Tensor");
  }
  const std::string& mode = a.text(6);
  const int code = mode == "sum" ? 0 : mode == "mean" ? 1 : mode == "max" ? 2 : -1;
  if (code < 0) {
    raise("ValueError", "mode has to be one of sum, mean or max");
  }
  if (code == 2 && a.truth(5)) {
    raise("ValueError", "max mode does not support scaling the gradient by the frequency");
  }
  if (code == 2 && a.truth(7)) {
    raise("ValueError", "max mode does not support sparse weights");
  }
  if (!a[3].isNone()) {
    renormalize(a[1], input, a[3], a[4], python);
  }
  if (!perSample.isNone() && code != 0) {
    raise("NotImplementedError", "embedding_bag: per_sample_weights was not None. ");
  }
  values::Value result =
      python.variable("embedding_bag", {a[1], input, offsets, a[5], number(code), a[7], perSample, includeLast, a[10]});
  return (*result.items())[0];
}

constexpr NameSpace kF = NameSpace::kFunctional;

const HandWritten kActivationFunctions[] = {
    {kF, "relu", "input, inplace=False", "_VF.relu(input)"},
    {kF, "relu6", "input, inplace=False", "nn.relu6(input)"},
    {kF, "elu", "input, alpha=1.0, inplace=False", "nn.elu(input, alpha)"},
    {kF, "selu", "input, inplace=False", "_VF.selu(input)"},
    {kF, "celu", "input, alpha=1.0, inplace=False", "_VF.celu(input, alpha)"},
    {kF, "leaky_relu", "input, negative_slope=0.01, inplace=False", "nn.leaky_relu(input, negative_slope)"},
    {kF, "rrelu", "input, lower=0.125, upper=0.3333333333333333, training=False, inplace=False",
     "_VF.rrelu(input, lower, upper, training)"},
    {kF, "threshold", "input, threshold, value, inplace=False", "_VF.threshold(input, threshold, value)"},
    {kF, "hardtanh", "input, min_val=-1.0, max_val=1.0, inplace=False", "nn.hardtanh(input, min_val, max_val)",
     checkLimits},
    {kF, "hardsigmoid", "input, inplace=False", "nn.hardsigmoid(input)"},
    {kF, "hardswish", "input, inplace=False", "nn.hardswish(input)"},
    {kF, "silu", "input, inplace=False", "nn.silu(input)"},
    {kF, "mish", "input, inplace=False", "nn.mish(input)"},
    {kF, "glu", "input, dim=-1", "nn.glu(input, dim)", checkNoScalar},
    {kF, "tanhshrink", "input", tanhshrink},
    {kF, "softsign", "input", softsign},
    {kF, "tanh", "input", "tensor.tanh(input)"},
    {kF, "sigmoid", "input", "tensor.sigmoid(input)"},
    {kF, "softmax", "input, dim=None, _stacklevel=3, dtype=None", softmax},
    {kF, "log_softmax", "input, dim=None, _stacklevel=3, dtype=None", logSoftmax},
    {kF, "softmin", "input, dim=None, _stacklevel=3, dtype=None", softmin},
    {kF, "gumbel_softmax", "logits, tau=1, hard=False, eps=1e-10, dim=-1", gumbelSoftmax},
    {kF, "dropout", "input, p=0.5, training=True, inplace=False", "_VF.dropout(input, p, training)", checkProbability},
    {kF, "alpha_dropout", "input, p=0.5, training=False, inplace=False", "_VF.alpha_dropout(input, p, training)",
     checkProbability},
    {kF, "feature_alpha_dropout", "input, p=0.5, training=False, inplace=False",
     "_VF.feature_alpha_dropout(input, p, training)", checkProbability},
    {kF, "dropout1d", "input, p=0.5, training=True, inplace=False", dropout1d},
    {kF, "dropout2d", "input, p=0.5, training=True, inplace=False", "_VF.feature_dropout(input, p, training)",
     checkProbability},
    {kF, "dropout3d", "input, p=0.5, training=True, inplace=False", dropout3d},
    {kF, "embedding",
     "input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False",
     embedding},
    {kF, "embedding_bag",
     "input, weight, offsets=None, max_norm=None, norm_type=2, scale_grad_by_freq=False, mode='mean', sparse=False, "
     "per_sample_weights=None, include_last_offset=False, padding_idx=None",
     embeddingBag},
};

} // namespace

c10::ArrayRef<HandWritten> activationFunctions() {
  return kActivationFunctions;
}

} // namespace touchstone::torch_names
