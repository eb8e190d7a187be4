#include "program/evaluator/Transforms.h"

#include "program/evaluator/Gradients.h"
#include "program/evaluator/State.h"
#include "program/semantics/Arguments.h"
#include "program/transforms/FunctionalCall.h"
#include "program/transforms/Transforms.h"

#include <algorithm>
#include <memory>
#include <unordered_map>

// After `torch/_functorch/apis.py` and `torch/_functorch/eager_transforms.py`.

namespace touchstone::evaluator {

using namespace semantics;
namespace {

using torch_names::KeywordList;
using transforms::Differentiated;
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

values::FunctionPtr makeFunction(transforms::MadeFunction::Body body) {
  return std::make_shared<transforms::MadeFunction>("wrapper", std::move(body));
}

/// The function that `vjp` returns.
values::FunctionPtr pullbackOf(transforms::Vjp::Function function) {
  return makeFunction([function = std::move(function)](const ValueList& positional, const KeywordList& keywords) {
    enum { kCotangents, kRetain, kCreate };
    const Arguments arguments("_vjp_with_argnums.<locals>.wrapper", {"cotangents", "retain_graph", "create_graph"},
                              positional, keywords, 1);
    const std::optional<bool> creates =
        arguments.isGiven(kCreate) ? std::optional(arguments.flag(kCreate, false)) : std::nullopt;
    return function(arguments.at(kCotangents), arguments.flag(kRetain, true), creates);
  });
}

/// What is given beside the function, to be compared.
std::string optionsText(const Arguments& arguments, size_t count) {
  std::string text;
  for (size_t index = 1; index < count; ++index) {
    const values::Value* given = arguments.find(index);
    text += (given != nullptr ? torch_names::shown(*given) : "") + ";";
  }
  return text;
}

} // namespace

values::FunctionPtr Transforms::functionOf(const values::Value& called) {
  const auto* function = called.maybe<values::FunctionPtr>();
  return function != nullptr ? *function : std::make_shared<CalledValue>(called, modules_);
}

values::Value Transforms::made(const std::string& name, const values::Value& called, Transform transform,
                               std::string options, const char* isNotCaptured) {
  return values::Value(
      std::make_shared<TransformedFunction>(TransformedFunction::Parts{.transformName = "torch.func." + name,
                                                                       .options = std::move(options),
                                                                       .function = functionOf(called),
                                                                       .transform = std::move(transform),
                                                                       .state = state_,
                                                                       .isNotCaptured = isNotCaptured}));
}

bool Transforms::isCaptured() const {
  return (*state_)->watchers.takeCallables();
}

bool Transforms::truthOf(const Arguments& arguments, size_t index) const {
  const values::Value* given = arguments.find(index);
  return given != nullptr && modules_.operators.truth(*given);
}

values::Value Transforms::grad(const std::string& name, const ValueList& positional, const KeywordList& keywords) {
  enum { kFunction, kArgnums, kHasAux };
  const Arguments arguments = bound(name.c_str(), {"func", "argnums", "has_aux"}, 3, positional, keywords);
  const Differentiated differentiated{.argnums = valueOr(arguments, kArgnums, intValue(0)),
                                      .hasAux = truthOf(arguments, kHasAux),
                                      .autogradGrad = gradientsOf};
  const auto make = name == "grad" ? transforms::grad : transforms::gradAndValue;
  return made(
      name, arguments.at(kFunction),
      [=](values::FunctionPtr function) { return make(differentiated.of(std::move(function))); },
      optionsText(arguments, 3));
}

values::Value Transforms::vjp(const ValueList& positional, const KeywordList& keywords) {
  const bool hasFunction = !positional.empty();
  const ValueList function(positional.begin(), positional.begin() + (hasFunction ? 1 : 0));
  const Arguments arguments("vjp", {"func", "has_aux"}, function, keywords, 1);
  const Differentiated differentiated{.hasAux = truthOf(arguments, 1), .autogradGrad = gradientsOf};
  const ValueList primals(positional.begin() + (hasFunction ? 1 : 0), positional.end());
  if (!isCaptured()) {
    transforms::Vjp vjp = transforms::vjp(differentiated.of(functionOf(arguments.at(0))), primals);
    ValueList results = {std::move(vjp.outputs), values::Value(pullbackOf(std::move(vjp.function)))};
    if (differentiated.hasAux) {
      results.push_back(std::move(vjp.aux));
    }
    return values::Value::tuple(std::move(results));
  }
  return capturedVjp(differentiated, arguments.at(0), primals);
}

namespace {

/// What the last run of a captured `vjp` made, for the call of its function behind it.
struct LastVjp {
  ValueList primals;
  transforms::Vjp::Function function;

