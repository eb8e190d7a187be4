#include "backends/native/DeviceTrace.h"

#include "backends/capture/FrameCapture.h"
#include "backends/debugging/AotCompilerOptions.h"
#include "backends/native/BackendTable.h"
#include "program/values/CompiledProgram.h"

#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <exception>
#include <stdexcept>

namespace touchstone::native {

namespace {

AotPipeline pipelineOf(const std::string& backend) {
  const AotPipeline pipeline = aotPipelineOf(backend);
  if (pipeline == nullptr) {
    throw std::invalid_argument(
        fmt::format("`{}` cannot be traced for a device: AOT pipelines can, such as `aot_eager`.", backend));
  }
  return pipeline;
}

/// What a step has raised when it was captured, but for what the machine is to blame for rather than the program.
[[noreturn]] void rethrow(const std::exception_ptr& raised) {
  try {
    std::rethrow_exception(raised);
  } catch (const std::exception& error) {
    if (std::string(error.what()).find("Cannot access accelerator device when none is available") !=
        std::string::npos) {
      throw ir::Unsupported("a gradient inside the program runs on autograd's engine, which needs the device");
    }
    throw;
  }
}

} // namespace

c10::Device deviceToTrace(const std::string& name, const std::string& backend) {
  pipelineOf(backend);
  try {
    return c10::Device(name);
  } catch (const c10::Error& error) {
    throw std::invalid_argument(error.what_without_backtrace());
  }
}

void traceOnDevice(const language::Case& theCase, const values::ValueList& arguments, const std::string& backend,
                   c10::Device device, backends::PipelineObservers observers) {
  const AotPipeline pipeline = pipelineOf(backend);
  capture::Steps steps(theCase);
  capture::FrameCapture captured =
      capture::captureFrame(theCase, steps, steps.first(theCase.program()), theCase.program().parameters, arguments,
                            fake::Backing::kMeta, {.claimed = device});
  if (captured.stop == nullptr || captured.graph.operatorCount() > 0) {
    aot_autograd::AotOptions options{
        .backing = fake::Backing::kMeta, .claimed = device, .observers = std::move(observers)};
    debugging::aotCompilerWithOptions(backend, pipeline(std::move(options)))(std::move(captured.graph),
                                                                             captured.examples, {});
  }
  if (captured.stop != nullptr && captured.reason->raised) {
    rethrow(captured.reason->raised);
  }
  if (captured.stop != nullptr) {
    throw ir::Unsupported(fmt::format("the graph breaks at line {}, and what comes behind it needs values: {}",
                                      captured.reason->line, captured.reason->text));
  }
}

} // namespace touchstone::native
