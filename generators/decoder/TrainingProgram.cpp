#include "generators/decoder/TrainingProgram.h"

#include "generators/decoder/StyledInputs.h"
#include "program/parser/CaseParser.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace touchstone::decoder {

namespace {

using Gradient = BaseSpecification::Gradient;

constexpr int kModulePercent = 40;
constexpr size_t kMostLossTerms = 3;

// The arguments, by their names in the Program.
constexpr const char* kData = "x0";
constexpr const char* kWeights[] = {"x1", "x2"};
constexpr const char* kBias = "x3";
constexpr const char* kMomenta[] = {"x4", "x5"};
constexpr const char* kRunningMean = "x6";
constexpr const char* kModuleWeight = "p0";
constexpr const char* kModuleBuffer = "p1";

} // namespace

uint64_t straightSeedFor(uint64_t seed, const catalogue::Features& features) {
  while (drawShape(seed, features) != Shape::kStraight) {
    seed = catalogue::mix(seed);
  }
  return seed;
}

void makeTrainingInputs(InputSpecification& inputs, uint64_t seed, const catalogue::Features& features,
                        int64_t maximumElements) {
  catalogue::Draw draw(seed, "training inputs");
  const at::ScalarType dtype = draw.chance(85) ? at::kFloat : at::kDouble;
  const int64_t rows = draw.between(2, 4), columns = draw.between(2, 4), hidden = draw.between(2, 4);
  std::vector<int64_t> data{rows, columns};
  std::vector<int64_t> weight{columns, hidden};
  if (features.large) {
    enlarge(data, std::max<int64_t>(largeExtent(seed), 2), maximumElements / hidden);
    weight[0] = data[1];
  }
  inputs = {};
  const auto add = [&](std::vector<int64_t> sizes, Gradient gradient) {
    ArgumentSpecification argument;
    argument.base = static_cast<int>(inputs.bases.size());
    inputs.bases.push_back({.number = kFirstTrainingNumber + argument.base,
                            .sizes = std::move(sizes),
                            .dtype = dtype,
                            .gradient = gradient});
    inputs.arguments.push_back(argument);
  };
  add(data, draw.chance(15) ? Gradient::kLeaf : Gradient::kNone);
  add(weight, Gradient::kLeaf);
  add(weight, Gradient::kLeaf);
  add({hidden}, Gradient::kLeaf);
  add(weight, Gradient::kNone);
  add(weight, Gradient::kNone);
  add({hidden}, Gradient::kNone);
  if (features.modules && draw.chance(kModulePercent)) {
    inputs.module.emplace();
    inputs.module->weight = {.number = 2001, .sizes = weight, .dtype = dtype};
    inputs.module->buffer = {.number = 2002, .sizes = {hidden}, .dtype = dtype};
  }
}

TrainingProgram::TrainingProgram(DecoderState& state, uint64_t seed)
    : state_(state),
      draw_(seed, "training"),
      straightSeed_(straightSeedFor(seed, state.options.features)),
      step_(Step::kNone),
      hasModule_(state.environment.names.count(kModuleWeight) > 0) {
  const int64_t roll = draw_.below(100);
  step_ = roll < 45 ? Step::kNone : roll < 82 ? Step::kFirst : Step::kLast;
}

void TrainingProgram::begin() {
  if (step_ == Step::kFirst) { // what the momenta hold are the gradients of the step before
    addStep(kMomenta[0], kMomenta[1]);
  }
  addForward();
}

void TrainingProgram::end() {
  addLoss();
  if (draw_.chance(60)) {
    addStatistics();
  }
  if (step_ == Step::kLast && !loss_.empty()) {
    addGradientsAndStep();
  }
}

void TrainingProgram::addForward() {
  constexpr const char* kActivations[] = {"{}",           "torch.relu({})",
                                          "{}.tanh()",    "torch.nn.functional.gelu({})",
                                          "{}.sigmoid()", "torch.nn.functional.softplus({})"};
  const std::string second = hasModule_ ? kModuleWeight : kWeights[1];
  std::string first;
  switch (draw_.below(4)) {
    case 0: first = fmt::format("{} @ {} + {}", kData, kWeights[0], kBias); break;
    case 1: first = fmt::format("torch.nn.functional.linear({}, {}.t(), {})", kData, kWeights[0], kBias); break;
    case 2: first = fmt::format("torch.addmm({}, {}, {})", kBias, kData, kWeights[0]); break;
    default: first = fmt::format("{} @ ({} * {}) + {}", kData, kWeights[0], kWeights[1], kBias); break;
  }
  const std::string layer = newName();
  if (!add(fmt::format("{} = {}", layer, first), Region::kNone, layer)) {
    return;
  }
  hidden_ = newName();
  const std::string activation = kActivations[draw_.below(std::size(kActivations))];
  if (!add(fmt::format("{} = {}", hidden_, fmt::format(fmt::runtime(activation), layer)), Region::kNone, hidden_)) {
    hidden_ = layer;
  }
  const std::string other = newName();
  add(fmt::format("{} = {} @ {}", other, kData, second), Region::kNone, other);
}

