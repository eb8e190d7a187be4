#pragma once

#include "oracles/observe/Observation.h"
#include "oracles/taint/TaintedValues.h"
#include "program/evaluator/Evaluator.h"

#include <memory>
#include <vector>

namespace touchstone::evidence {

/// The storage of an argument or output, where eager leaves something in it unspecified: what each of its bytes is tainted by.
struct TaintedBytes {
  observe::Location location;
  std::vector<taint::TaintMask> bytes;
};

/// What leaves gradients unspecified when the backward starts at a root: an argument or output.
struct TaintedGradients {
  observe::Location root;
  std::vector<taint::TaintMask> leaves; // of the arguments, in the order of leavesOf()
  taint::TaintMask others = 0; // leaves after those: watched ones
};

/// What one traced run of eager tells of one call beyond its Observation.
struct CallTrace {
  std::vector<observe::Location> dataWritten; // arguments whose storage an operator wrote data to (rule A1)
  std::vector<TaintedBytes> tainted;
  /// What each element of each output is tainted by after the last call that had the same objects; empty: nothing is.
  std::vector<std::vector<taint::TaintMask>> taintedLate;
  std::vector<TaintedGradients> taintedGradients; // only where a gradient is tainted
  taint::TaintMask taintedNumbers = 0; // numbers were read from tainted elements
  taint::TaintMask everything = 0; // and may have decided about all that followed
  taint::TaintMask anywhere = 0; // all that is tainted at all in this call, intermediates included
  uint64_t way = 0; // a hash of its operators in their order
  std::vector<uint64_t> discrete; // operators, sizes and a hash of each integer and bool result, in order
  std::vector<std::vector<at::Tensor>> draws; // results of each random operator, in order
  /// An operator, be it inside another, made what autograd takes for memory of its own of memory that the Program holds.
  bool hidesSharing = false;
  bool reinterpretsBits = false; // view(dtype): there is no run in double precision
  bool replayed = true; // a replaying trace found a recorded draw for every random operator
};

struct TraceOptions {
  /// Random operators return the draws recorded there instead of drawing (converted to the dtype that the run is in).
  const std::vector<CallTrace>* replay = nullptr;
  /// Integer and bool results that are others than there, and all that depends on them, are kTaintedByRounding.
  const std::vector<CallTrace>* discreteOf = nullptr;
  /// Numbers read from tainted elements are replaced by others, to see what depends on them.
  bool perturbTaintedNumbers = false;
  /// Each new result of an operator that rounds is perturbed by one ulp, in a pattern drawn from this: what is decomposed rounds
  /// otherwise (rule A7). Random arithmetic, D. Stott Parker, "Monte Carlo Arithmetic", 1997.
  std::optional<uint64_t> perturbResults;
  bool perturbsZeros = false; // of these results, to the least numbers that there are
  /// Results in a wider dtype of operands of which some are float16 or bfloat16 are perturbed by one ulp of their own.
  std::optional<uint64_t> perturbWidened;
  /// What a step computes in float16 or bfloat16, and all that depends on it, is kTaintedByHalf.
  bool taintHalf = false;
  /// The results of an operator that rounds are those of the same operands in memory without gaps, or with: the vectorized body
  /// of a kernel rounds otherwise than what is left over.
  enum class Layout { kAsItIs, kDense, kGapped };
  Layout operands = Layout::kAsItIs;
  /// The backward of each operator gets gradients in contiguous memory.
  bool contiguousGradients = false;
};

/// Watches the operator calls of an eager run. As a evaluator::OperationHook it runs each call itself.
class Tracer {
 public:
  explicit Tracer(TraceOptions options = {});
  ~Tracer();

  evaluator::OperationHook hook();
  /// The program that was made with hook(), noting what goes in and comes out.
  std::unique_ptr<values::Callable> watch(std::unique_ptr<values::Callable> program);
  /// Tells which call the next run of the program is, and whether it has the previous call's very objects.
  void beginCall(int call, bool sameObjects);
  const std::vector<CallTrace>& calls() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

} // namespace touchstone::evidence
