#include "harness/worker/Handshake.h"

#include <torch/version.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

namespace touchstone::worker {

namespace {
constexpr std::string_view kPreparation = "touchstone worker prepares ";
constexpr std::string_view kStartTrouble = "touchstone worker starts without all: ";
constexpr std::string_view kReady = "touchstone worker ready";
constexpr std::string_view kTrouble = "touchstone worker cannot work: ";

std::string onOneLine(std::string line) {
  std::ranges::replace(line, '\n', ' ');
  return line;
}

/// What is behind kReady: `, protocol 3, torch 2.13.0`. Nothing is there of workers from before there were protocols.
Handshake readReady(const std::string& rest) {
  int protocol = 0, end = 0;
  const int read = std::sscanf(rest.c_str(), ", protocol %d, torch %n", &protocol, &end);
  if (read == 1 && end > 0 && protocol == kJobProtocol) {
    return {"", rest.substr(static_cast<size_t>(end))};
  }
  return {"The worker is of another version of Touchstone: it speaks protocol " + std::to_string(protocol) +
              ", this one " + std::to_string(kJobProtocol) + ". Build both from the same sources.",
          ""};
}

} // namespace

std::string preparationLine(const std::string& backend) {
  return std::string(kPreparation) + backend;
}

std::optional<std::string> backendOfPreparation(const std::string& line) {
  return line.rfind(kPreparation, 0) == 0 ? std::optional(line.substr(kPreparation.size())) : std::nullopt;
}

std::string startTroubleLine(const std::string& trouble) {
  return onOneLine(std::string(kStartTrouble) + trouble);
}

std::optional<std::string> startTroubleOf(const std::string& line) {
  return line.rfind(kStartTrouble, 0) == 0 ? std::optional(line.substr(kStartTrouble.size())) : std::nullopt;
}

std::string handshakeLine(const std::string& trouble) {
  if (trouble.empty()) {
    return std::string(kReady) + ", protocol " + std::to_string(kJobProtocol) + ", torch " + TORCH_VERSION;
  }
  return onOneLine(std::string(kTrouble) + trouble);
}

Handshake readHandshake(const std::string& line) {
  if (line.rfind(kReady, 0) == 0) {
    return readReady(line.substr(kReady.size()));
  }
  if (line.rfind(kTrouble, 0) == 0) {
    return {line.substr(kTrouble.size()), ""};
  }
  return {"The worker began with `" + line + "`, which is no handshake: it is not of this version of Touchstone.", ""};
}

} // namespace touchstone::worker
