// TOUCHSTONE_PROPERTY: a campaign inside a test.

#include "api/aot/Pipeline.h"
#include "backends/Registry.h"
#include "backends/debugging/AotCompilerOptions.h"
#include "backends/native/NativeBackends.h"
#include "base/AtomicFile.h"
#include "base/Words.h"
#include "harness/findings/FindingPipeline.h"
#include "harness/worker/Job.h"
#include "program/analysis/ProgramSignature.h"
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"

#include <touchstone/property_campaign.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

namespace touchstone::property {

namespace {

using language::Outcome;

/// A number is a seed and an index, as `touchstone generate --seed --start` has them: features rotate with the index.
constexpr int kIndexBits = 9;

/// What a compiler leaves to eager.
class UncompiledGraph final : public backends::CompiledGraph {
 public:
  explicit UncompiledGraph(ir::Graph graph) : run_(aot::interpret(std::move(graph))) {}
  bool isCompiled() const override { return false; }
  aot::Tensors run(aot::Tensors inputs) const override { return run_(std::move(inputs)); }

 private:
  const aot::GraphFunction run_;
};

ir::BackendInfo infoOf(const std::string& name, bool isAot, bool rounds) {
  ir::BackendInfo info;
  info.name = name;
  info.family = ir::Family::kNative;
  info.summary = "a backend of a test";
  info.rules = rounds  ? ir::RuleSet::kNativeRounding
               : isAot ? ir::RuleSet::kNativeFunctional
                       : ir::RuleSet::kNativeExact;
  info.base = isAot ? "aot_eager_default_partitioner" : "eager";
  return info;
}

/// Makes what is tested a backend of this process; its name there.
std::string declare(const std::string& name, const Backend& backend, bool rounds) {
  native::registerNativeBackends();
  if (const auto* known = std::get_if<std::string>(&backend)) {
    if (backends::backendInfo(*known).family != ir::Family::kNative) {
      throw std::invalid_argument("`" + *known +
                                  "` needs Python, which is not in this process; `touchstone fuzz "
                                  "--backends " +
                                  *known + "` tests it.");
    }
    return *known;
  }
  const auto* compiler = std::get_if<aot::Compiler>(&backend);
  if (compiler != nullptr && *compiler == nullptr) {
    throw std::invalid_argument("The compiler `" + name + "` is null.");
  }
  if (backends::isBackend(name)) {
    throw std::invalid_argument("`" + name + "` is tested already, or is a built-in backend's name; choose another.");
  }
  const auto compileCaptured = [compiler = compiler != nullptr ? *compiler : aot::Compiler()](
                                   ir::Graph graph,
                                   const aot::Tensors& examples) -> std::shared_ptr<const backends::CompiledGraph> {
    if (aot::GraphFunction function = compiler(graph, examples)) {
      return aot::foreignGraph(graph, std::move(function));
    }
    return std::make_shared<const UncompiledGraph>(std::move(graph));
  };
  debugging::compilerRegistry().add(
      name, compiler != nullptr
                ? debugging::withoutOptions(name, compileCaptured)
                : debugging::aotCompilerWithOptions(name, aot::pipelineOptions(std::get<aot::Options>(backend))));
  backends::declareBackend(infoOf(name, compiler == nullptr, rounds));
  return name;
}

worker::Profile profileOf(const std::string& backend, const Options& options) {
  nlohmann::json keys{{"backend", backend},
                      {"minimum_operations", options.minimumOperations},
                      {"maximum_operations", options.maximumOperations}};
  for (const std::string& feature : options.without) {
    keys["features"][feature] = false;
  }
  const std::pair<const char*, const std::vector<std::string>&> lists[] = {
      {"dtypes", options.dtypes}, {"operators", options.operators}, {"excluded_operators", options.excludedOperators}};
  for (const auto& [key, names] : lists) {
    if (!names.empty()) {
      keys[key] = names;
    }
  }
  return worker::readProfile(keys, "the options of TOUCHSTONE_PROPERTY");
}

std::filesystem::path folderOf(const Options& options) {
  if (!options.findings.empty()) {
    return options.findings;
  }
  if (const char* folder = std::getenv("TOUCHSTONE_FINDINGS"); folder != nullptr && *folder != 0) {
    return folder;
  }
  const char* temporary = std::getenv("TEST_TMPDIR");
  return std::filesystem::path(temporary != nullptr ? temporary : "") / "findings";
}

} // namespace

class Campaign::Implementation {
 public:
  Implementation(const std::string& name, const Backend& backend, const Options& options)
      : name_(name),
        options_(options),
        backend_(declare(name, backend, options.rounds)),
        isNamed_(std::holds_alternative<std::string>(backend)),
        profile_(profileOf(backend_, options)),
        folder_(folderOf(options)) {}

