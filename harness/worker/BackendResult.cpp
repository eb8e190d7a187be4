#include "harness/worker/BackendResult.h"

#include "harness/worker/JsonFields.h"

namespace touchstone::worker {

namespace {

template <class Visit>
void walk(Visit visit) {
  for (const auto& [name, member] : kCounts) {
    visit(name, member);
  }
  for (const auto& [name, member] : kTimes) {
    visit(name, member);
  }
}

} // namespace

Counters& Counters::operator+=(const Counters& other) {
  walk([&](const char*, auto member) { this->*member += other.*member; });
  return *this;
}

void to_json(nlohmann::json& object, const Counters& counters) {
  object = nlohmann::json::object();
  walk([&](const char* name, auto member) { putField(object, name, counters.*member, Counters().*member); });
}

void from_json(const nlohmann::json& object, Counters& counters) {
  walk([&](const char* name, auto member) { takeField(object, name, counters.*member); });
}

TOUCHSTONE_JSON_FIELDS(ObservedCall, agreed, rules, texts)
TOUCHSTONE_JSON_FIELDS(BackendResult, backend, outcome, text, symptom, shows, shownIn, detail, origin, baseOutcome,
                       message, eagerRaises, call, where, counters, processorSeconds, allowed, recompileReasons,
                       breakReasons, guards, specializations, recompilesByCall, bites, observed, delegation,
                       operatorShares, warnings, passes, lastApplied)

BackendResult unsupportedResult(const std::string& backend, const std::string& construct) {
  BackendResult result;
  result.backend = backend;
  result.outcome = language::Outcome::kUnsupported;
  result.text = language::outcomeName(result.outcome);
  result.detail = result.message = construct;
  return result;
}

} // namespace touchstone::worker
