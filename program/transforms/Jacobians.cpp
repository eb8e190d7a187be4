#include "program/torch_names/HandWritten.h"
#include "program/transforms/Argnums.h"
#include "program/transforms/Transforms.h"
#include "program/transforms/Trees.h"
#include "program/transforms/Wrapping.h"
#include "program/values/RaiseError.h"

#include <ATen/ops/cat.h>

#include <numeric>

namespace touchstone::transforms {
namespace {

void refuseComplex(const char* api, const values::Value& value, const char* what) {
  const values::ValueList leaves = leavesOf(value);
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i].isTensor() && leaves[i].tensor().is_complex()) {
      values::raiseError("RuntimeError",
                         "{}: Expected all {} to be real but received complex tensor at flattened input idx: {}", api,
                         what, i);
    }
  }
}

void refuseKeywords(const std::string& name, const Keywords& keywords) {
  if (!keywords.empty()) {
    values::raiseError("TypeError", "{}() got an unexpected keyword argument '{}'", name, keywords.front().first);
  }
}

std::vector<int64_t> numelsOf(const values::ValueList& tensors) {
  std::vector<int64_t> numels;
  for (const values::Value& tensor : tensors) {
    numels.push_back(tensor.tensor().numel());
  }
  return numels;
}

/// Rows `first` to `first + count` of the identity matrix, its columns dealt out to the tensors.
values::ValueList basisOf(const values::ValueList& tensors, int64_t first, int64_t count) {
  values::ValueList basis;
  for (const values::Value& value : tensors) {
    basis.emplace_back(value.tensor().new_zeros({count, value.tensor().numel()}));
  }
  int64_t diagonal = first;
  for (size_t i = 0; i < tensors.size(); ++i) {
    basis[i].tensor().diagonal(diagonal).fill_(1);
    diagonal -= tensors[i].tensor().numel();
  }
  for (size_t i = 0; i < tensors.size(); ++i) {
    std::vector<int64_t> sizes = tensors[i].tensor().sizes().vec();
    sizes.insert(sizes.begin(), count);
    basis[i] = values::Value(basis[i].tensor().view(sizes));
  }
  return basis;
}

values::ValueList mapped(const values::ValueList& tensors, const std::function<at::Tensor(const at::Tensor&)>& map) {
  values::ValueList results;
  for (const values::Value& tensor : tensors) {
    results.emplace_back(map(tensor.tensor()));
  }
  return results;
}

/// The gradients for some rows of the basis, one tensor for each input, its first dimension the rows.
values::ValueList rowsOf(const Vjp& vjp, const Tree& outputs, values::ValueList basis, bool oneByOne) {
  if (oneByOne) {
    basis = mapped(basis, [](const at::Tensor& tensor) { return tensor.squeeze(0); });
    const values::Value gradients = vjp.function(unflatten(basis, outputs.spec), true, std::nullopt);
    return mapped(leavesOf(gradients), [](const at::Tensor& tensor) { return tensor.unsqueeze(0); });
  }
  const auto pullback = std::make_shared<MadeFunction>("wrapper", [&vjp](values::ValueList positional, Keywords) {
    return vjp.function(positional.at(0), true, std::nullopt);
  });
  const VmapOptions options{.inDims = torch_names::number(0), .outDims = torch_names::number(0)};
  return leavesOf(vmap(pullback, options)->call({unflatten(basis, outputs.spec)}, {}));
}

/// For each input the gradients for all rows of the basis.
values::ValueList stackedRows(const Vjp& vjp, const Tree& outputs, std::optional<int64_t> chunkSize) {
  const std::vector<int64_t> numels = numelsOf(outputs.leaves);
  const int64_t whole = std::accumulate(numels.begin(), numels.end(), int64_t{0});
  const int64_t piece = chunkSize && *chunkSize < whole ? *chunkSize : whole;
  std::vector<values::ValueList> chunks;
  for (int64_t first = 0; first < whole || chunks.empty(); first += piece) {
    chunks.push_back(
        rowsOf(vjp, outputs, basisOf(outputs.leaves, first, std::min(piece, whole - first)), chunkSize == 1));
  }
  if (chunks.size() == 1) {
    return std::move(chunks.front());
  }
  values::ValueList stacked;
  for (size_t i = 0; i < chunks.front().size(); ++i) {
    std::vector<at::Tensor> pieces;
    for (const values::ValueList& chunk : chunks) {
      pieces.push_back(chunk[i].tensor());
    }
    stacked.emplace_back(at::cat(pieces, 0));
  }
  return stacked;
}

// The Jacobians of one output, in the containers of the inputs; without the tuple around one of an int `argnums`.
values::Value ofOneOutput(const values::ValueList& jacobians, const TreeSpec& inputs, const values::Value& argnums) {
  const values::Value all = unflatten(jacobians, inputs);
  return isInt(argnums) ? all.items()->front() : all;
}

