#include "program/evaluator/Modules.h"
#include "program/semantics/Slices.h"

#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/ScalarType.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>

// RNN, GRU and LSTM on tensors (no packed sequences), after `torch/nn/modules/rnn.py`.

namespace touchstone::evaluator {

using namespace semantics;
namespace {

// In the order in which they are drawn.
std::vector<std::string> weightNames(int64_t layers, bool isBidirectional, bool hasBias, bool hasProjection) {
  std::vector<std::string> kinds = {"weight_ih", "weight_hh"};
  if (hasBias) {
    kinds.insert(kinds.end(), {"bias_ih", "bias_hh"});
  }
  if (hasProjection) {
    kinds.push_back("weight_hr");
  }
  std::vector<std::string> names;
  for (int64_t layer = 0; layer < layers; ++layer) {
    for (const char* direction : {"", "_reverse"}) {
      for (const std::string& kind : kinds) {
        if (isBidirectional || *direction == '\0') {
          names.push_back(fmt::format("{}_l{}{}", kind, layer, direction));
        }
      }
    }
  }
  return names;
}

void buildRecurrent(ModuleBuilder& builder, int64_t gates, int64_t projection) {
  const int64_t input = builder.integer("input_size");
  const int64_t hidden = builder.integer("hidden_size");
  const int64_t layers = builder.integer("num_layers");
  const values::Value dropout = builder.hyper("dropout");
  const bool isProbability = dropout.isNumber() && !dropout.is<bool>() && compareNumbers(dropout, intValue(0)) >= 0 &&
                             compareNumbers(dropout, intValue(1)) <= 0;
  if (!isProbability) {
    raiseError("ValueError",
               "dropout should be a number in range [0, 1] representing the probability of an element being zeroed");
  }
  if (input <= 0) {
    raiseError("ValueError", "input_size must be greater than zero");
  }
  if (hidden <= 0) {
    raiseError("ValueError", "hidden_size must be greater than zero");
  }
  if (layers <= 0) {
    raiseError("ValueError", "num_layers must be greater than zero");
  }
  if (projection < 0) {
    raiseError("ValueError", "proj_size should be a positive integer or zero to disable projections");
  }
  if (projection >= hidden) {
    raiseError("ValueError", "proj_size has to be smaller than hidden_size");
  }
  builder.setHyper("dropout", floatValue(complexOf(dropout).real()));
  const bool isBidirectional = builder.flag("bidirectional");
  const int64_t realHidden = projection > 0 ? projection : hidden;
  std::vector<at::Tensor> weights;
  for (const std::string& name : weightNames(layers, isBidirectional, builder.flag("bias"), projection > 0)) {
    std::vector<int64_t> sizes = {gates * hidden};
    if (name.starts_with("weight_ih")) {
      sizes.push_back(name.starts_with("weight_ih_l0") ? input : realHidden * (isBidirectional ? 2 : 1));
    } else if (name.starts_with("weight_hh")) {
      sizes.push_back(realHidden);
    } else if (name.starts_with("weight_hr")) {
      sizes = {projection, hidden};
    }
    weights.push_back(builder.addParameter(name, sizes));
  }
  const at::NoGradGuard noGrad;
  const double bound = 1.0 / std::sqrt(static_cast<double>(hidden));
  for (const at::Tensor& weight : weights) {
    weight.uniform_(-bound, bound);
  }
}

// What all three have in common in one call.
struct RecurrentCall {
  const ModuleCall& call;
  bool isBatched;
  int64_t batchDimension;
  int64_t batch;
  values::Value input; // three-dimensional
  int64_t layers, hidden, projection;

  int64_t realHidden() const { return projection > 0 ? projection : hidden; }
  values::ValueList sizes(int64_t last) const { return {intValue(layers), intValue(batch), intValue(last)}; }

  values::Value zeros(int64_t last) const {
    const at::Tensor& tensor = input.tensor();
    return call.torch("zeros", sizes(last),
                      {{"dtype", values::Value(values::Value::Payload(tensor.scalar_type()))},
                       {"device", values::Value(values::Value::Payload(tensor.device()))}});
  }

