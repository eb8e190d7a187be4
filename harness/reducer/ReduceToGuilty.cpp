#include "harness/reducer/CaseEditing.h"
#include "harness/reducer/ReductionPasses.h"
#include "program/analysis/NameFlow.h"
#include "program/language/StatementEditing.h"
#include "program/parser/LanguageNames.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace touchstone::reducer {

namespace {

using language::BackwardRoot;
using language::CallSpec;
using language::ExprPtr;

/// What a slice keeps; by default everything that can be seen.
struct Slice {
  std::optional<std::vector<ExprPtr>> outputs; // none: all
  std::optional<std::set<std::string>> written; // names whose writes count; none: all parameters
  std::optional<BackwardRoot> root; // the only root of backwards
  bool noBackward = false;
  bool otherEffects = true;
  bool plainCalls = false;
};

/// The number in `output 3` when the text begins with the role.
std::optional<size_t> numberOf(const std::string& where, const std::string& role) {
  if (where.rfind(role + " ", 0) != 0) {
    return std::nullopt;
  }
  return std::strtoull(where.c_str() + role.size(), nullptr, 10);
}

const language::Function* inputsOf(const language::Case& theCase, const GuiltyPlace& place) {
  for (size_t i = std::min(static_cast<size_t>(place.call), theCase.calls.size() - 1) + 1; i-- > 0;) {
    if (theCase.calls[i].inputs.has_value()) {
      return theCase.find(*theCase.calls[i].inputs);
    }
  }
  return nullptr;
}

/// Names of the Program, and parameters that the `inputs` function makes of one memory together.
analysis::AliasGroups groupsOf(const language::Function& program, const language::Function* inputs) {
  analysis::AliasGroups groups(program.body);
  const std::vector<std::string> arguments = inputs != nullptr
                                                 ? analysis::groupsOfInputs(*inputs, analysis::InputTuple::kArguments)
                                                 : std::vector<std::string>{};
  for (size_t i = 0; i < std::min(arguments.size(), program.parameters.size()); ++i) {
    const auto first =
        static_cast<size_t>(std::find(arguments.begin(), arguments.end(), arguments[i]) - arguments.begin());
    if (!arguments[i].empty() && first < i) {
      groups.join(program.parameters[first], program.parameters[i]);
    }
  }
  return groups;
}

/// The parameters that share memory with a watched tensor.
std::set<std::string> parametersOfWatched(const language::Function& program, const language::Function* inputs,
                                          size_t number) {
  std::set<std::string> result;
  if (inputs == nullptr) {
    return result;
  }
  const std::vector<std::string> arguments = analysis::groupsOfInputs(*inputs, analysis::InputTuple::kArguments),
                                 watched = analysis::groupsOfInputs(*inputs, analysis::InputTuple::kWatched);
  for (size_t i = 0; i < std::min(arguments.size(), program.parameters.size()) && number < watched.size(); ++i) {
    if (!arguments[i].empty() && arguments[i] == watched[number]) {
      result.insert(program.parameters[i]);
    }
  }
  return result;
}

bool isRoot(const language::Case& theCase, size_t parameter) {
  const BackwardRoot root{true, static_cast<int>(parameter)};
  return std::any_of(theCase.calls.begin(), theCase.calls.end(), [&](const CallSpec& call) {
    return call.backward.has_value() &&
           std::find(call.backward->begin(), call.backward->end(), root) != call.backward->end();
  });
}

/// Watched tensors that the arguments are not made of, in every `inputs` function.
void dropUnneededWatched(language::Case& theCase) {
  for (language::Function& function : theCase.functions) {
    std::vector<ExprPtr> both =
        language::isInputsName(function.name) ? returnedItems(function) : std::vector<ExprPtr>{};
    if (both.size() != 2 || both[1]->kind != language::ExprKind::kTuple) {
      continue;
    }
    language::Function arguments = withReturned(function, {both[0]});
    arguments = analysis::sliceBackward(arguments, {{}, analysis::AliasGroups(function.body), /*otherEffects=*/false});
    std::vector<ExprPtr> kept = both[1]->children;
    std::erase_if(kept, [&](const ExprPtr& item) {
      return item->kind == language::ExprKind::kName && !readsName(arguments, item->text);
    });
    both[1] = language::makeTuple(std::move(kept));
    function = withReturned(function, both);
  }
}

/// Parameters that are not read, watched tensors that nothing is made of, statements that make neither, functions that
/// are not used.
language::Case withoutDeadInterface(language::Case theCase) {
  const bool numbersLeaves = std::any_of(theCase.calls.begin(), theCase.calls.end(),
                                         [](const CallSpec& call) { return call.wrt.has_value(); });
  for (size_t i = theCase.program().parameters.size(); !numbersLeaves && i-- > 0;) {
    language::Case without = theCase;
    if (!readsName(theCase.program(), theCase.program().parameters[i]) && !isRoot(theCase, i) &&
        dropParameter(without, i)) {
      theCase = std::move(without);
    }
  }
  if (!numbersLeaves) {
    dropUnneededWatched(theCase);
  }
  theCase = language::withoutUnusedFunctions(std::move(theCase));
  for (language::Function& function : theCase.functions) {
    if (language::isInputsName(function.name)) {
      function = analysis::sliceBackward(function, {{}, analysis::AliasGroups(function.body), /*otherEffects=*/true});
    }
  }
  return theCase;
}

language::Case sliced(const language::Case& theCase, const GuiltyPlace& place, const Slice& slice) {
  language::Case result = theCase;
  for (CallSpec& call : result.calls) {
    if (slice.noBackward) {
      dropBackward(call);
    } else if (slice.root.has_value() && call.backward.has_value()) {
      call.backward = {*slice.root};
    }
    if (slice.plainCalls) {
      CallSpec plain;
      plain.inputs = call.inputs;
      plain.backward = call.backward;
      call = plain;
    }
  }
  language::Function& program = *findFunction(result, "program");
  if (slice.outputs.has_value()) {
    program = withReturned(program, *slice.outputs);
  }
  std::set<std::string> written(program.parameters.begin(), program.parameters.end());
  program = analysis::sliceBackward(
      program, {slice.written.value_or(written), groupsOf(program, inputsOf(theCase, place)), slice.otherEffects});
  return withoutDeadInterface(std::move(result));
}

// A gradient: for each root of the backward, what that alone needs.
void addSlicesByRoot(const language::Case& theCase, const GuiltyPlace& place, const std::vector<ExprPtr>& leaves,
                     std::vector<Slice>& slices) {
  const CallSpec& call = theCase.calls.at(static_cast<size_t>(place.call));
  for (const BackwardRoot& root : call.backward.value_or(std::vector<BackwardRoot>{})) {
    const auto index = static_cast<size_t>(root.index);
    const std::vector<std::string>& parameters = theCase.program().parameters;
    Slice slice;
    if (root.isArgument && index < parameters.size()) {
      slice.outputs.emplace();
      slice.written = {parameters[index]};
      slice.root = root;
    } else if (!root.isArgument && index < leaves.size()) {
      slice.outputs = {leaves[index]};
      slice.written.emplace();
      slice.root = BackwardRoot{};
    } else {
      continue;
    }
    slice.otherEffects = false;
    slices.push_back(slice);
  }
}

} // namespace

