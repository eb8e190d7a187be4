#include "graph/runtime/NodeWatch.h"

namespace touchstone::runtime {

namespace {

thread_local const NodeWatchScope* scopeOfThread = nullptr;

} // namespace

NodeWatchScope::NodeWatchScope(const NodeWatch& watch) : watch_(watch), outer_(scopeOfThread) {
  if (watch_) {
    scopeOfThread = this;
  }
}

NodeWatchScope::~NodeWatchScope() {
  scopeOfThread = outer_;
}

const NodeWatchScope* NodeWatchScope::current() {
  return scopeOfThread;
}

void NodeWatchScope::tell(const ir::Node& node, const c10::IValue& value) const {
  watch_(node, value);
  if (outer_ != nullptr) {
    outer_->tell(node, value);
  }
}

} // namespace touchstone::runtime
