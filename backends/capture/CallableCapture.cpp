#include "backends/capture/CallableCapture.h"

#include "backends/aot_autograd/TracedArguments.h"
#include "backends/arguments/ArgumentCopies.h"
#include "backends/capture/CallableTrace.h"
#include "backends/capture/CapturedCode.h"
#include "backends/capture/Guards.h"
#include "program/values/CompiledProgram.h"

#include <ATen/core/grad_mode.h>

#include <atomic>
#include <chrono>
#include <list>
#include <mutex>

namespace touchstone::capture {

namespace {

using values::Value;
using values::ValueList;

/// A tensor that a call returns.
struct ReturnedTensor {
  enum class From { kNone, kInput, kGraph };
  From from = From::kNone;
  size_t index = 0; // of the tensor among those that the guards walk over, or of the Graph's output
};

struct CallableCode {
  size_t arguments = 0; // so many: guards walk over those that there were
  std::unique_ptr<Guards> guards;
  std::shared_ptr<const backends::CompiledGraph> graph; // null: no operator was captured
  std::vector<size_t> graphInputs; // by placeholder: the number of the tensor among those that the guards walk over
  std::vector<ReturnedTensor> returned;
  std::optional<bool> gradModeAfter;
};

class CapturedCallable final : public values::CompiledProgram {
 public:
  CapturedCallable(CallableProgram program, CaptureOptions options)
      : program_(std::move(program)), options_(std::move(options)) {}

  Value operator()(ValueList& arguments) override {
    ValueList locals = std::move(arguments);
    arguments.clear();
    for (const Value& argument : locals) {
      TORCH_CHECK_TYPE(argument.isTensor(), "the C++ function `", program_.name, "` takes tensors; got ",
                       argument.typeName());
    }
    const size_t count = locals.size();
    if (!program_.held.empty()) {
      locals.push_back(heldTensors(program_));
    }
    std::vector<const at::Tensor*> tensors;
    const std::shared_ptr<const CallableCode> code = codeFor(locals, tensors);
    if (code == nullptr) {
      std::vector<at::Tensor> given;
      for (size_t i = 0; i < count; ++i) {
        given.push_back(locals[i].tensor());
      }
      return tupleOf(program_.function(given));
    }
    return runCode(*code, tensors, locals);
  }

  ir::CompileReport report() const override {
    const std::lock_guard<std::mutex> lock(mutex_);
    ir::CompileReport report = report_;
    report.compiledRuns = compiledRuns_;
    return report;
  }

  void reset() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    codes_.clear();
    captured_ = 0;
  }

 private:
  static Value tupleOf(const std::vector<at::Tensor>& tensors) {
    ValueList values;
    for (const at::Tensor& tensor : tensors) {
      values.push_back(tensor.defined() ? Value(tensor) : Value());
    }
    return Value::tuple(std::move(values));
  }

  Value runCode(const CallableCode& code, const std::vector<const at::Tensor*>& tensors, ValueList& locals) {
    std::vector<at::Tensor> inputs, outputs, returned(code.returned.size());
    for (size_t number : code.graphInputs) {
      inputs.push_back(*tensors[number]);
    }
    for (size_t i = 0; i < returned.size(); ++i) {
      if (code.returned[i].from == ReturnedTensor::From::kInput) {
        returned[i] = *tensors[code.returned[i].index];
      }
    }
    locals.clear(); // inputs are freed as soon as nothing reads them
    if (code.graph != nullptr) {
      ++compiledRuns_;
      outputs = code.graph->run(std::move(inputs));
    }
    for (size_t i = 0; i < returned.size(); ++i) {
      if (code.returned[i].from == ReturnedTensor::From::kGraph) {
        returned[i] = outputs[code.returned[i].index];
      }
    }
    if (code.gradModeAfter) {
      at::GradMode::set_enabled(*code.gradModeAfter);
    }
    return tupleOf(returned);
  }

