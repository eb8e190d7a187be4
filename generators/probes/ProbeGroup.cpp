#include "generators/probes/ProbeGroup.h"

#include "generators/decoder/ProgramEditing.h"
#include "program/evaluator/Evaluator.h"
#include "program/language/StatementEditing.h"

#include <c10/core/GradMode.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace touchstone::probes {

using language::ExprPtr;

namespace {

const char* const kInputs = "inputs";

/// How many tensors eager returns, the same in each call; none: it raises, or they are not as many.
std::optional<int> returnedTensors(const language::Case& theCase) {
  std::optional<int> count;
  try {
    for (const language::CallSpec& call : theCase.calls) {
      evaluator::Evaluator evaluator(theCase);
      std::vector<at::Tensor> tensors;
      values::collectTensors(evaluator.call("program", evaluator.makeInputs(kInputs, call.seed, call.kind).arguments),
                             tensors);
      const int here = static_cast<int>(tensors.size());
      if (count.value_or(here) != here) {
        return std::nullopt;
      }
      count = here;
    }
  } catch (const std::exception&) {
    return std::nullopt;
  }
  return count;
}

/// The function with `suffix` behind the names of all of its variables, but for the parameters of one that makes inputs.
language::Function withSuffix(const language::Function& function, const std::string& suffix) {
  language::Function result = function;
  std::map<std::string, std::string> names;
  if (function.name != kInputs) {
    for (std::string& parameter : result.parameters) {
      names[parameter] = parameter + suffix;
      parameter += suffix;
    }
  }
  for (const language::StatementPtr& statement : function.body) {
    for (const std::string& name : language::namesWritten(*statement)) {
      names[name] = name + suffix;
    }
  }
  for (language::StatementPtr& statement : result.body) {
    statement = decoder::withNames(statement, names);
  }
  return result;
}

void appendStatements(const language::Function& from, language::Function& to) {
  to.body.insert(to.body.end(), from.body.begin(), from.body.end() - 1); // all but its return
}

/// Puts probes' Cases together, one after the other.
class GroupBuilder {
 public:
  void add(const language::Case& alone, const std::string& suffix, int tensors) {
    if (made_.calls.empty()) {
      made_ = alone;
      made_.functions.clear();
      for (language::CallSpec& call : made_.calls) {
        call.backward = call.backward.has_value() ? std::optional(std::vector<language::BackwardRoot>()) : std::nullopt;
      }
      inputs_ = *alone.find(kInputs);
      program_ = alone.program();
      inputs_.body.clear();
      program_.body.clear();
      program_.parameters.clear();
    }
    addInputs(withSuffix(*alone.find(kInputs), suffix));
    const language::Function program = withSuffix(alone.program(), suffix);
    program_.parameters.insert(program_.parameters.end(), program.parameters.begin(), program.parameters.end());
    appendStatements(program, program_);
    const std::vector<ExprPtr> items = language::returnedItems(program);
    returned_.insert(returned_.end(), items.begin(), items.end());
    addShared(alone);
    addRoots(alone);
    tensors_ += tensors;
  }

  language::Case build() && {
    if (made_.calls.empty()) {
      return std::move(made_);
    }
    inputs_.body.push_back(language::makeReturn(
        language::makeTuple({language::makeTuple(std::move(arguments_)), language::makeTuple(std::move(watched_))})));
    program_.body.push_back(language::makeReturn(language::makeTuple(std::move(returned_))));
    made_.functions.insert(made_.functions.begin(), std::move(inputs_));
    made_.functions.push_back(std::move(program_));
    return std::move(made_);
  }

 private:
  void addInputs(const language::Function& inputs) {
    appendStatements(inputs, inputs_);
    const std::vector<ExprPtr> both = language::returnedItems(inputs);
    TORCH_INTERNAL_ASSERT(both.size() == 2, "A probe's inputs are arguments and what is watched.");
    arguments_.insert(arguments_.end(), both[0]->children.begin(), both[0]->children.end());
    watched_.insert(watched_.end(), both[1]->children.begin(), both[1]->children.end());
  }

  /// Named functions are the same whoever uses them.
  void addShared(const language::Case& alone) {
    for (const language::Function& function : alone.functions) {
      if (function.name != kInputs && function.name != "program" && made_.find(function.name) == nullptr) {
        made_.functions.push_back(function);
      }
    }
    for (const language::CustomFunction& function : alone.customFunctions) {
      if (made_.findCustomFunction(function.name) == nullptr) {
        made_.customFunctions.push_back(function);
      }
    }
    for (const language::CustomOperator& made : alone.customOperators) {
      if (made_.findCustomOperator(made.body.name) == nullptr) {
        made_.customOperators.push_back(made);
      }
    }
  }

  void addRoots(const language::Case& alone) {
    for (size_t call = 0; call < made_.calls.size(); ++call) {
      for (language::BackwardRoot root :
           alone.calls.at(call).backward.value_or(std::vector<language::BackwardRoot>())) {
        root.index += tensors_;
        made_.calls[call].backward.value().push_back(root);
      }
    }
  }

  language::Case made_; // with the named functions
  language::Function inputs_, program_; // still without their returns
  std::vector<ExprPtr> arguments_, watched_, returned_;
  int tensors_ = 0; // that are returned so far
};

} // namespace

ProbeGroup probeGroup(const std::vector<ProbeSpecification>& probes) {
  const c10::AutoGradMode gradEnabled(true);
  ProbeGroup group;
  GroupBuilder builder;
  for (size_t position = 0; position < probes.size(); ++position) {
    TORCH_CHECK(probes[position].backward == probes.front().backward,
                "The probes of a group are all with a backward, or none is.");
    const std::optional<language::Case> alone = probeCase(probes[position]);
    const std::optional<int> tensors = alone.has_value() ? returnedTensors(*alone) : std::nullopt;
    group.places.push_back(!alone.has_value()     ? ProbePlace::kNotApplicable
                           : !tensors.has_value() ? ProbePlace::kApart
                                                  : ProbePlace::kInside);
    if (group.places.back() == ProbePlace::kInside) {
      builder.add(*alone, "_" + std::to_string(position), *tensors);
    }
  }
  group.theCase = std::move(builder).build();
  return group;
}

} // namespace touchstone::probes
