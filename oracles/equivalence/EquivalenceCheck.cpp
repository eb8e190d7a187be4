#include "oracles/equivalence/EquivalenceCheck.h"

#include "graph/ir/Geometry.h"
#include "graph/ir/GraphText.h"
#include "graph/ir/Stages.h"
#include "oracles/equivalence/FrameNormalForm.h"
#include "program/values/RaisedException.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

namespace touchstone::equivalence {

using ir::StageArtifacts;

namespace {

/// `l_m_parameters_weight_` as Dynamo names it and `m_weight` as a capture does: one name for both.
std::string commonName(const std::string& name) {
  std::vector<std::string> words;
  std::string word;
  for (char each : name + "_") {
    if (each == '_') {
      if (!word.empty()) {
        words.push_back(std::exchange(word, {}));
      }
    } else {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(each)));
    }
  }
  if (words.size() > 1 && (words[0] == "l" || words[0] == "self")) {
    words.erase(words.begin());
  }
  std::erase_if(words,
                [](const std::string& each) { return each == "parameters" || each == "buffers" || each == "modules"; });
  return fmt::format("{}", fmt::join(words, "_"));
}

bool computes(const StageArtifacts& frame) {
  const ir::Graph* forward = frame.graph(ir::kForwardStage);
  return forward == nullptr || ElementNumbers::computes(*forward);
}

using Frames = std::vector<const StageArtifacts*>;

Frames allOf(const std::vector<StageArtifacts>& frames) {
  Frames all;
  for (const StageArtifacts& frame : frames) {
    all.push_back(&frame);
  }
  return all;
}

void keepComputing(Frames& frames) {
  std::erase_if(frames, [](const StageArtifacts* frame) { return !computes(*frame); });
}

/// torch._dynamo may begin its analysis of a function anew when it has compiled a Graph already, and then compiles the same
/// one again.
void dropCompiledAgain(Frames& frames) {
  const auto textOf = [](const StageArtifacts* frame) {
    const ir::Graph* forward = frame->graph(ir::kForwardStage);
    return forward == nullptr ? std::string() : ir::graphCode(*forward);
  };
  const auto isAgain = [&](const StageArtifacts* before, const StageArtifacts* frame) {
    const std::string text = textOf(frame);
    return !text.empty() && text == textOf(before);
  };
  frames.erase(std::unique(frames.begin(), frames.end(), isAgain), frames.end());
}

/// A memory is called by the first input in it that has a name in both pipelines.
struct Places {
  std::vector<InputPlace> left, right;
  std::vector<std::string> onlyRight; // inputs that the left pipeline does not take
};

/// How the forward Graph sees an input; nothing when it does not take it.
std::optional<ir::TensorMetadata> layoutTaken(const ir::GraphSignature& signature, size_t input) {
  for (const ir::GraphSignature::Taken& taken : signature.takes) {
    if (taken.input == static_cast<int>(input)) {
      return taken.geometry;
    }
  }
  return std::nullopt;
}

bool isLike(const ir::TensorMetadata& left, const ir::TensorMetadata& right) {
  return left.dtype == right.dtype && left.offset == right.offset && ir::sameLayout(left, right);
}

