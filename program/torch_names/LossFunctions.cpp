#include "program/torch_names/HandWritten.h"
#include "program/torch_names/OperatorCall.h"

#include <ATen/ExpandUtils.h>
#include <fmt/format.h>

#include <cmath>

// Losses of torch/nn/functional.py, each after the function of its name there.
namespace touchstone::torch_names {
namespace {

values::Value codeOf(const HandArguments& a, size_t sizeAverage, size_t reduce, size_t reduction) {
  return reductionCode(reductionName(a[sizeAverage], a[reduce], a.text(reduction)));
}

std::pair<values::Value, values::Value> expanded(const HandArguments& a, const Python& python) {
  values::Value both = python.torch("broadcast_tensors", {a[0], a[1]});
  return {(*both.items())[0], (*both.items())[1]};
}

void checkSameSize(const at::Tensor& weight, const at::Tensor& input) {
  if (weight.sizes() != input.sizes()) {
    raise("ValueError", "Weights and input must have the same size.");
  }
}

// The weighted forms of mse_loss and l1_loss divide by the weights, that of huber_loss by the count.
values::Value reduceWeighted(const std::string& reduction, const values::Value& loss, const values::Value& weight,
                             bool byWeights, const Python& python) {
  if (reduction == "none") {
    return loss;
  }
  if (reduction == "mean" && !byWeights) {
    return python.method("mean", {loss});
  }
  values::Value sum = python.torch("sum", {loss});
  if (reduction == "sum") {
    return sum;
  }
  if (reduction != "mean") {
    raise("ValueError", fmt::format("Invalid reduction mode: {}. Expected one of 'none', 'mean', 'sum'.", reduction));
  }
  return python.binary("/", sum, python.torch("sum", {weight}));
}

// mse_loss and l1_loss, whose operators they call without weights.
values::Value lossOfErrors(const char* name, const HandArguments& a, const Python& python) {
  const std::string reduction = reductionName(a[2], a[3], a.text(4));
  auto [input, target] = expanded(a, python);
  if (a[5].isNone()) {
    return python.nn(name, {input, target, reductionCode(reduction)});
  }
  checkSameSize(a.tensor(5), a.tensor(0));
  values::Value errors = python.binary("-", input, target);
  errors = name[0] == 'm' ? python.torch("pow", {errors, number(2)}) : python.torch("abs", {errors});
  return reduceWeighted(reduction, python.binary("*", errors, a[5]), a[5], true, python);
}

values::Value mseLoss(const HandArguments& a, const Python& python) {
  return lossOfErrors("mse_loss", a, python);
}

values::Value l1Loss(const HandArguments& a, const Python& python) {
  return lossOfErrors("l1_loss", a, python);
}

values::Value smoothL1Loss(const HandArguments& a, const Python& python) {
  const std::string reduction = reductionName(a[2], a[3], a.text(4));
  auto [input, target] = expanded(a, python);
  if (a.real(5) == 0.0) {
    return python.nn("l1_loss", {input, target, reductionCode(reduction)});
  }
  return python.nn("smooth_l1_loss", {input, target, reductionCode(reduction), a[5]});
}

values::Value huberLoss(const HandArguments& a, const Python& python) {
  auto [input, target] = expanded(a, python);
  if (a[4].isNone()) {
    return python.nn("huber_loss", {input, target, reductionCode(a.text(2)), a[3]});
  }
  checkSameSize(a.tensor(4), a.tensor(0));
  values::Value loss = python.nn("huber_loss", {input, target, number(0), a[3]});
  return reduceWeighted(a.text(2), python.binary("*", loss, a[4]), a[4], false, python);
}

values::Value binaryCrossEntropy(const HandArguments& a, const Python& python) {
  values::Value code = codeOf(a, 3, 4, 5);
  const at::Tensor& target = a.tensor(1);
  if (target.sizes() != a.tensor(0).sizes()) {
    raise("ValueError",
          fmt::format("Using a target size ({}) that is different to the input size "
                      "({}) is deprecated. Please ensure they have the same size.",
                      shown(values::Value::size(target.sizes())), shown(values::Value::size(a.tensor(0).sizes()))));
  }
  values::Value weight = a[2];
  if (!weight.isNone()) {
    weight = python.method("expand", {weight, integers(at::infer_size(target.sizes(), a.tensor(2).sizes()))});
  }
  return python.nn("binary_cross_entropy", {a[0], a[1], weight, code});
}

void checkSameTargetSize(const HandArguments& a) {
  if (a.tensor(1).sizes() != a.tensor(0).sizes()) {
    raise("ValueError", fmt::format("Target size ({}) must be the same as input size ({})",
                                    shown(values::Value::size(a.tensor(1).sizes())),
                                    shown(values::Value::size(a.tensor(0).sizes()))));
  }
}

values::Value klDiv(const HandArguments& a, const Python& python) {
  const bool byBatch = a[2].isNone() && a[3].isNone() && a.text(4) == "batchmean";
  values::Value code = byBatch ? number(2) : codeOf(a, 2, 3, 4);
  values::Value reduced = python.variable("kl_div", {a[0], a[1], code}, {{"log_target", a[5]}});
  if (a.text(4) == "batchmean" && a.tensor(0).dim() != 0) {
    reduced = python.binary("/", reduced, number(a.tensor(0).size(0)));
  }
  return reduced;
}

void checkMultiMargin(const HandArguments& a) {
  if (a.real(2) != 1 && a.real(2) != 2) {
    raise("ValueError", "only p == 1 and p == 2 supported");
  }
  if (!a[4].isNone() && a.tensor(4).dim() != 1) {
    raise("ValueError", "weight must be one-dimensional");
  }
}

values::Value multilabelSoftMarginLoss(const HandArguments& a, const Python& python) {
  const std::string reduction = reductionName(a[3], a[4], a.text(5));
  values::Value positive = python.binary("*", a[1], python.functional("logsigmoid", {a[0]}));
  values::Value negative = python.binary("-", number(1), a[1]);
  negative = python.binary("*", negative, python.functional("logsigmoid", {python.negative(a[0])}));
  values::Value loss = python.negative(python.binary("+", positive, negative));
  if (!a[2].isNone()) {
    loss = python.binary("*", loss, a[2]);
  }
  const int64_t classDim = a.tensor(0).dim() - 1;
  loss =
      python.binary("/", python.method("sum", {loss}, {{"dim", number(classDim)}}), number(a.tensor(0).size(classDim)));
  reductionCode(reduction);
  return reduceWeighted(reduction, loss, values::Value(), /*byWeights=*/false, python);
}

void checkMargin(const HandArguments& a) {
  if (a.real(3) <= 0) {
    raise("ValueError", "margin must be greater than 0, got " + shown(a[3]));
  }
}

constexpr NameSpace kLossSpace = NameSpace::kFunctional;

const HandWritten kLossFunctions[] = {
    {kLossSpace, "mse_loss", "input, target, size_average=None, reduce=None, reduction='mean', weight=None", mseLoss},
    {kLossSpace, "l1_loss", "input, target, size_average=None, reduce=None, reduction='mean', weight=None", l1Loss},
    {kLossSpace, "smooth_l1_loss", "input, target, size_average=None, reduce=None, reduction='mean', beta=1.0",
     smoothL1Loss},
    {kLossSpace, "huber_loss", "input, target, reduction='mean', delta=1.0, weight=None", huberLoss},
    {kLossSpace, "cross_entropy",
     "input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean', "
     "label_smoothing=0.0",
     "nn.cross_entropy_loss(input, target, weight, reduction, ignore_index, label_smoothing)"},
    {kLossSpace, "nll_loss",
     "input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean'",
     "nn.nll_loss_nd(input, target, weight, reduction, ignore_index)"},
    {kLossSpace, "binary_cross_entropy", "input, target, weight=None, size_average=None, reduce=None, reduction='mean'",
     binaryCrossEntropy},
    {kLossSpace, "binary_cross_entropy_with_logits",
     "input, target, weight=None, size_average=None, reduce=None, reduction='mean', pos_weight=None",
     "_VF.binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction)", checkSameTargetSize},
    {kLossSpace, "kl_div", "input, target, size_average=None, reduce=None, reduction='mean', log_target=False", klDiv},
    {kLossSpace, "poisson_nll_loss",
     "input, target, log_input=True, full=False, size_average=None, eps=1e-08, reduce=None, reduction='mean'",
     "_VF.poisson_nll_loss(input, target, log_input, full, eps, reduction)"},
    {kLossSpace, "ctc_loss",
     "log_probs, targets, input_lengths, target_lengths, blank=0, reduction='mean', zero_infinity=False",
     "_VF.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity)"},
    {kLossSpace, "margin_ranking_loss",
     "input1, input2, target, margin=0, size_average=None, reduce=None, reduction='mean'",
     "_VF.margin_ranking_loss(input1, input2, target, margin, reduction)"},
    {kLossSpace, "cosine_embedding_loss",
     "input1, input2, target, margin=0, size_average=None, reduce=None, reduction='mean'",
     "_VF.cosine_embedding_loss(input1, input2, target, margin, reduction)"},
    {kLossSpace, "hinge_embedding_loss", "input, target, margin=1.0, size_average=None, reduce=None, reduction='mean'",
     "_VF.hinge_embedding_loss(input, target, margin, reduction)"},
    {kLossSpace, "multilabel_margin_loss", "input, target, size_average=None, reduce=None, reduction='mean'",
     "nn.multilabel_margin_loss(input, target, reduction)"},
    {kLossSpace, "soft_margin_loss", "input, target, size_average=None, reduce=None, reduction='mean'",
     "nn.soft_margin_loss(input, target, reduction)"},
    {kLossSpace, "multi_margin_loss",
     "input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction='mean'",
     "nn.multi_margin_loss(input, target, p, margin, weight, reduction)", checkMultiMargin},
    {kLossSpace, "multilabel_soft_margin_loss",
     "input, target, weight=None, size_average=None, reduce=None, reduction='mean'", multilabelSoftMarginLoss},
    {kLossSpace, "triplet_margin_loss",
     "anchor, positive, negative, margin=1.0, p=2, eps=1e-06, swap=False, size_average=None, reduce=None, "
     "reduction='mean'",
     "_VF.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction)", checkMargin},
};

} // namespace

std::string reductionName(const values::Value& sizeAverage, const values::Value& reduce, const std::string& reduction) {
  if (sizeAverage.isNone() && reduce.isNone()) {
    return reduction;
  }
  const bool averages = sizeAverage.isNone() || sizeAverage.as<bool>();
  const bool reduces = reduce.isNone() || reduce.as<bool>();
  return averages && reduces ? "mean" : reduces ? "sum" : "none";
}

values::Value reductionCode(const std::string& reduction) {
  if (reduction == "none") {
    return number(0);
  }
  if (reduction == "mean" || reduction == "elementwise_mean") {
    return number(1);
  }
  if (reduction == "sum") {
    return number(2);
  }
  raise("ValueError", reduction + " is not a valid value for reduction");
}

c10::ArrayRef<HandWritten> lossFunctions() {
  return kLossFunctions;
}

} // namespace touchstone::torch_names
