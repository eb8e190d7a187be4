#pragma once

#include "ObservedCase.h"
#include "oracles/compare/Judge.h"
#include "program/values/CompiledProgram.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::tests {

/// A compiled program that is eager's but for what a test plants in it. Pretends to compile one graph on its first call.
class PlantedProgram : public values::CompiledProgram {
 public:
  using Plant = std::function<values::Value(values::Callable& eager, values::ValueList& arguments)>;
  explicit PlantedProgram(const language::Case& theCase, Plant plant = nullptr)
      : eager_(evaluator::eagerProgram(theCase)), plant_(std::move(plant)) {}

  values::Value operator()(values::ValueList& arguments) override {
    if (compilesAlways || report_.graphs == 0) {
      ++report_.graphs;
    }
    report_.compiledRuns += runsCompiledCode ? 1 : 0;
    return plant_ ? plant_(*eager_, arguments) : (*eager_)(arguments);
  }
  ir::CompileReport report() const override {
    ir::CompileReport report = report_;
    report.breaks = breaks;
    return report;
  }
  void reset() override { report_.graphs = 0; }

  bool compilesAlways = false;
  bool runsCompiledCode = true;
  std::vector<std::string> breaks; // of graphs, as reported

 private:
  std::unique_ptr<values::Callable> eager_;
  Plant plant_;
  ir::CompileReport report_;
};

/// Plants a change of what was returned; the program returns a tuple.
inline PlantedProgram::Plant changeReturned(std::function<void(values::ValueList& returned)> change) {
  return [change = std::move(change)](values::Callable& eager, values::ValueList& arguments) {
    const values::Value result = eager(arguments);
    values::ValueList items = *result.items();
    change(items);
    return values::Value::tuple(std::move(items));
  };
}

/// Plants a change of one returned tensor.
inline PlantedProgram::Plant changeOutput(size_t index, std::function<at::Tensor(const at::Tensor&)> change) {
  return changeReturned([index, change = std::move(change)](values::ValueList& returned) {
    returned.at(index) = values::Value(change(returned.at(index).tensor()));
  });
}

/// Plants a change of the arguments after the call.
inline PlantedProgram::Plant changeArguments(std::function<void(const std::vector<at::Tensor>&)> change) {
  return [change = std::move(change)](values::Callable& eager, values::ValueList& arguments) {
    std::vector<at::Tensor> tensors;
    for (const values::Value& argument : arguments) {
      values::collectTensors(argument, tensors);
    }
    values::Value result = eager(arguments);
    change(tensors);
    return result;
  };
}

inline ir::BackendInfo infoOf(ir::RuleSet set) {
  ir::BackendInfo info;
  info.name = "planted";
  info.rules = set;
  info.compiles = set != ir::RuleSet::kReference;
  return info;
}

inline compare::CaseVerdict verdictOn(const language::Case& theCase, PlantedProgram& program,
                                      ir::RuleSet set = ir::RuleSet::kAot,
                                      const compare::EagerReference* given = nullptr, bool strictNumerics = false) {
  compare::JudgeOptions options;
  options.rules = compare::rulesOf(set);
  options.strictNumerics = strictNumerics;
  if (given) {
    return compare::judge(theCase, *given, program, infoOf(set), options);
  }
  const compare::EagerReference eager(theCase, options);
  return compare::judge(theCase, eager, program, infoOf(set), options);
}

inline compare::CaseVerdict verdictOn(const language::Case& theCase, PlantedProgram::Plant plant,
                                      ir::RuleSet set = ir::RuleSet::kAot) {
  PlantedProgram program(theCase, std::move(plant));
  return verdictOn(theCase, program, set);
}

/// The verdict when the compiled Observation is eager's own but for an edit: for what no honest tensor can show.
inline compare::CaseVerdict verdictOnEdited(const language::Case& theCase,
                                            const std::function<void(observe::CallObservation&)>& edit,
                                            ir::RuleSet set = ir::RuleSet::kAot, bool strictNumerics = false) {
  compare::JudgeOptions options;
  options.rules = compare::rulesOf(set);
  options.strictNumerics = strictNumerics;
  const compare::EagerReference eager(theCase, options);
  observe::CaseObservation compiled = eager.first();
  for (size_t call = 0; call < compiled.calls.size(); ++call) {
    compiled.calls[call].compiledRuns = 1;
    compiled.calls[call].graphsCompiled = call == 0 ? 1 : 0;
    edit(compiled.calls[call]);
  }
  return compare::compareObservations(theCase, eager, compiled, infoOf(set), options);
}

inline int allowedBy(const compare::CaseVerdict& verdict, compare::Rule rule) {
  return verdict.allowed.at(static_cast<size_t>(rule));
}

/// `Differs/values` without the call and the place.
inline std::string kindOf(const compare::CaseVerdict& verdict) {
  const std::string text = verdict.text();
  return text.substr(0, text.find("/call"));
}

} // namespace touchstone::tests
