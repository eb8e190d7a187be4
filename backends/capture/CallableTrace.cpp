#include "backends/capture/CallableTrace.h"

#include "backends/aot_autograd/TracedArguments.h"
#include "backends/arguments/ArgumentCopies.h"
#include "backends/arguments/ViewBase.h"
#include "backends/capture/GraphBreak.h"
#include "backends/capture/OperatorMode.h"
#include "backends/capture/Recorder.h"
#include "backends/fake/DataPointer.h"
#include "backends/fake/FakeTensor.h"
#include "backends/fake/Tracer.h"
#include "graph/ir/Arguments.h"
#include "graph/runtime/Interpreter.h"
#include "program/values/GeneratorState.h"
#include "program/values/TensorWalk.h"

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <unordered_map>

namespace touchstone::capture {

namespace {

using values::Value;
using values::ValueList;

/// A run of the function with its operators recorded.
class CallableRun {
 public:
  CallableRun(const CallableProgram& program, const ValueList& locals, fake::Backing backing)
      : program_(program),
        real_(aot_autograd::inputTensors(locals)),
        tracer_(backing),
        traced_(aot_autograd::traceArguments(tracer_, locals, localNames(program, locals))),
        recorder_(visibleFakes(), inputNames()),
        autocast_(runtime::currentCallState().autocast) {
    for (size_t i = 0; i < traced_.inputs.size(); ++i) {
      fakes_.emplace(real_[i].unsafeGetTensorImpl(), traced_.inputs[i].fake);
      note(traced_.inputs[i].fake);
    }
  }

  CallableTrace run() {
    CallableTrace trace;
    std::vector<at::Tensor> arguments, returned;
    const size_t count = traced_.values.size() - (program_.held.empty() ? 0 : 1);
    for (size_t i = 0; i < count; ++i) {
      arguments.push_back(traced_.values[i].tensor());
    }
    const bool gradMode = c10::GradMode::is_enabled();
    fake::Tracer::Scope scope(tracer_);
    try {
      const OperatorMode mode([this](const c10::OperatorHandle& op, torch::jit::Stack& stack) { record(op, stack); });
      breakAt("code between operators", [&] { returned = program_.function(arguments); });
      breakAt("the end of the function", [&] { finish(returned, trace); });
    } catch (const std::exception&) {
      refuseWhenBroken(); // the function may have made another error of it
      throw;
    }
    if (c10::GradMode::is_enabled() != gradMode) {
      trace.gradModeAfter = !gradMode;
    }
    refuseWhenBroken();
    return trace;
  }

 private:
  std::vector<at::Tensor> visibleFakes() const {
    std::vector<at::Tensor> fakes;
    for (const aot_autograd::TracedInput& input : traced_.inputs) {
      if (!input.isHidden) {
        fakes.push_back(input.fake);
      }
    }
    return fakes;
  }

  std::vector<std::string> inputNames() const {
    std::vector<std::string> names;
    for (const aot_autograd::TracedInput& input : traced_.inputs) {
      names.push_back(input.name);
    }
    return names;
  }

  /// Runs a part of the recording; notes why the Graph breaks in it, in case that the function catches it.
  template <class Part>
  void breakAt(const std::string& place, Part&& part) {
    try {
      part();
    } catch (const GraphBreak& error) {
      noteBreak(error.what(), place);
      throw;
    } catch (const ir::Unsupported& error) {
      noteBreak(error.what(), place);
      throw;
    } catch (const c10::Error& error) {
      if (fake::isOfDataPointer(error.what_without_backtrace())) {
        noteBreak(error.what_without_backtrace(), place);
      }
      throw;
    }
  }

  void noteBreak(const char* why, const std::string& place) {
    if (!broken_) { // the first place is the innermost
      broken_ = fmt::format("{}, at {}", why, place);
    }
  }

  void refuseWhenBroken() const {
    if (broken_) {
      throw ir::Unsupported(
          fmt::format("the C++ function `{}` cannot be captured: {}; a C++ function cannot be "
                      "resumed behind what its Graph cannot hold",
                      program_.name, *broken_));
    }
  }

  void record(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
    const std::string target = "`" + operatorName(op.schema()) + "`";
    std::vector<at::Tensor> touched;
    breakAt(target, [&] {
      const size_t count = op.schema().arguments().size();
      for (size_t i = stack.size() - count; i < stack.size(); ++i) {
        stack[i] = values::mapTensors(stack[i], [&](const at::Tensor& tensor) {
          const at::Tensor fake = fakeFor(tensor);
          touched.push_back(fake);
          return fake;
        });
      }
      if (runtime::currentCallState().autocast != autocast_) {
        throw GraphBreak("an autocast region was entered");
      }
      recorder_.record(op, stack);
    });
    for (size_t i = stack.size() - op.schema().returns().size(); i < stack.size(); ++i) {
      values::forEachTensor(stack[i], [&](const at::Tensor& tensor) { touched.push_back(tensor); });
    }
    for (const at::Tensor& tensor : touched) {
      note(tensor);
    }
  }

  /// What stands for a tensor that the function has in hand.
  at::Tensor fakeFor(const at::Tensor& tensor) const {
    if (!tensor.defined()) {
      return tensor;
    }
    if (fake::fakeOf(tensor) == nullptr) {
      const auto held = fakes_.find(tensor.unsafeGetTensorImpl());
      if (held != fakes_.end()) {
        return held->second;
      }
      if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) {
        return tensor;
      }
      throw GraphBreak("a tensor that the function holds is not declared among those that it holds");
    }
    checkAutograd(tensor);
    return tensor;
  }