void TrainingProgram::addLoss() {
  constexpr const char* kTerms[] = {"{0}.square().mean()",
                                    "{0}.sum()",
                                    "{0}.mean()",
                                    "({0} - 1).abs().mean()",
                                    "torch.nn.functional.mse_loss({0}, {0}.detach() + 1)",
                                    "{0}.pow(2).sum()"};
  constexpr const char* kTargetTerms[] = {"torch.nn.functional.cross_entropy({0}, {0}.detach().argmax(1))",
                                          "torch.nn.functional.cross_entropy({0}, {0}.detach().softmax(1))"};
  std::vector<std::string> terms;
  for (size_t index = state_.variables.size(); index-- > 0 && terms.size() < kMostLossTerms;) {
    Variable& variable = state_.variables[index];
    if (variable.isInput || variable.uses > 0 || !variable.value.isTensor()) {
      continue;
    }
    const at::Tensor& tensor = variable.value.tensor();
    if (!tensor.requires_grad() || !tensor.is_floating_point() || tensor.numel() == 0) {
      continue;
    }
    const bool hasTargets = tensor.dim() == 2 && draw_.chance(35);
    const std::string term =
        hasTargets ? kTargetTerms[draw_.below(std::size(kTargetTerms))] : kTerms[draw_.below(std::size(kTerms))];
    terms.push_back(fmt::format(fmt::runtime(term), variable.name));
    ++variable.uses;
  }
  if (terms.empty()) {
    return;
  }
  const std::string name = newName();
  if (add(fmt::format("{} = {}", name, fmt::join(terms, " + ")), Region::kNone, name)) {
    loss_ = name;
  }
}

void TrainingProgram::addStatistics() {
  if (hidden_.empty()) {
    return;
  }
  const std::string buffer = hasModule_ && draw_.chance(60) ? kModuleBuffer : kRunningMean;
  switch (draw_.below(3)) {
    case 0: add(fmt::format("{}.mul_(0.75).add_({}.mean(0), alpha=0.25)", buffer, hidden_), Region::kNoGrad); break;
    case 1: add(fmt::format("{}.lerp_({}.detach().mean(0), 0.25)", buffer, hidden_), Region::kNone); break;
    default:
      add(fmt::format("{0}.copy_({0} * 0.5 + {1}.var(0, correction=0) * 0.5)", buffer, hidden_), Region::kNoGrad);
  }
}

void TrainingProgram::addStep(const std::string& firstGradient, const std::string& secondGradient) {
  const std::string gradients[] = {firstGradient, secondGradient};
  const bool ownsMomenta = firstGradient != kMomenta[0]; // gradients are added to them
  if (draw_.chance(50)) { // by `_foreach_` operators
    const std::string weights = fmt::format("[{}, {}]", kWeights[0], kWeights[1]);
    const std::string momenta = fmt::format("[{}, {}]", kMomenta[0], kMomenta[1]);
    if (ownsMomenta) {
      add(fmt::format("torch._foreach_mul_({}, 0.5)", momenta), Region::kNoGrad);
      add(fmt::format("torch._foreach_add_({}, [{}, {}])", momenta, firstGradient, secondGradient), Region::kNoGrad);
    }
    if (draw_.chance(40)) { // weight decay
      add(fmt::format("torch._foreach_mul_({}, 0.875)", weights), Region::kNoGrad);
    }
    switch (draw_.below(3)) {
      case 0: add(fmt::format("torch._foreach_add_({}, {}, alpha=-0.125)", weights, momenta), Region::kNoGrad); break;
      case 1:
        add(fmt::format("torch._foreach_addcmul_({}, {}, {}, -0.125)", weights, momenta, momenta), Region::kNoGrad);
        break;
      default: add(fmt::format("torch._foreach_lerp_({}, {}, 0.125)", weights, momenta), Region::kNoGrad);
    }
    return;
  }
  for (size_t index = 0; index < 2; ++index) {
    if (ownsMomenta) {
      add(fmt::format("{}.mul_(0.5).add_({})", kMomenta[index], gradients[index]), Region::kNoGrad);
    }
    if (draw_.chance(40)) { // weight decay
      add(fmt::format("{0}.add_({1}, alpha=0.125)", kMomenta[index], kWeights[index]), Region::kNoGrad);
    }
    switch (draw_.below(3)) {
      case 0: add(fmt::format("{}.sub_({}, alpha=0.125)", kWeights[index], kMomenta[index]), Region::kNoGrad); break;
      case 1:
        add(fmt::format("{0}.addcdiv_({1}, {1}.square().sqrt() + 1, value=-0.25)", kWeights[index], kMomenta[index]),
            Region::kNoGrad);
        break;
      default: add(fmt::format("{} -= 0.125 * {}", kWeights[index], kMomenta[index]), Region::kNoGrad);
    }
  }
}

void TrainingProgram::addGradientsAndStep() {
  const std::string first = newName(), second = newName();
  if (add(fmt::format("{} = torch.autograd.grad({}, [{}], retain_graph=True)[0]", first, loss_, kWeights[0]),
          Region::kNone, first) &&
      add(fmt::format("{} = {} * 0.5", second, first), Region::kNone, second)) {
    addStep(first, second);
  }
}

bool TrainingProgram::add(const std::string& text, Region region, const std::string& made) {
  try {
    const language::StatementPtr statement = parser::parseStatement(text);
    const RegionScope scope(region);
    state_.evaluator.execute(*statement, state_.environment);
    state_.statements.push_back({.statement = statement,
                                 .record = catalogue::kMaximumRecords, // of none
                                 .seed = straightSeed_,
                                 .region = region});
    for (const std::string& name : language::namesRead(*statement)) {
      markRead(name);
    }
    if (!made.empty()) {
      state_.variables.push_back(variableOf(made, state_.environment.names.at(made), /*isInput=*/false));
      state_.variables.back().madeWithoutGrad = !leavesGradOn(region);
    }
    return true;
  } catch (const std::exception&) {
    ++state_.statistics.rejected;
    return false;
  }
}

std::string TrainingProgram::newName() {
  return "y" + std::to_string(state_.nextName++);
}

void TrainingProgram::markRead(const std::string& name) {
  for (Variable& variable : state_.variables) {
    variable.uses += variable.name == name ? 1 : 0;
  }
}

} // namespace touchstone::decoder
