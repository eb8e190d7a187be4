#pragma once

#include "program/values/Value.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

/// The functions of torch.func on libtorch's layers, after `torch/_functorch/` (eager_transforms.py, vmap.py, apis.py): their values
/// and what they raise.

namespace touchstone::transforms {

using Keywords = values::FunctionObject::Keywords;

/// `torch.autograd.grad`.
using AutogradGrad = values::Value (*)(const values::ValueList& positional, const Keywords& keywords);

/// A function that is to be differentiated.
struct Differentiated {
  values::FunctionPtr function;
  values::Value argnums; // an int or a tuple of ints; of vjp() None: all
  bool hasAux = false;
  AutogradGrad autogradGrad = nullptr;

  Differentiated of(values::FunctionPtr other) const { return {std::move(other), argnums, hasAux, autogradGrad}; }
};

values::FunctionPtr grad(Differentiated differentiated);
values::FunctionPtr gradAndValue(Differentiated differentiated);

struct Vjp {
  using Function =
      std::function<values::Value(const values::Value& cotangents, bool retainGraph, std::optional<bool> createGraph)>;

  values::Value outputs;
  Function function; // gives one gradient for each of `argnums`
  values::Value aux; // with `hasAux`
};
Vjp vjp(const Differentiated& differentiated, const values::ValueList& primals);

struct Jvp {
  values::Value outputs, tangents;
  values::Value aux; // with `hasAux`
};
/// `primals`: what the function is called with; `tangents` are of those that `argnums` says.
Jvp jvp(const Differentiated& differentiated, const values::Value& primals, const values::Value& tangents, bool strict);

struct VmapOptions {
  values::Value inDims, outDims; // an int, or ints and None in containers
  std::string randomness = "error"; // `same`, `different`
  std::optional<int64_t> chunkSize;
};
void check(const VmapOptions& options); // what vmap raises of them
values::FunctionPtr vmap(values::FunctionPtr function, VmapOptions options);

void checkChunkSize(std::optional<int64_t> chunkSize); // what jacrev raises of it
values::FunctionPtr jacrev(Differentiated differentiated, std::optional<int64_t> chunkSize);
values::FunctionPtr jacfwd(Differentiated differentiated, std::string randomness);
values::FunctionPtr hessian(Differentiated differentiated);

/// A function that a transform made, with the name of the one that it was made of.
class MadeFunction final : public values::FunctionObject {
 public:
  using Body = std::function<values::Value(values::ValueList positional, Keywords keywords)>;
  MadeFunction(std::string name, Body body) : name_(std::move(name)), body_(std::move(body)) {}

  std::string name() const override { return name_; }
  values::Value call(values::ValueList positional, Keywords keywords) const override {
    return body_(std::move(positional), std::move(keywords));
  }

 private:
  const std::string name_;
  const Body body_;
};

} // namespace touchstone::transforms
