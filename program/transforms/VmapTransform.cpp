#include "program/torch_names/HandWritten.h"
#include "program/transforms/Argnums.h"
#include "program/transforms/Layers.h"
#include "program/transforms/Transforms.h"
#include "program/transforms/Trees.h"
#include "program/transforms/VmapDecompositions.h"
#include "program/values/GeneratorState.h"
#include "program/values/RaiseError.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/tensor_split.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace touchstone::transforms {
namespace {

using Dimension = std::optional<int64_t>; // none: the value has no batch dimension

/// The arguments of a call, each leaf with the dimension that is mapped over.
struct Mapped {
  Tree arguments;
  std::vector<Dimension> dimensions;
};

/// One function under vmap, for its messages.
class Vmap {
 public:
  Vmap(const values::FunctionObject& function, const VmapOptions& options) : function_(function), options_(options) {}

  values::Value operator()(const values::ValueList& positional, const Keywords& keywords) const;

 private:
  void checkOutDims() const;
  Mapped mapped(const values::ValueList& positional) const;
  Dimension dimensionOf(const values::Value& argument, const values::Value& inDim) const;
  values::Value mapAtOnce(const Mapped& mapped, int64_t batchSize, const Keywords& keywords) const;
  values::Value mapInChunks(const Mapped& mapped, int64_t batchSize, const Keywords& keywords) const;
  values::Value unwrapped(const values::Value& returned, int64_t level, int64_t batchSize) const;
  values::Value unwrappedLeaf(const values::Value& leaf, const values::Value& outDim, int64_t level,
                              int64_t batchSize) const;
  values::ValueList outDimsOf(const values::Value& returned, const TreeSpec& spec) const;
  at::functorch::RandomnessType randomness() const;
  std::string withInDims() const {
    return fmt::format("vmap({}, in_dims={}, ...)(<inputs>)", function_.name(), torch_names::shown(options_.inDims));
  }

  const values::FunctionObject& function_;
  const VmapOptions& options_;
};

int64_t batchSizeOf(const Mapped& mapped) {
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < mapped.dimensions.size(); ++i) {
    if (mapped.dimensions[i]) {
      sizes.push_back(mapped.arguments.leaves[i].tensor().size(*mapped.dimensions[i]));
    }
  }
  if (sizes.empty()) {
    values::raiseError("ValueError", "vmap: Expected at least one Tensor to vmap over");
  }
  if (std::any_of(sizes.begin(), sizes.end(), [&](int64_t size) { return size != sizes.front(); })) {
    values::raiseError(
        "ValueError",
        "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes [{}] for the "
        "mapped dimension",
        fmt::join(sizes, ", "));
  }
  return sizes.front();
}

void Vmap::checkOutDims() const {
  const bool isTree = !isInt(options_.outDims);
  for (const values::Value& leaf : isTree ? leavesOf(options_.outDims) : values::ValueList()) {
    if (!isInt(leaf) && !leaf.isNone()) {
      values::raiseError("ValueError",
                         "vmap({}, ..., out_dims={}): `out_dims` must be an int, None or a python collection of ints "
                         "representing where in the outputs the vmapped dimension should appear.",
                         function_.name(), torch_names::shown(options_.outDims));
    }
  }
}

Dimension Vmap::dimensionOf(const values::Value& argument, const values::Value& inDim) const {
  if (inDim.isNone()) {
    return std::nullopt;
  }
  const std::string shown = torch_names::shown(inDim);
  if (!isInt(inDim)) {
    values::raiseError("ValueError",
                       "{}: Got in_dim={} for an input but in_dim must be either an integer dimension or None.",
                       withInDims(), shown);
  }
  if (!argument.isTensor()) {
    values::raiseError("ValueError",
                       "{}: Got in_dim={} for an input but the input is of type {}. We cannot vmap over non-Tensor "
                       "arguments, please use None as the respective in_dim",
                       withInDims(), shown, classText(argument));
  }
  const int64_t dimension = intOf(inDim);
  const int64_t count = argument.tensor().dim();
  if (dimension < -count || dimension >= count) {
    values::raiseError("ValueError",
                       "{}: Got in_dim={} for some input, but that input is a Tensor of dimensionality {} so expected "
                       "in_dim to satisfy -{} <= in_dim < {}.",
                       withInDims(), shown, count, count, count);
  }
  return dimension < 0 ? dimension + count : dimension;
}

