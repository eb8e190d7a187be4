#pragma once

namespace touchstone::values {

/// While it lives, what this thread calls is traced as the function of a checkpoint. A backward of eager's calls it again; of a trace's it
/// takes what was there the first time.
class TracedCheckpoint {
 public:
  explicit TracedCheckpoint(bool isTraced) : before_(current()) { current() = before_ || isTraced; }
  ~TracedCheckpoint() { current() = before_; }
  TracedCheckpoint(const TracedCheckpoint&) = delete;
  TracedCheckpoint& operator=(const TracedCheckpoint&) = delete;

  static bool isActive() { return current(); }

 private:
  static bool& current() {
    thread_local bool isTraced = false;
    return isTraced;
  }

  const bool before_;
};

} // namespace touchstone::values
