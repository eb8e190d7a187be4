#pragma once

#include <atomic>
#include <string>

namespace touchstone::worker {

/// What a child is doing right now. Lies in memory shared with its parent, so that the place is known after any death.
struct Progress {
  std::atomic<int> job; // position in the batch; -1: none begun
  std::atomic<int> call; // -1: none
  std::atomic<int> record; // of the Recipe, while generating; -1: none
  std::atomic<bool> allocationFailed; // since the job or its present backend began
  std::atomic<bool> everShortOfMemory; // since the job began
  std::atomic<double> cpuAtStart, wallAtStart; // when the job or its present backend began
  char phase[32]; // `parse`, `decode`, `eager`, `compile`, …
  char step[32]; // of the call
  char backend[128]; // empty: before any backend
  char rung[128]; // the weaker pipeline that is being asked, while blaming

  void beginJob(int position);
  void beginBackend(const std::string& name);
  void beginRung(const std::string& name); // empty: back to the backend itself
  void noteShortMemory();
  void enter(const char* phaseName, int callIndex = -1, const char* stepName = "");

  /// `compile`, `call 2 backward`, `decode record 5`: for messages and symptoms.
  std::string place() const;
};

/// Seconds of the calling process, and of the world.
double processSeconds();
double wallSeconds();

/// The mapping that this process reports to; a private one until a parent gives another.
Progress& currentProgress();
void setCurrentProgress(Progress* progress);

} // namespace touchstone::worker
