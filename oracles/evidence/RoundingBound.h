#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace touchstone::evidence {

/// What is known of the rounding of one tensor of eager (rule A7).
struct RoundingEvidence {
  at::Tensor inDouble; // the same in double precision; undefined: none to be had
  std::vector<at::Tensor> perturbed; // the same of eager runs with inputs perturbed by one ulp
  /// By element: it depends on an integer or bool that a run changed. May be shorter; the rest is false.
  std::vector<bool> discrete;
  std::optional<at::ScalarType> unit; // dtype whose last place counts; none: the tensor's own
  std::vector<at::Tensor> reordered = {}; // the same sums added in another order; they widen bounds and do nothing else
  /// Rounding in simpler steps: `perturbed` runs against the one `asItIs`. Undefined or empty: not known.
  struct Steps {
    at::Tensor asItIs;
    std::vector<at::Tensor> perturbed;
    std::vector<bool> decidesAlike; // by run; others widen no bound, but make elements ill-conditioned
    std::vector<bool> perturbsZeros; // by run; the same
    /// The one as it is, in double precision; asked where a NaN and an infinity differ.
    std::function<at::Tensor()> inDouble = nullptr;
  } steps = {};
  /// Eager runs in which results that round and are zero become the least numbers, asked where a NaN and an infinity differ: a zero
  /// times an infinity is NaN, and such a number times an infinity is not.
  struct Zeros {
    std::vector<at::Tensor> values;
    std::vector<std::vector<bool>> discreteIn; // as below
  };
  std::function<Zeros()> zerosPerturbed = nullptr;
  /// By perturbed run and element: it depends on an integer or bool that this run changed, so the run says nothing of its bound.
  /// May be shorter; the rest is false.
  std::vector<std::vector<bool>> discreteIn = {};
};

/// What becomes of the elements that differ bit for bit.
struct BoundedElements {
  std::vector<int64_t> beyond; // outside the bound
  std::vector<int64_t> illConditioned; // outside, but rounding decides about a discrete value on the way
  bool allWithin() const { return beyond.empty() && illConditioned.empty(); }
};

/// The distance from |value| to the next larger number of the dtype; the largest one's for infinities.
double unitInLastPlace(double value, at::ScalarType dtype);

/// Applies 8 * max(|e - r|, max |e_k - e|, max |s_k - s|, ulp(r)) element by element to those in `differing`; among the e_k
/// are those `reordered`, and s is `steps`. No averaging and no tolerance of its own; NaNs, infinities and integers
/// have to agree, or else differ in the perturbed runs or in double precision, or s_k and s, as well; where s is known, an
/// infinity may also stand for what is within a factor of 8 of the largest number, and a NaN for an infinity where s is NaN and
/// in double precision is not, or r is finite and within that factor. A NaN and an infinity may stand for each other where
/// zeros that became the least numbers make the one the other. A run that is not finite widens no bound.
BoundedElements applyBound(const at::Tensor& eager, const at::Tensor& compiled, const std::vector<int64_t>& differing,
                           const RoundingEvidence& evidence);

} // namespace touchstone::evidence