Places matchInputs(const ir::GraphSignature& left, const ir::GraphSignature& right) {
  Places places;
  std::map<int, std::string> memories;
  std::map<std::string, size_t> byName;
  for (size_t i = 0; i < left.inputs.size(); ++i) {
    const auto& input = left.inputs[i];
    const std::string name = commonName(input.name);
    byName.try_emplace(name, i);
    for (const std::string& other : input.otherNames) {
      byName.try_emplace(commonName(other), i);
    }
    if (!memories.contains(input.storage)) {
      const bool isFree =
          std::none_of(memories.begin(), memories.end(), [&](const auto& each) { return each.second == name; });
      memories[input.storage] = isFree ? name : fmt::format("{} ({})", name, input.storage);
    }
    places.left.push_back({memories.at(input.storage), input.geometry});
  }
  std::vector<bool> taken(left.inputs.size());
  places.right.resize(right.inputs.size());
  const auto match = [&](size_t position, size_t input) {
    places.right[position] = places.left[input];
    taken[input] = true;
  };
  std::vector<size_t> nameless;
  for (size_t i = 0; i < right.inputs.size(); ++i) {
    const auto known = byName.find(commonName(right.inputs[i].name));
    if (known != byName.end() && !taken[known->second]) {
      match(i, known->second);
    } else if (layoutTaken(right, i)) { // others are symbolic numbers
      nameless.push_back(i);
    }
  }
  for (size_t position :
       nameless) { // one tensor under several names, or on the stack: the next one that is laid out alike
    const auto layout = layoutTaken(right, position);
    size_t input = 0;
    while (input < left.inputs.size() && (taken[input] || !layout || !isLike(*layout, left.inputs[input].geometry))) {
      ++input;
    }
    if (input < left.inputs.size()) {
      match(position, input);
    } else {
      places.right[position] = {right.inputs[position].name + " of the right pipeline",
                                right.inputs[position].geometry};
      places.onlyRight.push_back(right.inputs[position].name);
      if (layout) {
        places.right[position].geometry = *layout;
      }
    }
  }
  return places;
}

class Comparison {
 public:
  Comparison(ElementNumbers& numbers, std::vector<EquivalenceDifference>& differences, size_t frame)
      : numbers_(numbers), differences_(differences), frame_(frame) {}

  void compare(const FrameNormalForm& left, const FrameNormalForm& right) {
    compareInputs(left, right);
    compareOutputs(left, right);
    compareSaved(left, right);
    compareGradients(left, right);
  }

  void add(EquivalenceAspect aspect, const std::string& message) {
    differences_.push_back({aspect, fmt::format("graph {}: {}", frame_, message)});
  }

 private:
  void compareInputs(const FrameNormalForm& left, const FrameNormalForm& right) {
    for (const auto& [memory, facts] : right.inputClasses) {
      const auto known = left.inputClasses.find(memory);
      if (known == left.inputClasses.end() && facts.find("mutated") != std::string::npos) {
        add(EquivalenceAspect::kInputs, fmt::format("input {}: not taken / {}", memory, facts));
      }
      if (known != left.inputClasses.end() && known->second != facts) {
        add(EquivalenceAspect::kInputClass, fmt::format("input {}: {} / {}", memory, known->second, facts));
      }
    }
    for (const auto& [memory, facts] : left.inputClasses) {
      if (!right.inputClasses.contains(memory) && facts.find("mutated") != std::string::npos) {
        add(EquivalenceAspect::kInputClass, fmt::format("input {}: {} / not taken", memory, facts));
      }
    }
    for (const auto& [memory, numbers] : right.inputs) {
      const auto known = left.inputs.find(memory);
      if (known != left.inputs.end()) {
        compareNumbers(EquivalenceAspect::kInputValue, "input " + memory, known->second, numbers);
      }
    }
  }

  /// Memory beyond what both have is not looked at.
  void compareNumbers(EquivalenceAspect aspect, const std::string& what, const std::vector<int64_t>& left,
                      const std::vector<int64_t>& right) {
    for (size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
      if (left[i] != right[i]) {
        add(aspect, fmt::format("{}, element {}: {}", what, i, numbers_.firstDifference(left[i], right[i])));
        return;
      }
    }
  }

  /// To the left pipeline it is an input itself, which it may not even take.
  static bool isObject(const FrameNormalForm& left, const FrameNormalForm& right,
                       const FrameNormalForm::Output& output) {
    const auto isIt = [&](const auto& object) { return object.second == output.tensor; };
    const auto isNotTaken = [&](const auto& object) { return !left.inputClasses.contains(object.first); };
    return output.kind == ir::OutputClass::kAliasOfInput &&
           (std::any_of(left.objects.begin(), left.objects.end(), isIt) ||
            std::any_of(right.objects.begin(), right.objects.end(),
                        [&](const auto& object) { return isIt(object) && isNotTaken(object); }));
  }

