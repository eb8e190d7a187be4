#include "oracles/observe/ExceptionReading.h"

#include "graph/ir/Unsupported.h"
#include "program/values/RaisedException.h"

namespace touchstone::observe {

ExceptionObservation observeException(const char* phase) {
  ExceptionObservation observation;
  try {
    throw;
  } catch (const ir::Unsupported& unsupported) {
    observation.type = observation.wrapper = "Unsupported";
    observation.message = unsupported.what();
    observation.unsupported = true;
    observation.phase = phase;
  } catch (...) {
    const values::RaisedException raised = values::currentException();
    observation.type = raised.type();
    observation.message = raised.message();
    observation.isLimit = raised.isLimit;
    observation.wrapper = raised.wrapper.empty() ? raised.type() : raised.wrapper;
    observation.phase = raised.phase.empty() ? phase : raised.phase;
  }
  return observation;
}

} // namespace touchstone::observe
