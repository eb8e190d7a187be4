#pragma once

#include <optional>
#include <string>

namespace touchstone::worker {

/// Of what the main process and workers send each other (Job.h). A worker may be of another build of Touchstone (`touchstone
/// diff`): another number whenever a field gets another meaning, or one without which a result would be wrong is added.
constexpr int kJobProtocol = 5;

/// What a worker says before it greets, for the case that it dies there: which backend it prepares now.
std::string preparationLine(const std::string& backend);
/// The backend of such a line; none: it is another line.
std::optional<std::string> backendOfPreparation(const std::string& line);

/// A variable of the environment of a worker that died while it prepared a backend, as `bridge/warm_up.py` has it.
constexpr const char* kStartsApart = "TOUCHSTONE_STARTS_APART";

/// And what a backend did not get through when it was prepared, and can do without.
std::string startTroubleLine(const std::string& trouble);
std::optional<std::string> startTroubleOf(const std::string& line);

/// The line with which a worker greets: that it is ready (`trouble` empty), or why it cannot work on this machine.
std::string handshakeLine(const std::string& trouble);

struct Handshake {
  std::string trouble; // why it cannot work; empty: it is ready. Anything that is no handshake is a trouble, too
  std::string torch; // version of its PyTorch
};
Handshake readHandshake(const std::string& line);

} // namespace touchstone::worker
