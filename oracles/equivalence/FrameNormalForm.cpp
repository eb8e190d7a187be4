#include "oracles/equivalence/FrameNormalForm.h"

#include "graph/ir/Geometry.h"
#include "graph/ir/Stages.h"
#include "graph/runtime/Interpreter.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/core/ScalarType.h>

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace touchstone::equivalence {

using ir::GraphSignature;
using ir::TensorMetadata;
using ir::ValuePlace;

namespace {

int64_t elementSizeOf(const TensorMetadata& tensor) {
  return static_cast<int64_t>(c10::elementSize(static_cast<c10::ScalarType>(tensor.dtype.value)));
}

/// Elements of memory from its beginning to the last one of the tensor.
int64_t reachOf(const TensorMetadata& tensor) {
  const int64_t span = ir::spanOf(tensor);
  return span == 0 ? 0 : tensor.offset + span;
}

at::Tensor viewOf(const at::Tensor& memory, const TensorMetadata& geometry) {
  return memory.as_strided(geometry.sizes, geometry.strides, geometry.offset);
}

class Evaluation {
 public:
  Evaluation(const ir::StageArtifacts& frame, const std::vector<InputPlace>& places, ElementNumbers& numbers)
      : frame_(frame), signature_(frame.signature.value()), places_(places), numbers_(numbers) {}

  FrameNormalForm run() {
    planMemories();
    runForward();
    for (const auto& [memory, numbers] : memories_) {
      form_.inputs[memory] = numbersIn(numbers);
    }
    classifyInputs();
    for (size_t i = 0; i < signature_.inputs.size(); ++i) {
      const TensorMetadata& geometry = places_[i].geometry;
      if (!places_[i].memory.empty()) {
        const at::Tensor value = inputTensor(static_cast<int>(i), std::nullopt);
        form_.objects.emplace_back(places_[i].memory,
                                   NumberedTensor{ir::dtypeName(geometry.dtype), geometry.sizes, numbersIn(value)});
      }
    }
    for (const GraphSignature::Output& output : signature_.outputs) {
      addOutput(output);
    }
    std::set<int> saved;
    for (const GraphSignature::Backward& backward : signature_.backwards) {
      for (const auto& taken : backward.takes) {
        if (taken.saved >= 0) {
          saved.insert(taken.saved);
        }
      }
      runBackward(backward);
    }
    std::set<FrameNormalForm::Saved> values;
    for (int position : saved) {
      values.insert(savedValue(saved_.at(static_cast<size_t>(position))));
    }
    form_.saved.assign(values.begin(), values.end());
    return std::move(form_);
  }

 private:
  const ir::Graph& graphOf(const std::string& stage) const {
    const ir::Graph* graph = frame_.graph(stage);
    if (graph == nullptr) {
      std::string reason = "it is not there";
      for (const auto& [refused, why] : frame_.refused) {
        reason = refused == stage ? why : reason;
      }
      throw NotComparable("the " + stage + " Graph could not be taken over: " + reason);
    }
    return *graph;
  }

  const InputPlace& place(int input) const {
    if (input < 0 || input >= static_cast<int>(places_.size())) {
      throw NotComparable("a placeholder is of no argument");
    }
    return places_[static_cast<size_t>(input)];
  }

  void planMemories() {
    std::map<std::string, int64_t> reach;
    const auto add = [&](const std::string& memory, const TensorMetadata& geometry) {
      reach[memory] = std::max(reach[memory], reachOf(geometry));
      const auto [known, fresh] = elementSizes_.try_emplace(memory, elementSizeOf(geometry));
      if (!fresh && known->second != elementSizeOf(geometry)) {
        throw NotComparable("inputs of several element sizes lie in one memory");
      }
    };
    for (const InputPlace& each : places_) {
      if (!each.memory.empty()) {
        add(each.memory, each.geometry);
      }
    }
    for (const GraphSignature::Taken& taken : signature_.takes) {
      if (taken.geometry) {
        add(place(taken.input).memory, *taken.geometry);
      }
    }
    for (const auto& [memory, elements] : reach) {
      at::Tensor numbers = at::zeros({elements}, at::kLong);
      auto* data = numbers.mutable_data_ptr<int64_t>();
      for (int64_t i = 0; i < elements; ++i) {
        data[i] = numbers_.ofMemory(memory, i, elementSizes_.at(memory));
        memoryOf_[data[i]] = memory;
      }
      memories_[memory] = numbers;
      std::vector<int64_t>& untouched = form_.untouched[memory];
      for (int64_t number : numbersIn(numbers)) {
        untouched.push_back(numbers_.ofTangent(number));
      }
    }
  }

  at::Tensor inputTensor(int input, const std::optional<TensorMetadata>& geometry) const {
    const InputPlace& where = place(input);
    const TensorMetadata& layout = geometry ? *geometry : where.geometry;
    if (elementSizeOf(layout) != elementSizes_.at(where.memory)) {
      throw NotComparable("an input's memory is read by another element size");
    }
    return viewOf(memories_.at(where.memory), layout);
  }

  void cover(const InputPlace& where, const std::optional<TensorMetadata>& geometry) {
    const at::Tensor positions = at::arange(memories_.at(where.memory).numel(), at::kLong);
    const std::vector<int64_t> elements = numbersIn(viewOf(positions, geometry ? *geometry : where.geometry));
    form_.covered[where.memory].insert(elements.begin(), elements.end());
  }

  void runForward() {
    std::vector<at::Tensor> inputs;
    for (const GraphSignature::Taken& taken : signature_.takes) {
      inputs.push_back(inputTensor(taken.input, taken.geometry));
      cover(place(taken.input), taken.geometry);
    }
    outputs_ = numbers_.run(graphOf(ir::kForwardStage), inputs);
    for (const at::Tensor& output : outputs_) { // before the runtime writes
      saved_.push_back(output.defined() ? output.clone() : output);
    }
    for (const GraphSignature::Written& written : signature_.written) {
      inputTensor(written.input, written.geometry).copy_(valueAt(written.value));
    }
  }

  at::Tensor valueAt(const ValuePlace& value) const {
    if (value.input >= 0) {
      return inputTensor(value.input, value.geometry);
    }
    at::Tensor output = outputs_.at(static_cast<size_t>(value.output));
    if (!output.defined()) {
      throw NotComparable("an output is None");
    }
    if (!value.geometry) {
      return output;
    }
    const TensorMetadata& layout = *value.layout;
    if (elementSizeOf(layout) != elementSizeOf(*value.geometry)) {
      throw NotComparable("an output reads memory by another element size");
    }
    const at::Tensor memory = at::zeros({std::max(reachOf(layout), reachOf(*value.geometry))}, at::kLong);
    viewOf(memory, layout).copy_(output);
    return viewOf(memory, *value.geometry);
  }

  void classifyInputs() {
    struct Facts {
      bool dataMutated = false, metadataMutated = false, requiresGrad = false;
    };
    std::map<std::string, Facts> byMemory;
    for (size_t i = 0; i < signature_.inputs.size(); ++i) {
      const GraphSignature::Input& input = signature_.inputs[i];
      if (places_[i].memory.empty()) {
        continue;
      }
      Facts& facts = byMemory[places_[i].memory];
      facts.dataMutated = facts.dataMutated || input.dataMutated;
      facts.metadataMutated = facts.metadataMutated || input.metadataMutated;
      facts.requiresGrad = facts.requiresGrad || input.requiresGrad;
    }
    for (const auto& [memory, facts] : byMemory) {
      std::string& text = form_.inputClasses[memory];
      const bool holdsNothing = memories_.at(memory).numel() == 0; // a write to no elements is none
      text += facts.dataMutated && !holdsNothing ? "data mutated, " : "";
      text += facts.metadataMutated ? "metadata mutated, " : "";
      text += facts.requiresGrad ? "requires grad" : "no grad";
    }
  }

  /// Outputs that show the output's memory, itself included, but not pieces: no user can change these in a way that another
  /// would see.
  int64_t countBesidePieces(const GraphSignature::Output& output) const {
    const auto isBeside = [&](const GraphSignature::Output& other) {
      const bool isInMemory = output.value.input >= 0 ? other.value.input >= 0 && place(other.value.input).memory ==
                                                                                      place(output.value.input).memory
                                                      : other.value.output == output.value.output;
      return isInMemory && !other.isPiece;
    };
    return std::count_if(signature_.outputs.begin(), signature_.outputs.end(), isBeside);
  }

  /// AOTAutograd calls fresh what is a view of an intermediate, where nothing depends on that: it has no history, or is alone in
  /// the memory but for pieces (`unsafe_view_alias`); and pieces of an input that nothing but pieces shows.
  ir::OutputClass kindOf(const GraphSignature::Output& output) const {
    using ir::OutputClass;
    const bool isView = output.value.geometry.has_value();
    const bool isFresh =
        (output.kind == OutputClass::kAliasOfIntermediate &&
         (!output.requiresGrad || (isView && countBesidePieces(output) <= 1))) ||
        (output.kind == OutputClass::kAliasOfInput && output.requiresGrad && isView && countBesidePieces(output) == 0);
    return isFresh ? OutputClass::kFresh : output.kind;
  }

  void addOutput(const GraphSignature::Output& output) {
    if (output.kind == ir::OutputClass::kInput) {
      return;
    }
    FrameNormalForm::Output made;
    made.kind = kindOf(output);
    made.requiresGrad = output.requiresGrad;
    const at::Tensor value = valueAt(output.value);
    made.tensor.sizes = value.sizes().vec();
    made.tensor.numbers = numbersIn(value);
    if (output.value.geometry) {
      made.tensor.dtype = ir::dtypeName(output.value.geometry->dtype);
    } else {
      const ir::Graph& forward = graphOf(ir::kForwardStage);
      const auto& items = std::get<ir::Argument::Container>(forward.output.payload).items;
      const auto* node = std::get_if<ir::NodeReference>(&items.at(static_cast<size_t>(output.value.output)).payload);
      const auto& metadata = forward.node(node->node).metadata;
      made.tensor.dtype = metadata ? ir::dtypeName(metadata->dtype) : "?";
    }
    form_.outputs.push_back(std::move(made));
  }

  /// What is moved out of an input's memory counts as that memory: one pipeline saves a view of it where another saves all.
  FrameNormalForm::Saved savedValue(const at::Tensor& value) const {
    FrameNormalForm::Saved saved;
    if (!value.defined()) {
      return saved;
    }
    saved.numbers = numbersIn(value);
    std::sort(saved.numbers.begin(), saved.numbers.end());
    saved.numbers.erase(std::unique(saved.numbers.begin(), saved.numbers.end()), saved.numbers.end());
    const auto isOf = [&](const std::string& memory) {
      return [&](int64_t each) {
        const auto known = memoryOf_.find(each);
        return known != memoryOf_.end() && (memory.empty() || known->second == memory);
      };
    };
    saved.isOfInput = std::all_of(saved.numbers.begin(), saved.numbers.end(), isOf(""));
    if (saved.isOfInput && !saved.numbers.empty()) {
      const std::string memory = memoryOf_.at(saved.numbers[0]);
      if (std::all_of(saved.numbers.begin(), saved.numbers.end(), isOf(memory))) {
        saved.numbers = {numbers_.ofMemory(memory, 0, elementSizes_.at(memory))};
      }
    }
    return saved;
  }

  /// Placeholders that are tangents of views of an output, or of an input that was written to, that has a tangent itself.
  std::set<size_t> coveredTangents(const GraphSignature::Backward& backward) const {
    using Memory = std::pair<int, std::string>; // of an output of the forward, or an input's
    std::map<Memory, std::vector<std::pair<size_t, std::set<int64_t>>>> byMemory; // placeholder, elements
    for (size_t i = 0; i < backward.takes.size(); ++i) {
      const auto& tangentOf = backward.takes[i].tangentOf;
      if (!tangentOf || (tangentOf->output < 0 && tangentOf->input < 0)) {
        continue;
      }
      const bool isOfInput = tangentOf->input >= 0;
      const std::vector<int64_t> positions =
          isOfInput && !tangentOf->geometry ? positionsIn(place(tangentOf->input).geometry) : positionsIn(*tangentOf);
      byMemory[{tangentOf->output, isOfInput ? place(tangentOf->input).memory : std::string()}].emplace_back(
          i, std::set<int64_t>(positions.begin(), positions.end()));
    }
    std::set<size_t> covered;
    for (const auto& [memory, views] : byMemory) {
      for (const auto& [placeholder, elements] : views) {
        for (const auto& [other, all] : views) {
          const bool isLarger = all.size() > elements.size() || (all.size() == elements.size() && other < placeholder);
          if (isLarger && std::includes(all.begin(), all.end(), elements.begin(), elements.end())) {
            covered.insert(placeholder);
          }
        }
      }
    }
    return covered;
  }

  /// Where in its memory a value lies.
  static std::vector<int64_t> positionsIn(const ValuePlace& value) {
    return value.geometry ? positionsIn(*value.geometry) : std::vector<int64_t>();
  }

  static std::vector<int64_t> positionsIn(const TensorMetadata& geometry) {
    return numbersIn(viewOf(at::arange(reachOf(geometry), at::kLong), geometry));
  }

  /// The tangent is that of an output which is called fresh.
  bool isFresh(const ValuePlace& value) const {
    return std::any_of(signature_.outputs.begin(), signature_.outputs.end(), [&](const GraphSignature::Output& output) {
      return output.value.input == value.input && output.value.geometry && value.geometry &&
             ir::sameLayout(*output.value.geometry, *value.geometry) &&
             output.value.geometry->offset == value.geometry->offset && kindOf(output) == ir::OutputClass::kFresh;
    });
  }

  /// Where autograd sees it: a view of the input then has the tangent of what was written.
  bool isMutated(int input) const {
    for (size_t i = 0; i < signature_.inputs.size(); ++i) {
      const GraphSignature::Input& each = signature_.inputs[i];
      if (each.dataMutated && !each.mutationHidden && places_[i].memory == place(input).memory) {
        return true;
      }
    }
    return false;
  }

  /// Elements that some output in this memory or some input shows. What a base that is not returned has beside them gets no
  /// gradient from anywhere.
  std::set<int64_t> shownElements(int memory) const {
    std::set<int64_t> shown;
    for (const GraphSignature::Output& output : signature_.outputs) {
      if (output.value.output == memory) {
        const std::vector<int64_t> numbers = numbersIn(valueAt(output.value));
        shown.insert(numbers.begin(), numbers.end());
      }
    }
    for (const auto& [input, numbers] : form_.inputs) {
      shown.insert(numbers.begin(), numbers.end());
    }
    return shown;
  }

  /// An element that lies in several places of an expanded output has one tangent.
  at::Tensor tangentOf(const ValuePlace& value) {
    const at::Tensor elements = valueAt(value);
    const std::set<int64_t> shown = value.output < 0 ? std::set<int64_t>() : shownElements(value.output);
    TensorMetadata layout = runtime::metadataOf(elements);
    layout.offset = 0;
    const std::vector<int64_t> places = positionsIn(layout);
    const std::vector<int64_t> from = numbersIn(elements);
    at::Tensor tangent = at::zeros(elements.sizes(), at::kLong);
    auto* to = tangent.mutable_data_ptr<int64_t>();
    std::set<int64_t> seen;
    for (size_t i = 0; i < from.size(); ++i) {
      if (seen.insert(places[i]).second && (value.output < 0 || shown.contains(from[i]))) {
        to[i] = numbers_.ofTangent(from[i]);
      }
    }
    return tangent;
  }

  void runBackward(const GraphSignature::Backward& backward) {
    const ir::Graph& graph = graphOf(backward.stage);
    const std::set<size_t> covered = coveredTangents(backward);
    std::vector<at::Tensor> inputs;
    std::vector<bool> tangents;
    for (size_t i = 0; i < backward.takes.size(); ++i) {
      const auto& taken = backward.takes[i];
      tangents.push_back(taken.saved < 0);
      if (taken.saved >= 0) {
        inputs.push_back(saved_.at(static_cast<size_t>(taken.saved)));
        continue;
      }
      if (!taken.tangentOf || (taken.tangentOf->output < 0 && taken.tangentOf->input < 0)) {
        throw NotComparable("a placeholder of the backward is neither saved nor a tangent");
      }
      at::Tensor tangent = tangentOf(*taken.tangentOf);
      const bool isOfView =
          taken.tangentOf->input >= 0 && !isMutated(taken.tangentOf->input) && !isFresh(*taken.tangentOf);
      if (isOfView || covered.contains(i)) {
        // Of a view of an input, or of another output: autograd leads it there outside of the backward Graph, too.
        tangent.zero_();
      }
      const auto& metadata = graph.node(graph.placeholders().at(i)).metadata;
      if (metadata && at::IntArrayRef(metadata->sizes) == tangent.sizes() && !ir::mayOverlap(*metadata)) {
        tangent = at::empty_strided(metadata->sizes, metadata->strides, at::kLong).copy_(tangent);
      }
      inputs.push_back(std::move(tangent));
    }
    const std::vector<at::Tensor> gradients = numbers_.run(graph, inputs, tangents);
    if (gradients.size() != backward.gradients.size()) {
      throw NotComparable("a backward gives more or fewer gradients than its signature says");
    }
    for (size_t i = 0; i < gradients.size(); ++i) {
      if (gradients[i].defined() && backward.gradients[i] >= 0) {
        addGradient(backward.gradients[i], gradients[i]);
      }
    }
  }

  /// Adds up where the input's elements lie.
  void addGradient(int input, const at::Tensor& gradient) {
    const InputPlace& where = place(input);
    at::Tensor positions = viewOf(at::arange(memories_.at(where.memory).numel(), at::kLong), where.geometry);
    if (positions.sizes() != gradient.sizes()) {
      // Of the tensor over the input's memory that the Graph takes.
      for (const GraphSignature::Taken& taken : signature_.takes) {
        if (taken.input == input && taken.geometry && at::IntArrayRef(taken.geometry->sizes) == gradient.sizes()) {
          positions = viewOf(at::arange(memories_.at(where.memory).numel(), at::kLong), *taken.geometry);
        }
      }
    }
    if (positions.sizes() != gradient.sizes()) {
      throw NotComparable("a gradient has other sizes than its input");
    }
    std::vector<int64_t>& sum = form_.gradients[where.memory];
    sum.resize(static_cast<size_t>(memories_.at(where.memory).numel()));
    const std::vector<int64_t> at = numbersIn(positions);
    const std::vector<int64_t> given = numbersIn(gradient);
    for (size_t i = 0; i < at.size(); ++i) {
      int64_t& each = sum[static_cast<size_t>(at[i])];
      each = numbers_.ofSum(each, given[i], ir::dtypeName(where.geometry.dtype));
    }
  }

  const ir::StageArtifacts& frame_;
  const GraphSignature& signature_;
  const std::vector<InputPlace>& places_;
  ElementNumbers& numbers_;
  std::map<std::string, int64_t> elementSizes_;
  std::map<std::string, at::Tensor> memories_;
  std::map<int64_t, std::string> memoryOf_; // by the number of an element, before anything was written
  std::vector<at::Tensor> outputs_, saved_;
  FrameNormalForm form_;
};

} // namespace

FrameNormalForm normalForm(const ir::StageArtifacts& frame, const std::vector<InputPlace>& places,
                           ElementNumbers& numbers) {
  return Evaluation(frame, places, numbers).run();
}

} // namespace touchstone::equivalence
