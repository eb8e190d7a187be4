#include "oracles/evidence/RoundingBound.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace touchstone::evidence {

namespace {

constexpr double kBoundFactor = 8;

struct FloatFormat {
  int fractionBits; // without the implicit one
  int leastExponent; // of the smallest subnormal
};

FloatFormat formatOf(at::ScalarType dtype) {
  switch (dtype) {
    case at::kDouble:
    case at::kComplexDouble: return {52, -1074};
    case at::kHalf:
    case at::kComplexHalf: return {10, -24};
    case at::kBFloat16: return {7, -133};
    case at::kFloat8_e5m2: return {2, -16};
    case at::kFloat8_e4m3fn: return {3, -9};
    default: return {23, -149};
  }
}

/// The least number with all digits, of the types whose range is so wide that such a number vanishes beside others in double
/// precision as well: there `r` does not tell in which order they were added up. Of other types 0.
double leastNormal(at::ScalarType dtype) {
  switch (dtype) {
    case at::kDouble:
    case at::kComplexDouble: return 0x1p-1022;
    case at::kFloat:
    case at::kComplexFloat:
    case at::kBFloat16: return 0x1p-126;
    default: return 0;
  }
}

double largestOf(at::ScalarType dtype) {
  switch (dtype) {
    case at::kDouble:
    case at::kComplexDouble: return std::numeric_limits<double>::max();
    case at::kHalf:
    case at::kComplexHalf: return std::numeric_limits<c10::Half>::max();
    case at::kBFloat16: return std::numeric_limits<c10::BFloat16>::max();
    case at::kFloat8_e5m2: return std::numeric_limits<c10::Float8_e5m2>::max();
    case at::kFloat8_e4m3fn: return std::numeric_limits<c10::Float8_e4m3fn>::max();
    default: return std::numeric_limits<float>::max();
  }
}

/// The components of a tensor as doubles (complex: real and imaginary part in turn; int64, of which a double does not hold
/// all: how far they are from eager's); empty when there is no tensor of as many elements as eager's.
std::vector<double> componentsOf(const at::Tensor& tensor, const at::Tensor& eager) {
  const int64_t elements = eager.numel();
  const bool complex = eager.is_complex();
  if (!tensor.defined() || tensor.numel() != elements || tensor.is_complex() != complex) {
    return {};
  }
  const bool isLong = tensor.scalar_type() == at::kLong && eager.scalar_type() == at::kLong;
  const at::Tensor numbers = isLong ? tensor.reshape(-1).sub(eager.reshape(-1)) : tensor;
  const at::Tensor wide = numbers.to(complex ? at::kComplexDouble : at::kDouble).contiguous();
  const auto* values = static_cast<const double*>(wide.const_data_ptr());
  return {values, values + elements * (complex ? 2 : 1)};
}

/// Rounds a double to what the dtype would hold, as far as its class (finite, infinite, NaN) goes.
bool sameClass(double eager, double other, at::ScalarType dtype) {
  if (std::isnan(eager) || std::isnan(other)) {
    return std::isnan(eager) && std::isnan(other);
  }
  const double rounded = dtype == at::kFloat || dtype == at::kComplexFloat ? static_cast<float>(other) : other;
  if (std::isinf(eager)) {
    return std::isinf(rounded) ? (eager > 0) == (rounded > 0) : false;
  }
  return !std::isinf(rounded);
}

enum class Judged { kWithin, kBeyond, kIllConditioned };

class BoundOfTensor {
 public:
  BoundOfTensor(const at::Tensor& eager, const at::Tensor& compiled, const std::vector<int64_t>& differing,
                const RoundingEvidence& evidence)
      : dtype_(eager.scalar_type()),
        unit_(evidence.unit.value_or(dtype_)),
        complex_(eager.is_complex()),
        discrete_(evidence.discrete) {
    const int64_t elements = eager.numel();
    eager_ = componentsOf(eager, eager);
    compiled_ = componentsOf(compiled, eager);
    inDouble_ = componentsOf(evidence.inDouble, eager);
    const auto readAll = [&](const std::vector<at::Tensor>& tensors, std::vector<std::vector<double>>& list) {
      for (const at::Tensor& tensor : tensors) {
        std::vector<double> values = componentsOf(tensor, eager);
        if (!values.empty() || elements == 0) {
          list.push_back(std::move(values));
        }
      }
    };
    for (size_t run = 0; run < evidence.perturbed.size(); ++run) {
      const size_t read = perturbed_.size();
      readAll({evidence.perturbed[run]}, perturbed_);
      if (perturbed_.size() > read) {
        discreteIn_.push_back(run < evidence.discreteIn.size() ? evidence.discreteIn[run] : std::vector<bool>());
      }
    }
    readAll(evidence.reordered, reordered_);
    steps_ = componentsOf(evidence.steps.asItIs, eager);
    for (size_t run = 0; run < evidence.steps.perturbed.size() && !steps_.empty(); ++run) {
      std::vector<double> values = componentsOf(evidence.steps.perturbed[run], eager);
      if (!values.empty()) {
        const bool decidesAlike = evidence.steps.decidesAlike.at(run),
                   perturbsZeros = evidence.steps.perturbsZeros.at(run);
        if (decidesAlike && perturbsZeros) {
          stepsWithoutZeros_.push_back(values);
        }
        (decidesAlike && !perturbsZeros ? stepsPerturbed_ : stepsOtherwise_).push_back(std::move(values));
      }
    }
    if (std::ranges::any_of(differing,
                            [&](int64_t element) { return isNanBesideInfinity(static_cast<size_t>(element)); })) {
      readOfInfinities(eager, evidence);
    }
  }

