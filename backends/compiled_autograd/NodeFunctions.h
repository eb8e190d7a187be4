#pragma once

#include <torch/csrc/dynamo/compiled_autograd.h>

#include <exception>
#include <memory>
#include <unordered_map>
#include <utility>

namespace touchstone::compiled_autograd {

/// Calls the functions behind libtorch's nodes while one node is traced (torch/csrc/dynamo/compiled_autograd.h hands them over
/// as functions of tensors and constants). A node puts its saved tensors back only if nothing is thrown: what a function
/// throws is kept, and nothing more is called.
class NodeFunctions {
 public:
  using Function = torch::dynamo::autograd::functional_apply_t;

  /// What libtorch hands back with each call.
  PyObject* handle() { return reinterpret_cast<PyObject*>(this); }
  static NodeFunctions& of(PyObject* handle) { return *reinterpret_cast<NodeFunctions*>(handle); }

  /// Runs `call` unless something was thrown before; then, and if it throws, `count` undefined tensors.
  template <class Call>
  torch::autograd::variable_list attempt(size_t count, const Call& call) {
    if (thrown_ == nullptr) {
      try {
        return call();
      } catch (...) {
        thrown_ = std::current_exception();
      }
    }
    return torch::autograd::variable_list(count);
  }

  /// Throws what a function has thrown.
  void rethrow() const {
    if (thrown_ != nullptr) {
      std::rethrow_exception(thrown_);
    }
  }

  /// Of custom functions, which are bound anew at each call; null: it is not to be traced.
  std::unordered_map<std::string, Function> custom;

 private:
  std::exception_ptr thrown_;
};

/// libtorch's way to NodeFunctions: one object a process.
std::unique_ptr<torch::dynamo::autograd::PyCompilerInterface> makeNodeFunctionsInterface();

} // namespace touchstone::compiled_autograd