std::vector<language::Case> keepWhatIsGuilty(const language::Case& theCase, const GuiltyPlace& place) {
  const language::Function* program = theCase.find("program");
  if (program == nullptr || program->body.empty() || place.call < 0 ||
      static_cast<size_t>(place.call) >= theCase.calls.size()) {
    return {};
  }
  const std::vector<ExprPtr> leaves = leavesOf(returnedItems(*program));
  std::vector<Slice> slices;
  if (numberOf(place.where, "leaf").has_value()) {
    addSlicesByRoot(theCase, place, leaves, slices);
  } else if (const auto output = numberOf(place.where, "output"); output.has_value() && *output < leaves.size()) {
    slices.push_back({.outputs = {{leaves[*output]}}, .written = std::set<std::string>(), .noBackward = true});
  } else if (const auto argument = numberOf(place.where, "arg"); argument && *argument < program->parameters.size()) {
    slices.push_back(
        {.outputs = std::vector<ExprPtr>(), .written = {{program->parameters[*argument]}}, .noBackward = true});
  } else if (const auto watched = numberOf(place.where, "watched"); watched.has_value()) {
    slices.push_back({.outputs = std::vector<ExprPtr>(),
                      .written = parametersOfWatched(*program, inputsOf(theCase, place), *watched),
                      .noBackward = true});
  }
  // From the boldest: that alone, in plain calls; with the other writes to arguments; with the other outputs.
  std::vector<language::Case> result;
  for (Slice slice : slices) {
    slice.otherEffects = false;
    slice.plainCalls = true;
    result.push_back(sliced(theCase, place, slice));
    slice.plainCalls = false;
    result.push_back(sliced(theCase, place, slice));
    slice.otherEffects = true;
    slice.written.reset();
    result.push_back(sliced(theCase, place, slice));
    slice.outputs.reset();
    slice.root.reset();
    result.push_back(sliced(theCase, place, slice));
  }
  result.push_back(sliced(theCase, place, {}));
  return result;
}

language::Case withoutDeadParts(const language::Case& theCase) {
  const language::Function* program = theCase.find("program");
  return program == nullptr || theCase.calls.empty() ? theCase : sliced(theCase, {}, {});
}

} // namespace touchstone::reducer