  Judged judge(size_t component) const {
    const double eager = eager_[component], compiled = compiled_[component];
    if (eager == compiled || (std::isnan(eager) && std::isnan(compiled))) {
      return Judged::kWithin;
    }
    // Arithmetic mixes the parts of a complex number, which lie side by side.
    bool classChanges = changesClass(component) || (complex_ && changesClass(component ^ 1));
    double spread = 0;
    for (size_t run = 0; run < perturbed_.size(); ++run) {
      const double perturbed = perturbed_[run][component];
      if (!isSet(discreteIn_[run], component) && std::isfinite(perturbed)) {
        spread = std::max(spread, std::abs(perturbed - eager));
      }
    }
    classChanges =
        classChanges || overflowsInSteps(component) || becomesNanInSteps(component) || isZeroTimesInfinity(component);
    spread = std::max(spread, spreadOf(stepsPerturbed_, component));
    classChanges = classChanges || (std::isfinite(compiled) && std::isfinite(eager) && !stepsOtherwise_.empty() &&
                                    std::abs(compiled - eager) <= kBoundFactor * spreadOf(stepsOtherwise_, component));
    const Judged otherwise = classChanges || dependsOnDiscrete(component) ? Judged::kIllConditioned : Judged::kBeyond;
    if (!std::isfinite(eager) || !std::isfinite(compiled)) {
      return otherwise;
    }
    if (!inDouble_.empty() && std::isfinite(inDouble_[component])) {
      spread = std::max(spread, std::abs(eager - inDouble_[component]));
    }
    for (const std::vector<double>& values : reordered_) {
      if (std::isfinite(values[component])) {
        spread = std::max(spread, std::abs(eager - values[component]));
      }
    }
    const double reference = inDouble_.empty() ? eager : inDouble_[component];
    const double unit = std::max(unitInLastPlace(reference, unit_), leastNormal(unit_));
    const double bound = kBoundFactor * std::max(spread, unit);
    return std::abs(compiled - eager) <= bound ? Judged::kWithin : otherwise;
  }

  /// Integers and bools: a perturbed run that differs in the element makes it ill-conditioned.
  Judged judgeDiscrete(size_t component) const {
    const auto perturbationsFrom = [component](const std::vector<double>& base,
                                               const std::vector<std::vector<double>>& runs) {
      return std::any_of(runs.begin(), runs.end(),
                         [&](const std::vector<double>& values) { return values[component] != base[component]; });
    };
    const bool perturbs = perturbationsFrom(eager_, perturbed_) || perturbationsFrom(steps_, stepsPerturbed_) ||
                          perturbationsFrom(steps_, stepsOtherwise_);
    return perturbs || dependsOnDiscrete(component) ? Judged::kIllConditioned : Judged::kBeyond;
  }

 private:
  bool isSet(const std::vector<bool>& byElement, size_t component) const {
    const size_t element = component / (complex_ ? 2 : 1);
    return element < byElement.size() && byElement[element];
  }

  /// Whether it is finite, infinite or NaN in one run, and not so in another.
  bool changesClass(size_t component) const {
    const double eager = eager_[component];
    bool changes = !inDouble_.empty() && !sameClass(eager, inDouble_[component], dtype_);
    if (complex_ &&
        !inDouble_.empty()) { // one that overflows takes the other part with it, or not, by the order of what is added
      changes = changes || (std::isinf(eager) && std::isfinite(inDouble_[component]));
    }
    for (size_t run = 0; run < perturbed_.size(); ++run) {
      changes =
          changes || (!isSet(discreteIn_[run], component) && !sameClass(eager, perturbed_[run][component], dtype_));
    }
    for (const std::vector<double>& values : stepsPerturbed_) {
      changes = changes || !sameClass(steps_[component], values[component], dtype_);
    }
    return changes;
  }

  /// An operator may keep what overflows out of its result; simpler steps do not.
  bool overflowsInSteps(size_t component) const {
    const double eager = eager_[component], compiled = compiled_[component];
    return !steps_.empty() && std::isinf(compiled) && std::isfinite(eager) &&
           std::signbit(compiled) == std::signbit(eager) && kBoundFactor * std::abs(eager) > largestOf(dtype_);
  }

