#pragma once

#include "backends/GraphCompiler.h"
#include "graph/runtime/CallMode.h"
#include "program/values/RaisedException.h"

#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace touchstone::debugging {

/// What a Graph that `eager_noexcept` compiled raises instead of what went wrong in it. type() and message() are the
/// cause's, as for every exception that a compiler wraps; what() begins with what the wrapper says.
class UnexpectedException final : public values::RaisedException {
 public:
  /// Inside a catch block: of the exception in flight.
  static UnexpectedException ofCurrent();
  const char* what() const noexcept override { return text_.c_str(); }
  const std::exception_ptr& cause() const { return cause_; }

 private:
  UnexpectedException(const values::RaisedException& raised, std::exception_ptr cause);
  std::string text_;
  std::exception_ptr cause_;
};

/// The `eager_noexcept` compiler: captured Graphs are expected to run, so an exception inside one becomes an
/// UnexpectedException.
std::shared_ptr<const backends::CompiledGraph> compileExpectingNoException(ir::Graph graph,
                                                                           const std::vector<at::Tensor>& examples);

/// The `eager` compiler with each call of the Graph seen by a mode.
backends::GraphCompiler eagerWithMode(std::shared_ptr<runtime::CallMode> mode);
/// The same with several, entered in this order: the last one sees a call first.
backends::GraphCompiler eagerWithModes(std::vector<std::shared_ptr<runtime::CallMode>> modes);

/// The `eager_debug` compiler: each operator that the Graph calls below autograd is held against its schema. Throws
/// SchemaMismatch when the Graph runs.
std::shared_ptr<const backends::CompiledGraph> compileWithSchemaCheck(ir::Graph graph,
                                                                      const std::vector<at::Tensor>& examples);

} // namespace touchstone::debugging
