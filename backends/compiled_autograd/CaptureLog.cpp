#include "backends/compiled_autograd/CaptureLog.h"

#include <utility>

namespace touchstone::compiled_autograd {

static thread_local CaptureListener* listening = nullptr;

CaptureListenerScope::CaptureListenerScope(CaptureListener& listener) : outer_(std::exchange(listening, &listener)) {}

CaptureListenerScope::~CaptureListenerScope() {
  listening = outer_;
}

CaptureListener* currentCaptureListener() {
  return listening;
}

} // namespace touchstone::compiled_autograd
