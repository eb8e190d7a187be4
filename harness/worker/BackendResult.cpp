#include "harness/worker/BackendResult.h"

#include "harness/worker/JsonFields.h"

namespace touchstone::worker {

TOUCHSTONE_JSON_FIELDS(ObservedCall, agreed, rules, texts)
TOUCHSTONE_JSON_FIELDS(BackendResult, backend, outcome, text, symptom, shows, detail, origin, baseOutcome, message,
                       eagerRaises, call, where, counters, allowed, recompileReasons, breakReasons, observed, warnings,
                       passes, lastApplied)

} // namespace touchstone::worker
