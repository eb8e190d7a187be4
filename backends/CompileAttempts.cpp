#include "backends/CompileAttempts.h"

#include <utility>

namespace touchstone::backends {

GraphCompiler CompileAttempts::compiler() {
  return [this](ir::Graph graph, const std::vector<at::Tensor>& examples) {
    attempts_.emplace_back();
    for (const auto& observer : observers_) {
      observer->beginAttempt();
    }
    return compiler_(std::move(graph), examples);
  };
}

void CompileAttempts::giveUp(std::string why) {
  if (!attempts_.empty()) {
    attempts_.back().whyNot = std::move(why);
  }
}

void CompileAttempts::show(SymbolicSamples samples) {
  attempts_.back().samples = std::make_shared<SymbolicSamples>(std::move(samples));
}

void CompileAttempts::tell(std::optional<size_t> kept) {
  if (attempts_.empty()) {
    return;
  }
  Attempts told{.kept = kept.value_or(attempts_.size() - 1), .whyNot = {}, .samples = nullptr};
  for (Attempt& each : attempts_) {
    told.whyNot.push_back(std::move(each.whyNot));
  }
  told.whyNot.at(told.kept).clear();
  told.samples = std::move(attempts_[told.kept].samples);
  for (const auto& observer : observers_) {
    observer->onKept(told);
  }
}

} // namespace touchstone::backends