  std::string replayStored() {
    std::vector<std::filesystem::path> files;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(folder_, none)) {
      if (entry.path().filename().string().starts_with(name_ + "-") && entry.path().extension() == ".py") {
        files.push_back(entry.path());
      }
    }
    std::sort(files.begin(), files.end());
    if (const char* replayed = std::getenv("TOUCHSTONE_REPLAY"); replayed != nullptr && *replayed != 0) {
      files.emplace_back(replayed);
    }
    std::string failures;
    for (const std::filesystem::path& file : files) {
      try {
        const worker::JobResult run = judgeText(base::readFile(file), file);
        const worker::BackendResult& result = run.backends.at(0);
        if (language::isFinding(result.outcome)) {
          failures +=
              name_ + " fails the stored Case " + file.string() + ": " + result.text + "\n  " + result.message + "\n";
        }
      } catch (const std::exception& error) { // the others are judged all the same
        failures += "The stored Case " + file.string() + " cannot be judged: " + error.what() + "\n";
      }
    }
    return failures;
  }

  std::string judge(uint64_t number) {
    if (const auto found = failures_.find(number); found != failures_.end()) {
      return found->second; // rapidcheck asks again for what failed
    }
    worker::Job job;
    const uint64_t seed = number >> kIndexBits, index = number & ((uint64_t{1} << kIndexBits) - 1);
    job.source = worker::GeneratedCase{.seed = seed, .index = index, .sameCalls = options_.calls};
    job.backends = {backend_};
    const worker::JobResult run = worker::runCaseJob(job, profile_);
    const worker::BackendResult& result = run.backends.at(0);
    if (!language::isFinding(result.outcome)) {
      ++counts_[result.outcome];
      return "";
    }
    findings::Suspect suspect{.theCase = parser::parsePrinted(run.caseText),
                              .result = result,
                              .foundBy = "seed " + std::to_string(seed) + " case " + std::to_string(index)};
    if (!findings::confirm(suspect, runAlone())) {
      ++counts_[Outcome::kUnconfirmed];
      findings::writeUnconfirmed(folder_, run.caseText, suspect);
      return "";
    }
    ++counts_[result.outcome];
    return failures_[number] = reduceAndWrite(std::move(suspect));
  }

  std::string trouble() const {
    const int all = total(), vacuous = countOf(Outcome::kVacuous);
    int judged = 0;
    for (const Outcome outcome : {Outcome::kAgreed, Outcome::kUpstream, Outcome::kBackendAccepts}) {
      judged += countOf(outcome);
    }
    if (vacuous > options_.maximumVacuous * all) {
      return "Of " + std::to_string(all) + " Cases " + std::to_string(vacuous) +
             " were Vacuous: no compiled code ran in them, or none ran again with other values. " + name_ +
             " was not tested.";
    }
    return 2 * judged < all ? "Too little was judged: " + summary() + "." : "";
  }

  std::string summary() const {
    std::string text = std::to_string(total()) + " Cases";
    for (const auto& [outcome, count] : counts_) {
      text += (text.ends_with("Cases") ? ": " : ", ") + std::to_string(count) + " " +
              std::string(language::outcomeName(outcome));
    }
    return text;
  }

 private:
  int countOf(Outcome outcome) const {
    const auto found = counts_.find(outcome);
    return found == counts_.end() ? 0 : found->second;
  }
  int total() const {
    int all = 0;
    for (const auto& [outcome, count] : counts_) {
      all += count;
    }
    return all;
  }

  worker::JobResult judgeText(const std::string& text, const std::string& file,
                              std::optional<worker::Symptom> wanted = std::nullopt) const {
    worker::Job job;
    job.backends = {backend_};
    job.task = worker::JudgeTask{.wanted = std::move(wanted)};
    worker::JobResult result;
    worker::judgeCase(job, parser::parsePrinted(text, file), result, profile_);
    return result;
  }

