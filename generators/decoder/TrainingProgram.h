#pragma once

#include "generators/decoder/DecoderState.h"
#include "generators/decoder/InputSpecification.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace touchstone::decoder {

/// The arguments of a step of training, in place of those drawn: data, parameters (leaves that require grad, two of them alike),
/// momenta, running statistics, and at times a module record with one more of each and a batch norm.
void makeTrainingInputs(InputSpecification& inputs, uint64_t seed, const catalogue::Features& features,
                        int64_t maximumElements);

/// All texts that TrainingProgram draws from, with `{…}` for what is put in.
std::vector<std::string_view> trainingTexts();

/// What surrounds the drawn statements of a step of training: a layer before them, a loss and running statistics behind them,
/// and, of some, an optimizer that writes to the parameters under `no_grad`, by hand or with `torch._foreach_…`.
///
/// Every statement runs while it is appended; what eager refuses is left out, and what a profile excludes: writes, operators.
class TrainingProgram {
 public:
  TrainingProgram(DecoderState& state, const InputSpecification& inputs, uint64_t seed);

  void begin(); // before the drawn statements
  void end(); // behind them

 private:
  /// Where the optimizer's step stands.
  enum class Step { kNone, kFirst, kLast };

  void addForward();
  std::string addNormalization(const std::string& operand); // the name of what the layer gives, or of the operand
  void addLoss();
  void addStatistics();
  void addStep(const std::string& firstGradient, const std::string& secondGradient);
  void addGradientsAndStep();
  bool add(const std::string& text, Region region = Region::kNone); // false: eager refused it, or it is excluded

  DecoderState& state_;
  catalogue::Draw draw_;
  Step step_;
  bool hasModule_, hasLayer_;
  std::string hidden_; // what the first layer gives
  std::string loss_;
};

} // namespace touchstone::decoder
