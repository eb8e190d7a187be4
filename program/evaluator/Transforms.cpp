#include "program/evaluator/Transforms.h"

#include "program/evaluator/Arguments.h"
#include "program/evaluator/FunctionalCall.h"
#include "program/evaluator/Gradients.h"
#include "program/transforms/Transforms.h"

#include <unordered_map>

// After `torch/_functorch/apis.py` and `torch/_functorch/eager_transforms.py`.

namespace touchstone::evaluator {
namespace {

using transforms::Differentiated;
using torch_names::KeywordList;
using values::ValueList;

/// The arguments of a function of which only the first `positionals` may be given by position.
Arguments bound(const char* function, std::vector<const char*> names, size_t positionals, const ValueList& positional,
                const KeywordList& keywords, size_t required = 1) {
  if (positional.size() > positionals) {
    raiseError("TypeError", "{}() takes from {} to {} positional arguments but {} were given", function, required,
               positionals, positional.size());
  }
  return Arguments(function, std::move(names), positional, keywords, required);
}

values::Value valueOr(const Arguments& arguments, size_t index, values::Value otherwise) {
  const values::Value* given = arguments.find(index);
  return given != nullptr ? *given : std::move(otherwise);
}

std::optional<int64_t> chunkSize(const Arguments& arguments, size_t index) {
  return arguments.isGiven(index) ? std::optional(arguments.integer(index, 0)) : std::nullopt;
}

/// A value that is called as a function is: a module, and what raises that it cannot be.
class CalledValue final : public values::FunctionObject {
 public:
  CalledValue(values::Value called, Modules& modules) : called_(std::move(called)), modules_(modules) {}

  std::string name() const override { return called_.typeName() + "()"; }
  values::Value call(ValueList positional, Keywords keywords) const override {
    return modules_.callValue(called_, positional, keywords);
  }