values::Value reverseJacobian(const Differentiated& differentiated, const values::ValueList& arguments,
                              std::optional<int64_t> chunkSize) {
  refuseComplex("jacrev", values::Value::tuple(arguments), "inputs");
  const Vjp vjp = transforms::vjp(differentiated, arguments);
  const Tree outputs = flatten(vjp.outputs);
  refuseComplex("jacrev", vjp.outputs, "outputs");
  const Tree inputs = flatten(tupleOfArgnums(arguments, differentiated.argnums));
  const values::ValueList rows = stackedRows(vjp, outputs, chunkSize);
  std::vector<values::ValueList> byOutput(outputs.leaves.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::vector<at::Tensor> pieces = rows[i].tensor().split_with_sizes(numelsOf(outputs.leaves), 0);
    for (size_t j = 0; j < pieces.size(); ++j) {
      std::vector<int64_t> sizes = outputs.leaves[j].tensor().sizes().vec();
      const auto inner = inputs.leaves[i].tensor().sizes();
      sizes.insert(sizes.end(), inner.begin(), inner.end());
      byOutput[j].emplace_back(pieces[j].view(sizes));
    }
  }
  values::ValueList jacobians;
  for (const values::ValueList& each : byOutput) {
    jacobians.push_back(ofOneOutput(each, inputs.spec, differentiated.argnums));
  }
  values::Value jacobian = unflatten(jacobians, outputs.spec);
  return differentiated.hasAux ? values::Value::tuple({std::move(jacobian), vjp.aux}) : jacobian;
}

at::Tensor unflattened(const at::Tensor& tensor, at::IntArrayRef sizes) {
  return sizes.empty() ? tensor.squeeze(-1) : tensor.unflatten(-1, sizes);
}

values::Value forwardJacobian(const Differentiated& differentiated, const values::ValueList& arguments,
                              const std::string& randomness) {
  refuseComplex("jacfwd", values::Value::tuple(arguments), "inputs");
  const values::Value& argnums = differentiated.argnums;
  const values::Value all = values::Value::tuple(arguments);
  const Tree inputs = flatten(argnums.isNone() ? all : tupleOfArgnums(arguments, argnums));
  const std::vector<int64_t> numels = numelsOf(inputs.leaves);
  const int64_t whole = std::accumulate(numels.begin(), numels.end(), int64_t{0});
  const values::Value basis = unflatten(basisOf(inputs.leaves, 0, whole), inputs.spec);
  const auto push = std::make_shared<MadeFunction>("push_jvp", [&](values::ValueList tangents, Keywords) {
    const Jvp found = jvp(differentiated, all, tangents.at(0), /*strict=*/false);
    refuseComplex("jacfwd", found.outputs, "outputs");
    return differentiated.hasAux ? values::Value::tuple({found.tangents, found.aux}) : found.tangents;
  });
  const VmapOptions options{
      .inDims = torch_names::number(0), .outDims = torch_names::number(0), .randomness = randomness};
  const values::Value returned = vmap(push, options)->call({basis}, {});
  const Tree columns = flatten(differentiated.hasAux ? returned.items()->at(0) : returned);
  values::ValueList jacobians;
  for (const values::Value& column : columns.leaves) {
    const std::vector<at::Tensor> pieces = column.tensor().movedim(0, -1).split_with_sizes(numels, -1);
    values::ValueList each;
    for (size_t i = 0; i < pieces.size(); ++i) {
      each.emplace_back(unflattened(pieces[i], inputs.leaves[i].tensor().sizes()));
    }
    jacobians.push_back(ofOneOutput(each, inputs.spec, argnums));
  }
  values::Value jacobian = unflatten(jacobians, columns.spec);
  if (!differentiated.hasAux) {
    return jacobian;
  }
  // Each direction has given the same.
  values::Value aux = mapLeaves(returned.items()->at(1),
                                [](const values::Value& leaf) { return values::Value(leaf.tensor().select(0, 0)); });
  return values::Value::tuple({std::move(jacobian), std::move(aux)});
}

} // namespace

void checkChunkSize(std::optional<int64_t> chunkSize) {
  if (chunkSize && *chunkSize <= 0) {
    values::raiseError("ValueError", "jacrev: `chunk_size` should be greater than 0.");
  }
}

values::FunctionPtr jacrev(Differentiated differentiated, std::optional<int64_t> chunkSize) {
  checkChunkSize(chunkSize);
  std::string name = differentiated.function->name();
  return std::make_shared<MadeFunction>(name, [name, differentiated = std::move(differentiated), chunkSize](
                                                  values::ValueList positional, Keywords keywords) {
    refuseKeywords(name, keywords);
    return reverseJacobian(differentiated, positional, chunkSize);
  });
}

values::FunctionPtr jacfwd(Differentiated differentiated, std::string randomness) {
  std::string name = differentiated.function->name();
  return std::make_shared<MadeFunction>(
      name, [name, differentiated = std::move(differentiated), randomness = std::move(randomness)](
                values::ValueList positional, Keywords keywords) {
        refuseKeywords(name, keywords);
        return forwardJacobian(differentiated, positional, randomness);
      });
}

values::FunctionPtr hessian(Differentiated differentiated) {
  Differentiated outer = differentiated;
  outer.function = jacrev(std::move(differentiated), std::nullopt);
  return jacfwd(std::move(outer), "error");
}

} // namespace touchstone::transforms
