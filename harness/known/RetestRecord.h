#pragma once

#include "harness/known/Retest.h"

#include <string>
#include <vector>

namespace touchstone::harness {

/// Writes each result into the store that lies in the folder of the finding's file, where there is one that has the finding: fixed,
/// flaky, or open again; what is known stays so while it is still there. What was run under another backend, or not judged, is
/// not told. Throws StoreError.
void recordRetest(const RetestResult& result);

} // namespace touchstone::harness
