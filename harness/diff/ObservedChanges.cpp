#include "harness/diff/ObservedChanges.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>

namespace touchstone::diff {

namespace {

/// Numbers that differ from process to process are no difference.
std::string withoutAddresses(const std::string& text) {
  static const std::regex kAddress("0x[0-9a-fA-F]+");
  return text.find("0x") == std::string::npos ? text : std::regex_replace(text, kAddress, "0x…");
}

/// `dtype Float; sizes [2]; …` → property and value each; anything else is one part, `text`.
std::vector<std::pair<std::string, std::string>> partsOf(const std::string& text) {
  if (text.rfind("dtype ", 0) != 0) {
    return {{"text", text}};
  }
  std::vector<std::pair<std::string, std::string>> parts;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find("; ", begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const size_t space = part.find(' ');
    parts.emplace_back(part.substr(0, space), space == std::string::npos ? "" : part.substr(space + 1));
    begin = end + 2;
  }
  return parts;
}

std::vector<std::string> rulesOfBoth(const worker::ObservedCall& left, const worker::ObservedCall& right) {
  std::vector<std::string> rules = left.rules;
  rules.insert(rules.end(), right.rules.begin(), right.rules.end());
  std::sort(rules.begin(), rules.end());
  rules.erase(std::unique(rules.begin(), rules.end()), rules.end());
  return rules;
}

/// Appends what differs at one place.
void compareTexts(ObservedChange place, const std::string& left, const std::string& right,
                  std::vector<ObservedChange>& changes) {
  const auto leftParts = partsOf(withoutAddresses(left)), rightParts = partsOf(withoutAddresses(right));
  if (leftParts.size() != rightParts.size()) {
    place.property = "text";
    place.left = left;
    place.right = right;
    changes.push_back(std::move(place));
    return;
  }
  for (size_t i = 0; i < leftParts.size(); ++i) {
    if (leftParts[i] != rightParts[i]) {
      place.property = leftParts[i].first;
      place.left = leftParts[i].second;
      place.right = rightParts[i].second;
      changes.push_back(place);
    }
  }
}

void compareCalls(int index, const worker::ObservedCall& left, const worker::ObservedCall& right,
                  std::vector<ObservedChange>& changes) {
  std::map<std::string, std::pair<std::string, std::string>> texts; // by place
  for (const auto& [where, text] : left.texts) {
    texts[where].first = text;
  }
  for (const auto& [where, text] : right.texts) {
    texts[where].second = text;
  }
  const std::vector<std::string> rules = rulesOfBoth(left, right);
  for (const auto& [where, both] : texts) {
    if (both.first != both.second) {
      compareTexts({index, where, "", "", "", rules}, both.first, both.second, changes);
    }
  }
}

void compareCounts(const worker::BackendResult& left, const worker::BackendResult& right,
                   std::vector<ObservedChange>& changes) {
  const std::pair<const char*, int64_t worker::Counters::*> counts[] = {{"frames", &worker::Counters::frames},
                                                                        {"graphs", &worker::Counters::graphs},
                                                                        {"breaks", &worker::Counters::breaks},
                                                                        {"recompiles", &worker::Counters::recompiles}};
  for (const auto& [name, member] : counts) {
    if (left.counters.*member != right.counters.*member) {
      changes.push_back(
          {0, "", name, std::to_string(left.counters.*member), std::to_string(right.counters.*member), {}});
    }
  }
}

} // namespace

std::vector<ObservedChange> observedChanges(const worker::BackendResult& left, const worker::BackendResult& right) {
  std::vector<ObservedChange> changes;
  const size_t calls = std::min(left.observed.size(), right.observed.size());
  for (size_t i = 0; i < calls; ++i) {
    if (left.observed[i].agreed && right.observed[i].agreed) {
      compareCalls(static_cast<int>(i), left.observed[i], right.observed[i], changes);
    }
  }
  compareCounts(left, right, changes);
  return changes;
}

} // namespace touchstone::diff
