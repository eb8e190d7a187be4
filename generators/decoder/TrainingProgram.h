#pragma once

#include "generators/decoder/DecoderState.h"
#include "generators/decoder/InputSpecification.h"

#include <cstdint>
#include <string>
#include <vector>

namespace touchstone::decoder {

constexpr size_t kTrainingArguments = 7; // besides the module record
constexpr int64_t kFirstTrainingNumber = 1200; // of the tensors' data: records draw smaller ones

/// The arguments of a step of training, in place of those drawn: data, parameters (leaves that require grad, two of them alike),
/// momenta, running statistics, and at times a module record with one more of each.
void makeTrainingInputs(InputSpecification& inputs, uint64_t seed, const catalogue::Features& features,
                        int64_t maximumElements);

/// A seed for a statement that stands where it is, see drawShape().
uint64_t straightSeedFor(uint64_t seed, const catalogue::Features& features);

/// What surrounds the drawn statements of a step of training: a layer before them, a loss and running statistics behind them,
/// and, of some, an optimizer that writes to the parameters under `no_grad`, by hand or with `torch._foreach_…`.
///
/// Every statement runs while it is appended; what eager refuses is left out.
class TrainingProgram {
 public:
  TrainingProgram(DecoderState& state, uint64_t seed);

  void begin(); // before the drawn statements
  void end(); // behind them

 private:
  /// Where the optimizer's step stands.
  enum class Step { kNone, kFirst, kLast };

  void addForward();
  void addLoss();
  void addStatistics();
  void addStep(const std::string& firstGradient, const std::string& secondGradient);
  void addGradientsAndStep();
  /// Runs a statement and appends it; false: eager refused it. `made`: the name that it assigns; empty: none.
  bool add(const std::string& text, Region region, const std::string& made = {});
  std::string newName();
  void markRead(const std::string& name);

  DecoderState& state_;
  catalogue::Draw draw_;
  const uint64_t straightSeed_; // of statements that stand where they are
  Step step_;
  bool hasModule_ = false;
  std::string hidden_; // what the first layer gives
  std::string loss_;
};

} // namespace touchstone::decoder
