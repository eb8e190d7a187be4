#include "harness/diff/ChangeCollector.h"

#include "base/AtomicFile.h"
#include "base/Interrupt.h"
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

constexpr int kConfirmations = 2;
constexpr size_t kReducedAllTheSame = 8; // of so many Cases that hold a cluster one: another change may stand beside

/// What each of these runs came to; none where they do not come to the same.
std::optional<worker::BackendResult> agreedResult(const std::vector<worker::JobResult>& runs) {
  std::optional<worker::BackendResult> found;
  for (const worker::JobResult& run : runs) {
    if (!run.error.empty() || run.backends.empty() ||
        (found.has_value() && outcomeTextOf(*found) != outcomeTextOf(run.backends[0]))) {
      return std::nullopt;
    }
    found = run.backends[0];
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

std::optional<std::pair<worker::BackendResult, worker::BackendResult>> ChangeCollector::add(const CasePair& pair) {
  tell("confirming a change");
  const std::vector<worker::JobResult> leftRuns = left_.alone(pair.text, kConfirmations);
  const std::vector<worker::JobResult> rightRuns = right_.alone(pair.text, kConfirmations);
  tell("");
  const std::optional<worker::BackendResult> left = agreedResult(leftRuns), right = agreedResult(rightRuns);
  if (!left || !right || changeBetween(*left, *right) == ChangeKind::kNone) {
    unconfirmed_.push_back(
        fmt::format("{}: {} → {}; alone: {} → {}", pair.name, outcomeTextOf(pair.left.backends.at(0)),
                    outcomeTextOf(pair.right.backends.at(0)), historyOf(leftRuns), historyOf(rightRuns)));
    return std::nullopt;
  }
  ChangeCluster* known = clusterThatHolds(analysis::signatureOf(parser::parsePrinted(pair.text)), *left, *right);
  if (known != nullptr && ++known->held % kReducedAllTheSame != 0) {
    known->cases.push_back(pair.name);
    return std::pair(*left, *right);
  }
  ChangeCluster cluster = reduced(pair, *left, *right);
  const auto same = std::find_if(clusters_.begin(), clusters_.end(),
                                 [&](const ChangeCluster& each) { return each.id == cluster.id; });
  if (same != clusters_.end()) {
    same->cases.push_back(pair.name);
  } else {
    cluster.cases = {pair.name};
    clusters_.push_back(std::move(cluster));
  }
  return std::pair(*left, *right);
}

ChangeCluster* ChangeCollector::clusterThatHolds(const analysis::ProgramSignature& signature,
                                                 const worker::BackendResult& left,
                                                 const worker::BackendResult& right) {
  const auto found = std::find_if(clusters_.begin(), clusters_.end(), [&](const ChangeCluster& each) {
    return isAlike(left, each.left) && isAlike(right, each.right) && analysis::isContained(each.signature, signature);
  });
  return found == clusters_.end() ? nullptr : &*found;
}

ChangeCluster ChangeCollector::reduced(const CasePair& pair, const worker::BackendResult& left,
                                       const worker::BackendResult& right) {
  ChangeCluster cluster;
  cluster.left = left;
  cluster.right = right;
  language::Case theCase = parser::parsePrinted(pair.text);
  if (options_.reduceSeconds > 0) {
    const ChangeJudge judge(left_, left, right_, right);
    reducer::ReducerOptions reducing;
    reducing.seconds = options_.reduceSeconds;
    reducing.onBetter = [&](const language::Case& better) {
      tell(
          fmt::format("reducing a change ({})",
                      base::counted(static_cast<int64_t>(analysis::signatureOf(better).operators.size()), "operator")));
    };
    tell("reducing a change");
    language::Case smaller = reducer::reduceCase(theCase, judge.place(), judge, reducing).best();
    const std::string text = standalone::printCase(smaller);
    const base::InterruptPause pause; // the change is told, however small it is by now
    const std::optional<worker::BackendResult> leftAgain = agreedResult(left_.alone(text, 1));
    const std::optional<worker::BackendResult> rightAgain = agreedResult(right_.alone(text, 1));
    tell("");
    if (leftAgain && rightAgain && isAlike(*leftAgain, left) && isAlike(*rightAgain, right)) {
      theCase = std::move(smaller);
      cluster.left = *leftAgain;
      cluster.right = *rightAgain;
    }
  }
  cluster.kind = changeBetween(cluster.left, cluster.right);
  cluster.leftClass = outcomeClassOf(cluster.left);
  cluster.rightClass = outcomeClassOf(cluster.right);
  cluster.signature = analysis::signatureOf(theCase);
  cluster.calls = theCase.calls.size();
  const std::string classes = cluster.leftClass + "|" + cluster.rightClass;
  cluster.id =
      fmt::format("{}-{}-{}", changeKindName(cluster.kind),
                  nameOf(showsFinding(cluster.right) || !showsFinding(cluster.left) ? cluster.right : cluster.left),
                  analysis::shortHash(classes + "|" + cluster.signature.text()));
  const bool isNew = std::none_of(clusters_.begin(), clusters_.end(),
                                  [&](const ChangeCluster& each) { return each.id == cluster.id; });
  if (isNew) {
    write(cluster, std::move(theCase), pair.name);
  }
  return cluster;
}

void ChangeCollector::write(ChangeCluster& cluster, language::Case theCase, const std::string& foundBy) {
  const DiffSide& shown = showsFinding(cluster.right) || !showsFinding(cluster.left) ? right_ : left_;
  const std::string leftTorch = left_.pool->torch(), rightTorch = right_.pool->torch();
  theCase.setHeader("change", cluster.id);
  theCase.setHeader("left", fmt::format("{}, torch {}: {}", left_.name(), leftTorch, outcomeTextOf(cluster.left)));
  theCase.setHeader("right", fmt::format("{}, torch {}: {}", right_.name(), rightTorch, outcomeTextOf(cluster.right)));
  theCase.setHeader("found-by", foundBy);
  theCase.setHeader("backend", shown.backend);
  const worker::BackendResult& telling = &shown == &right_ ? cluster.right : cluster.left;
  if (!telling.message.empty()) {
    theCase.setHeader("note", telling.message);
  }
  pool::noteImports(theCase, shown.backend, shown.profile);
  // Two lines about one backend would be alternatives: of two profiles of the same, the left one says what is expected.
  theCase.expectations = {report::expectationOf(cluster.left)};
  if (left_.backend != right_.backend) {
    theCase.expectations.push_back(report::expectationOf(cluster.right));
  }
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
