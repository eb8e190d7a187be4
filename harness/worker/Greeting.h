#pragma once

#include <optional>
#include <string>

namespace touchstone::harness {

/// What a worker says before it greets, for the case that it dies there: which backend it prepares now.
std::string preparationLine(const std::string& backend);
/// The backend of such a line; none: it is another line.
std::optional<std::string> backendOfPreparation(const std::string& line);

/// The line with which a worker greets: that it is ready (`trouble` empty), or why it cannot work on this machine.
std::string greetingLine(const std::string& trouble);
/// The trouble that a greeting tells of; empty: ready. Anything that is no greeting is a trouble, too.
std::string troubleOfGreeting(const std::string& line);

} // namespace touchstone::harness
