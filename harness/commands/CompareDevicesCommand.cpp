#include "harness/commands/Commands.h"

#include "backends/fake/DeviceChoices.h"
#include "backends/native/DeviceTrace.h"
#include "graph/ir/GraphComparison.h"
#include "graph/ir/Stages.h"
#include "harness/commands/DumpCommand.h"
#include "harness/pool/CaseFiles.h"
#include "harness/report/Report.h"
#include "program/evaluator/Evaluator.h"
#include "program/language/CasePrinter.h"
#include "program/values/CompiledProgram.h"
#include "program/values/RaisedException.h"

#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::commands {

namespace {

/// `touchstone compare-devices`: are the Graphs that a device gets those of the CPU, but for operators that the device is
/// known to choose otherwise? Everything is traced without values, so the device need not be there.
struct CompareDevicesOptions {
  std::vector<std::string> paths; // case files and folders
  std::string device = "cuda:0";
  std::string backend = "aot_eager_default_partitioner";
  std::string stage = ir::kJointStage;
  bool json = false;
};

/// What a trace of one call has given.
struct TracedCall {
  std::vector<ir::Graph> graphs;
  std::string error; // what the program raises, without what libtorch adds for its developers
  std::string refusal; // why it cannot be traced without values
};

TracedCall traceCall(const language::Case& theCase, const language::CallSpec& call, c10::Device device,
                     const CompareDevicesOptions& options) {
  TracedCall traced;
  const at::AutoGradMode outside(true);
  const auto collector =
      backends::visitGraphs([&](const std::string& stage, const ir::StageArtifacts&, const ir::Graph& graph) {
        if (stage == options.stage) {
          traced.graphs.push_back(graph);
        }
      });
  try {
    const evaluator::InputSet made =
        evaluator::Evaluator(theCase).makeInputs(call.inputs.value(), call.seed, call.kind);
    const at::AutoGradMode grad(call.gradMode == language::GradMode::kEnable);
    std::optional<c10::InferenceMode> inference;
    if (call.gradMode == language::GradMode::kInference) {
      inference.emplace();
    }
    native::traceOnDevice(theCase, made.arguments, options.backend, device, {collector});
  } catch (const ir::Unsupported& reason) {
    traced.refusal = reason.what();
  } catch (const std::invalid_argument&) {
    throw; // a name of a backend
  } catch (...) {
    const std::string text = values::currentException().message();
    traced.error = text.substr(0, text.find('\n'));
  }
  return traced;
}

/// What the walk over all Cases has found.
struct DeviceReport {
  int cases = 0, calls = 0, same = 0, partial = 0; // of `calls`: without a difference; up to where the graph breaks
  std::map<std::string, std::vector<std::string>> chosen; // by name of the choice: the calls that show it
  std::vector<std::string> unexpected, untraced; // a text each
};

/// `hasAutocast`: the Case has such regions.
void addCall(const std::string& name, bool hasAutocast, const TracedCall& cpu, const TracedCall& other,
             DeviceReport& report) {
  if (cpu.refusal.empty() && cpu.error.empty() && !other.refusal.empty()) {
    report.untraced.push_back(fmt::format("{}: for the device: {}", name, other.refusal));
    return;
  }
  if (cpu.graphs.size() != other.graphs.size() || cpu.error != other.error || cpu.refusal != other.refusal) {
    report.unexpected.push_back(fmt::format("{}: {} graphs on the CPU {}{}, {} on the device {}{}", name,
                                            cpu.graphs.size(), cpu.error, cpu.refusal, other.graphs.size(), other.error,
                                            other.refusal));
    return;
  }
  if (cpu.graphs.empty()) {
    const std::string reason = cpu.error.empty() ? cpu.refusal : "raises: " + cpu.error;
    report.untraced.push_back(name + ": " + (reason.empty() ? "the stage is not made: nothing needs it" : reason));
    return;
  }
  ++report.calls;
  report.partial += cpu.refusal.empty() ? 0 : 1;
  bool isSame = true;
  for (size_t i = 0; i < cpu.graphs.size(); ++i) {
    const ir::GraphDifference difference = ir::compareButForDevices(cpu.graphs[i], other.graphs[i]);
    isSame = isSame && difference.isEmpty();
    const auto note = [&](const fake::DeviceChoice& choice) {
      std::vector<std::string>& calls = report.chosen[choice.name];
      if (calls.empty() || calls.back() != name) {
        calls.push_back(name);
      }
    };
    if (!difference.isEmpty() && hasAutocast) {
      note(fake::autocastChoice());
      continue;
    }
    for (const auto& replacement : difference.replacements) {
      const fake::DeviceChoice* choice = fake::choiceShownBy(replacement);
      if (choice == nullptr) {
        report.unexpected.push_back(fmt::format("{}: the CPU has [{}], the device [{}]", name,
                                                fmt::join(replacement.left, ", "), fmt::join(replacement.right, ", ")));
        continue;
      }
      note(*choice);
    }
    for (const ir::GraphDifference::Detail& detail : difference.details) {
      if (const fake::DeviceChoice* choice = fake::choiceShownBy(detail)) {
        note(*choice);
      } else {
        report.unexpected.push_back(name + ": " + detail.text);
      }
    }
  }
  report.same += isSame ? 1 : 0;
}

void printReport(const DeviceReport& report, const CompareDevicesOptions& options) {
  fmt::print(
      "{} Cases, {} calls compared at stage `{}`, the CPU and `{}`: {} the same but for devices; {} of them up to a "
      "graph break.\n",
      report.cases, report.calls, options.stage, options.device, report.same, report.partial);
  for (const fake::DeviceChoice& choice : fake::deviceChoices()) {
    if (const auto found = report.chosen.find(choice.name); found != report.chosen.end()) {
      const std::string operators = choice.emptyOnCpu.empty()
                                        ? fmt::format("on the CPU [{}]\n  on the device [{}]",
                                                      fmt::join(choice.onCpu, ", "), fmt::join(choice.onCuda, ", "))
                                        : fmt::format("results of [{}]", choice.emptyOnCpu);
      fmt::print("\n{}: {} calls\n  {}\n  {}\n  {}\n", choice.name, found->second.size(), operators, choice.reason,
                 fmt::join(found->second, "\n  "));
    }
  }
  const auto list = [](const char* title, const std::vector<std::string>& texts) {
    if (!texts.empty()) {
      fmt::print("\n{} {}\n  {}\n", texts.size(), title, fmt::join(texts, "\n  "));
    }
  };
  list("not traced without values:", report.untraced);
  list("differences that no table explains:", report.unexpected);
}

void printReportJson(const DeviceReport& report, const CompareDevicesOptions& options) {
  report::printJson({{"schema", 1},
                     {"torch", report::torchVersion()},
                     {"device", options.device},
                     {"stage", options.stage},
                     {"cases", report.cases},
                     {"calls", report.calls},
                     {"same", report.same},
                     {"partial", report.partial},
                     {"chosen", report.chosen},
                     {"untraced", report.untraced},
                     {"unexpected", report.unexpected}});
}

base::ExitStatus compareDevices(const CompareDevicesOptions& options) {
  const c10::Device device = native::deviceToTrace(options.device, options.backend);
  DeviceReport report;
  for (const std::string& path : pool::findCaseFiles(options.paths)) {
    const language::Case theCase = pool::readGivenCase(path).theCase;
    const bool hasAutocast = language::printDefinitions(theCase).find("autocast(") != std::string::npos;
    ++report.cases;
    for (size_t i = 0; i < theCase.calls.size(); ++i) {
      const language::CallSpec& call = theCase.calls[i];
      if (call.inputs) {
        addCall(fmt::format("{}, call {}", std::filesystem::path(path).filename().string(), i), hasAutocast,
                traceCall(theCase, call, c10::kCPU, options), traceCall(theCase, call, device, options), report);
      }
    }
  }
  options.json ? printReportJson(report, options) : printReport(report, options);
  if (!report.unexpected.empty()) {
    return base::ExitStatus::kFindings;
  }
  return report.calls == 0 ? base::ExitStatus::kTooLittleJudged : base::ExitStatus::kNothingNew;
}

} // namespace

options::Command compareDevicesCommand() {
  const auto asked = std::make_shared<CompareDevicesOptions>();
  return {
      .options = {options::caseFiles(asked->paths),
                  {"--device,-d", &asked->device, "Where the tensors are claimed to be", options::shown()},
                  {"--backend,-b", &asked->backend, "A native AOT pipeline", options::shown()},
                  {"--stage,-s", &asked->stage, "Whose Graphs are compared", options::oneOf(stageNames()).shown()},
                  options::jsonFlag(asked->json)},
      .footer =
          "Each call's program is traced without values, once as it is and once as though its tensors were on the device.\n"
          "Where libtorch is known to choose other operators there, the choice is named; anything else that differs is told,\n"
          "and the exit status is 1. docs/cuda.md says what this can show and what it cannot.\n"
          "\nExample:\n"
          "  touchstone compare-devices corpus/edge_classes",
      .run = [asked](const options::Given&) { return compareDevices(*asked); },
  };
}

} // namespace touchstone::commands