Mapped Vmap::mapped(const values::ValueList& positional) const {
  const values::Value& inDims = options_.inDims;
  if (!isInt(inDims) && !inDims.is<values::TuplePtr>()) {
    values::raiseError("ValueError",
                       "{}: expected `in_dims` to be int or a (potentially nested) tuple matching the structure of "
                       "inputs, got: {}.",
                       withInDims(), classText(inDims));
  }
  if (positional.empty()) {
    values::raiseError(
        "ValueError",
        "vmap({})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap over "
        "a function with no inputs. The latter is unsupported.",
        function_.name());
  }
  Mapped mapped{.arguments = flatten(values::Value::tuple(positional))};
  const std::optional<values::ValueList> dimensions = broadcastTo(inDims, mapped.arguments.spec);
  if (!dimensions) {
    values::raiseError(
        "ValueError",
        "{}: in_dims is not compatible with the structure of `inputs`. in_dims has structure {} but inputs "
        "has structure {}.",
        withInDims(), specText(flatten(inDims).spec), specText(mapped.arguments.spec));
  }
  for (size_t i = 0; i < dimensions->size(); ++i) {
    mapped.dimensions.push_back(dimensionOf(mapped.arguments.leaves[i], (*dimensions)[i]));
  }
  return mapped;
}

at::functorch::RandomnessType Vmap::randomness() const {
  using at::functorch::RandomnessType;
  return options_.randomness == "same"        ? RandomnessType::Same
         : options_.randomness == "different" ? RandomnessType::Different
                                              : RandomnessType::Error;
}

values::ValueList Vmap::outDimsOf(const values::Value& returned, const TreeSpec& spec) const {
  const values::Value& outDims = options_.outDims;
  if (returned.isTensor()) {
    if (isInt(outDims) || outDims.isNone()) {
      return {outDims};
    }
    if (outDims.is<values::TuplePtr>() && outDims.items()->size() == 1) {
      return *outDims.items();
    }
  } else if (std::optional<values::ValueList> dimensions = broadcastTo(outDims, spec)) {
    return std::move(*dimensions);
  }
  values::raiseError(
      "ValueError",
      "vmap({}, ..., out_dims={})(<inputs>): out_dims is not compatible with the structure of `outputs`. "
      "out_dims has structure {} but outputs has structure {}.",
      function_.name(), torch_names::shown(outDims), specText(flatten(outDims).spec), specText(spec));
}

values::Value Vmap::unwrappedLeaf(const values::Value& leaf, const values::Value& outDim, int64_t level,
                                  int64_t batchSize) const {
  if (outDim.isNone()) {
    if (leaf.isTensor() && isBatched(leaf.tensor())) {
      values::raiseError("ValueError", "vmap({0}, ...): `{0}` can not return a BatchedTensor when out_dim is None",
                         function_.name());
    }
    return leaf;
  }
  if (!leaf.isTensor()) {
    values::raiseError("ValueError",
                       "vmap({0}, ...): `{0}` must only return Tensors, got type {1}. Did you mean to set out_dims= to "
                       "None for output?",
                       function_.name(), classText(leaf));
  }
  return values::Value(removeBatchDimension(leaf.tensor(), level, batchSize, intOf(outDim)));
}

values::Value Vmap::unwrapped(const values::Value& returned, int64_t level, int64_t batchSize) const {
  Tree outputs = flatten(returned);
  const values::ValueList dimensions = outDimsOf(returned, outputs.spec);
  for (size_t i = 0; i < outputs.leaves.size(); ++i) {
    outputs.leaves[i] = unwrappedLeaf(outputs.leaves[i], dimensions[i], level, batchSize);
  }
  return unflatten(outputs.leaves, outputs.spec);
}

