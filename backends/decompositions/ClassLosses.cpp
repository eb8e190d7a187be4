#include "backends/decompositions/Families.h"
#include "backends/decompositions/Precision.h"
#include "backends/decompositions/Scalars.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Reduction.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/rsub.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include <tuple>

namespace touchstone::decompositions {

namespace {

using Weight = std::optional<at::Tensor>;

/// The arguments of nll_loss and nll_loss2d with the samples first and the classes second.
struct Classes {
  at::Tensor scores;
  at::Tensor counts; // which samples are not ignored
  at::Tensor chosen; // the class of each sample, 0 for those that are ignored; a dimension of size 1 for the classes
  at::Tensor weights; // of each sample, 0 for those that are ignored
  bool isSingle = false; // no dimension of samples

  Classes(const at::Tensor& self, const at::Tensor& target, const Weight& weight, int64_t ignored)
      : scores(self), isSingle(self.dim() == 1) {
    at::Tensor classes = target.to(at::kLong);
    if (isSingle) {
      scores = self.unsqueeze(0);
      classes = classes.reshape({1});
    }
    counts = classes.ne(ignored);
    const at::Tensor known = at::where(counts, classes, 0);
    chosen = known.unsqueeze(1);
    const at::Tensor given =
        isGiven(weight) ? weight->index_select(0, known.flatten()).reshape(known.sizes()) : scores.new_ones({1});
    weights = at::where(counts, given, 0);
  }
};

std::tuple<at::Tensor, at::Tensor> nllLoss(const at::Tensor& self, const at::Tensor& target, const Weight& weight,
                                           int64_t reduction, int64_t ignored) {
  const Classes of(self, target, weight, ignored);
  const at::Tensor picked = of.scores.gather(1, of.chosen).squeeze(1);
  if (reduction == at::Reduction::None && !of.isSingle) {
    return {at::where(of.counts, picked.neg() * of.weights, 0), self.new_zeros({})};
  }
  const at::Tensor sum = at::rsub(at::where(of.counts, picked * of.weights, 0).sum(), 0);
  const at::Tensor total = of.weights.sum();
  return {reduction == at::Reduction::Mean ? sum / total : sum, total};
}

at::Tensor nllLossBackward(const at::Tensor& grad, const at::Tensor& self, const at::Tensor& target,
                           const Weight& weight, int64_t reduction, int64_t ignored, const at::Tensor& total) {
  const Classes of(self, target, weight, ignored);
  const at::Tensor share = reduction == at::Reduction::Mean ? grad / total : grad;
  const at::Tensor grads = at::where(of.counts, of.weights * share.neg(), 0);
  return at::zeros_like(of.scores).scatter(1, of.chosen, grads.unsqueeze(1)).reshape(self.sizes());
}

at::Tensor overPositive(const at::Tensor& margin, const at::Tensor& value) {
  return at::where(margin.gt(0), value, 0);
}

at::Tensor multiMarginLoss(const at::Tensor& self, const at::Tensor& target, const at::Scalar& p,
                           const at::Scalar& margin, const Weight& weight, int64_t reduction) {
  if (self.numel() == 0) {
    throw NotDecomposed("nothing to take a loss of");
  }
  const at::Tensor scores = self.dim() < 2 ? self.reshape({1, -1}) : self;
  const at::Tensor classes = target.reshape({-1, 1});
  const at::Tensor distance = scores - scores.gather(1, classes) + margin;
  at::Tensor loss = overPositive(distance, p.toDouble() == 2 ? distance * distance : distance);
  if (isGiven(weight)) {
    loss = loss * weight->index_select(0, classes.flatten()).unsqueeze(1);
  }
  const at::Tensor isTarget = at::arange(scores.size(1), classes.options()).eq(classes);
  const at::Tensor losses = at::where(isTarget, 0, loss).sum(1) / scores.size(1);
  return reducedLoss(target.dim() == 0 ? losses.squeeze(0) : losses, reduction);
}

std::tuple<at::Tensor, at::Tensor> multilabelMarginLoss(const at::Tensor& self, const at::Tensor& target,
                                                        int64_t reduction) {
  if (self.numel() == 0) {
    throw NotDecomposed("nothing to take a loss of");
  }
  const at::Tensor scores = self.dim() < 2 ? self.reshape({1, -1}) : self;
  const at::Tensor labels = target.reshape(scores.sizes());
  const at::Tensor isLabel = labels.lt(0).cumsum(1).eq(0); // up to the first that is no class
  const at::Tensor known = at::where(isLabel, labels, 0);
  const at::Tensor positions = at::arange(scores.size(1), labels.options());
  const at::Tensor isTarget = known.unsqueeze(2).eq(positions).logical_and(isLabel.unsqueeze(2)).any(1);
  // By sample, label, class.
  const at::Tensor distance = at::rsub(scores.gather(1, known), 1).unsqueeze(2) + scores.unsqueeze(1);
  const at::Tensor isCounted = isLabel.unsqueeze(2).logical_and(isTarget.logical_not().unsqueeze(1));
  const at::Tensor losses = at::where(isCounted, overPositive(distance, distance), 0).sum({1, 2}) / scores.size(1);
  return {reducedLoss(self.dim() < 2 ? losses.squeeze(0) : losses, reduction),
          isTarget.to(self.scalar_type()).reshape(target.sizes())};
}

} // namespace

void addClassLosses(DecompositionTable& table) {
  table.add("aten::nll_loss_forward", nllLoss);
  table.add("aten::nll_loss2d_forward", nllLoss);
  table.add("aten::nll_loss_backward", nllLossBackward);
  table.add("aten::nll_loss2d_backward", nllLossBackward);
  table.add("aten::multi_margin_loss", multiMarginLoss);
  table.add("aten::multilabel_margin_loss_forward", multilabelMarginLoss);
}

} // namespace touchstone::decompositions
