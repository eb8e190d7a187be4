#include "backends/capture/DataReadWatch.h"

#include <ATen/record_function.h>

#include <cstring>

namespace touchstone::backends {

namespace {

thread_local bool watchedInsideOperator = false;
thread_local bool watchedRead = false;

std::unique_ptr<at::ObserverContext> noteDataRead(const at::RecordFunction& function) {
  if (!watchedInsideOperator && std::strcmp(function.name(), "aten::_local_scalar_dense") == 0) {
    watchedRead = true;
  }
  return nullptr;
}

} // namespace

DataReadWatch::DataReadWatch()
    : callback_(
          at::addThreadLocalCallback(at::RecordFunctionCallback(&noteDataRead).scopes({at::RecordScope::FUNCTION}))) {
  watchedInsideOperator = false;
  watchedRead = false;
}

DataReadWatch::~DataReadWatch() {
  at::removeCallback(callback_);
}

void DataReadWatch::enterOperator() {
  watchedInsideOperator = true;
}

void DataReadWatch::leaveOperator() {
  watchedInsideOperator = false;
}

bool DataReadWatch::hasRead() const {
  return watchedRead;
}

} // namespace touchstone::backends
