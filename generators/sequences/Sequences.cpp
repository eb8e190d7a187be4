#include "generators/sequences/Sequences.h"

#include "generators/features/AutogradCycles.h"
#include "program/evaluator/Evaluator.h"
#include "program/language/CasePrinter.h"
#include "program/parser/CaseParser.h"

#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace touchstone::sequences {

namespace {

using Gradient = SequenceTensor::Gradient;

constexpr SequenceFragment kFragments[] = {
    {"only reads", "$R = $A * 2 + $B.sum()"},
    {"reads, with a backward", "$R = $A.sin() + $B.cos().sum()", true},
    {"leaves a tensor unused", "$R = $A + 1", false, "y"},
    {"leaves a list unused", "$R = $A + 1", false, "parts"},
    {"leaves a dict unused", "$R = $A + 1", false, "table"},
    {"leaves an int unused", "$R = $A + 1", false, "n"},
    {"binds an argument to a name", "held = $B\n$R = $A + 1"},
    {"writes to an input", "$A.add_(1)\n$R = $B * 2"},
    {"writes to an input and returns it", "$A.mul_(2)\n$R = $A"},
    {"writes through a view", "$A[0].mul_(2)\n$R = $B + 1"},
    {"writes to what was computed, with a backward", "$R = $A * 2\n$R.add_($B.sum())", true},
    {"returns a view of an input", "$R = $A.t()"},
    {"returns a view of an input, with a backward", "$R = $A.unsqueeze(0)", true},
    {"returns a detached input", "$R = $A.detach()"},
    {"returns the input", "$R = $A"},
    {"turns an input", "$A.t_()\n$R = $B * 3"},
    {"multiplies matrices, with a backward", "$R = torch.mm($A, $A.t())", true},
    {"reads a size", "$R = $A * $A.shape[0] + $B.numel()"},
    {"reads a stride", "$R = $A + $B.stride(0)"},
    {"reads an offset", "$R = $A + $B.storage_offset()"},
    {"reads the rank", "$R = $A + $B.dim()"},
    {"returns sizes", "$R = ($A.shape, $A.stride())"},
    {"branches on a size", "if $A.shape[0] > 2:\n    $R = $A * 2\nelse:\n    $R = $A + 1"},
    {"branches on a dtype", "if $A.dtype == torch.float32:\n    $R = $A * 2\nelse:\n    $R = $A + 1"},
    {"branches on requires_grad", "if $A.requires_grad:\n    $R = $A * 2\nelse:\n    $R = $A + 1"},
    {"branches on is_leaf", "if $A.is_leaf:\n    $R = $A * 2\nelse:\n    $R = $A + 1"},
    {"branches on `is`", "if $A is $B:\n    $R = $A * 2\nelse:\n    $R = $A + 1"},
    {"branches on data", "if ($A.sum() > 0).item():\n    $R = $A * 2\nelse:\n    $R = $A + 1"},
    {"breaks its graph", "$R = $A * 2\ntorch._dynamo.graph_break()\n$R = $R + $B.sum()"},
    {"breaks its graph and writes", "$A.add_(1)\ntorch._dynamo.graph_break()\n$R = $B * 2"},
    {"breaks its graph with a view", "$R = $A.t()\ntorch._dynamo.graph_break()\n$A.mul_(2)"},
    {"makes an input require grad", "$A.requires_grad_()\n$R = $A * 2", true},
    {"detaches an input in place", "$A.detach_()\n$R = $A * $B", true},
    {"asks whether an input is contiguous", "$R = $A + ($B.is_contiguous() + 0)"},
    {"computes with an int", "$R = $A * n"},
    {"branches on an int", "if n > 2:\n    $R = $A * 2\nelse:\n    $R = $A + 1"},
    {"computes with a float", "$R = $A * factor"},
    {"branches on a bool", "if flag:\n    $R = $A * 2\nelse:\n    $R = $A + 1"},
    {"branches on a string", "if text == \"a\":\n    $R = $A * 2\nelse:\n    $R = $A + 1"},
    {"branches on None", "if nothing is None:\n    $R = $A * 2\nelse:\n    $R = $A + nothing"},
    {"reads an item of a list", "$R = parts[0] * 2"},
    {"loops over a list", "$R = $A\nfor part in parts:\n    $R = $R + part.sum()"},
    {"appends to a list", "parts.append($A * 2)\n$R = len(parts)"},
    {"writes to an item of a list", "parts[0].add_(1)\n$R = $A * 2"},
    {"compares lists", "if parts is others:\n    $R = parts[0] * 2\nelse:\n    $R = others[0] + 1"},
    {"changes one of two lists", "parts.append($A * 2)\n$R = len(others)"},
    {"reads an item of a dict", "$R = table[\"a\"] * 2"},
    {"looks for a key in a dict", "if \"b\" in table:\n    $R = $A * 2\nelse:\n    $R = $A + 1"},
    {"returns a dict", "table[\"new\"] = $A * 2\n$R = table"},
    {"reads an attribute of a module", "$R = $A * m.scale"},
    {"reads a parameter of a module, with a backward", "$R = $A * m.weight.sum()", true},
    {"writes to a buffer of a module", "m.count.add_(1)\n$R = $A * 2"},
    {"sets an attribute of a module", "m.scale = m.scale + 1\n$R = $A * 2"},
    {"branches on a module's mode", "if m.training:\n    $R = $A * 2\nelse:\n    $R = $A + 1"},
    {"branches on the grad mode", "if torch.is_grad_enabled():\n    $R = $A * 2\nelse:\n    $R = $A + 1"},
    {"has a region without grad", "with torch.no_grad():\n    $R = $A * 2\n$R = $R + $B.sum()", true},
};

constexpr const char* kParameters[] = {"x",    "y",       "z",     "n",      "factor", "flag",
                                       "text", "nothing", "parts", "others", "table",  "m"};

void replaceAll(std::string& text, std::string_view what, const std::string& with) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
}

