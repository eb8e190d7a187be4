#include "harness/ObserveCommand.h"

#include "generators/Decoder.h"
#include "generators/Recipe.h"
#include "graph/program/CaseParser.h"
#include "graph/program/CasePrinter.h"
#include "graph/program/Evaluator.h"
#include "harness/AtomicFile.h"
#include "harness/CaseFiles.h"
#include "harness/Interrupt.h"
#include "harness/Report.h"
#include "oracles/CallRunner.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

namespace touchstone::harness {

namespace {

using Fields = nlohmann::json;

/// Sets every NaN among numbers of one bit layout to the one without sign and payload.
template <class Bits>
void unifyNaNs(std::vector<char>& bytes, Bits infinity, Bits quietBit) {
  for (size_t at = 0; at + sizeof(Bits) <= bytes.size(); at += sizeof(Bits)) {
    Bits bits = 0;
    std::memcpy(&bits, bytes.data() + at, sizeof(Bits));
    const auto magnitude = static_cast<Bits>(bits & static_cast<Bits>(std::numeric_limits<Bits>::max() >> 1));
    if (magnitude > infinity) {
      bits = static_cast<Bits>(infinity | quietBit);
      std::memcpy(bytes.data() + at, &bits, sizeof(Bits));
    }
  }
}

std::string textOfBytes(const at::Tensor& values) {
  std::vector<char> bytes(static_cast<size_t>(values.numel()) * values.itemsize());
  if (!bytes.empty()) {
    std::memcpy(bytes.data(), values.const_data_ptr(), bytes.size());
  }
  switch (c10::toRealValueType(values.scalar_type())) {
    case at::kHalf: unifyNaNs<uint16_t>(bytes, 0x7C00, 0x0200); break;
    case at::kBFloat16: unifyNaNs<uint16_t>(bytes, 0x7F80, 0x0040); break;
    case at::kFloat: unifyNaNs<uint32_t>(bytes, 0x7F800000, 0x00400000); break;
    case at::kDouble: unifyNaNs<uint64_t>(bytes, 0x7FF0000000000000, 0x0008000000000000); break;
    default: break;
  }
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char byte : bytes) {
    fmt::format_to(std::back_inserter(text), "{:02x}", static_cast<unsigned char>(byte));
  }
  return text;
}

std::string firstLine(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

std::string textOfTensor(const oracles::TensorObservation& tensor) {
  return fmt::format(
      "dtype {}; sizes {}; strides {}; offset {}; conj {:d}; neg {:d}; inference {:d}; bumped {:d}; storage {}; "
      "requires_grad {:d}; leaf {:d}; grad_fn {:d}; autograd error {}; values {}",
      c10::toString(tensor.dtype), tensor.sizes, tensor.strides, tensor.offset, tensor.conjugate, tensor.negative,
      tensor.inference, tensor.versionBumped, tensor.storageBytes, tensor.requiresGrad, tensor.isLeaf, tensor.hasGradFn,
      firstLine(tensor.autogradError),
      tensor.values.defined() ? textOfBytes(tensor.values) : "error " + firstLine(tensor.valuesError));
}

std::string textOfDouble(double number) {
  return fmt::format("{:016x}", std::isnan(number) ? uint64_t{0x7FF8000000000000} : std::bit_cast<uint64_t>(number));
}

std::string textOfNonTensor(const graph::Value& value) {
  std::string text = value.typeName();
  if (const auto* flag = value.maybe<bool>()) {
    return text + (*flag ? " 1" : " 0");
  }
  if (const auto* number = value.maybe<int64_t>()) {
    return fmt::format("{} {}", text, *number);
  }
  if (const auto* number = value.maybe<double>()) {
    return text + " " + textOfDouble(*number);
  }
  if (const auto* number = value.maybe<std::complex<double>>()) {
    return text + " " + textOfDouble(number->real()) + " " + textOfDouble(number->imag());
  }
  if (const auto* characters = value.maybe<std::string>()) {
    return text + " " + *characters;
  }
  if (const auto* dtype = value.maybe<at::ScalarType>()) {
    return text + " " + c10::toString(*dtype);
  }
  return text;
}

void addException(Fields& fields, const char* name, const std::optional<oracles::ExceptionObservation>& exception) {
  if (exception) {
    fields[name] = exception->stage + ": " + exception->type + ": " + firstLine(exception->message);
  }
}

void addTensors(Fields& fields, const char* name, const std::vector<oracles::TensorObservation>& tensors) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    fields[fmt::format("{} {}", name, i)] = textOfTensor(tensors[i]);
  }
}

