#include "generators/decoder/TrainingProgram.h"

#include "generators/catalogue/Exclusions.h"
#include "generators/decoder/StyledInputs.h"
#include "program/parser/CaseParser.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace touchstone::decoder {

namespace {

using Gradient = BaseSpecification::Gradient;

constexpr int kModulePercent = 40, kLayerPercent = 60;
constexpr size_t kMostLossTerms = 3;
constexpr int64_t kFirstTrainingNumber = 1200; // of the tensors' data: records draw smaller ones

// The arguments, by their names in the Program.
constexpr const char* kData = "x0";
constexpr const char* kWeights[] = {"x1", "x2"};
constexpr const char* kBias = "x3";
constexpr const char* kMomenta[] = {"x4", "x5"};
constexpr const char* kRunningMean = "x6";
constexpr const char* kModuleWeight = "p0";
constexpr const char* kModuleBuffer = "p1";

// What is drawn of, in tables.
/// Of the data, two weights and a bias.
constexpr std::string_view kLayers[] = {"{0} @ {1} + {3}", "torch.nn.functional.linear({0}, {1}.t(), {3})",
                                        "torch.addmm({3}, {0}, {1})", "{0} @ ({1} * {2}) + {3}"};
constexpr std::string_view kActivations[] = {"{}",           "torch.relu({})",
                                             "{}.tanh()",    "torch.nn.functional.gelu({})",
                                             "{}.sigmoid()", "torch.nn.functional.softplus({})"};
constexpr std::string_view kTerms[] = {"{0}.square().mean()",
                                       "{0}.sum()",
                                       "{0}.mean()",
                                       "({0} - 1).abs().mean()",
                                       "torch.nn.functional.mse_loss({0}, {0}.detach() + 1)",
                                       "{0}.pow(2).sum()"};
constexpr std::string_view kTargetTerms[] = {"torch.nn.functional.cross_entropy({0}, {0}.detach().argmax(1))",
                                             "torch.nn.functional.cross_entropy({0}, {0}.detach().softmax(1))"};
/// A write in a region.
struct Write {
  std::string_view text;
  Region region = Region::kNoGrad;
};
/// Of a buffer and what the first layer gives.
constexpr Write kStatistics[] = {{"{0}.mul_(0.75).add_({1}.mean(0), alpha=0.25)"},
                                 {"{0}.lerp_({1}.detach().mean(0), 0.25)", Region::kNone},
                                 {"{0}.copy_({0} * 0.5 + {1}.var(0, correction=0) * 0.5)"}};
/// Of a weight and its momentum, or of lists of both.
constexpr std::string_view kSteps[] = {"{0}.sub_({1}, alpha=0.125)",
                                       "{0}.addcdiv_({1}, {1}.square().sqrt() + 1, value=-0.25)", "{0} -= 0.125 * {1}"};
constexpr std::string_view kForeachSteps[] = {"torch._foreach_add_({0}, {1}, alpha=-0.125)",
                                              "torch._foreach_addcmul_({0}, {1}, {1}, -0.125)",
                                              "torch._foreach_lerp_({0}, {1}, 0.125)"};
constexpr std::string_view kDecay = "{1}.add_({0}, alpha=0.125)", kForeachDecay = "torch._foreach_mul_({}, 0.875)";
/// Of a momentum and the gradient that it takes up.
constexpr std::string_view kMomentum = "{}.mul_(0.5).add_({})";
constexpr std::string_view kForeachMomentum[] = {"torch._foreach_mul_({0}, 0.5)", "torch._foreach_add_({0}, {1})"};
constexpr std::string_view kGradient = "torch.autograd.grad({}, [{}], retain_graph=True)[0]";

/// Of the layer `m.bn`: a method and a function of NamedFunctions.
constexpr std::string_view kModuleHooks[] = {
    "register_forward_hook(scale_output)", "register_forward_hook(add_argument)",
    "register_forward_pre_hook(halve_argument)", "register_full_backward_hook(scale_gradient)",
    "register_full_backward_pre_hook(negate_gradients)"};
/// The layer with other tensors in the place of its own, of what goes in.
constexpr std::string_view kOtherWeights[] = {
    "torch.func.functional_call(m.bn, {{\"weight\": m.bn.weight * 2}}, ({},))",
    "torch.func.functional_call(m.bn, {{\"bias\": m.bn.weight + 1, \"weight\": m.bn.bias - 1}}, ({},))",
    "torch.func.functional_call(m.bn, {{\"running_mean\": m.bn.running_mean + 1}}, ({},))"};

/// Of a layer. The average of all batches is asked for with None.
constexpr std::string_view kAverage = ", momentum=None";
constexpr std::string_view kMomentaOfBatchNorm[] = {"", ", momentum=0.5", kAverage, kAverage};

template <class... Arguments>
std::string filled(std::string_view text, const Arguments&... arguments) {
  return fmt::format(fmt::runtime(text), arguments...);
}

bool excludes(const catalogue::Features& features, std::string_view operatorName) {
  return features.exclusions != nullptr && features.exclusions->refuses(operatorName);
}

/// A layer with running statistics; null: none. In training it writes to them, and with `momentum=None` it looks at how many
/// batches there were.
language::ExprPtr drawBatchNorm(uint64_t seed, const catalogue::Features& features, int64_t width,
                                at::ScalarType dtype) {
  catalogue::Draw draw(seed, "batch norm");
  if (!draw.chance(kLayerPercent) || !features.mutation || excludes(features, "batch_norm")) {
    return nullptr; // whether a layer writes is not read off a Program
  }
  const std::string_view momentum = kMomentaOfBatchNorm[draw.below(std::ssize(kMomentaOfBatchNorm))];
  const bool isEvaluation = draw.chance(25), tracks = !draw.chance(15);
  if (!isEvaluation && tracks && momentum == kAverage && !features.dataBranches) {
    return nullptr;
  }
  return parser::parseExpression(
      fmt::format("torch.nn.BatchNorm1d({}{}{}{}{}){}", width, momentum, draw.chance(15) ? ", affine=False" : "",
                  tracks ? "" : ", track_running_stats=False", dtype == at::kDouble ? ", dtype=torch.float64" : "",
                  isEvaluation ? ".eval()" : ""));
}

} // namespace

