#pragma once

#include <optional>
#include <stdexcept>
#include <string>

namespace touchstone::values {

/// An exception raised by a Program, by eager or by a backend, in Python's terms: the common form in which errors of the
/// C++ evaluator, of libtorch and of the embedded interpreter are compared.
class RaisedException : public std::runtime_error {
 public:
  RaisedException(std::string type, std::string message)
      : std::runtime_error(type + ": " + message), type_(std::move(type)), message_(std::move(message)) {}

  /// Class of the innermost cause, without module: `RuntimeError`, `IndexError`, `InternalTorchDynamoError`.
  const std::string& type() const { return type_; }
  const std::string& message() const { return message_; } // without backtrace
  /// Class of the exception as it arrived, when a compiler wrapped the cause; else the same as type().
  std::string wrapper;
  /// `compile` when raised before any compiled code ran, as far as the backend can tell; else empty.
  std::string phase;
  /// A limit of Touchstone's evaluator was reached: neither Python nor PyTorch would have raised it.
  bool isLimit = false;

 private:
  std::string type_;
  std::string message_;
};

/// Runs inside a catch block: turns the exception in flight (c10::Error and its subclasses, RaisedException,
/// std::bad_alloc, any std::exception) into a RaisedException, with the class that Python would show.
RaisedException currentException();

/// For whoever embeds an interpreter: called inside a catch block, rethrows the exception in flight and returns what it
/// was in Python's terms; nothing for exceptions that are not the interpreter's. currentException() asks it first, from
/// any thread. (An error inside a Python function that autograd runs leaves the C++ engine as such an exception.)
using ForeignExceptionReader = std::optional<RaisedException> (*)();
void setForeignExceptionReader(ForeignExceptionReader reader);

} // namespace touchstone::values