  /// Each output of one has its like in the other; how often it is returned does not count.
  void compareOutputs(const FrameNormalForm& left, const FrameNormalForm& right) {
    std::vector<const FrameNormalForm::Output*> unmatched;
    for (const auto& output : right.outputs) {
      const FrameNormalForm::Output* found = nullptr;
      for (const auto& other : left.outputs) {
        const bool isLike = other.tensor == output.tensor;
        const bool isBetter = isLike && other.kind == output.kind && other.requiresGrad == output.requiresGrad;
        if (isBetter || (isLike && found == nullptr)) {
          found = &other;
        }
      }
      if (found == nullptr && isObject(left, right, output)) {
        continue;
      }
      if (found == nullptr) {
        unmatched.push_back(&output);
      } else if (found->kind != output.kind) {
        add(EquivalenceAspect::kOutputClass,
            fmt::format("an output is {} / {}", ir::outputClassName(found->kind), ir::outputClassName(output.kind)));
      } else if (found->requiresGrad != output.requiresGrad) {
        add(EquivalenceAspect::kOutputClass,
            fmt::format("an output ({}) requires grad: {} / {}", ir::outputClassName(found->kind), found->requiresGrad,
                        output.requiresGrad));
      }
    }
    for (const auto* output : unmatched) {
      tellUnmatched(left, *output);
    }
  }

  void tellUnmatched(const FrameNormalForm& left, const FrameNormalForm::Output& output) {
    for (const auto& other : left.outputs) {
      if (other.tensor.sizes == output.tensor.sizes && other.tensor.dtype == output.tensor.dtype) {
        const auto parted =
            std::mismatch(other.tensor.numbers.begin(), other.tensor.numbers.end(), output.tensor.numbers.begin());
        if (parted.first != other.tensor.numbers.end()) {
          add(EquivalenceAspect::kOutputValue, "an output: " + numbers_.firstDifference(*parted.first, *parted.second));
          return;
        }
      }
    }
    add(EquivalenceAspect::kOutputValue, fmt::format("an output {}[{}] is returned by the right pipeline alone",
                                                     output.tensor.dtype, fmt::join(output.tensor.sizes, ", ")));
  }

  void compareSaved(const FrameNormalForm& left, const FrameNormalForm& right) {
    const auto countOfInputs = [](const FrameNormalForm& form) {
      return std::count_if(form.saved.begin(), form.saved.end(), [](const auto& each) { return each.isOfInput; });
    };
    if (left.saved.size() != right.saved.size() || countOfInputs(left) != countOfInputs(right)) {
      add(EquivalenceAspect::kSavedCount,
          fmt::format("{} values are saved, {} of them of inputs / {}, {}", left.saved.size(), countOfInputs(left),
                      right.saved.size(), countOfInputs(right)));
    } else if (left.saved != right.saved) {
      add(EquivalenceAspect::kSavedValues,
          fmt::format("{} values are saved, but not the same ones", left.saved.size()));
    }
  }

  /// The left pipeline may take all of a memory where the right one takes a view of it. Of what lies beside that it hands
  /// on the gradient that autograd hands on outside of the right one.
  static void leaveUntouched(const FrameNormalForm& left, const FrameNormalForm& right, const std::string& memory,
                             std::vector<int64_t>& gradients) {
    const auto covered = right.covered.find(memory);
    const auto untouched = left.untouched.find(memory);
    const bool isKnown = covered != right.covered.end() && untouched != left.untouched.end();
    for (size_t i = 0; isKnown && i < gradients.size(); ++i) {
      if (!covered->second.contains(static_cast<int64_t>(i)) && gradients[i] == untouched->second.at(i)) {
        gradients[i] = ElementNumbers::kZero;
      }
    }
  }