std::vector<std::string_view> trainingTexts() {
  std::vector<std::string_view> texts = {kDecay, kForeachDecay, kMomentum, kGradient};
  for (const std::span<const std::string_view> table : std::initializer_list<std::span<const std::string_view>>{
           kLayers, kActivations, kTerms, kTargetTerms, kSteps, kForeachSteps, kForeachMomentum}) {
    texts.insert(texts.end(), table.begin(), table.end());
  }
  for (const Write& write : kStatistics) {
    texts.push_back(write.text);
  }
  return texts;
}

void makeTrainingInputs(InputSpecification& inputs, uint64_t seed, const catalogue::Features& features,
                        int64_t maximumElements) {
  catalogue::Draw draw(seed, "training inputs");
  const at::ScalarType dtype = draw.chance(85) ? at::kFloat : at::kDouble;
  const auto most = static_cast<int64_t>(std::sqrt(static_cast<double>(maximumElements))); // of each side of a matrix
  const int64_t rows = std::min(draw.between(2, 4), most), columns = std::min(draw.between(2, 4), most),
                hidden = std::min(draw.between(2, 4), most);
  std::vector<int64_t> data{rows, columns};
  std::vector<int64_t> weight{columns, hidden};
  if (features.large) {
    enlarge(data, std::max<int64_t>(largeExtent(seed), 2), maximumElements / hidden);
    weight[0] = data[1];
  }
  inputs = {};
  inputs.isOfTraining = true;
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
    inputs.module->layer = drawBatchNorm(seed, features, hidden, dtype);
  }
}

TrainingProgram::TrainingProgram(DecoderState& state, const InputSpecification& inputs, uint64_t seed)
    : state_(state),
      draw_(seed, "training"),
      step_(Step::kNone),
      hasModule_(inputs.module.has_value()),
      hasLayer_(inputs.module && inputs.module->layer) {
  const int64_t roll = draw_.below(100);
  if (roll >= 45 && state.options.features.mutation) {
    step_ = roll < 82 ? Step::kFirst : Step::kLast;
  }
  if (step_ == Step::kLast && excludes(state.options.features, "autograd_grad")) {
    step_ = Step::kNone;
  }
}

void TrainingProgram::begin() {
  if (step_ == Step::kFirst) { // what the momenta hold are the gradients of the step before
    addStep(kMomenta[0], kMomenta[1]);
  }
  addForward();
}

void TrainingProgram::end() {
  addLoss();
  if (draw_.chance(60) && state_.options.features.mutation) {
    addStatistics();
  }
  if (step_ == Step::kLast && !loss_.empty()) {
    addGradientsAndStep();
  }
}

