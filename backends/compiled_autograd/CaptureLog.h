#pragma once

#include "graph/ir/CapturedBackward.h"

#include <cstdint>
#include <string>
#include <vector>

namespace touchstone::compiled_autograd {

/// Told of what compiled autograd captures on a thread: the role of PyTorch's logs `compiled_autograd` and
/// `compiled_autograd_verbose`.
class CaptureListener {
 public:
  virtual ~CaptureListener() = default;
  /// Before a capture: why nothing that is compiled fits, and then line by line what is as in what is compiled and what is
  /// not: nodes, and, where these are all the same, the sizes, scalars and tensors that they have saved.
  virtual void onMiss(const std::string& reason, const std::vector<std::string>& byNode) = 0;
  /// `capture`: its number, from 0, since the beginning or the last reset. Several Graphs have one number where what a hook
  /// gave was of another kind, so that the rest was captured, too.
  virtual void onGraph(int64_t capture, const ir::CapturedBackward& captured) = 0;
  /// What else happens on the way: what was traced, what runs eagerly, and why.
  virtual void onNote(const std::string& line) = 0;
};

/// While it lives, the listener hears of this thread's backwards; scopes nest, and the inner one alone hears.
class CaptureListenerScope {
 public:
  explicit CaptureListenerScope(CaptureListener& listener);
  ~CaptureListenerScope();
  CaptureListenerScope(const CaptureListenerScope&) = delete;
  CaptureListenerScope& operator=(const CaptureListenerScope&) = delete;

 private:
  CaptureListener* outer_;
};

/// Null: nobody listens.
CaptureListener* currentCaptureListener();

} // namespace touchstone::compiled_autograd