  bool isOf(const ValueList& others) const {
    return function && std::ranges::equal(primals, others, [](const values::Value& left, const values::Value& right) {
             return left.isTensor() && right.isTensor() && left.tensor().is_same(right.tensor());
           });
  }
};

} // namespace

// The function that comes of it is a call of its own, which has the primals among its arguments. Where the forward has not run
// for them it computes all again.
values::Value Transforms::capturedVjp(const Differentiated& differentiated, const values::Value& called,
                                      const ValueList& primals) {
  const auto last = std::make_shared<LastVjp>();
  const values::Value forward = made("vjp", called, [=](values::FunctionPtr function) {
    return makeFunction([=](const ValueList& given, const KeywordList&) {
      transforms::Vjp vjp = transforms::vjp(differentiated.of(function), given);
      *last = {given, vjp.function};
      return differentiated.hasAux ? values::Value::tuple({vjp.outputs, vjp.aux}) : vjp.outputs;
    });
  });
  const values::Value backward = made("vjp's function", called, [=](values::FunctionPtr function) {
    return makeFunction([=](const ValueList& given, const KeywordList& named) {
      const ValueList& primals = *given.at(0).items();
      transforms::Vjp::Function pullback =
          last->isOf(primals) ? last->function : transforms::vjp(differentiated.of(function), primals).function;
      return pullbackOf(std::move(pullback))->call({given.begin() + 1, given.end()}, named);
    });
  });
  const values::Value outputs = forward.as<values::FunctionPtr>()->call(primals, {});
  const auto pullback = makeFunction([=](const ValueList& given, const KeywordList& named) {
    ValueList all = {values::Value::tuple(primals)};
    all.insert(all.end(), given.begin(), given.end());
    return backward.as<values::FunctionPtr>()->call(std::move(all), named);
  });
  return differentiated.hasAux
             ? values::Value::tuple({outputs.items()->at(0), values::Value(pullback), outputs.items()->at(1)})
             : values::Value::tuple({outputs, values::Value(pullback)});
}

values::Value Transforms::jvp(const ValueList& positional, const KeywordList& keywords) {
  enum { kFunction, kPrimals, kTangents, kStrict, kHasAux };
  const Arguments arguments =
      bound("jvp", {"func", "primals", "tangents", "strict", "has_aux"}, 3, positional, keywords, 3);
  const Differentiated differentiated{.hasAux = truthOf(arguments, kHasAux)};
  const bool strict = truthOf(arguments, kStrict);
  const values::Value pushed = made("jvp", arguments.at(kFunction), [=](values::FunctionPtr function) {
    return makeFunction([=](const ValueList& given, const KeywordList&) {
      transforms::Jvp found = transforms::jvp(differentiated.of(function), given.at(0), given.at(1), strict);
      ValueList results = {std::move(found.outputs), std::move(found.tangents)};
      if (differentiated.hasAux) {
        results.push_back(std::move(found.aux));
      }
      return values::Value::tuple(std::move(results));
    });
  });
  return pushed.as<values::FunctionPtr>()->call({arguments.at(kPrimals), arguments.at(kTangents)}, {});
}

values::Value Transforms::jacrev(const ValueList& positional, const KeywordList& keywords) {
  enum { kFunction, kArgnums, kHasAux, kChunkSize };
  const Arguments arguments = bound("jacrev", {"func", "argnums", "has_aux", "chunk_size"}, 2, positional, keywords);
  const Differentiated differentiated{.argnums = valueOr(arguments, kArgnums, intValue(0)),
                                      .hasAux = truthOf(arguments, kHasAux),
                                      .autogradGrad = gradientsOf};
  const std::optional<int64_t> chunk = chunkSize(arguments, kChunkSize);
  transforms::checkChunkSize(chunk);
  return made(
      "jacrev", arguments.at(kFunction),
      [=](values::FunctionPtr function) { return transforms::jacrev(differentiated.of(std::move(function)), chunk); },
      optionsText(arguments, 4));
}

values::Value Transforms::jacfwd(const ValueList& positional, const KeywordList& keywords) {
  enum { kFunction, kArgnums, kHasAux, kRandomness };
  const Arguments arguments = bound("jacfwd", {"func", "argnums", "has_aux", "randomness"}, 3, positional, keywords);
  const Differentiated differentiated{.argnums = valueOr(arguments, kArgnums, intValue(0)),
                                      .hasAux = truthOf(arguments, kHasAux)};
  const std::string randomness = torch_names::shown(valueOr(arguments, kRandomness, textValue("error")));
  return made(
      "jacfwd", arguments.at(kFunction),
      [=](values::FunctionPtr function) {
        return transforms::jacfwd(differentiated.of(std::move(function)), randomness);
      },
      optionsText(arguments, 4));
}

values::Value Transforms::hessian(const ValueList& positional, const KeywordList& keywords) {
  const Arguments arguments = bound("hessian", {"func", "argnums"}, 2, positional, keywords);
  const Differentiated differentiated{.argnums = valueOr(arguments, 1, intValue(0)), .autogradGrad = gradientsOf};
  return made(
      "hessian", arguments.at(0),
      [=](values::FunctionPtr function) { return transforms::hessian(differentiated.of(std::move(function))); },
      optionsText(arguments, 2));
}

values::Value Transforms::vmap(const ValueList& positional, const KeywordList& keywords) {
  enum { kFunction, kInDims, kOutDims, kRandomness, kChunkSize };
  const Arguments arguments =
      bound("vmap", {"func", "in_dims", "out_dims", "randomness", "chunk_size"}, 4, positional, keywords);
  const transforms::VmapOptions options{
      .inDims = valueOr(arguments, kInDims, intValue(0)),
      .outDims = valueOr(arguments, kOutDims, intValue(0)),
      .randomness = torch_names::shown(valueOr(arguments, kRandomness, textValue("error"))),
      .chunkSize = chunkSize(arguments, kChunkSize)};
  transforms::check(options);
  const bool drawsAgain = options.chunkSize && options.randomness == "same";
  return made(
      "vmap", arguments.at(kFunction),
      [options](values::FunctionPtr function) { return transforms::vmap(std::move(function), options); },
      optionsText(arguments, 5),
      drawsAgain ? "torch.vmap in chunks that draw the same numbers puts the generator back" : nullptr);
}

values::Value Transforms::functionalCall(const ValueList& positional, const KeywordList& keywords) {
  enum { kModule, kTensors, kPositional, kKeywords, kTieWeights, kStrict };
  const Arguments arguments =
      bound("functional_call", {"module", "parameter_and_buffer_dicts", "args", "kwargs", "tie_weights", "strict"}, 4,
            positional, keywords, 2);
  const transforms::FunctionalCall call{.module = arguments.at(kModule),
                                        .tensors = arguments.at(kTensors),
                                        .positional = valueOr(arguments, kPositional, {}),
                                        .keywords = valueOr(arguments, kKeywords, {}),
                                        .tiesWeights = arguments.flag(kTieWeights, true),
                                        .isStrict = arguments.flag(kStrict, false)};
  return call.run({.call = [&](const auto&, const auto& given,
                               const auto& named) { return modules_.callValue(call.module, given, named); },
                   .isParameter = [this](const at::Tensor& tensor) { return modules_.parameters.contain(tensor); }});
}

values::Value Transforms::call(const std::string& name, const ValueList& positional, const KeywordList& keywords) {
  using Function = values::Value (Transforms::*)(const ValueList&, const KeywordList&);
  static const std::unordered_map<std::string, Function> table = {{"vjp", &Transforms::vjp},
                                                                  {"jvp", &Transforms::jvp},
                                                                  {"jacrev", &Transforms::jacrev},
                                                                  {"jacfwd", &Transforms::jacfwd},
                                                                  {"vmap", &Transforms::vmap},
                                                                  {"hessian", &Transforms::hessian},
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