  std::shared_ptr<const CallableCode> codeFor(const ValueList& locals, std::vector<const at::Tensor*>& tensors) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (auto code = codes_.begin(); code != codes_.end(); ++code) {
      if ((*code)->arguments == locals.size() && (*code)->guards->check(locals, tensors)) {
        codes_.splice(codes_.begin(), codes_, code);
        return codes_.front();
      }
    }
    if (captured_ >= options_.recompileLimit) {
      return nullptr;
    }
    if (!codes_.empty()) {
      std::string failure = codes_.front()->arguments == locals.size() ? codes_.front()->guards->failure(locals)
                                                                       : "another number of arguments";
      if (options_.onGuardFailure) {
        options_.onGuardFailure({failure, program_.name});
      }
      report_.recompiles.push_back(std::move(failure));
    }
    ++captured_;
    codes_.push_front(capture(locals));
    const bool holds = codes_.front()->guards->check(locals, tensors);
    TORCH_INTERNAL_ASSERT(holds, "guards of `", program_.name,
                          "` do not hold for what it was captured for: ", codes_.front()->guards->failure(locals));
    return codes_.front();
  }

  std::shared_ptr<const CallableCode> capture(const ValueList& locals) {
    const auto start = std::chrono::steady_clock::now();
    CallableTrace trace = traceCallable(program_, locals, options_.backing);
    auto code = std::make_shared<CallableCode>();
    code->arguments = locals.size();
    code->guards = std::make_unique<Guards>(localNames(program_, locals), locals,
                                            std::vector<bool>(locals.size(), true), /*distinct=*/true);
    code->gradModeAfter = trace.gradModeAfter;
    std::vector<at::Tensor> examples;
    for (size_t position : trace.used) {
      examples.push_back(trace.inputs[position]);
      code->graphInputs.push_back(numberOf(*code->guards, trace.inputs[position]));
    }
    for (const CallableTrace::Output& output : trace.outputs) {
      if (output.input >= 0) {
        code->returned.push_back(
            {ReturnedTensor::From::kInput, numberOf(*code->guards, trace.inputs[static_cast<size_t>(output.input)])});
      } else if (output.graph >= 0) {
        code->returned.push_back({ReturnedTensor::From::kGraph, static_cast<size_t>(output.graph)});
      } else {
        code->returned.emplace_back();
      }
    }
    report_.frames += 1;
    if (trace.graph.operatorCount() > 0) {
      noteGraph(trace.graph, report_);
      code->graph = options_.compiler(std::move(trace.graph), examples);
    }
    // Nobody sees what C++ code reads of a tensor besides its values: all of it is guarded.
    std::vector<std::pair<size_t, backends::Assumption>> assumptions;
    for (size_t number = 0; number < code->guards->tensorCount(); ++number) {
      assumptions.emplace_back(number, backends::Assumption::kMemory);
    }
    code->guards->rely(assumptions, {}, locals);
    for (const std::string& guard : code->guards->texts()) {
      report_.guards.push_back(guard);
    }
    report_.compileSeconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return code;
  }

  static size_t numberOf(const Guards& guards, const at::Tensor& tensor) {
    const int number = guards.numberOf(tensor);
    TORCH_INTERNAL_ASSERT(number >= 0, "captured code reads a tensor that no guard looks at");
    return static_cast<size_t>(number);
  }

  const CallableProgram program_;
  const CaptureOptions options_;
  std::list<std::shared_ptr<const CallableCode>> codes_; // used last comes first
  int64_t captured_ = 0;
  mutable std::mutex mutex_;
  ir::CompileReport report_;
  std::atomic<int64_t> compiledRuns_ = 0;
};

} // namespace

std::unique_ptr<values::CompiledProgram> captureCallable(CallableProgram program, CaptureOptions options) {
  return std::make_unique<CapturedCallable>(std::move(program), std::move(options));
}

} // namespace touchstone::capture