bool isWordCharacter(char character) {
  return std::isalnum(static_cast<unsigned char>(character)) != 0 || character == '_' || character == '"';
}

/// Whether the text has the name as a word of its own, and no attribute or string.
bool mentions(const std::string& text, const std::string& name) {
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const char before = at > 0 ? text[at - 1] : ' ';
    const char after = at + name.size() < text.size() ? text[at + name.size()] : ' ';
    if (!isWordCharacter(before) && before != '.' && !isWordCharacter(after)) {
      return true;
    }
  }
  return false;
}

std::string indented(const std::string& text) {
  std::string result = "    " + text;
  replaceAll(result, "\n", "\n    ");
  return result + "\n";
}

/// A Program of fragments, and the parameters that it has.
struct Composition {
  std::string body;
  std::vector<std::string> results, parameters;
  bool trains = false;

  void add(const SequenceFragment& fragment, const std::string& first, const std::string& second) {
    std::string text(fragment.text);
    replaceAll(text, "$A", first);
    replaceAll(text, "$B", second);
    results.push_back(fmt::format("r{}", results.size()));
    replaceAll(text, "$R", results.back());
    body += indented(text);
    trains = trains || fragment.trains;
  }

  void takeParameters(const std::string& unused) {
    parameters.clear();
    for (const char* name : kParameters) {
      if (mentions(body, name) || unused == name) {
        parameters.emplace_back(name);
      }
    }
  }

  language::Function program() const {
    return parser::parseFunction(fmt::format("def program({}):\n{}    return {}\n", fmt::join(parameters, ", "), body,
                                             fmt::join(results, ", ")));
  }
};

/// What eager does in a call of the Case: whether it raises, and the outputs that it can differentiate.
struct EagerCall {
  bool raises = false;
  std::vector<language::BackwardRoot> roots;
};

EagerCall callEagerly(const language::Case& theCase, const language::CallSpec& spec) {
  EagerCall result;
  features::AutogradCycles cycles; // outlives the values
  evaluator::EvaluatorOptions watched;
  watched.onOperation = cycles.hook();
  try {
    evaluator::Evaluator evaluator(theCase, watched);
    evaluator::InputSet inputs = evaluator.makeInputs(*spec.inputs, spec.seed, spec.kind);
    c10::AutoGradMode mode(spec.gradMode == language::GradMode::kEnable);
    c10::InferenceMode inference(spec.gradMode == language::GradMode::kInference);
    std::vector<at::Tensor> outputs;
    values::collectTensors(evaluator.call("program", std::move(inputs.arguments)), outputs);
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i].requires_grad() && outputs[i].is_floating_point()) {
        result.roots.push_back({.isArgument = false, .index = static_cast<int>(i)});
      }
    }
  } catch (const std::exception&) {
    result.raises = true;
  }
  return result;
}

