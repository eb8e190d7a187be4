#include "harness/report/ProgressDisplay.h"

#include "harness/worker/Progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace touchstone::report {

namespace {

constexpr double kSecondsBetweenBars = 0.2;
constexpr double kSecondsBetweenLines = 10;
constexpr int kBarWidth = 24;

int terminalWidth() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string barText(double share) {
  const int full = static_cast<int>(std::clamp(share, 0.0, 1.0) * kBarWidth);
  return "[" + std::string(static_cast<size_t>(full), '#') + std::string(static_cast<size_t>(kBarWidth - full), '.') +
         "] ";
}

} // namespace

ProgressDisplay::ProgressDisplay(Goal goal)
    : goal_(goal), terminal_(isatty(STDERR_FILENO) != 0), begin_(worker::wallSeconds()), last_(begin_) {}

ProgressDisplay::~ProgressDisplay() {
  clear();
}

void ProgressDisplay::clear() {
  if (shown_) {
    fmt::print(stderr, "\r\033[K");
    std::fflush(stderr);
    shown_ = false;
  }
}

void ProgressDisplay::update(const Tally& tally, size_t findings, const std::string& activity) {
  const double now = worker::wallSeconds();
  if (now - last_ < (terminal_ ? kSecondsBetweenBars : kSecondsBetweenLines)) {
    return;
  }
  last_ = now;
  const double seconds = now - begin_;
  std::string text;
  if (terminal_ && goal_.seconds.has_value()) {
    text = barText(seconds / *goal_.seconds);
  } else if (terminal_ && goal_.cases.has_value()) {
    text = barText(static_cast<double>(tally.cases) / static_cast<double>(*goal_.cases));
  }
  text += fmt::format("{:.0f} s, {} Cases, {} calls judged, {} {}{}", seconds, tally.cases, tally.callsJudged(),
                      findings, goal_.found, activity.empty() ? "" : ", " + activity);
  if (terminal_) {
    text.resize(std::min(text.size(), static_cast<size_t>(terminalWidth() - 1)));
    fmt::print(stderr, "\r\033[K{}", text);
    std::fflush(stderr);
    shown_ = true;
  } else {
    fmt::print(stderr, "{}\n", text);
  }
}

void ProgressDisplay::say(const std::string& line) {
  clear();
  fmt::print(stderr, "{}\n", line);
}

} // namespace touchstone::report
