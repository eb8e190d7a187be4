#include "backends/torch_compile/ReplayCallImport.h"

#include <nlohmann/json.hpp>

namespace touchstone::torch_compile {

using nlohmann::json;

std::vector<values::ReplayCall> importReplayCalls(const std::string& text, const std::vector<at::Tensor>& tensors) {
  const auto tensorAt = [&](const json& position) {
    return position.is_null() ? at::Tensor() : tensors.at(position.get<size_t>());
  };
  std::vector<values::ReplayCall> calls;
  for (const json& kept : json::parse(text)) {
    values::ReplayCall& call = calls.emplace_back();
    call.frame = kept.at("frame");
    call.stage = kept.at("stage");
    call.forward = kept.at("forward").is_null() ? -1 : kept.at("forward").get<int>();
    call.captured = kept.at("captured").is_null() ? -1 : kept.at("captured").get<int>();
    call.compiling = kept.at("compiling");
    call.raised = kept.at("raised");
    call.unusable = kept.at("unusable");
    call.ungraded = kept.at("ungraded");
    for (const auto& [key, list] :
         {std::pair("inputs", &call.inputs), std::pair("inputs_after", &call.inputsAfter),
          std::pair("outputs", &call.outputs), std::pair("captured_gradients", &call.capturedGradients)}) {
      for (const json& position : kept.at(key)) {
        list->push_back(tensorAt(position));
      }
    }
    call.generator = tensorAt(kept.at("generator"));
  }
  return calls;
}

} // namespace touchstone::torch_compile
