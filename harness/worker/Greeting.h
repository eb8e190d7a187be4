#pragma once

#include <string>

namespace touchstone::harness {

/// The line with which a worker begins: that it is ready (`trouble` empty), or why it cannot work on this machine.
std::string greetingLine(const std::string& trouble);
/// The trouble that a greeting tells of; empty: ready. Anything that is no greeting is a trouble, too.
std::string troubleOfGreeting(const std::string& line);

} // namespace touchstone::harness