/// What Python can see as well; times, counters and rule A14's mark are ours alone.
Fields fieldsOf(const oracles::CallObservation& call) {
  Fields fields = Fields::object();
  addException(fields, "exception", call.exception);
  addException(fields, "backward exception", call.backwardException);
  fields["structure"] = call.structure;
  fields["argument structure"] = call.argumentStructure;
  fields["state"] = call.state;
  for (size_t i = 0; i < call.nonTensors.size(); ++i) {
    fields[fmt::format("non-tensor {}", i)] = textOfNonTensor(call.nonTensors[i]);
  }
  addTensors(fields, "output", call.outputs);
  addTensors(fields, "arg", call.arguments);
  addTensors(fields, "watched", call.watched);
  for (size_t i = 0; i < call.lateOutputs.size(); ++i) {
    const at::Tensor& late = call.lateOutputs[i];
    fields[fmt::format("output {} looked at again", i)] = late.defined() ? textOfBytes(late) : "error";
  }
  for (size_t i = 0; i < call.inputStorages.size(); ++i) {
    if (call.inputStorages[i].defined()) {
      fields[fmt::format("input storage {}", i)] = textOfBytes(call.inputStorages[i]);
    }
  }
  for (const oracles::StorageMember& member : call.partition) {
    fields[member.location.text() + " in storage"] =
        fmt::format("{} [{}, {}) object {}", member.storage, member.firstByte, member.endByte, member.object);
  }
  for (const oracles::EffectObservation& effect : call.effects) {
    std::string changed;
    for (const oracles::Location& location : effect.changed) {
      changed += (changed.empty() ? "" : ", ") + location.text();
    }
    fields["writing to " + effect.written.text()] = changed;
  }
  for (size_t i = 0; i < call.gradients.size(); ++i) {
    const oracles::GradientObservation& gradient = call.gradients[i];
    fields[fmt::format("gradient {} of {}", i, gradient.leaf.text())] =
        gradient.gradient ? textOfTensor(*gradient.gradient) : "None";
  }
  return fields;
}

/// The Case as it is after printing and parsing; throws when its text is not the same then.
graph::Case reread(const std::string& text, const std::string& file) {
  graph::ParseOptions options;
  options.file = file;
  graph::Case parsed = graph::parseCase(text, options);
  if (graph::printCase(parsed) != text) {
    throw std::runtime_error("`" + file + "` is another text when it is parsed and printed again.");
  }
  return parsed;
}

struct PrintedCase {
  std::string file, text;
};

PrintedCase generatedCase(const ObserveOptions& options, uint64_t index) {
  generators::DecodeOptions decoding;
  decoding.features = generators::featuresOf(options.seed, index);
  const graph::Case decoded =
      generators::decode(generators::makeRecipe(options.seed, index, decoding.features), decoding);
  return {fmt::format("case-{}.py", index), graph::printCase(decoded)};
}

PrintedCase givenCase(const std::string& path, uint64_t index) {
  graph::ParseOptions options;
  options.checkMainPart = false;
  return {fmt::format("{}-{}", index, std::filesystem::path(path).filename().string()),
          graph::printCase(graph::readCase(path, options))};
}

nlohmann::json observe(const graph::Case& theCase) {
  const auto program = graph::eagerProgram(theCase);
  Fields calls = Fields::array();
  for (const oracles::CallObservation& call : oracles::runCalls(theCase, *program).calls) {
    calls.push_back(fieldsOf(call));
  }
  return calls;
}

} // namespace

ExitStatus observeCases(const ObserveOptions& options) {
  at::set_num_threads(1);
  const std::filesystem::path folder = options.output;
  std::filesystem::create_directories(folder);
  std::ofstream observations(folder / "observations.jsonl");
  const std::vector<std::string> given = findCaseFiles(options.paths);
  const uint64_t count = given.empty() ? options.cases : given.size();
  ExitStatus status = ExitStatus::kNothingNew;
  for (uint64_t i = 0; i < count && !interruptRequested(); ++i) {
    try {
      const PrintedCase printed = given.empty() ? generatedCase(options, options.start + i) : givenCase(given[i], i);
      writeFile(folder / printed.file, printed.text);
      const graph::Case parsed = reread(printed.text, (folder / printed.file).string());
      observations << dumpJson({{"file", printed.file}, {"calls", observe(parsed)}}) << '\n';
    } catch (const std::exception& error) {
      fmt::print(stderr, "{}\n", error.what());
      status = ExitStatus::kFailed;
    }
  }
  observations.close();
  if (!observations) {
    throw std::runtime_error("The file `" + (folder / "observations.jsonl").string() + "` cannot be written.");
  }
  return interruptRequested() ? ExitStatus::kInterrupted : status;
}

} // namespace touchstone::harness
