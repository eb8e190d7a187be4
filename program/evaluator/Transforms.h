#pragma once

#include "program/evaluator/Modules.h"
#include "program/evaluator/TransformedCalls.h"
#include "program/transforms/Transforms.h"

#include <string>

namespace touchstone::evaluator {

/// `torch.func.NAME(…)`: its arguments, and what is called is any value that can be.
class Transforms {
 public:
  /// `state`: what the made functions belong to.
  Transforms(Modules& modules, std::shared_ptr<Evaluator::State*> state)
      : modules_(modules), state_(std::move(state)) {}

  values::Value call(const std::string& name, const values::ValueList& positional,
                     const torch_names::KeywordList& keywords);

 private:
  values::Value grad(const std::string& name, const values::ValueList& positional,
                     const torch_names::KeywordList& keywords);
  values::Value vjp(const values::ValueList& positional, const torch_names::KeywordList& keywords);
  values::Value jvp(const values::ValueList& positional, const torch_names::KeywordList& keywords);
  values::Value jacrev(const values::ValueList& positional, const torch_names::KeywordList& keywords);
  values::Value jacfwd(const values::ValueList& positional, const torch_names::KeywordList& keywords);
  values::Value hessian(const values::ValueList& positional, const torch_names::KeywordList& keywords);
  values::Value vmap(const values::ValueList& positional, const torch_names::KeywordList& keywords);
  values::Value functionalCall(const values::ValueList& positional, const torch_names::KeywordList& keywords);
  values::FunctionPtr functionOf(const values::Value& called);
  values::Value made(const std::string& name, const values::Value& called, Transform transform,
                     std::string options = "", const char* isNotCaptured = nullptr);
  values::Value capturedVjp(const transforms::Differentiated& differentiated, const values::Value& called,
                            const values::ValueList& primals);
  bool isCaptured() const; // into Graphs
  bool truthOf(const Arguments& arguments, size_t index) const;

  Modules& modules_;
  const std::shared_ptr<Evaluator::State*> state_;
};

} // namespace touchstone::evaluator
