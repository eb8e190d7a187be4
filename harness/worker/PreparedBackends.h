#pragma once

#include "backends/Backend.h"

#include <string>

namespace touchstone::worker {

/// The backend of a name, made and warmed up once in this process and kept; children inherit what their parent prepared.
/// Throws std::invalid_argument for a name that this process cannot make.
backends::Backend& preparedBackend(const std::string& name);

} // namespace touchstone::worker
