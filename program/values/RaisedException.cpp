#include "program/values/RaisedException.h"

#include "program/values/RaiseError.h"

#include <c10/util/Exception.h>

#include <atomic>
#include <exception>
#include <new>
#include <string_view>
#include <utility>

namespace touchstone::values {

namespace {
std::atomic<ForeignExceptionReader> foreignExceptionReader{nullptr};
} // namespace

void setForeignExceptionReader(ForeignExceptionReader reader) {
  foreignExceptionReader = reader;
}

namespace {

void replaceAll(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// `CPUFloatType` is `torch.FloatTensor` in Python (`torch/csrc/Exceptions.cpp`, processErrorMsg), and the node of a
// custom autograd function has the name of its class.
std::string inPythonsWords(std::string text) {
  if (text.find("Type") != std::string::npos) {
    static constexpr std::pair<std::string_view, std::string_view> kBackends[] = {{"SparseCUDA", "torch.cuda.sparse."},
                                                                                  {"CUDA", "torch.cuda."},
                                                                                  {"SparseCPU", "torch.sparse."},
                                                                                  {"CPU", "torch."}};
    static constexpr std::string_view kElements[] = {"Byte", "Char", "Double", "Float", "Int", "Long", "Short", "Half"};
    for (const auto& [backend, module] : kBackends) {
      for (std::string_view element : kElements) {
        replaceAll(text, std::string(backend) + std::string(element) + "Type",
                   std::string(module) + std::string(element) + "Tensor");
      }
    }
  }
  // Of a backward without tangents (`torch/csrc/autograd/autograd.cpp` and `torch/autograd/__init__.py`, _make_grads).
  constexpr std::string_view kComplexRoot = "grad can be computed only for real scalar outputs but got ";
  if (text.starts_with(kComplexRoot)) {
    replaceAll(text, kComplexRoot, "grad can be implicitly created only for real scalar outputs but got ");
    replaceAll(text, "ComplexFloat", "torch.complex64");
    replaceAll(text, "ComplexDouble", "torch.complex128");
    replaceAll(text, "ComplexHalf", "torch.complex32");
  }
  constexpr std::string_view kNode = "torch::autograd::CppNode<";
  for (size_t at = text.find(kNode); at != std::string::npos; at = text.find(kNode)) {
    const size_t end = text.find('>', at);
    const size_t scope = text.rfind("::", end);
    if (end == std::string::npos) {
      break;
    }
    text.replace(at, end + 1 - at, text.substr(scope + 2, end - scope - 2));
  }
  return text;
}

} // namespace

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
    return {"IndexError", inPythonsWords(error.what_without_backtrace())};
  } catch (const c10::ValueError& error) {
    return {"ValueError", inPythonsWords(error.what_without_backtrace())};
  } catch (const c10::TypeError& error) {
    return {"TypeError", inPythonsWords(error.what_without_backtrace())};
  } catch (const c10::NotImplementedError& error) {
    return {"NotImplementedError", inPythonsWords(error.what_without_backtrace())};
  } catch (const c10::BufferError& error) {
    return {"BufferError", inPythonsWords(error.what_without_backtrace())};
  } catch (const c10::SyntaxError& error) {
    return {"SyntaxError", inPythonsWords(error.what_without_backtrace())};
  } catch (const c10::LinAlgError& error) {
    return {"_LinAlgError", inPythonsWords(error.what_without_backtrace())};
  } catch (const c10::OutOfMemoryError& error) {
    return {"OutOfMemoryError", inPythonsWords(error.what_without_backtrace())};
  } catch (const c10::AcceleratorError& error) {
    return {"AcceleratorError", inPythonsWords(error.what_without_backtrace())};
  } catch (const c10::Error& error) {
    return {"RuntimeError", inPythonsWords(error.what_without_backtrace())};
  } catch (const std::bad_alloc& error) {
    return {"MemoryError", error.what()};
  } catch (const std::exception& error) {
    return {"RuntimeError", error.what()};
  } catch (...) {
    return {"RuntimeError", "an exception that is not a std::exception was thrown"};
  }
}

void raiseError(const char* type, std::string message) {
  throw RaisedException(type, std::move(message));
}

} // namespace touchstone::values
