#include "harness/drafts/Ablation.h"

#include "base/Interrupt.h"
#include "harness/pool/PythonProcess.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace touchstone::drafts {

namespace {

constexpr const char* kScript =
#include "harness/drafts/ablation.inc"
    ;

/// The backends that CompilerBisector goes through, and that PyTorch's triage tells components apart by, weakest first.
const std::vector<std::string> kLadder = {"eager", "aot_eager", "aot_eager_decomp_partition", "inductor"};

struct Setting {
  const char* label;
  const char* compile; // arguments of torch.compile, as JSON
  const char* config;
  const char* backend; // only of that one; empty: of any
};
constexpr std::array<Setting, 10> kSettings = {{
    {"dynamic=False", R"({"dynamic": false})", "{}", ""},
    {"dynamic=True", R"({"dynamic": true})", "{}", ""},
    {"fullgraph=True", R"({"fullgraph": true})", "{}", ""},
    {"torch._functorch.config.cse=False", "{}", R"({"torch._functorch.config.cse": false})", ""},
    {"emulate_precision_casts=True", "{}", R"({"torch._inductor.config.emulate_precision_casts": true})", "inductor"},
    {"pattern_matcher=False", "{}", R"({"torch._inductor.config.pattern_matcher": false})", "inductor"},
    {"epilogue_fusion=False", "{}", R"({"torch._inductor.config.epilogue_fusion": false})", "inductor"},
    {"layout_optimization=False", "{}", R"({"torch._inductor.config.layout_optimization": false})", "inductor"},
    {"comprehensive_padding=False", "{}", R"({"torch._inductor.config.comprehensive_padding": false})", "inductor"},
    {"cpp.simdlen=1", "{}", R"({"torch._inductor.config.cpp.simdlen": 1})", "inductor"},
}};

/// The last line that is an object; null where there is none.
nlohmann::json answerIn(const std::string& output) {
  const size_t begin = output.rfind("\n{", output.size());
  const std::string line = output.substr(begin == std::string::npos ? 0 : begin + 1);
  return nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
}

class Asking {
 public:
  explicit Asking(const AblationOptions& options) : options_(options) {}

  /// What one process says; an object with `result` and `text` in any case.
  nlohmann::json ask(const std::string& what, const nlohmann::json& asked) const {
    options_.progress(what);
    const pool::PythonRun run =
        pool::runPython({"-W", "ignore", "-c", kScript, options_.file.string(), asked.dump()}, {}, options_.seconds);
    nlohmann::json answer = answerIn(run.output);
    if (answer.is_object() && answer.contains("result")) {
      return answer;
    }
    return {{"result", run.endText()}, {"text", ""}};
  }

  void addRun(AblationRow& row, const nlohmann::json& asked) const {
    const nlohmann::json answer = ask(row.setting, asked);
    row.runs.push_back({answer.at("result"), answer.at("text")});
  }

 private:
  const AblationOptions& options_;
};

/// How the Case compiles anyway.
bool isOfTheCase(const Setting& setting, const AblationOptions& options) {
  const std::string_view label = setting.label;
  return (label == "dynamic=False" && options.dynamic == false) ||
         (label == "dynamic=True" && options.dynamic == true) || (label == "fullgraph=True" && options.fullgraph);
}

/// The result of CompilerBisector, which the file prints last.
std::string bisectionIn(const pool::PythonRun& run) {
  const std::string last = run.lastLine();
  return run.status == 0 && last.starts_with("BisectionResult") ? last : "";
}

SameVerdict sameOf(const nlohmann::json& answer) {
  SameVerdict verdict{.said = "nothing", .reference = "the process did not get so far", .dtypes = {}};
  if (answer.contains("same")) {
    const nlohmann::json& said = answer.at("same");
    verdict.said = said.is_boolean() ? (said.get<bool>() ? "True" : "False") : said.get<std::string>();
    verdict.reference = answer.at("reference");
    verdict.dtypes = answer.value("dtypes", std::vector<std::string>());
  }
  return verdict;
}

} // namespace

bool AblationRow::isRight() const {
  return std::ranges::all_of(runs, [](const PlainRun& each) { return each.word == "right"; });
}

const AblationRow& Ablation::of(const std::string& backend) const {
  static const AblationRow none;
  const auto found = std::ranges::find(backends, backend, &AblationRow::setting);
  return found == backends.end() ? none : *found;
}

Ablation ablate(const AblationOptions& options) {
  const Asking asking(options);
  Ablation found;
  std::vector<std::string> ladder = kLadder;
  if (!std::ranges::count(ladder, options.backend)) {
    ladder.push_back(options.backend);
  }
  for (const std::string& backend : ladder) {
    AblationRow& row = found.backends.emplace_back(AblationRow{backend, {}});
    const bool isOwn = backend == options.backend;
    for (int run = 0; run < (isOwn ? options.runs : 1) && !base::interruptRequested(); ++run) {
      if (isOwn && run == 0) {
        const nlohmann::json answer = asking.ask(backend, {{"backend", backend}, {"same", true}});
        row.runs.push_back({answer.at("result"), answer.at("text")});
        found.same = sameOf(answer);
      } else {
        asking.addRun(row, {{"backend", backend}});
      }
    }
  }
  for (const Setting& setting : kSettings) {
    const bool isOfBackend = *setting.backend == 0 || options.backend == setting.backend;
    if (isOfBackend && !isOfTheCase(setting, options) && !base::interruptRequested()) {
      asking.addRun(found.settings.emplace_back(AblationRow{setting.label, {}}),
                    {{"backend", options.backend},
                     {"compile", nlohmann::json::parse(setting.compile)},
                     {"config", nlohmann::json::parse(setting.config)}});
    }
  }
  if (options.bisect && !base::interruptRequested()) {
    options.progress("CompilerBisector");
    found.bisected = bisectionIn(pool::runPython({"-W", "ignore", options.file.string()}, {}, 4 * options.seconds));
  }
  if (!base::interruptRequested()) {
    options.progress("torch.utils.collect_env");
    found.environment = pool::runPython({"-m", "torch.utils.collect_env"}, {}, options.seconds).output;
  }
  return found;
}

} // namespace touchstone::drafts