/// Makes the calls of one Case.
class SequenceMaker {
 public:
  SequenceMaker(Composition composition, SequenceInputs inputs) : composition_(std::move(composition)) {
    states_.push_back({std::move(inputs), {}});
    case_.functions.push_back(composition_.program());
  }

  /// False: eager raises.
  bool addFirst(int64_t seed) { return addCall(states_[0], seed); }

  /// A call that changes one thing of the call before it; false: it does not apply, or eager raises.
  bool addChanged(SequenceChange change, int64_t seed, catalogue::Draw& draw, int target = -1) {
    State state = states_[current_];
    language::CallSpec& spec = state.spec;
    switch (change) {
      case SequenceChange::kGradMode:
        spec.gradMode = spec.gradMode != language::GradMode::kEnable ? language::GradMode::kEnable
                        : draw.chance(70)                            ? language::GradMode::kNoGrad
                                                                     : language::GradMode::kInference;
        break;
      case SequenceChange::kAutocast:
        spec.autocast = spec.autocast ? std::nullopt : std::optional<std::string>("bfloat16");
        break;
      case SequenceChange::kBack:
        if (current_ == 0) {
          return false;
        }
        state = states_[static_cast<size_t>(draw.below(static_cast<int64_t>(current_)))];
        break;
      case SequenceChange::kSameObjects: {
        language::CallSpec again = case_.calls.back();
        again.inputs.reset();
        again.seed = 0;
        again.backward.reset();
        case_.calls.push_back(std::move(again));
        changes_.emplace_back(sequenceChangeName(change));
        return true;
      }
      default:
        if (!state.inputs.change(change, composition_.parameters, draw, target)) {
          return false;
        }
    }
    if (!addCall(state, seed)) {
      return false;
    }
    changes_.emplace_back(sequenceChangeName(change));
    states_.push_back(std::move(state));
    current_ = states_.size() - 1;
    return true;
  }

  language::Case take() {
    std::rotate(case_.functions.begin(), case_.functions.begin() + 1, case_.functions.end()); // `program` comes last
    case_.setHeader("sequence", fmt::format("{}", fmt::join(changes_, "; ")));
    return std::move(case_);
  }

 private:
  struct State {
    SequenceInputs inputs;
    language::CallSpec spec; // its modes
  };

  bool addCall(const State& state, int64_t seed) {
    language::CallSpec spec = state.spec;
    const size_t functions = case_.functions.size();
    spec.inputs = functionFor(state.inputs);
    spec.seed = seed;
    const EagerCall call = callEagerly(case_, spec);
    if (call.raises) {
      case_.functions.resize(functions);
      made_.resize(functions - 1);
      return false;
    }
    if (composition_.trains && spec.gradMode == language::GradMode::kEnable && !call.roots.empty()) {
      spec.backward = call.roots;
      spec.tangentSeed = seed + 10;
    }
    case_.calls.push_back(std::move(spec));
    return true;
  }

  /// One of the functions that are there, if it makes the same.
  std::string functionFor(const SequenceInputs& inputs) {
    language::Function function = inputs.function("inputs", composition_.parameters);
    std::string text = language::printFunction(function);
    const auto known = std::find(made_.begin(), made_.end(), text) - made_.begin();
    function.name = known == 0 ? "inputs" : fmt::format("inputs_{}", known + 1);
    std::string name = function.name;
    if (static_cast<size_t>(known) == made_.size()) {
      made_.push_back(std::move(text));
      case_.functions.push_back(std::move(function));
    }
    return name;
  }

  Composition composition_;
  language::Case case_;
  std::vector<State> states_;
  size_t current_ = 0;
  std::vector<std::string> made_; // texts of the functions behind `program`
  std::vector<std::string> changes_;
};