 private:
  const values::Value called_;
  Modules& modules_;
};

/// The function that `vjp` returns.
values::FunctionPtr pullbackOf(transforms::Vjp::Function function) {
  return std::make_shared<transforms::MadeFunction>(
      "wrapper", [function = std::move(function)](const ValueList& positional, const KeywordList& keywords) {
        enum { kCotangents, kRetain, kCreate };
        const Arguments arguments("_vjp_with_argnums.<locals>.wrapper", {"cotangents", "retain_graph", "create_graph"},
                                  positional, keywords, 1);
        const std::optional<bool> creates =
            arguments.isGiven(kCreate) ? std::optional(arguments.flag(kCreate, false)) : std::nullopt;
        return function(arguments.at(kCotangents), arguments.flag(kRetain, true), creates);
      });
}

} // namespace

values::FunctionPtr Transforms::functionOf(const values::Value& called) {
  const auto* function = called.maybe<values::FunctionPtr>();
  return function != nullptr ? *function : std::make_shared<CalledValue>(called, modules_);
}

values::Value Transforms::grad(const std::string& name, const ValueList& positional, const KeywordList& keywords) {
  enum { kFunction, kArgnums, kHasAux };
  const Arguments arguments = bound(name.c_str(), {"func", "argnums", "has_aux"}, 3, positional, keywords);
  Differentiated differentiated{.function = functionOf(arguments.at(kFunction)),
                                .argnums = valueOr(arguments, kArgnums, intValue(0)),
                                .hasAux = modules_.operators.truth(valueOr(arguments, kHasAux, boolValue(false))),
                                .autogradGrad = gradientsOf};
  return values::Value(name == "grad" ? transforms::grad(std::move(differentiated))
                                      : transforms::gradAndValue(std::move(differentiated)));
}

values::Value Transforms::vjp(const ValueList& positional, const KeywordList& keywords) {
  const ValueList function(positional.begin(), positional.begin() + (positional.empty() ? 0 : 1));
  const Arguments arguments("vjp", {"func", "has_aux"}, function, keywords, 1);
  const Differentiated differentiated{.function = functionOf(arguments.at(0)),
                                      .hasAux = modules_.operators.truth(valueOr(arguments, 1, boolValue(false))),
                                      .autogradGrad = gradientsOf};
  const ValueList primals(positional.begin() + (positional.empty() ? 0 : 1), positional.end());
  transforms::Vjp made = transforms::vjp(differentiated, primals);
  ValueList results = {std::move(made.outputs), values::Value(pullbackOf(std::move(made.function)))};
  if (differentiated.hasAux) {
    results.push_back(std::move(made.aux));
  }
  return values::Value::tuple(std::move(results));
}

values::Value Transforms::jvp(const ValueList& positional, const KeywordList& keywords) {
  enum { kFunction, kPrimals, kTangents, kStrict, kHasAux };
  const Arguments arguments =
      bound("jvp", {"func", "primals", "tangents", "strict", "has_aux"}, 3, positional, keywords, 3);
  const Differentiated differentiated{.function = functionOf(arguments.at(kFunction)),
                                      .hasAux = modules_.operators.truth(valueOr(arguments, kHasAux, boolValue(false)))};
  const bool strict = modules_.operators.truth(valueOr(arguments, kStrict, boolValue(false)));
  transforms::Jvp found =
      transforms::jvp(differentiated, arguments.at(kPrimals), arguments.at(kTangents), strict);
  ValueList results = {std::move(found.outputs), std::move(found.tangents)};
  if (differentiated.hasAux) {
    results.push_back(std::move(found.aux));
  }
  return values::Value::tuple(std::move(results));
}

values::Value Transforms::jacrev(const ValueList& positional, const KeywordList& keywords) {
  enum { kFunction, kArgnums, kHasAux, kChunkSize };
  const Arguments arguments =
      bound("jacrev", {"func", "argnums", "has_aux", "chunk_size"}, 2, positional, keywords);
  Differentiated differentiated{.function = functionOf(arguments.at(kFunction)),
                                .argnums = valueOr(arguments, kArgnums, intValue(0)),
                                .hasAux = modules_.operators.truth(valueOr(arguments, kHasAux, boolValue(false))),
                                .autogradGrad = gradientsOf};
  return values::Value(transforms::jacrev(std::move(differentiated), chunkSize(arguments, kChunkSize)));
}

values::Value Transforms::jacfwd(const ValueList& positional, const KeywordList& keywords) {
  enum { kFunction, kArgnums, kHasAux, kRandomness };
  const Arguments arguments =
      bound("jacfwd", {"func", "argnums", "has_aux", "randomness"}, 3, positional, keywords);
  Differentiated differentiated{.function = functionOf(arguments.at(kFunction)),
                                .argnums = valueOr(arguments, kArgnums, intValue(0)),
                                .hasAux = modules_.operators.truth(valueOr(arguments, kHasAux, boolValue(false)))};
  return values::Value(transforms::jacfwd(
      std::move(differentiated), torch_names::shown(valueOr(arguments, kRandomness, textValue("error")))));
}

values::Value Transforms::hessian(const ValueList& positional, const KeywordList& keywords) {
  const Arguments arguments = bound("hessian", {"func", "argnums"}, 2, positional, keywords);
  Differentiated differentiated{.function = functionOf(arguments.at(0)),
                                .argnums = valueOr(arguments, 1, intValue(0)),
                                .autogradGrad = gradientsOf};
  return values::Value(transforms::hessian(std::move(differentiated)));
}

values::Value Transforms::vmap(const ValueList& positional, const KeywordList& keywords) {
  enum { kFunction, kInDims, kOutDims, kRandomness, kChunkSize };
  const Arguments arguments =
      bound("vmap", {"func", "in_dims", "out_dims", "randomness", "chunk_size"}, 4, positional, keywords);
  return values::Value(
      transforms::vmap(functionOf(arguments.at(kFunction)),
                       {.inDims = valueOr(arguments, kInDims, intValue(0)),
                        .outDims = valueOr(arguments, kOutDims, intValue(0)),
                        .randomness = torch_names::shown(valueOr(arguments, kRandomness, textValue("error"))),
                        .chunkSize = chunkSize(arguments, kChunkSize)}));
}

values::Value Transforms::functionalCall(const ValueList& positional, const KeywordList& keywords) {
  enum { kModule, kTensors, kPositional, kKeywords, kTieWeights, kStrict };
  const Arguments arguments =
      bound("functional_call", {"module", "parameter_and_buffer_dicts", "args", "kwargs", "tie_weights", "strict"}, 4,
            positional, keywords, 2);
  const FunctionalCall call{.module = arguments.at(kModule),
                            .tensors = arguments.at(kTensors),
                            .positional = valueOr(arguments, kPositional, {}),
                            .keywords = valueOr(arguments, kKeywords, {}),
                            .tiesWeights = arguments.flag(kTieWeights, true),
                            .isStrict = arguments.flag(kStrict, false)};
  return call.run(modules_);
}

values::Value Transforms::call(const std::string& name, const ValueList& positional, const KeywordList& keywords) {
  using Function = values::Value (Transforms::*)(const ValueList&, const KeywordList&);
  static const std::unordered_map<std::string, Function> table = {
      {"vjp", &Transforms::vjp},         {"jvp", &Transforms::jvp},   {"jacrev", &Transforms::jacrev},
      {"jacfwd", &Transforms::jacfwd},   {"vmap", &Transforms::vmap}, {"hessian", &Transforms::hessian},
      {"functional_call", &Transforms::functionalCall}};
  const auto found = table.find(name);
  if (found != table.end()) {
    return (this->*found->second)(positional, keywords);
  }
  if (name == "grad" || name == "grad_and_value") {
    return grad(name, positional, keywords);
  }
  raiseError("AttributeError", "module 'torch.func' has no attribute '{}' that a case may use", name);
}

} // namespace touchstone::evaluator