void TrainingProgram::addForward() {
  const std::string second = hasModule_ ? kModuleWeight : kWeights[1];
  const std::string first = filled(kLayers[draw_.below(std::ssize(kLayers))], kData, kWeights[0], kWeights[1], kBias);
  const std::string layer = state_.newName();
  if (!add(fmt::format("{} = {}", layer, first))) {
    return;
  }
  const std::string normalized = hasLayer_ ? addNormalization(layer) : layer;
  hidden_ = state_.newName();
  if (!add(fmt::format("{} = {}", hidden_, filled(kActivations[draw_.below(std::ssize(kActivations))], normalized)))) {
    hidden_ = normalized;
  }
  add(fmt::format("{} = {} @ {}", state_.newName(), kData, second));
}

std::string TrainingProgram::addNormalization(const std::string& operand) {
  const bool hasConstructs = state_.options.features.constructs;
  const std::string result = state_.newName(), handle = "handle";
  const bool hasHook = hasConstructs && draw_.chance(60) &&
                       add(fmt::format("{} = m.bn.{}", handle, kModuleHooks[draw_.below(std::ssize(kModuleHooks))]));
  const bool isFunctional = hasConstructs && draw_.chance(50);
  const std::string_view other = kOtherWeights[draw_.below(std::ssize(kOtherWeights))];
  const bool isTaken = (isFunctional && add(fmt::format("{} = {}", result, filled(other, operand)))) ||
                       add(fmt::format("{} = m.bn({})", result, operand));
  if (hasHook && draw_.chance(70)) {
    add(handle + ".remove()");
  }
  return isTaken ? result : operand;
}

void TrainingProgram::addLoss() {
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
    const std::string_view term =
        hasTargets ? kTargetTerms[draw_.below(std::ssize(kTargetTerms))] : kTerms[draw_.below(std::ssize(kTerms))];
    terms.push_back(filled(term, variable.name));
    ++variable.uses;
  }
  if (terms.empty()) {
    return;
  }
  const std::string name = state_.newName();
  if (add(fmt::format("{} = {}", name, fmt::join(terms, " + ")))) {
    loss_ = name;
  }
}

void TrainingProgram::addStatistics() {
  if (hidden_.empty()) {
    return;
  }
  const std::string buffer = hasModule_ && draw_.chance(60) ? kModuleBuffer : kRunningMean;
  const Write& write = kStatistics[draw_.below(std::ssize(kStatistics))];
  add(filled(write.text, buffer, hidden_), write.region);
}

void TrainingProgram::addStep(const std::string& firstGradient, const std::string& secondGradient) {
  const std::string gradients[] = {firstGradient, secondGradient};
  const bool ownsMomenta = firstGradient != kMomenta[0]; // gradients are added to them
  if (draw_.chance(50)) { // by `_foreach_` operators
    const std::string weights = fmt::format("[{}, {}]", kWeights[0], kWeights[1]);
    const std::string momenta = fmt::format("[{}, {}]", kMomenta[0], kMomenta[1]);
    for (const std::string_view text : kForeachMomentum) {
      if (ownsMomenta) {
        add(filled(text, momenta, fmt::format("[{}, {}]", firstGradient, secondGradient)), Region::kNoGrad);
      }
    }
    if (draw_.chance(40)) {
      add(filled(kForeachDecay, weights), Region::kNoGrad);
    }
    add(filled(kForeachSteps[draw_.below(std::ssize(kForeachSteps))], weights, momenta), Region::kNoGrad);
    return;
  }
  for (size_t index = 0; index < 2; ++index) {
    if (ownsMomenta) {
      add(filled(kMomentum, kMomenta[index], gradients[index]), Region::kNoGrad);
    }
    if (draw_.chance(40)) {
      add(filled(kDecay, kWeights[index], kMomenta[index]), Region::kNoGrad);
    }
    add(filled(kSteps[draw_.below(std::ssize(kSteps))], kWeights[index], kMomenta[index]), Region::kNoGrad);
  }
}

void TrainingProgram::addGradientsAndStep() {
  const std::string first = state_.newName(), second = state_.newName();
  if (add(fmt::format("{} = {}", first, filled(kGradient, loss_, kWeights[0]))) &&
      add(fmt::format("{} = {} * 0.5", second, first))) {
    addStep(first, second);
  }
}

bool TrainingProgram::add(const std::string& text, Region region) {
  const bool isTaken = appendWritten(state_, text, region);
  state_.statistics.rejected += isTaken ? 0 : 1;
  return isTaken;
}

} // namespace touchstone::decoder
