#include "harness/findings/FindingHeaders.h"

#include "backends/Registry.h"
#include "base/Interrupt.h"
#include "base/Words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

namespace touchstone::findings {

namespace {

constexpr const char* kNote = "note";
constexpr std::string_view kUnfinished = "reducing was not finished: ";

struct HeaderRow {
  const char* key;
  std::string& (*field)(FindingHeaders&);
  bool isOfSymptom = false; // said even if it is empty, where there is a symptom
};

/// All but the notes, in the order in which they are written.
constexpr HeaderRow kRows[] = {
    {"torch", [](FindingHeaders& headers) -> std::string& { return headers.torch; }},
    {"cpu", [](FindingHeaders& headers) -> std::string& { return headers.cpu; }},
    {"generator", [](FindingHeaders& headers) -> std::string& { return headers.generator; }},
    {"change", [](FindingHeaders& headers) -> std::string& { return headers.change; }},
    {"left", [](FindingHeaders& headers) -> std::string& { return headers.left; }},
    {"right", [](FindingHeaders& headers) -> std::string& { return headers.right; }},
    {"found-by", [](FindingHeaders& headers) -> std::string& { return headers.foundBy; }},
    {"cluster", [](FindingHeaders& headers) -> std::string& { return headers.cluster; }},
    {"backend", [](FindingHeaders& headers) -> std::string& { return headers.symptom.backend; }},
    {"symptom", [](FindingHeaders& headers) -> std::string& { return headers.symptom.text; }},
    {"origin", [](FindingHeaders& headers) -> std::string& { return headers.symptom.origin; }, true},
    {"base", [](FindingHeaders& headers) -> std::string& { return headers.symptom.baseOutcome; }, true},
    {"profile", [](FindingHeaders& headers) -> std::string& { return headers.profile; }},
    {"stage", [](FindingHeaders& headers) -> std::string& { return headers.stage; }},
};

bool isNote(const language::HeaderLine& line) {
  return line.key == kNote;
}

} // namespace

bool FindingHeaders::isUnfinished() const {
  return std::any_of(notes.begin(), notes.end(), [](const auto& note) { return note.starts_with(kUnfinished); });
}

void FindingHeaders::setMessage(const std::string& message) {
  if (!message.empty()) {
    notes.insert(notes.begin(), message);
  }
}

FindingHeaders headersOf(const language::Case& theCase) {
  FindingHeaders headers;
  for (const HeaderRow& row : kRows) {
    row.field(headers) = theCase.header(row.key).value_or("");
  }
  for (const language::HeaderLine& line : theCase.headers) {
    if (isNote(line)) {
      headers.notes.push_back(line.value);
    }
  }
  return headers;
}

void setHeaders(language::Case& theCase, const FindingHeaders& headers) {
  FindingHeaders said = headers;
  for (const HeaderRow& row : kRows) {
    const std::string& value = row.field(said);
    if (!value.empty() || (row.isOfSymptom && !headers.symptom.text.empty())) {
      theCase.setHeader(row.key, value);
    } else {
      std::erase_if(theCase.headers, [&](const language::HeaderLine& line) { return line.key == row.key; });
    }
  }
  auto place = std::find_if(theCase.headers.begin(), theCase.headers.end(), isNote);
  const auto position = place - theCase.headers.begin();
  theCase.headers.erase(std::remove_if(place, theCase.headers.end(), isNote), theCase.headers.end());
  place = theCase.headers.begin() + position;
  for (const std::string& note : headers.notes) {
    place = theCase.headers.insert(place, {kNote, base::oneLine(note)}) + 1;
  }
}

void noteUnfinished(language::Case& theCase) {
  theCase.headers.push_back(
      {kNote, std::string(kUnfinished) + (base::interruptRequested() ? "it was interrupted" : "its time was up")});
}

void noteImports(language::Case& theCase, const std::string& backend, const worker::Profile& profile) {
  if (backends::backendInfo(backend).family != ir::Family::kTorch) {
    return; // there is no Python in it
  }
  if (!profile.imports.empty()) {
    theCase.setHeader(language::kImportsHeader, fmt::format("{}", fmt::join(profile.imports, ",")));
  }
  if (!profile.pythonPath.empty()) {
    theCase.setHeader(language::kPythonPathHeader, fmt::format("{}", fmt::join(profile.pythonPath, ":")));
  }
}

} // namespace touchstone::findings
