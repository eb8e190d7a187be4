#include "backends/compilers/TorchScriptErrors.h"

#include "program/values/RaisedException.h"

#include <stdexcept>
#include <string>
#include <string_view>

namespace touchstone::compilers {

namespace {

constexpr std::string_view kBeginning = "The following operation failed in the TorchScript interpreter.";
constexpr std::string_view kMessage = "\nRuntimeError: ";

/// Behind the traceback of TorchScript code.
std::string operatorsMessage(const std::string& text) {
  const size_t begin = text.rfind(kMessage);
  std::string message = begin == std::string::npos ? text : text.substr(begin + kMessage.size());
  while (!message.empty() && message.back() == '\n') {
    message.pop_back();
  }
  return message;
}

} // namespace

void withErrorsOfOperators(const std::function<void()>& run) {
  try {
    run();
  } catch (const std::runtime_error& error) {
    const std::string text = error.what();
    if (text.find(kBeginning) == std::string::npos) {
      throw;
    }
    values::RaisedException raised("RuntimeError", operatorsMessage(text));
    raised.wrapper = "TorchScriptInterpreter";
    throw raised;
  }
}

} // namespace touchstone::compilers
