#include "harness/store/FindingStore.h"

#include "generators/Operators.h"
#include "graph/program/CaseParser.h"
#include "graph/program/CasePrinter.h"
#include "harness/AtomicFile.h"
#include "harness/Expectations.h"
#include "harness/Report.h"
#include "harness/worker/Machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace touchstone::harness {

namespace {

// Headers and comments are one line each.
std::string oneLine(std::string text) {
  for (char& character : text) {
    character = character == '\n' || character == '\r' ? ' ' : character;
  }
  return text;
}

std::string asFileName(const std::string& text) {
  std::string name;
  for (const char character : text) {
    const bool plain = std::isalnum(static_cast<unsigned char>(character)) != 0 || character == '_' || character == '.';
    name += plain ? character : '-';
  }
  return name;
}

// `seed 7 case 12`, without what it was derived from.
std::string caseName(const std::string& foundBy) {
  return asFileName(foundBy.substr(0, foundBy.find(',')));
}

std::string lowerCase(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// A text of a Case that could not even be printed is kept as a comment.
std::string withComments(const std::string& caseText, const std::vector<std::string>& comments) {
  std::string text;
  for (const std::string& comment : comments) {
    std::istringstream lines(comment);
    for (std::string line; std::getline(lines, line);) {
      text += "# note: " + line + "\n";
    }
  }
  // After the first line, which says the format's version.
  const size_t first = caseText.find('\n');
  return first == std::string::npos ? text : caseText.substr(0, first + 1) + text + caseText.substr(first + 1);
}

} // namespace

std::string clusterId(const Symptom& symptom, const Skeleton& skeleton) {
  std::istringstream parts(symptom.text);
  std::string what, property;
  std::getline(parts, what, '/');
  if (what == "Differs" && std::getline(parts, property, '/')) {
    what = property;
  }
  return fmt::format("{}-{}-{}", asFileName(symptom.backend), lowerCase(asFileName(what)),
                     shortHash(symptom.line() + "|" + symptom.origin + "|" + skeleton.text()));
}

FindingStore::FindingStore(std::filesystem::path folder) : folder_(std::move(folder)) {
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, none)) {
    if (entry.path().extension() != ".py") {
      continue;
    }
    try {
      graph::ParseOptions options;
      options.checkMainPart = false;
      const graph::Case theCase = graph::readCase(entry.path(), options);
      const auto header = [&](const char* key) { return theCase.header(key).value_or(""); };
      if (theCase.header("cluster").has_value()) {
        clusters_.push_back({header("cluster"),
                             {header("backend"), header("symptom"), header("origin"), header("base")},
                             skeletonOf(theCase),
                             header("found-by")});
      }
    } catch (const std::exception&) {
      continue; // a file of somebody else
    }
  }
  std::sort(clusters_.begin(), clusters_.end(), [](const auto& left, const auto& right) { return left.id < right.id; });
}

void FindingStore::resume(const std::vector<std::string>& newest,
                          const std::function<bool(const std::string& foundBy)>& isFoundAgain) {
  const auto place = [&](const KnownCluster& cluster) { // 0: of an earlier campaign
    const auto found = std::find(newest.begin(), newest.end(), cluster.id);
    return found == newest.end() ? 0 : 1 + (found - newest.begin());
  };
  std::erase_if(clusters_, [&](const KnownCluster& each) { return place(each) == 0 && isFoundAgain(each.foundBy); });
  std::stable_sort(clusters_.begin(), clusters_.end(),
                   [&](const auto& left, const auto& right) { return place(left) < place(right); });
}

void FindingStore::write(Finding& finding) {
  graph::Case theCase = finding.reduced;
  theCase.setHeader("torch", torchVersion());
  theCase.setHeader("cpu", processorName());
  theCase.setHeader("generator", fmt::format("touchstone catalogue {}", generators::kCatalogueVersion));
  theCase.setHeader("found-by", finding.foundBy);
  theCase.setHeader("cluster", finding.id);
  theCase.setHeader("backend", finding.symptom.backend);
  theCase.setHeader("symptom", oneLine(finding.symptom.text));
  theCase.setHeader("origin", finding.symptom.origin);
  theCase.setHeader("base", finding.symptom.baseOutcome);
  if (finding.stage) {
    theCase.setHeader("stage", oneLine(stageText(finding.stage)));
  }
  theCase.setHeader("note", oneLine(finding.result.message));
  theCase.expectations = {expectationOf(finding.result)};
  const std::string text = graph::printCase(theCase);
  std::filesystem::path file = folder_ / (finding.id + ".py");
  for (int number = 2; !writeNewFile(file, text) && readFile(file) != text; ++number) {
    file = folder_ / fmt::format("{}-{}.py", finding.id, number);
  }
  finding.file = file;
  clusters_.push_back({finding.id, finding.symptom, skeletonOf(theCase), finding.foundBy});
}

void FindingStore::writeUnconfirmed(const std::string& caseText, const BackendResult& result,
                                    const std::string& foundBy, const std::string& history) const {
  const std::string text = withComments(
      caseText, {"found by " + foundBy + ", did not recur when run alone",
                 "first " + result.backend + " " + result.text + ": " + result.message, "then " + history});
  writeNewFile(folder_ / "unconfirmed" / (asFileName(result.backend + " ") + caseName(foundBy) + ".py"), text);
}

void FindingStore::writeEagerDeath(const std::string& caseText, const BackendResult& result, const std::string& foundBy,
                                   const std::string& command) const {
  const std::string text =
      withComments(caseText, {"found by " + foundBy, "eager: " + result.message, "made again by: " + command});
  writeNewFile(folder_ / "eager" / (caseName(foundBy) + ".py"), text);
}

std::string FindingStore::writeStarts(const std::vector<StartingCasePtr>& starts, uint64_t index) const {
  const std::filesystem::path folder = folder_ / "eager" / fmt::format("starts-{}", index);
  for (size_t i = 0; i < starts.size(); ++i) {
    writeFile(folder / fmt::format("{}.py", i + 1), starts[i]->text);
  }
  return folder.string();
}

} // namespace touchstone::harness
