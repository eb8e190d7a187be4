#include "harness/diff/ChangeCollector.h"

#include "base/AtomicFile.h"
#include "base/Words.h"
#include "harness/diff/ChangeJudge.h"
#include "harness/pool/ProfileFlags.h"
#include "harness/report/Expectations.h"
#include "harness/report/Report.h"
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace touchstone::diff {

namespace {

constexpr size_t kReducedAllTheSame = 8; // of so many Cases that hold a cluster one: another change may stand beside

/// What each of these runs came to; none where they do not come to the same.
std::optional<worker::BackendResult> agreedResult(const std::vector<worker::JobResult>& runs) {
  std::optional<worker::BackendResult> found;
  for (const worker::JobResult& run : runs) {
    const worker::BackendResult* result = run.first();
    if (result == nullptr || (found.has_value() && outcomeTextOf(*found) != outcomeTextOf(*result))) {
      return std::nullopt;
    }
    found = *result;
  }
  return found;
}

std::string historyOf(const std::vector<worker::JobResult>& runs) {
  std::string text;
  for (const worker::JobResult& run : runs) {
    text += (text.empty() ? "" : ", ") + (run.backends.empty() ? "not judged" : outcomeTextOf(run.backends[0]));
  }
  return text;
}

/// `values` of `Differs/values`, `crashed` of `Crashed`: what a file is called by.
std::string nameOf(const worker::BackendResult& result) {
  std::string text = outcomeClassOf(result);
  text = text.substr(text.rfind('/') == std::string::npos ? 0 : text.rfind('/') + 1);
  std::string name;
  for (const char each : text) {
    const auto character = static_cast<unsigned char>(each);
    name += std::isalnum(character) != 0 || each == '_' ? static_cast<char>(std::tolower(character)) : '-';
  }
  return name;
}

std::string programFlag(const DiffSide& side) {
  return side.options.program.empty()
             ? ""
             : fmt::format(" --{}-program {}", side.label, pool::shellWord(side.options.program));
}

} // namespace

ChangeCollector::ChangeCollector(DiffSide& left, DiffSide& right, CollectorOptions options)
    : left_(left), right_(right), options_(std::move(options)) {}

void ChangeCollector::tell(const std::string& activity) const {
  if (options_.onActivity) {
    options_.onActivity(activity);
  }
}

findings::RunAlone ChangeCollector::runAlone(std::optional<BothResults>& sides) {
  return [this, &sides](const std::string& text, const worker::BackendResult&, int times) {
    const std::vector<worker::JobResult> leftRuns = left_.alone(text, times), rightRuns = right_.alone(text, times);
    const std::optional<worker::BackendResult> left = agreedResult(leftRuns), right = agreedResult(rightRuns);
    const bool changes = left && right &&
                         (sides.has_value() ? isAlike(*left, sides->left) && isAlike(*right, sides->right)
                                            : changeBetween(*left, *right) != ChangeKind::kNone);
    findings::Confirmation confirmation{.shown = changes ? times : 0,
                                        .runs = times,
                                        .history = fmt::format("{} → {}", historyOf(leftRuns), historyOf(rightRuns))};
    if (changes) {
      sides = {*left, *right};
      confirmation.result = sides->telling();
    }
    return confirmation;
  };
}

std::optional<BothResults> ChangeCollector::add(const CasePair& pair) {
  const BothResults first{pair.left.backends.at(0), pair.right.backends.at(0)};
  findings::Suspect suspect{
      .theCase = parser::parsePrinted(pair.text), .result = first.telling(), .foundBy = pair.name};
  std::optional<BothResults> sides;
  tell("confirming a change");
  const bool isConfirmed = findings::confirm(suspect, runAlone(sides));
  tell("");
  if (!isConfirmed) {
    unconfirmed_.push_back(fmt::format("{}: {} → {}; alone: {}", pair.name, outcomeTextOf(first.left),
                                       outcomeTextOf(first.right), suspect.history));
    findings::writeUnconfirmed(options_.folder, pair.text, suspect);
    return std::nullopt;
  }
  ChangeCluster* known = clusterThatHolds(analysis::signatureOf(suspect.theCase), *sides);
  if (known != nullptr && ++known->held % kReducedAllTheSame != 0) {
    known->cases.push_back(pair.name);
    return sides;
  }
  ChangeCluster cluster = reduced(std::move(suspect), *sides);
  const auto same = std::find_if(clusters_.begin(), clusters_.end(),
                                 [&](const ChangeCluster& each) { return each.id == cluster.id; });
  if (same != clusters_.end()) {
    same->cases.push_back(pair.name);
  } else {
    cluster.cases = {pair.name};
    clusters_.push_back(std::move(cluster));
  }
  return sides;
}

ChangeCluster* ChangeCollector::clusterThatHolds(const analysis::ProgramSignature& signature,
                                                 const BothResults& sides) {
  const auto found = std::find_if(clusters_.begin(), clusters_.end(), [&](const ChangeCluster& each) {
    return isAlike(sides.left, each.left) && isAlike(sides.right, each.right) &&
           analysis::isContained(each.signature, signature);
  });
  return found == clusters_.end() ? nullptr : &*found;
}

ChangeCluster ChangeCollector::reduced(findings::Suspect suspect, BothResults sides) {
  findings::forgetFinding(suspect.theCase);
  if (options_.reduceSeconds > 0) {
    const ChangeJudge judge(left_, sides.left, right_, sides.right);
    suspect.result = sides.telling();
    std::optional<BothResults> last = sides;
    tell("reducing a change");
    findings::reduce(
        suspect, judge, runAlone(last),
        {.seconds = options_.reduceSeconds, .onBetter = [&](const language::Case& better) {
           const auto operators = analysis::signatureOf(better).operators.size();
           tell(fmt::format("reducing a change ({})", base::counted(static_cast<int64_t>(operators), "operator")));
         }});
    tell("");
    sides = *last;
  }
  ChangeCluster cluster;
  cluster.left = sides.left;
  cluster.right = sides.right;
  cluster.kind = changeBetween(cluster.left, cluster.right);
  cluster.leftClass = outcomeClassOf(cluster.left);
  cluster.rightClass = outcomeClassOf(cluster.right);
  cluster.signature = analysis::signatureOf(suspect.theCase);
  cluster.calls = suspect.theCase.calls.size();
  const std::string classes = cluster.leftClass + "|" + cluster.rightClass;
  cluster.id = fmt::format("{}-{}-{}", changeKindName(cluster.kind), nameOf(sides.telling()),
                           analysis::shortHash(classes + "|" + cluster.signature.text()));
  const bool isNew = std::none_of(clusters_.begin(), clusters_.end(),
                                  [&](const ChangeCluster& each) { return each.id == cluster.id; });
  if (isNew) {
    write(cluster, std::move(suspect.theCase), suspect.foundBy);
  }
  return cluster;
}

void ChangeCollector::write(ChangeCluster& cluster, language::Case theCase, const std::string& foundBy) {
  const BothResults sides{cluster.left, cluster.right};
  const bool isRight = &sides.telling() == &sides.right;
  const auto sideText = [](const DiffSide& side, const worker::BackendResult& result) {
    return fmt::format("{}, torch {}: {}", side.name(), side.pool->torch(), outcomeTextOf(result));
  };
  findings::FindingHeaders headers = findings::headersOf(theCase);
  headers.change = cluster.id;
  headers.left = sideText(left_, cluster.left);
  headers.right = sideText(right_, cluster.right);
  headers.foundBy = foundBy;
  headers.symptom.backend = isRight ? right_.backend : left_.backend;
  headers.setMessage(sides.telling().message);
  // Two lines about one backend would be alternatives: of two profiles of the same, the left one says what is expected.
  std::vector<language::Expectation> expectations{report::expectationOf(cluster.left)};
  if (left_.backend != right_.backend) {
    expectations.push_back(report::expectationOf(cluster.right));
  }
  findings::label(theCase, headers, std::move(expectations), isRight ? right_.profile : left_.profile);
  const std::filesystem::path file = std::filesystem::path(options_.folder) / (cluster.id + ".py");
  base::writeFile(file, standalone::printCase(theCase));
  cluster.file = file;
  const std::string word = pool::shellWord(cluster.file);
  cluster.command =
      fmt::format("{} diff --left {} --right {}{}{} {}", report::programName(), pool::shellWord(left_.options.given),
                  pool::shellWord(right_.options.given), programFlag(left_), programFlag(right_), word);
  cluster.leftCommand = fmt::format("{} run{} {}", left_.runProgram(), left_.runFlags(), word);
  cluster.rightCommand = fmt::format("{} run{} {}", right_.runProgram(), right_.runFlags(), word);
}

} // namespace touchstone::diff