  findings::RunAlone runAlone() const {
    return [this](const std::string& caseText, const worker::BackendResult& seen, int times) {
      findings::Confirmation confirmation;
      for (int i = 0; i < times; ++i) {
        confirmation.add(judgeText(caseText, "<case>"), seen);
      }
      return confirmation;
    };
  }

  /// Reduces the Case as long as it shows the same, as the backend's own; the file says what it was reduced to whenever the
  /// process ends.
  std::string reduceAndWrite(findings::Suspect suspect) {
    const worker::Symptom symptom = worker::symptomOf(suspect.result);
    const std::filesystem::path file =
        folder_ / (name_ + "-" + analysis::shortHash(symptom.line() + suspect.foundBy) + ".py");
    const size_t operatorsBefore = analysis::signatureOf(suspect.theCase).operators.size();
    worker::BackendResult last = suspect.result;
    const reducer::CandidateJudge judge = [&](const std::vector<language::Case>& candidates) {
      return firstThatShows(candidates, symptom, last);
    };
    const auto writeNow = [&](const language::Case& theCase) { write(file, theCase, last, suspect.foundBy); };
    writeNow(suspect.theCase);
    findings::reduce(suspect, judge, runAlone(),
                     {.seconds = options_.reduceSeconds, .candidatesAtOnce = 1, .onBetter = writeNow});
    last = suspect.result;
    writeNow(suspect.theCase);
    return message(file, suspect.theCase, suspect.result, operatorsBefore);
  }

  std::optional<reducer::Sighting> firstThatShows(const std::vector<language::Case>& candidates,
                                                  const worker::Symptom& symptom, worker::BackendResult& last) const {
    for (size_t i = 0; i < candidates.size(); ++i) {
      try {
        const worker::JobResult run = judgeText(standalone::printCase(candidates[i]), "<candidate>", symptom);
        const worker::BackendResult& result = run.backends.at(0);
        if (language::isFinding(result.outcome) && worker::symptomOf(result) == symptom) {
          last = result;
          return reducer::Sighting{i, findings::placeOf(result)};
        }
      } catch (const parser::ParseError&) { // candidates may be no Cases
      }
    }
    return std::nullopt;
  }

  void write(const std::filesystem::path& file, language::Case theCase, const worker::BackendResult& result,
             const std::string& foundBy) const {
    findings::FindingHeaders headers = findings::headersOf(theCase);
    headers.foundBy = foundBy;
    headers.symptom.backend = backend_;
    headers.setMessage(result.message);
    std::vector<language::Expectation> expectations;
    if (isNamed_) { // the tool knows it
      expectations = {language::parseExpectation(backend_ + " " + result.text)};
    }
    findings::label(theCase, headers, std::move(expectations));
    base::writeFile(file, standalone::printCase(theCase));
  }

  std::string message(const std::filesystem::path& file, const language::Case& reduced,
                      const worker::BackendResult& result, size_t operatorsBefore) const {
    std::string operators;
    for (const std::string& each : analysis::signatureOf(reduced).operators) {
      operators += (operators.empty() ? " " : ", ") + each;
    }
    const std::string path = std::filesystem::absolute(file).string();
    std::error_code none;
    const std::string test = std::filesystem::read_symlink("/proc/self/exe", none).string();
    std::string text = name_ + " is not eager: " + result.text + "\n  " + result.message + "\n  reduced from " +
                       base::counted(operatorsBefore, "operator") + " to" + operators + "\n  file:   " + path +
                       "\n  replay: TOUCHSTONE_REPLAY='" + path + "' " + test + " --gtest_filter=TouchstoneProperty." +
                       name_;
    text += isNamed_ ? "\n  or:     touchstone run '" + path + "' --backends " + backend_ : "";
    return text;
  }

  const std::string name_;
  const Options options_;
  const std::string backend_;
  const bool isNamed_;
  const worker::Profile profile_;
  const std::filesystem::path folder_;
  std::map<Outcome, int> counts_;
  std::map<uint64_t, std::string> failures_;
};

Campaign::Campaign(const std::string& name, const Backend& backend, const Options& options)
    : implementation_(std::make_unique<Implementation>(name, backend, options)) {}
Campaign::~Campaign() = default;
std::string Campaign::replayStored() {
  return implementation_->replayStored();
}
std::string Campaign::judge(uint64_t number) {
  return implementation_->judge(number);
}
std::string Campaign::trouble() const {
  return implementation_->trouble();
}
std::string Campaign::summary() const {
  return implementation_->summary();
}

} // namespace touchstone::property
