#include "harness/commands/ObserveCommand.h"

#include "generators/decoder/Decoder.h"
#include "generators/catalogue/Recipe.h"
#include "program/parser/CaseParser.h"
#include "program/language/CasePrinter.h"
#include "program/evaluator/Evaluator.h"
#include "base/AtomicFile.h"
#include "harness/pool/CaseFiles.h"
#include "base/Interrupt.h"
#include "harness/report/Report.h"
#include "oracles/observe/CallRunner.h"
#include "oracles/observe/ObservationText.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <utility>

namespace touchstone::harness {

namespace {

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
  nlohmann::json calls = nlohmann::json::array();
  for (const oracles::CallObservation& call : oracles::runCalls(theCase, *program).calls) {
    nlohmann::json fields = nlohmann::json::object();
    for (auto& [name, text] : oracles::observationTexts(call, oracles::ValuesText::kBits)) {
      fields[name] = std::move(text);
    }
    calls.push_back(std::move(fields));
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