  values::Value weights() const {
    values::ValueList list;
    for (const std::string& name :
         weightNames(call.integer("num_layers"), call.flag("bidirectional"), call.flag("bias"), projection > 0)) {
      list.push_back(call.field(name));
    }
    return values::Value::list(std::move(list));
  }

  void checkInput(const at::Tensor& weight) const;
  void checkState(const values::Value& state, int64_t last, const std::string& what) const;
  values::Value run(const std::string& function, const values::Value& state) const;
};

std::string shapeText(at::IntArrayRef sizes) {
  return fmt::format("[{}]", fmt::join(sizes, ", "));
}

RecurrentCall startRecurrent(const ModuleCall& call, const char* name, const char* dimensionUnit) {
  const at::Tensor& given = call.inputTensor();
  if (given.dim() != 2 && given.dim() != 3) {
    raiseError("ValueError",
               fmt::format("{}: Expected input to be 2D or 3D, got {}D{} instead", name, given.dim(), dimensionUnit));
  }
  const bool isBatched = given.dim() == 3;
  const int64_t batchDimension = call.flag("batch_first") ? 0 : 1;
  const values::Value input =
      isBatched ? call.input() : call.method("unsqueeze", {call.input(), intValue(batchDimension)});
  const int64_t directions = call.flag("bidirectional") ? 2 : 1;
  int64_t projection = 0;
  for (const auto& [key, value] : call.module.hyper) {
    projection = key == "proj_size" ? indexOf(value, call.modules.dispatch) : projection;
  }
  return {call,
          isBatched,
          batchDimension,
          input.tensor().size(batchDimension),
          input,
          call.integer("num_layers") * directions,
          call.integer("hidden_size"),
          projection};
}

void RecurrentCall::checkInput(const at::Tensor& weight) const {
  const at::Tensor& tensor = input.tensor();
  if (tensor.scalar_type() != weight.scalar_type() && !at::autocast::is_autocast_enabled(tensor.device().type())) {
    const std::string given = torchDtypeName(tensor.scalar_type());
    const std::string wanted = torchDtypeName(weight.scalar_type());
    raiseError("ValueError", fmt::format("RNN input dtype ({}) does not match weight dtype ({}). Convert input: "
                                         "input.to({}), or convert model: model.to({})",
                                         given, wanted, wanted, given));
  }
  const int64_t expected = call.integer("input_size");
  if (tensor.size(-1) != expected) {
    raiseError("RuntimeError", fmt::format("input.size(-1) must be equal to input_size. Expected {}, got {}", expected,
                                           tensor.size(-1)));
  }
}

void RecurrentCall::checkState(const values::Value& state, int64_t last, const std::string& what) const {
  const at::IntArrayRef sizes = state.tensor().sizes();
  const std::array<int64_t, 3> expected = {layers, batch, last};
  if (!sizes.equals(expected)) {
    raiseError("RuntimeError",
               fmt::format("Expected {} size ({}), got {}", what, fmt::join(expected, ", "), shapeText(sizes)));
  }
}

values::Value RecurrentCall::run(const std::string& function, const values::Value& state) const {
  return call.torch(function,
                    {input, state, weights(), call.hyper("bias"), call.hyper("num_layers"), call.hyper("dropout"),
                     boolValue(call.module.training), call.hyper("bidirectional"), call.hyper("batch_first")});
}

values::Value squeezed(const RecurrentCall& recurrent, const values::Value& value, int64_t dimension) {
  return recurrent.isBatched ? value : recurrent.call.method("squeeze", {value, intValue(dimension)});
}

void checkStateDimensions(const RecurrentCall& recurrent, const values::ValueList& states) {
  const int64_t wanted = recurrent.isBatched ? 3 : 2;
  const char* input = recurrent.isBatched ? "batched 3-D" : "unbatched 2-D";
  const int64_t first = states[0].tensor().dim();
  if (states.size() == 1 && first != wanted) {
    raiseError("RuntimeError",
               fmt::format("For {} input, hx should also be {}-D but got {}-D tensor", input, wanted, first));
  }
  if (states.size() == 2 && (first != wanted || states[1].tensor().dim() != wanted)) {
    raiseError("RuntimeError", fmt::format("For {} input, hx and cx should also be {}-D but got ({}-D, {}-D) tensors",
                                           input, wanted, first, states[1].tensor().dim()));
  }
}

// `hasCell`: of LSTM, whose state is a pair.
values::Value forwardRecurrent(const ModuleCall& call, const char* name, const char* dimensionUnit,
                               const std::string& function, bool hasCell = false) {
  const RecurrentCall recurrent = startRecurrent(call, name, dimensionUnit);
  std::vector<int64_t> lastSizes = {recurrent.realHidden()};
  if (hasCell) {
    lastSizes.push_back(recurrent.hidden);
  }
  const values::Value given = call.arguments.find(1) ? call.arguments.at(1) : values::Value();
  values::ValueList states;
  for (size_t i = 0; i < lastSizes.size(); ++i) {
    states.push_back(given.isNone() ? recurrent.zeros(lastSizes[i])
                     : hasCell      ? call.modules.containers.getItem(given, intValue(static_cast<int64_t>(i)))
                                    : given);
  }
  if (!given.isNone()) {
    checkStateDimensions(recurrent, states);
    for (values::Value& state : states) {
      state = recurrent.isBatched ? state : call.method("unsqueeze", {state, intValue(1)});
    }
  }
  recurrent.checkInput(call.field("weight_ih_l0").tensor());
  for (size_t i = 0; i < states.size(); ++i) {
    recurrent.checkState(states[i], lastSizes[i], hasCell ? fmt::format("hidden[{}]", i) : "hidden");
  }
  const values::Value result = recurrent.run(function, hasCell ? values::Value::tuple(states) : states[0]);
  values::ValueList parts = *result.items();
  const values::Value output = squeezed(recurrent, parts[0], recurrent.batchDimension);
  parts.erase(parts.begin());
  for (values::Value& state : parts) {
    state = squeezed(recurrent, state, 1);
  }
  return values::Value::tuple({output, hasCell ? values::Value::tuple(parts) : parts[0]});
}

const std::vector<ModuleType>& recurrentTable() {
  static const std::vector<ModuleType> table = {
      {"RNN",
       "input_size, hidden_size, num_layers=1, nonlinearity='tanh', bias=True, batch_first=False, dropout=0.0, "
       "bidirectional=False, device=None, dtype=None",
       [](ModuleBuilder& builder) {
         const std::string& nonlinearity = builder.hyper("nonlinearity").as<std::string>();
         if (nonlinearity != "tanh" && nonlinearity != "relu") {
           raiseError("ValueError",
                      fmt::format("Unknown nonlinearity '{}'. Select from 'tanh' or 'relu'.", nonlinearity));
         }
         buildRecurrent(builder, 1, 0);
       },
       [](const ModuleCall& call) {
         return forwardRecurrent(call, "RNN", " tensor", "rnn_" + call.hyper("nonlinearity").as<std::string>());
       },
       {"input", "hx"}},
      {"GRU",
       "input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0, bidirectional=False, "
       "device=None, dtype=None",
       [](ModuleBuilder& builder) { buildRecurrent(builder, 3, 0); },
       [](const ModuleCall& call) { return forwardRecurrent(call, "GRU", "", "gru"); },
       {"input", "hx"}},
      {"LSTM",
       "input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0, bidirectional=False, "
       "proj_size=0, device=None, dtype=None",
       [](ModuleBuilder& builder) { buildRecurrent(builder, 4, builder.integer("proj_size")); },
       [](const ModuleCall& call) { return forwardRecurrent(call, "LSTM", "", "lstm", /*hasCell=*/true); },
       {"input", "hx"}},
  };
  return table;
}

} // namespace

c10::ArrayRef<ModuleType> recurrentModules() {
  return recurrentTable();
}

} // namespace touchstone::evaluator
