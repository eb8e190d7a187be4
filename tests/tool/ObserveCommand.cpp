#include "tests/tool/Commands.h"

#include "base/AtomicFile.h"
#include "base/ExitStatus.h"
#include "base/Interrupt.h"
#include "generators/catalogue/Recipe.h"
#include "generators/decoder/Decoder.h"
#include "harness/pool/CaseFiles.h"
#include "harness/report/Report.h"
#include "oracles/observe/CallRunner.h"
#include "oracles/observe/ObservationText.h"
#include "program/evaluator/Evaluator.h"
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::tool {

namespace {

struct ObserveOptions {
  std::vector<std::string> paths; // case files and folders of them; empty: Cases are generated
  uint64_t seed = 0, start = 0, cases = 1;
  std::string output; // folder
  bool interleaved = false; // kPartsOfCalls are on
};

using catalogue::Part;
constexpr catalogue::Parts kPartsOfCalls{Part::kPendingBackwards,  Part::kAccumulation,  Part::kFeedback,
                                         Part::kSecondDerivatives, Part::kChangedModes,  Part::kWritesBetween,
                                         Part::kCompiledTwice,     Part::kWrongArguments};

/// The Case as it is after printing and parsing; throws when its text is not the same then.
language::Case reread(const std::string& text, const std::string& file) {
  parser::ParseOptions options;
  options.file = file;
  language::Case parsed = parser::parseCase(text, options);
  if (standalone::printCase(parsed) != text) {
    throw std::runtime_error("`" + file + "` is another text when it is parsed and printed again.");
  }
  return parsed;
}

struct PrintedCase {
  std::string file, text;
};

PrintedCase generatedCase(const ObserveOptions& options, uint64_t index) {
  decoder::DecodeOptions decoding;
  decoding.features =
      catalogue::featuresOf(options.seed, index, options.interleaved ? kPartsOfCalls : catalogue::kDefaultParts);
  const language::Case decoded =
      decoder::decode(catalogue::makeRecipe(options.seed, index, decoding.features), decoding);
  return {fmt::format("case-{}.py", index), standalone::printCase(decoded)};
}

PrintedCase givenCase(const std::string& path, uint64_t index) {
  parser::ParseOptions options;
  options.checkMainPart = false;
  return {fmt::format("{}-{}", index, std::filesystem::path(path).filename().string()),
          standalone::printCase(parser::readCase(path, options))};
}

/// The names of what is read of a tensor, in the order of its text, each with the property's Python expression where that is all of it.
nlohmann::json fieldsOfTensors() {
  nlohmann::json fields = nlohmann::json::array();
  for (const observe::TensorField& field : observe::kTensorFields) {
    const language::PropertyRow& row = language::rowOf(field.property);
    if (field.name) {
      fields.push_back({field.name, row.name == field.name ? row.expression : ""});
    }
  }
  return fields;
}

nlohmann::json observe(const language::Case& theCase) {
  const auto program = evaluator::eagerProgram(theCase);
  nlohmann::json calls = nlohmann::json::array();
  for (const observe::CallObservation& call : observe::runCalls(theCase, *program).calls) {
    nlohmann::json fields = nlohmann::json::object();
    for (auto& [name, text] : observe::observationTexts(call, observe::ValuesText::kBits)) {
      fields[name] = std::move(text);
    }
    calls.push_back(std::move(fields));
  }
  return calls;
}

base::ExitStatus observeCases(const ObserveOptions& options) {
  at::set_num_threads(1);
  const std::filesystem::path folder = options.output;
  std::filesystem::create_directories(folder);
  base::writeFile(folder / "fields.json", report::dumpJson(fieldsOfTensors()));
  std::ofstream observations(folder / "observations.jsonl");
  const std::vector<std::string> given = pool::findCaseFiles(options.paths);
  const uint64_t count = given.empty() ? options.cases : given.size();
  base::ExitStatus status = base::ExitStatus::kNothingNew;
  for (uint64_t i = 0; i < count && !base::interruptRequested(); ++i) {
    try {
      const PrintedCase printed = given.empty() ? generatedCase(options, options.start + i) : givenCase(given[i], i);
      base::writeFile(folder / printed.file, printed.text);
      const language::Case parsed = reread(printed.text, (folder / printed.file).string());
      observations << report::dumpJson({{"file", printed.file}, {"calls", observe(parsed)}}) << '\n';
    } catch (const std::exception& error) {
      fmt::print(stderr, "{}\n", error.what());
      status = base::ExitStatus::kFailed;
    }
  }
  observations.close();
  if (!observations) {
    throw std::runtime_error("The file `" + (folder / "observations.jsonl").string() + "` cannot be written.");
  }
  return base::interruptRequested() ? base::ExitStatus::kInterrupted : status;
}

} // namespace

options::Command observeCommand() {
  const auto asked = std::make_shared<ObserveOptions>();
  return {
      .options = {{"files", &asked->paths, "Case files, or folders of them, instead of generated ones"},
                  options::seed(&asked->seed, "Seed of the campaign"),
                  options::start(asked->start),
                  {"--cases", &asked->cases, "How many", options::shown()},
                  {"--interleaved", &asked->interleaved, "Calls that hang together, and arguments that eager refuses"},
                  {"--out,-o", &asked->output, "Folder", options::required()}},
      .footer = "",
      .run = [asked](const options::Given&) { return observeCases(*asked); },
  };
}

} // namespace touchstone::tool
