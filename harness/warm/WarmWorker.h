#pragma once

#include "harness/warm/StartRequest.h"

#include <memory>

namespace touchstone::warm {

/// A worker that a process has forked which keeps starts ready. It ends with this object.
class WarmWorker {
 public:
  /// Null: nobody keeps one ready at that socket, or not for this request; the worker is to be started as usual.
  static std::unique_ptr<WarmWorker> start(const std::string& socket, const StartRequest& request,
                                           const StartFiles& files);
  ~WarmWorker();
  WarmWorker(const WarmWorker&) = delete;
  WarmWorker& operator=(const WarmWorker&) = delete;

 private:
  explicit WarmWorker(int connection) : connection_(connection) {}
  int connection_;
  bool hasStarted_ = false;
};

} // namespace touchstone::warm
