#include "graph/program/RaisedException.h"

#include <c10/util/Exception.h>

#include <atomic>
#include <exception>
#include <new>

namespace touchstone::graph {

namespace {
std::atomic<ForeignExceptionReader> foreignExceptionReader{nullptr};
} // namespace

void setForeignExceptionReader(ForeignExceptionReader reader) {
  foreignExceptionReader = reader;
}

// The order and the classes are those of `torch/csrc/Exceptions.h`, CATCH_CORE_ERRORS: a subclass before its base.
RaisedException currentException() {
  if (ForeignExceptionReader reader = foreignExceptionReader) {
    if (std::optional<RaisedException> foreign = reader()) {
      return *foreign;
    }
  }
  try {
    throw;
  } catch (const RaisedException& error) {
    return error;
  } catch (const c10::IndexError& error) {
    return {"IndexError", error.what_without_backtrace()};
  } catch (const c10::ValueError& error) {
    return {"ValueError", error.what_without_backtrace()};
  } catch (const c10::TypeError& error) {
    return {"TypeError", error.what_without_backtrace()};
  } catch (const c10::NotImplementedError& error) {
    return {"NotImplementedError", error.what_without_backtrace()};
  } catch (const c10::BufferError& error) {
    return {"BufferError", error.what_without_backtrace()};
  } catch (const c10::SyntaxError& error) {
    return {"SyntaxError", error.what_without_backtrace()};
  } catch (const c10::LinAlgError& error) {
    return {"_LinAlgError", error.what_without_backtrace()};
  } catch (const c10::OutOfMemoryError& error) {
    return {"OutOfMemoryError", error.what_without_backtrace()};
  } catch (const c10::AcceleratorError& error) {
    return {"AcceleratorError", error.what_without_backtrace()};
  } catch (const c10::Error& error) {
    return {"RuntimeError", error.what_without_backtrace()};
  } catch (const std::bad_alloc& error) {
    return {"MemoryError", error.what()};
  } catch (const std::exception& error) {
    return {"RuntimeError", error.what()};
  } catch (...) {
    return {"RuntimeError", "an exception that is not a std::exception was thrown"};
  }
}

} // namespace touchstone::graph
