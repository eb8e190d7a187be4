#pragma once

#include "harness/worker/Profile.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// What the header of each task needs.

namespace touchstone::worker {

struct Job;
struct JobResult;

/// Declares that a type goes from process to process; JsonFields.h has what its source says of it.
#define TOUCHSTONE_TRAVELS(Type)                           \
  void to_json(nlohmann::json& object, const Type& value); \
  void from_json(const nlohmann::json& object, Type& value)

} // namespace touchstone::worker