  void compareGradients(const FrameNormalForm& left, const FrameNormalForm& right) {
    std::set<std::string> memories;
    for (const auto* form : {&left, &right}) {
      for (const auto& [memory, numbers] : form->gradients) {
        memories.insert(memory);
      }
    }
    const auto of = [](const FrameNormalForm& form, const std::string& memory, size_t size) {
      const auto known = form.gradients.find(memory);
      std::vector<int64_t> numbers = known == form.gradients.end() ? std::vector<int64_t>() : known->second;
      numbers.resize(std::max(size, numbers.size()), ElementNumbers::kZero);
      return numbers;
    };
    for (const std::string& memory : memories) {
      const std::vector<int64_t> second = of(right, memory, of(left, memory, 0).size());
      std::vector<int64_t> first = of(left, memory, second.size());
      leaveUntouched(left, right, memory, first);
      compareNumbers(EquivalenceAspect::kGradient, "gradient of " + memory, first, second);
    }
  }

  ElementNumbers& numbers_;
  std::vector<EquivalenceDifference>& differences_;
  const size_t frame_;
};

} // namespace

const char* equivalenceAspectName(EquivalenceAspect aspect) {
  switch (aspect) {
    case EquivalenceAspect::kGraphs: return "graphs";
    case EquivalenceAspect::kInputs: return "inputs";
    case EquivalenceAspect::kInputClass: return "input class";
    case EquivalenceAspect::kInputValue: return "input value";
    case EquivalenceAspect::kOutputClass: return "output class";
    case EquivalenceAspect::kOutputValue: return "output value";
    case EquivalenceAspect::kSavedCount: return "saved count";
    case EquivalenceAspect::kSavedValues: return "saved values";
    case EquivalenceAspect::kGradient: return "gradient";
  }
  return "";
}

static void comparePair(const StageArtifacts& left, const StageArtifacts& right, size_t number,
                        EquivalenceComparison& comparison) {
  if (!left.signature || !right.signature) {
    throw NotComparable("a compile came to no end");
  }
  ElementNumbers numbers;
  Comparison pair(numbers, comparison.differences, number);
  const Places places = matchInputs(*left.signature, *right.signature);
  const FrameNormalForm leftForm = normalForm(left, places.left, numbers);
  numbers.beginAgain();
  const size_t before = comparison.differences.size();
  pair.compare(leftForm, normalForm(right, places.right, numbers));
  if (!places.onlyRight.empty() && comparison.differences.size() > before) { // it does something with them
    comparison.differences.resize(before);
    pair.add(EquivalenceAspect::kInputs,
             fmt::format("the right pipeline alone takes {}", fmt::join(places.onlyRight, ", ")));
  }
  ++comparison.graphs;
}

EquivalenceComparison checkEquivalence(const std::vector<StageArtifacts>& left,
                                       const std::vector<StageArtifacts>& right) {
  EquivalenceComparison comparison;
  Frames first = allOf(left);
  Frames second = allOf(right);
  if (first.size() != second.size()) {
    keepComputing(first); // what only makes views has no Graph in one of them
    keepComputing(second);
  }
  if (first.size() < second.size()) {
    dropCompiledAgain(second);
  }
  if (first.size() != second.size()) {
    comparison.differences.push_back(
        {EquivalenceAspect::kGraphs, fmt::format("{} graphs were compiled / {}", first.size(), second.size())});
    return comparison;
  }
  for (size_t i = 0; i < first.size(); ++i) {
    try {
      comparePair(*first[i], *second[i], i, comparison);
    } catch (const NotComparable& reason) {
      comparison.notComparable = reason.what();
    } catch (const c10::Error&) { // elements cannot be moved or written as a Graph says
      comparison.notComparable = values::currentException().message();
    }
  }
  return comparison;
}

} // namespace touchstone::equivalence