  void note(const at::Tensor& tensor) {
    if (tensor.defined() && !tensor.is_inference()) {
      requiresGrad_[tensor.unsafeGetTensorImpl()] = tensor.requires_grad();
    }
  }

  /// Operators alone may change how autograd sees a tensor: another change would be missing in the Graph.
  void checkAutograd(const at::Tensor& tensor) const {
    const auto known = requiresGrad_.find(tensor.unsafeGetTensorImpl());
    if (known == requiresGrad_.end() || tensor.is_inference() || known->second == tensor.requires_grad()) {
      return;
    }
    const at::Tensor* base = arguments::differentiableBase(tensor);
    if (base == nullptr || !base->requires_grad()) { // a view follows its base
      throw GraphBreak("autograd's state of a tensor changed without an operator, as by a custom autograd function");
    }
  }

  void finish(const std::vector<at::Tensor>& returned, CallableTrace& trace) {
    for (const aot_autograd::TracedInput& input : traced_.inputs) {
      const auto* meta = torch::autograd::impl::get_autograd_meta(input.fake);
      if (meta != nullptr && meta->grad_.defined()) {
        throw GraphBreak("`.grad` of a tensor was written");
      }
    }
    takeOutputs(returned, trace);
  }

  void takeOutputs(const std::vector<at::Tensor>& returned, CallableTrace& trace) {
    std::vector<ir::NodeId> nodes;
    for (const at::Tensor& tensor : returned) {
      CallableTrace::Output output;
      if (tensor.defined()) {
        const at::Tensor fake = fakeFor(tensor);
        output.input = recorder_.inputOf(fake);
        if (output.input < 0) {
          const ir::NodeId node = recorder_.nodeOf(fake);
          const auto known = std::find(nodes.begin(), nodes.end(), node);
          output.graph = static_cast<int>(known - nodes.begin());
          if (known == nodes.end()) {
            nodes.push_back(node);
          }
        }
      }
      trace.outputs.push_back(output);
    }
    trace.graph = recorder_.take(nodes, trace.used);
    trace.inputs.assign(real_.begin(), real_.begin() + static_cast<std::ptrdiff_t>(visibleFakes().size()));
  }

  const CallableProgram& program_;
  const std::vector<at::Tensor> real_;
  fake::Tracer tracer_; // outlives every fake tensor below
  aot_autograd::TracedArguments traced_;
  Recorder recorder_;
  const std::string autocast_;
  std::unordered_map<const c10::TensorImpl*, at::Tensor> fakes_; // by what they stand for
  std::unordered_map<const c10::TensorImpl*, bool> requiresGrad_; // the recorder keeps the tensors
  std::optional<std::string> broken_;
};

} // namespace

CallableTrace traceCallable(const CallableProgram& program, const ValueList& locals, fake::Backing backing) {
  const values::GeneratorStateScope generator;
  const c10::AutoGradMode restored(c10::GradMode::is_enabled());
  return CallableRun(program, locals, backing).run();
}

Value heldTensors(const CallableProgram& program) {
  auto module = std::make_shared<values::ModuleObject>();
  for (const auto& [name, tensor] : program.held) {
    module->fields.push_back({name, values::ModuleObject::FieldKind::kBuffer, Value(tensor)});
  }
  return Value(Value::Payload(std::move(module)));
}

std::vector<std::string> localNames(const CallableProgram& program, const ValueList& locals) {
  std::vector<std::string> names;
  const size_t count = locals.size() - (program.held.empty() ? 0 : 1);
  for (size_t i = 0; i < count; ++i) {
    names.push_back(i < program.parameters.size() ? program.parameters[i] : fmt::format("x{}", i));
  }
  if (!program.held.empty()) {
    names.emplace_back("self");
  }
  return names;
}

ir::Graph traceBelowAutograd(const CallableProgram::Function& function, const std::vector<at::Tensor>& inputs,
                             TracingMode mode) {
  const values::GeneratorStateScope generator;
  const c10::AutoGradMode restored(c10::GradMode::is_enabled());
  fake::Tracer tracer(mode == TracingMode::kReal ? fake::Backing::kValues : fake::Backing::kMeta);
  std::vector<std::string> names;
  for (size_t i = 0; i < inputs.size(); ++i) {
    names.push_back(fmt::format("x{}", i));
  }
  const aot_autograd::TracedArguments traced =
      aot_autograd::traceArguments(tracer, ValueList(inputs.begin(), inputs.end()), names);
  std::vector<at::Tensor> arguments;
  for (const Value& value : traced.values) {
    arguments.push_back(value.tensor());
  }
  std::vector<ir::NodeId> outputs;
  {
    const fake::Tracer::Scope scope(tracer);
    for (const at::Tensor& output : function(arguments)) {
      const fake::FakeTensorImpl* fake = fake::fakeOf(output);
      TORCH_CHECK(!output.defined() || fake != nullptr, "the traced function returns a tensor that was not traced");
      outputs.push_back(fake != nullptr ? fake->node() : -1);
    }
  }
  ir::Graph graph = tracer.graph();
  graph.output = ir::nodeTuple(outputs);
  return graph;
}

SymbolicTrace traceForSymbols(const CallableProgram::Function& function, const std::vector<at::Tensor>& inputs) {
  return {[&](const std::vector<at::Tensor>& given) { return traceBelowAutograd(function, given, TracingMode::kFake); },
          inputs};
}

} // namespace touchstone::capture
