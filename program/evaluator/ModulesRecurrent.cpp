#include "program/evaluator/Modules.h"
#include "program/evaluator/Slices.h"

#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/ScalarType.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>

// RNN, GRU and LSTM on tensors (no packed sequences), after `torch/nn/modules/rnn.py`.

namespace touchstone::evaluator {
namespace {

std::vector<std::string> weightNames(int64_t layer, bool reverse, bool hasBias, bool hasProjection) {
  std::vector<std::string> kinds = {"weight_ih", "weight_hh"};
  if (hasBias) {
    kinds.insert(kinds.end(), {"bias_ih", "bias_hh"});
  }
  if (hasProjection) {
    kinds.push_back("weight_hr");
  }
  for (std::string& name : kinds) {
    name += fmt::format("_l{}{}", layer, reverse ? "_reverse" : "");
  }
  return kinds;
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
  const bool hasBias = builder.flag("bias");
  const int64_t directions = builder.flag("bidirectional") ? 2 : 1;
  const int64_t realHidden = projection > 0 ? projection : hidden;
  std::vector<at::Tensor> weights;
  for (int64_t layer = 0; layer < layers; ++layer) {
    const int64_t layerInput = layer == 0 ? input : realHidden * directions;
    for (int64_t direction = 0; direction < directions; ++direction) {
      for (const std::string& name : weightNames(layer, direction == 1, hasBias, projection > 0)) {
        std::vector<int64_t> sizes = {gates * hidden};
        if (name.starts_with("weight_ih")) {
          sizes.push_back(layerInput);
        } else if (name.starts_with("weight_hh")) {
          sizes.push_back(realHidden);
        } else if (name.starts_with("weight_hr")) {
          sizes = {projection, hidden};
        }
        weights.push_back(builder.addParameter(name, sizes));
      }
    }
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
    const bool hasBias = call.flag("bias");
    const bool isBidirectional = call.flag("bidirectional");
    for (int64_t layer = 0; layer < call.integer("num_layers"); ++layer) {
      for (int direction = 0; direction < (isBidirectional ? 2 : 1); ++direction) {
        for (const std::string& name : weightNames(layer, direction == 1, hasBias, projection > 0)) {
          list.push_back(call.field(name));
        }
      }
    }
    return values::Value::list(std::move(list));
  }

  void checkInput(const at::Tensor& weight) const;
  void checkState(const values::Value& state, int64_t last, const char* what) const;
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

void RecurrentCall::checkState(const values::Value& state, int64_t last, const char* what) const {
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

values::Value forwardOneState(const ModuleCall& call, const char* name, const char* dimensionUnit,
                              const std::string& function) {
  const RecurrentCall recurrent = startRecurrent(call, name, dimensionUnit);
  values::Value state = call.arguments.find(1) ? call.arguments.at(1) : values::Value();
  if (state.isNone()) {
    state = recurrent.zeros(recurrent.hidden);
  } else {
    const int64_t dimensions = state.tensor().dim();
    if (dimensions != (recurrent.isBatched ? 3 : 2)) {
      raiseError("RuntimeError", fmt::format("For {} input, hx should also be {} but got {}-D tensor",
                                             recurrent.isBatched ? "batched 3-D" : "unbatched 2-D",
                                             recurrent.isBatched ? "3-D" : "2-D", dimensions));
    }
    if (!recurrent.isBatched) {
      state = call.method("unsqueeze", {state, intValue(1)});
    }
  }
  recurrent.checkInput(call.field("weight_ih_l0").tensor());
  recurrent.checkState(state, recurrent.hidden, "hidden");
  const values::Value result = recurrent.run(function, state);
  return values::Value::tuple({squeezed(recurrent, (*result.items())[0], recurrent.batchDimension),
                               squeezed(recurrent, (*result.items())[1], 1)});
}

values::Value forwardLstm(const ModuleCall& call) {
  const RecurrentCall recurrent = startRecurrent(call, "LSTM", "");
  const values::Value given = call.arguments.find(1) ? call.arguments.at(1) : values::Value();
  values::Value hidden;
  values::Value cell;
  if (given.isNone()) {
    hidden = recurrent.zeros(recurrent.realHidden());
    cell = recurrent.zeros(recurrent.hidden);
  } else {
    hidden = call.modules.containers.getItem(given, intValue(0));
    cell = call.modules.containers.getItem(given, intValue(1));
    const int64_t wanted = recurrent.isBatched ? 3 : 2;
    if (hidden.tensor().dim() != wanted || cell.tensor().dim() != wanted) {
      raiseError("RuntimeError", fmt::format("For {} input, hx and cx should also be {}-D but got ({}-D, {}-D) tensors",
                                             recurrent.isBatched ? "batched 3-D" : "unbatched 2-D", wanted,
                                             hidden.tensor().dim(), cell.tensor().dim()));
    }
    if (!recurrent.isBatched) {
      hidden = call.method("unsqueeze", {hidden, intValue(1)});
      cell = call.method("unsqueeze", {cell, intValue(1)});
    }
  }
  recurrent.checkInput(call.field("weight_ih_l0").tensor());
  recurrent.checkState(hidden, recurrent.realHidden(), "hidden[0]");
  recurrent.checkState(cell, recurrent.hidden, "hidden[1]");
  const values::Value result = recurrent.run("lstm", values::Value::tuple({hidden, cell}));
  const values::ValueList& parts = *result.items();
  return values::Value::tuple(
      {squeezed(recurrent, parts[0], recurrent.batchDimension),
       values::Value::tuple({squeezed(recurrent, parts[1], 1), squeezed(recurrent, parts[2], 1)})});
}

const std::vector<ModuleType>& recurrentTable() {
  static const std::vector<ModuleType> table = {
      {"RNN",
       "input_size, hidden_size, num_layers=1, nonlinearity=\"tanh\", bias=True, batch_first=False, dropout=0.0, "
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
         return forwardOneState(call, "RNN", " tensor", "rnn_" + call.hyper("nonlinearity").as<std::string>());
       },
       {"input", "hx"}},
      {"GRU",
       "input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0, bidirectional=False, "
       "device=None, dtype=None",
       [](ModuleBuilder& builder) { buildRecurrent(builder, 3, 0); },
       [](const ModuleCall& call) { return forwardOneState(call, "GRU", "", "gru"); },
       {"input", "hx"}},
      {"LSTM",
       "input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0, bidirectional=False, "
       "proj_size=0, device=None, dtype=None",
       [](ModuleBuilder& builder) { buildRecurrent(builder, 4, builder.integer("proj_size")); },
       forwardLstm,
       {"input", "hx"}},
  };
  return table;
}

} // namespace

c10::ArrayRef<ModuleType> recurrentModules() {
  return recurrentTable();
}

} // namespace touchstone::evaluator