  /// Simpler steps make a NaN of eager's infinity, too, and it is their rounding that does it.
  bool becomesNanInSteps(size_t component) const {
    const double eager = eager_[component];
    if (!std::isinf(eager) || !std::isnan(compiled_[component]) || steps_.empty() || !std::isnan(steps_[component])) {
      return false;
    }
    const bool overflowsByOrder = !inDouble_.empty() && std::isfinite(inDouble_[component]) &&
                                  std::abs(inDouble_[component]) <= kBoundFactor * largestOf(dtype_);
    const bool overflowMeetsInfinity = !stepsInDouble_.empty() && sameClass(eager, stepsInDouble_[component], dtype_);
    return overflowsByOrder || overflowMeetsInfinity ||
           std::ranges::any_of(stepsWithoutZeros_, [component](const auto& run) { return std::isinf(run[component]); });
  }

  /// Eager has rounded to zero what it multiplies by an infinity.
  bool isZeroTimesInfinity(size_t component) const {
    bool isInfinite = false;
    for (size_t run = 0; run < withoutZeros_.size(); ++run) {
      isInfinite =
          isInfinite || (!isSet(discreteInZeros_[run], component) && std::isinf(withoutZeros_[run][component]));
    }
    return isInfinite && std::isnan(eager_[component]) && std::isinf(compiled_[component]);
  }

  bool isNanBesideInfinity(size_t element) const {
    const size_t first = element * (complex_ ? 2 : 1);
    const auto differs = [&](size_t component) {
      return (std::isnan(eager_[component]) && std::isinf(compiled_[component])) ||
             (std::isinf(eager_[component]) && std::isnan(compiled_[component]));
    };
    return differs(first) || (complex_ && differs(first + 1));
  }

  void readOfInfinities(const at::Tensor& eager, const RoundingEvidence& evidence) {
    stepsInDouble_ = evidence.steps.inDouble ? componentsOf(evidence.steps.inDouble(), eager) : std::vector<double>();
    const RoundingEvidence::Zeros zeros =
        evidence.zerosPerturbed ? evidence.zerosPerturbed() : RoundingEvidence::Zeros();
    for (size_t run = 0; run < zeros.values.size(); ++run) {
      if (std::vector<double> values = componentsOf(zeros.values[run], eager); !values.empty()) {
        withoutZeros_.push_back(std::move(values));
        discreteInZeros_.push_back(run < zeros.discreteIn.size() ? zeros.discreteIn[run] : std::vector<bool>());
      }
    }
  }

  double spreadOf(const std::vector<std::vector<double>>& runs, size_t component) const {
    double spread = 0;
    for (const std::vector<double>& values : runs) {
      if (const double perturbed = std::abs(values[component] - steps_[component]); std::isfinite(perturbed)) {
        spread = std::max(spread, perturbed);
      }
    }
    return spread;
  }

  bool dependsOnDiscrete(size_t component) const { return isSet(discrete_, component); }

  at::ScalarType dtype_, unit_;
  bool complex_;
  const std::vector<bool>& discrete_;
  std::vector<std::vector<bool>> discreteIn_; // of perturbed_
  std::vector<double> eager_, compiled_, inDouble_;
  std::vector<std::vector<double>> perturbed_, reordered_, withoutZeros_;
  std::vector<std::vector<bool>> discreteInZeros_; // of withoutZeros_
  std::vector<double> steps_, stepsInDouble_;
  std::vector<std::vector<double>> stepsPerturbed_, stepsOtherwise_, stepsWithoutZeros_;
};

} // namespace

double unitInLastPlace(double value, at::ScalarType dtype) {
  const FloatFormat format = formatOf(dtype);
  if (value == 0 || std::isnan(value)) {
    return std::ldexp(1.0, format.leastExponent);
  }
  int exponent = 1024;
  if (std::isfinite(value)) {
    std::frexp(value, &exponent);
  }
  return std::ldexp(1.0, std::max(exponent - 1 - format.fractionBits, format.leastExponent));
}

BoundedElements applyBound(const at::Tensor& eager, const at::Tensor& compiled, const std::vector<int64_t>& differing,
                           const RoundingEvidence& evidence) {
  BoundedElements result;
  const BoundOfTensor bound(eager, compiled, differing, evidence);
  const bool discrete = !eager.is_floating_point() && !eager.is_complex();
  const size_t components = eager.is_complex() ? 2 : 1;
  for (int64_t element : differing) {
    Judged worst = Judged::kWithin;
    for (size_t part = 0; part < components; ++part) {
      const size_t component = static_cast<size_t>(element) * components + part;
      const Judged judged = discrete ? bound.judgeDiscrete(component) : bound.judge(component);
      if (judged == Judged::kBeyond || worst == Judged::kWithin) {
        worst = judged;
      }
    }
    if (worst == Judged::kBeyond) {
      result.beyond.push_back(element);
    }
    if (worst == Judged::kIllConditioned) {
      result.illConditioned.push_back(element);
    }
  }
  return result;
}

} // namespace touchstone::evidence
