#include "graph/runtime/NodeWatch.h"

#include <utility>

namespace touchstone::runtime {

namespace {

thread_local CallMode* watchOfThread = nullptr;

} // namespace

NodeWatchScope::NodeWatchScope(CallMode& watch) : outer_(std::exchange(watchOfThread, &watch)) {}

NodeWatchScope::~NodeWatchScope() {
  watchOfThread = outer_;
}

CallMode* NodeWatchScope::current() {
  return watchOfThread;
}

} // namespace touchstone::runtime