Composition drawComposition(catalogue::Draw& draw) {
  constexpr auto kCount = static_cast<int64_t>(std::size(kFragments));
  const char* const names[] = {"x", "y", "z"};
  std::string unused;
  Composition composition;
  const int64_t count = draw.chance(40) ? 1 : draw.between(2, 4);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t first = draw.below(3), second = (first + draw.between(1, 2)) % 3;
    const SequenceFragment& fragment = kFragments[draw.below(kCount)];
    composition.add(fragment, names[first], names[draw.chance(10) ? first : second]);
    unused = fragment.unused.empty() ? unused : fragment.unused;
  }
  composition.takeParameters(unused.empty() && draw.chance(25) ? kParameters[draw.below(std::size(kParameters))]
                                                               : unused);
  composition.trains = composition.trains || draw.chance(30);
  return composition;
}

Composition plainComposition() {
  Composition composition;
  composition.add(kFragments[0], "x", "y");
  composition.takeParameters("");
  return composition;
}

SequenceInputs drawStart(const Composition& composition, catalogue::Draw& draw) {
  SequenceInputs inputs;
  for (SequenceTensor& tensor : inputs.tensors) {
    if (composition.trains && draw.chance(60)) {
      tensor.gradient = draw.chance(50) ? Gradient::kLeaf : Gradient::kComputed;
    }
  }
  const bool startsShared = draw.chance(25);
  for (int64_t changes = draw.below(4) + (startsShared ? 2 : 0); changes > 0; --changes) {
    SequenceInputs changed = inputs;
    const auto change = startsShared && changes > 2 ? SequenceChange::kSharedMemory
                                                    : static_cast<SequenceChange>(draw.below(kSequenceChangeCount));
    if (changed.change(change, composition.parameters, draw)) {
      inputs = std::move(changed);
    }
  }
  return inputs;
}

} // namespace

std::span<const SequenceFragment> sequenceFragments() {
  return kFragments;
}

language::Case makeSequence(uint64_t seed, uint64_t index) {
  constexpr int kStarts = 8, kAttempts = 12;
  for (int start = 0;; ++start) {
    catalogue::Draw draw(catalogue::mix(catalogue::mix(seed) ^ index) + static_cast<uint64_t>(start), "sequence");
    const bool isLast = start + 1 == kStarts; // eager takes this one
    const Composition composition = isLast ? plainComposition() : drawComposition(draw);
    SequenceMaker maker(composition, isLast ? SequenceInputs() : drawStart(composition, draw));
    if (!maker.addFirst(draw.between(1, 99))) {
      continue;
    }
    const int64_t calls = draw.between(1, 3);
    int64_t added = 0;
    auto add = [&](SequenceChange change) {
      added += maker.addChanged(change, 100 * (added + 1) + draw.below(99), draw) ? 1 : 0;
    };
    for (int attempt = 0; attempt < kAttempts && added < calls; ++attempt) {
      add(added > 0 && draw.chance(25) ? SequenceChange::kBack
                                       : static_cast<SequenceChange>(draw.below(kSequenceChangeCount)));
    }
    if (added < 3 && draw.chance(60)) { // code that is there already is used again
      add(SequenceChange::kBack);
    }
    if (added > 0 || isLast) {
      return maker.take();
    }
  }
}

std::optional<language::Case> changedOnce(const SequenceFragment& fragment, SequenceChange change, int target) {
  constexpr int kAttempts = 20;
  Composition composition;
  composition.add(fragment, "x", "y");
  composition.takeParameters(std::string(fragment.unused));
  SequenceInputs inputs;
  if (fragment.trains) {
    inputs.tensors[0].gradient = Gradient::kLeaf;
  }
  if (change == SequenceChange::kLeaf && target >= 0) {
    inputs.tensors[static_cast<size_t>(target)].gradient = Gradient::kLeaf;
  }
  if (change == SequenceChange::kOverlap) {
    inputs.tensors[1].shares = 0;
    inputs.tensors[1].distance = 3;
  }
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    catalogue::Draw draw(static_cast<uint64_t>(attempt), sequenceChangeName(change));
    SequenceMaker maker(composition, inputs);
    if (!maker.addFirst(1)) {
      return std::nullopt;
    }
    if (change != SequenceChange::kBack && maker.addChanged(change, 2, draw, target)) {
      return maker.take();
    }
  }
  return std::nullopt;
}

} // namespace touchstone::sequences
