#pragma once

#include "graph/ir/StageArtifacts.h"
#include "oracles/equivalence/ElementNumbers.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::equivalence {

/// A tensor as the numbers of its elements, in logical order.
struct NumberedTensor {
  std::string dtype;
  std::vector<int64_t> sizes, numbers;
  auto operator<=>(const NumberedTensor&) const = default;
};

/// One AOT compile in a form in which two that compute alike are equal.
struct FrameNormalForm {
  struct Output {
    ir::OutputClass kind = ir::OutputClass::kFresh;
    bool requiresGrad = false;
    NumberedTensor tensor;
  };
  struct Saved {
    bool isOfInput = false; // moved out of an input's memory
    std::vector<int64_t> numbers; // each once, sorted: how a saved value is viewed does not count
    auto operator<=>(const Saved&) const = default;
  };
  std::map<std::string, std::string> inputClasses; // by memory
  std::map<std::string, std::vector<int64_t>> inputs; // by memory: what it holds in the end
  std::vector<Output> outputs; // but those that are inputs
  std::vector<std::pair<std::string, NumberedTensor>> objects; // the inputs themselves, in the end, with their memories
  std::vector<Saved> saved; // each once
  std::map<std::string, std::vector<int64_t>> gradients; // by memory of an input
  std::map<std::string, std::set<int64_t>> covered; // elements of memories that placeholders lie over
  std::map<std::string, std::vector<int64_t>> untouched; // by memory: gradients where nothing reads or writes it
};

/// Where the inputs of a frame lie: the key of the memory, and the tensor in it.
struct InputPlace {
  std::string memory;
  ir::TensorMetadata geometry;
};

/// `places`: by input of the frame's signature. Throws NotComparable.
FrameNormalForm normalForm(const ir::StageArtifacts& frame, const std::vector<InputPlace>& places,
                           ElementNumbers& numbers);

} // namespace touchstone::equivalence
