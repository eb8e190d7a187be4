#include "harness/worker/Progress.h"

#include <ctime>

#include <cstdio>

namespace touchstone::worker {

namespace {

double clockSeconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <size_t size>
void assignText(char (&target)[size], const char* text) {
  std::snprintf(target, size, "%s", text);
}

void startAfresh(Progress& progress) {
  progress.allocationFailed = false;
  progress.cpuAtStart = processSeconds();
  progress.wallAtStart = wallSeconds();
}

Progress privateProgress{};
Progress* activeProgress = &privateProgress;

} // namespace

double processSeconds() {
  return clockSeconds(CLOCK_PROCESS_CPUTIME_ID);
}

double wallSeconds() {
  return clockSeconds(CLOCK_MONOTONIC);
}

void Progress::beginJob(int position) {
  backend[0] = rung[0] = 0;
  record = -1;
  everShortOfMemory = false;
  enter("start");
  startAfresh(*this);
  job = position;
}

void Progress::beginBackend(const std::string& name) {
  assignText(backend, name.c_str());
  rung[0] = 0;
  enter("prepare");
  startAfresh(*this);
}

void Progress::beginRung(const std::string& name) {
  assignText(rung, name.c_str());
  enter("prepare");
  startAfresh(*this);
}

void Progress::noteShortMemory() {
  allocationFailed = true;
  everShortOfMemory = true;
}

void Progress::enter(const char* phaseName, int callIndex, const char* stepName) {
  assignText(phase, phaseName);
  assignText(step, stepName);
  call = callIndex;
}

std::string Progress::place() const {
  if (phase[0] == 0) {
    return "a worker's warm-up";
  }
  std::string text;
  if (call >= 0) {
    text = "call " + std::to_string(call.load()) + " " + (step[0] != 0 ? step : phase);
  } else {
    text = phase;
  }
  if (record >= 0 && backend[0] == 0 && text == "decode") {
    text += " record " + std::to_string(record.load());
  }
  return text;
}

Progress& currentProgress() {
  return *activeProgress;
}

void setCurrentProgress(Progress* progress) {
  activeProgress = progress;
}

} // namespace touchstone::worker
