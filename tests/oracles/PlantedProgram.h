#pragma once

#include "ObservedCase.h"
#include "program/values/CompiledProgram.h"
#include "oracles/compare/Judge.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::oracles {

/// A compiled program that is eager's but for what a test plants in it. Pretends to compile one graph on its first call.
class PlantedProgram : public graph::CompiledProgram {
 public:
  using Plant = std::function<graph::Value(graph::Callable& eager, graph::ValueList& arguments)>;
  explicit PlantedProgram(const graph::Case& theCase, Plant plant = nullptr)
      : eager_(graph::eagerProgram(theCase)), plant_(std::move(plant)) {}

  graph::Value operator()(graph::ValueList& arguments) override {
    if (compilesAlways || report_.graphs == 0) {
      ++report_.graphs;
    }
    report_.compiledRuns += runsCompiledCode ? 1 : 0;
    return plant_ ? plant_(*eager_, arguments) : (*eager_)(arguments);
  }
  graph::CompileReport report() const override {
    graph::CompileReport report = report_;
    report.breaks = breaks;
    return report;
  }
  void reset() override { report_.graphs = 0; }

  bool compilesAlways = false;
  bool runsCompiledCode = true;
  std::vector<std::string> breaks; // of graphs, as reported

 private:
  std::unique_ptr<graph::Callable> eager_;
  Plant plant_;
  graph::CompileReport report_;
};

/// Plants a change of what was returned; the program returns a tuple.
inline PlantedProgram::Plant changeReturned(std::function<void(graph::ValueList& returned)> change) {
  return [change = std::move(change)](graph::Callable& eager, graph::ValueList& arguments) {
    const graph::Value result = eager(arguments);
    graph::ValueList items = *result.items();
    change(items);
    return graph::Value::tuple(std::move(items));
  };
}

/// Plants a change of one returned tensor.
inline PlantedProgram::Plant changeOutput(size_t index, std::function<at::Tensor(const at::Tensor&)> change) {
  return changeReturned([index, change = std::move(change)](graph::ValueList& returned) {
    returned.at(index) = graph::Value(change(returned.at(index).tensor()));
  });
}

/// Plants a change of the arguments after the call.
inline PlantedProgram::Plant changeArguments(std::function<void(const std::vector<at::Tensor>&)> change) {
  return [change = std::move(change)](graph::Callable& eager, graph::ValueList& arguments) {
    std::vector<at::Tensor> tensors;
    for (const graph::Value& argument : arguments) {
      graph::collectTensors(argument, tensors);
    }
    graph::Value result = eager(arguments);
    change(tensors);
    return result;
  };
}

inline graph::BackendInfo infoOf(graph::RuleSet set) {
  graph::BackendInfo info;
  info.name = "planted";
  info.rules = set;
  info.compiles = set != graph::RuleSet::kReference;
  return info;
}

inline CaseVerdict verdictOn(const graph::Case& theCase, PlantedProgram& program,
                             graph::RuleSet set = graph::RuleSet::kAot, const EagerReference* given = nullptr) {
  JudgeOptions options;
  options.rules = rulesOf(set);
  if (given) {
    return judge(theCase, *given, program, infoOf(set), options);
  }
  const EagerReference eager(theCase, options);
  return judge(theCase, eager, program, infoOf(set), options);
}

inline CaseVerdict verdictOn(const graph::Case& theCase, PlantedProgram::Plant plant,
                             graph::RuleSet set = graph::RuleSet::kAot) {
  PlantedProgram program(theCase, std::move(plant));
  return verdictOn(theCase, program, set);
}

/// The verdict when the compiled Observation is eager's own but for an edit: for what no honest tensor can show.
inline CaseVerdict verdictOnEdited(const graph::Case& theCase, const std::function<void(CallObservation&)>& edit,
                                   graph::RuleSet set = graph::RuleSet::kAot) {
  JudgeOptions options;
  options.rules = rulesOf(set);
  const EagerReference eager(theCase, options);
  CaseObservation compiled = eager.first();
  for (size_t call = 0; call < compiled.calls.size(); ++call) {
    compiled.calls[call].compiledRuns = 1;
    compiled.calls[call].graphsCompiled = call == 0 ? 1 : 0;
    edit(compiled.calls[call]);
  }
  return compareObservations(theCase, eager, compiled, infoOf(set), options);
}

inline int allowedBy(const CaseVerdict& verdict, Rule rule) {
  return verdict.allowed.at(static_cast<size_t>(rule));
}

/// `Differs/values` without the call and the place.
inline std::string kindOf(const CaseVerdict& verdict) {
  const std::string text = verdict.text();
  return text.substr(0, text.find("/call"));
}

} // namespace touchstone::oracles