values::Value Vmap::mapAtOnce(const Mapped& mapped, int64_t batchSize, const Keywords& keywords) const {
  const Layer layer = Layer::vmap(batchSize, randomness());
  values::ValueList leaves = mapped.arguments.leaves;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (mapped.dimensions[i]) {
      leaves[i] = values::Value(addBatchDimension(leaves[i].tensor(), *mapped.dimensions[i], layer.level()));
    }
  }
  const values::Value arguments = unflatten(leaves, mapped.arguments.spec);
  return unwrapped(function_.call(*arguments.items(), keywords), layer.level(), batchSize);
}

// The borders between pieces of the given size: 2, 4, 5 of five in twos.
std::vector<int64_t> bordersOf(int64_t whole, int64_t piece) {
  std::vector<int64_t> borders;
  for (int64_t end = piece; end <= whole; end += piece) {
    borders.push_back(end);
  }
  if (whole % piece != 0) {
    borders.push_back(whole);
  }
  return borders;
}

values::Value Vmap::mapInChunks(const Mapped& mapped, int64_t batchSize, const Keywords& keywords) const {
  const std::vector<int64_t> borders = bordersOf(batchSize, *options_.chunkSize);
  std::vector<Mapped> chunks(borders.size(), mapped);
  for (size_t i = 0; i < mapped.dimensions.size(); ++i) {
    if (mapped.dimensions[i]) {
      const std::vector<at::Tensor> pieces =
          mapped.arguments.leaves[i].tensor().tensor_split(borders, *mapped.dimensions[i]);
      for (size_t chunk = 0; chunk < chunks.size(); ++chunk) {
        chunks[chunk].arguments.leaves[i] = values::Value(pieces[chunk]);
      }
    }
  }
  const values::GeneratorState before = values::GeneratorState::now();
  std::vector<Tree> outputs;
  for (const Mapped& chunk : chunks) {
    if (options_.randomness == "same") {
      before.putBack();
    }
    outputs.push_back(flatten(mapAtOnce(chunk, batchSizeOf(chunk), keywords)));
  }
  if (outputs.empty()) {
    values::raiseError("AssertionError", "arg_spec must not be None");
  }
  const std::optional<values::ValueList> dimensions = broadcastTo(options_.outDims, outputs.front().spec);
  if (!dimensions) {
    values::raiseError("AssertionError", "flat_out_dims must not be None");
  }
  values::ValueList leaves;
  for (size_t i = 0; i < dimensions->size(); ++i) {
    std::vector<at::Tensor> pieces;
    for (const Tree& output : outputs) {
      pieces.push_back(output.leaves[i].tensor());
    }
    leaves.emplace_back(at::cat(pieces, intOf((*dimensions)[i])));
  }
  return unflatten(leaves, outputs.front().spec);
}

values::Value Vmap::operator()(const values::ValueList& positional, const Keywords& keywords) const {
  registerVmapDecompositions();
  checkOutDims();
  const Mapped arguments = mapped(positional);
  const int64_t batchSize = batchSizeOf(arguments);
  return options_.chunkSize ? mapInChunks(arguments, batchSize, keywords) : mapAtOnce(arguments, batchSize, keywords);
}

} // namespace

void check(const VmapOptions& options) {
  if (options.randomness != "error" && options.randomness != "different" && options.randomness != "same") {
    values::raiseError("RuntimeError", "Only allowed values for randomness are 'error', 'different', or 'same'. Got {}",
                       options.randomness);
  }
  if (options.chunkSize && *options.chunkSize <= 0) {
    values::raiseError("ValueError", "vmap: chunk_size should be None or greater than 0. (got {})", *options.chunkSize);
  }
}

values::FunctionPtr vmap(values::FunctionPtr function, VmapOptions options) {
  check(options);
  std::string name = function->name();
  return std::make_shared<MadeFunction>(std::move(name), [function = std::move(function), options = std::move(options)](
                                                             values::ValueList positional, Keywords keywords) {
    return Vmap(*function, options)(positional, keywords);
  });
}

} // namespace touchstone::transforms
