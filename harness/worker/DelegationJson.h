#pragma once

#include "graph/ir/Delegation.h"
#include "harness/worker/JsonFields.h"

// For sources only, as JsonFields.h.

TOUCHSTONE_JSON_OF(touchstone::ir::OperatorShare, calls, own)
