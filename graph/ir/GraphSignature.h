#pragma once

#include "graph/ir/Graph.h"

#include <optional>
#include <string>
#include <vector>

namespace touchstone::ir {

/// How an output of a compiled frame comes to be.
enum class OutputClass {
  kInput, // the very object that was given
  kAliasOfInput, // made anew over the memory of an input
  kAliasOfIntermediate, // a view of a tensor that the frame makes
  kFresh,
};

/// `alias of an intermediate`
const char* outputClassName(OutputClass kind);

/// Which elements of what the forward Graph returns, or of an input's memory, make a tensor.
struct ValuePlace {
  int output = -1; // position among the forward Graph's outputs
  int input = -1; // or an input, as it is when the frame has run
  std::optional<TensorMetadata> layout; // of that output in memory of its own; none: as the output is
  std::optional<TensorMetadata> geometry; // in that memory; none: the whole
};

/// What an AOT pipeline promises around its forward and backward Graphs, in words that every such pipeline has.
struct GraphSignature {
  struct Input {
    std::string name;
    bool requiresGrad = false;
    bool dataMutated = false;
    bool mutationHidden = false; // the data was written to where autograd does not see it
    bool metadataMutated = false; // sizes, strides, or what memory it is in
    int storage = -1; // inputs in one memory have the same
    TensorMetadata geometry; // in that memory
    std::vector<std::string> otherNames; // of arguments that are the same tensor
    int base = -1; // the input of which autograd knows it to be a view
  };
  /// What a placeholder of the forward Graph gets: the input, or another tensor over its memory.
  struct Taken {
    int input = -1; // -1: a token of effects
    std::optional<TensorMetadata> geometry; // of another tensor
  };
  /// The runtime writes to an input's memory when the forward Graph has run.
  struct Written {
    int input = -1;
    ValuePlace value; // the whole memory, or what a placeholder stands for, as `geometry` says
    std::optional<TensorMetadata> geometry; // where in the input's memory; none: the input
  };
  struct Output {
    OutputClass kind = OutputClass::kFresh;
    bool requiresGrad = false; // it has a tangent, itself or through its base
    ValuePlace value;
    bool isPiece = false; // a view that one operator made with others (`unbind`), or a view of one
  };
  struct Backward {
    std::string stage; // `backward`
    /// By placeholder: an output of the forward that was saved, the tangent of a value, an input's memory, or, none of these,
    /// a token of effects.
    struct Taken {
      int saved = -1; // position among the forward Graph's outputs
      std::optional<ValuePlace> tangentOf;
      int memoryOf = -1; // input: what lies in its memory by then, flat; the backward writes there
    };
    std::vector<Taken> takes;
    std::vector<int> gradients; // by output: an input; -1: of none
  };
  std::vector<Input> inputs;
  std::vector<Taken> takes; // by placeholder of the forward
  std::vector<Written> written;
  std::vector<Output> outputs;
  std::vector<Backward> backwards;
};

} // namespace touchstone::ir
