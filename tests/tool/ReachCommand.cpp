#include "tests/tool/Commands.h"
#include "tests/tool/Constructs.h"
#include "tests/tool/EdgeClasses.h"

#include "base/ExitStatus.h"
#include "base/Interrupt.h"
#include "generators/catalogue/Parts.h"
#include "generators/catalogue/Recipe.h"
#include "generators/decoder/Decoder.h"
#include "harness/pool/CaseFiles.h"
#include "harness/pool/GeneratedJobs.h"
#include "harness/report/Report.h"
#include "program/parser/CaseParser.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::tool {

namespace {

struct ReachOptions {
  std::vector<std::string> paths;
  std::vector<std::string> parts;
  uint64_t seed = 0, start = 0, cases = 1000;
};

std::vector<int> numbersIn(const Sight& sight, std::span<const EdgeClass> classes) {
  std::vector<int> numbers;
  for (const EdgeClass& each : classes) {
    if (each.isIn(sight)) {
      numbers.push_back(each.number);
    }
  }
  return numbers;
}

/// Nothing for a Case whose inputs cannot be made, or whose first call eager refuses.
std::optional<Sight> seen(const language::Case& theCase) {
  try {
    Sight sight = sightOf(theCase);
    if (sight.seen.calls.empty() || sight.seen.calls[0].exception) {
      return std::nullopt;
    }
    return sight;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

base::ExitStatus showFiles(const ReachOptions& options) {
  for (const std::string& path : pool::findCaseFiles(options.paths)) {
    parser::ParseOptions parsing;
    parsing.checkMainPart = false;
    const std::optional<Sight> sight = seen(parser::readCase(path, parsing));
    nlohmann::json row{{"file", path}, {"runs", sight.has_value()}};
    if (sight) {
      row["classes"] = numbersIn(*sight, edgeClasses());
      row["shapes"] = numbersIn(*sight, regressionShapes());
    }
    fmt::print("{}\n", report::dumpJson(row));
  }
  return base::ExitStatus::kNothingNew;
}

base::ExitStatus countGenerated(const ReachOptions& options) {
  const catalogue::Parts parts = catalogue::partsOf(options.parts);
  const bool isOfTorch = parts.has(catalogue::Part::kPython) || parts.has(catalogue::Part::kFlags);
  std::map<int, uint64_t> classes, shapes;
  std::map<std::string, uint64_t> counts;
  for (const Construct& each : constructs()) {
    if (each.ofTorch == isOfTorch) {
      counts[each.name] = 0;
    }
  }
  uint64_t cases = 0;
  for (uint64_t i = 0; i < options.cases && !base::interruptRequested(); ++i, ++cases) {
    decoder::DecodeOptions decoding;
    decoding.features = catalogue::featuresOf(options.seed, options.start + i, parts);
    const language::Case theCase =
        decoder::decode(catalogue::makeRecipe(options.seed, options.start + i, decoding.features), decoding);
    for (const Construct* each : constructsOf(theCase)) {
      if (const auto count = counts.find(each->name); count != counts.end()) {
        ++count->second;
      }
    }
    if (isOfTorch) {
      continue; // eager does not run all of them
    }
    if (const std::optional<Sight> sight = seen(theCase)) {
      for (const int number : numbersIn(*sight, edgeClasses())) {
        ++classes[number];
      }
      for (const int number : numbersIn(*sight, regressionShapes())) {
        ++shapes[number];
      }
    }
  }
  nlohmann::json object{{"cases", cases},
                        {"seed", options.seed},
                        {"classes", nlohmann::json::array()},
                        {"shapes", nlohmann::json::array()},
                        {"constructs", counts}};
  const auto add = [](nlohmann::json& rows, std::span<const EdgeClass> all, std::map<int, uint64_t>& counts) {
    for (const EdgeClass& each : all) {
      rows.push_back({{"number", each.number}, {"name", each.name}, {"cases", counts[each.number]}});
    }
  };
  add(object["classes"], edgeClasses(), classes);
  add(object["shapes"], regressionShapes(), shapes);
  report::printJson(object);
  return base::interruptRequested() ? base::ExitStatus::kInterrupted : base::ExitStatus::kNothingNew;
}

} // namespace

options::Command reachCommand() {
  const auto asked = std::make_shared<ReachOptions>();
  return {
      .options =
          {{"files", &asked->paths, "Case files, or folders of them: which classes each is of, a JSON line a file"},
           options::seed(&asked->seed, "Seed of the campaign"),
           options::start(asked->start),
           pool::partOption(
               asked->parts,
               "As of `touchstone fuzz`; with `python` or `flags` constructs of the torch family are counted, and no classes"),
           {"--cases", &asked->cases, "How many generated Cases are counted", options::shown()}},
      .footer = "The classes are those of docs/edge_classes.md; docs/reach.md has a long run.",
      .run =
          [asked](const options::Given&) {
            at::set_num_threads(1);
            return asked->paths.empty() ? countGenerated(*asked) : showFiles(*asked);
          },
  };
}

} // namespace touchstone::tool
