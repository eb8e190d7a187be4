#include "harness/worker/Greeting.h"

#include <string_view>

namespace touchstone::harness {

namespace {
constexpr std::string_view kPreparation = "touchstone worker prepares ";
constexpr std::string_view kReady = "touchstone worker ready";
constexpr std::string_view kTrouble = "touchstone worker cannot work: ";
} // namespace

std::string preparationLine(const std::string& backend) {
  return std::string(kPreparation) + backend;
}

std::optional<std::string> backendOfPreparation(const std::string& line) {
  return line.rfind(kPreparation, 0) == 0 ? std::optional(line.substr(kPreparation.size())) : std::nullopt;
}

std::string greetingLine(const std::string& trouble) {
  if (trouble.empty()) {
    return std::string(kReady);
  }
  std::string line = std::string(kTrouble) + trouble;
  for (char& character : line) {
    character = character == '\n' ? ' ' : character;
  }
  return line;
}

std::string troubleOfGreeting(const std::string& line) {
  if (line == kReady) {
    return "";
  }
  if (line.rfind(kTrouble, 0) == 0) {
    return line.substr(kTrouble.size());
  }
  return "The worker began with `" + line + "`, which is no greeting: it is not of this version of Touchstone.";
}

} // namespace touchstone::harness
