#include "backends/faults/NativeFault.h"

#include "graph/ir/Arguments.h"
#include "graph/ir/Unsupported.h"
#include "program/values/RaisedException.h"

#include <ATen/core/Tensor.h>

#include <algorithm>

namespace touchstone::faults {

namespace {

using backends::CompiledGraph;
using backends::GraphCompiler;
using ir::Argument;
using ir::Graph;
using ir::Node;
using ir::nodeArgument;
using ir::NodeId;
using Given = std::vector<at::Tensor>;

/// Raises before a call where it is meant.
CallChange raising(const char* type, std::string message,
                   std::function<bool(const Given& inputs, const CallHistory& history)> isMeant) {
  return [=](const CompiledGraph& compiled, Given inputs, CallHistory& history) {
    if (isMeant(inputs, history)) {
      throw values::RaisedException(type, message);
    }
    return compiled.run(std::move(inputs));
  };
}

/// What a call raises becomes what is made of it.
CallChange onRaised(std::function<values::RaisedException(const values::RaisedException& raised)> made) {
  return [=](const CompiledGraph& compiled, Given inputs, CallHistory&) {
    try {
      return compiled.run(std::move(inputs));
    } catch (const ir::Unsupported&) {
      throw; // is no exception of the Program
    } catch (const std::exception&) {
      throw made(values::currentException());
    }
  };
}

/// Refuses a Graph that is meant, when it is compiled.
CompilerChange refusing(const char* type, std::string message,
                        std::function<bool(const Graph& graph, const Given& examples)> isMeant) {
  return [=](GraphCompiler compiler) -> GraphCompiler {
    return [=, compiler = std::move(compiler)](Graph graph, const Given& examples) {
      if (isMeant(graph, examples)) {
        values::RaisedException raised(type, message);
        raised.wrapper = "BackendCompilerFailed";
        raised.phase = "compile";
        throw raised;
      }
      return compiler(std::move(graph), examples);
    };
  };
}

/// A call of `outer` on what `inner` gives.
bool hasPair(const Graph& graph, std::initializer_list<std::string_view> outer,
             std::initializer_list<std::string_view> inner) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(), [&](const Node& node) {
    const Node* given = isCall(node, outer) ? operand(graph, node, 0) : nullptr;
    return given != nullptr && isCall(*given, inner);
  });
}

bool anyOf(const Given& tensors, const std::function<bool(const at::Tensor& tensor)>& isMeant) {
  return std::any_of(tensors.begin(), tensors.end(), isMeant);
}

/// Indices that are out of range are taken for the last one.
Instead boundedIndex(Graph& graph, const Node& node) {
  const std::vector<int64_t> sizes = sizesOf(graph, nodeOf(node.arguments[0]));
  const auto dim = integerOf(node.arguments[1]);
  const NodeId index = nodeOf(node.arguments[2]);
  if (sizes.empty() || !dim || index < 0) {
    return std::nullopt;
  }
  const NodeId bounded = emit(graph, graph.node(index), "aten::clamp",
                              {node.arguments[2], number(int64_t{0}), number(sizes[wrapped(*dim, sizes.size())] - 1)});
  return emitWith(graph, node, 2, nodeArgument(bounded));
}

} // namespace

NativeFaultList errorFaults() {
  constexpr FaultClass kClass = FaultClass::kErrors;
  return {
      {"second_call_raises", kClass, kMetadataStage, "the second call of compiled code raises",
       "compiled code is called twice",
       raising("RuntimeError", "the buffer of the first call is still in use",
               [](const Given&, const CallHistory& history) { return history.calls == 1; })},
      {"fifth_call_raises", kClass, kMetadataStage, "the fifth call of compiled code raises",
       "compiled code is called five times",
       raising("RuntimeError", "the pool of buffers is empty",
               [](const Given&, const CallHistory& history) { return history.calls == 4; })},
      {"empty_argument_refused", kClass, kMetadataStage, "an argument without elements raises", "such an argument",
       raising("AssertionError", "numel > 0",
               [](const Given& inputs, const CallHistory&) {
                 return anyOf(inputs, [](const at::Tensor& each) { return each.numel() == 0; });
               })},
      {"argument_without_dimensions_refused", kClass, kMetadataStage, "an argument without dimensions raises",
       "such an argument in the second call",
       raising("IndexError", "list index out of range",
               [](const Given& inputs, const CallHistory& history) {
                 return history.calls > 0 && anyOf(inputs, [](const at::Tensor& each) { return each.dim() == 0; });
               })},
      {"many_arguments_refused", kClass, kMetadataStage, "more than five tensors raise", "six arguments",
       raising("RuntimeError", "too many arguments for a launch",
               [](const Given& inputs, const CallHistory&) { return inputs.size() > 5; })},
      {"gradient_without_contiguity_refused", kClass, kMetadataStage,
       "an argument that requires grad and is not contiguous raises", "such an argument",
       raising("AssertionError", "leaf.is_contiguous()",
               [](const Given& inputs, const CallHistory&) {
                 return anyOf(inputs,
                              [](const at::Tensor& each) { return each.requires_grad() && !each.is_contiguous(); });
               })},
      {"five_dimensions_refused", kClass, kMetadataStage, "an argument of five dimensions raises", "such an argument",
       raising("RuntimeError", "rank above 4",
               [](const Given& inputs, const CallHistory&) {
                 return anyOf(inputs, [](const at::Tensor& each) { return each.dim() > 4; });
               })},
      {"error_class_lost", kClass, kMetadataStage, "every exception becomes a ValueError",
       "the Program raises when it runs", onRaised([](const values::RaisedException& raised) {
         return values::RaisedException("ValueError", raised.message());
       })},
      {"error_text_lost", kClass, kMetadataStage, "every exception says that the kernel failed",
       "the Program raises when it runs", onRaised([](const values::RaisedException& raised) {
         return values::RaisedException(raised.type(), "the kernel failed");
       })},
      {"error_swallowed", kClass, kMetadataStage, "an exception in a later call gives the results of the first",
       "the Program raises in a later call",
       CallChange([](const CompiledGraph& compiled, Given inputs, CallHistory& history) {
         try {
           Given outputs = compiled.run(std::move(inputs));
           history.kept = history.calls == 0 ? outputs : history.kept;
           return outputs;
         } catch (const ir::Unsupported&) {
           throw;
         } catch (const std::exception&) {
           if (history.kept.empty()) {
             throw;
           }
           return history.kept;
         }
       })},
      {"index_check_dropped", kClass, kFunctionalStage, "an index out of range is the last one",
       "index_select or gather with such an index", onCalls({"index_select", "gather"}, boundedIndex)},
      {"division_check_dropped", kClass, kFunctionalStage, "whole numbers are divided by 1 where they are divided by 0",
       "a whole number is divided by 0", NodeRewrite([](Graph& graph, const Node& node) -> Instead {
         const bool isMeant = isCall(node, {"floor_divide", "remainder.Tensor", "fmod.Tensor", "div.Tensor_mode"}) &&
                              isInteger(graph, nodeOf(node.arguments[0])) &&
                              isInteger(graph, nodeOf(node.arguments[1]));
         if (!isMeant) {
           return std::nullopt;
         }
         const Node divisor = graph.node(nodeOf(node.arguments[1]));
         const NodeId isZero = emit(graph, divisor, "aten::eq.Scalar", {node.arguments[1], number(int64_t{0})});
         const NodeId one = emit(graph, divisor, "aten::ones_like",
                                 {node.arguments[1], Argument{}, Argument{}, Argument{}, Argument{}, Argument{}});
         const NodeId checked =
             emit(graph, divisor, "aten::where.self", {nodeArgument(isZero), nodeArgument(one), node.arguments[1]});
         return emitWith(graph, node, 1, nodeArgument(checked));
       })},
      {"flip_of_cumsum_refused", kClass, kMetadataStage, "the compiler has no kernel for a flip of a cumsum",
       "such a pair",
       refusing("NotImplementedError", "no lowering",
                [](const Graph& graph, const Given&) {
                  return hasPair(graph, {"flip", "roll"}, {"cumsum", "cumprod"});
                })},
      {"softmax_of_product_refused", kClass, kMetadataStage, "the compiler dies of a softmax of a matrix product",
       "such a pair",
       refusing("KeyError", "'aten.softmax'",
                [](const Graph& graph, const Given&) {
                  return hasPair(graph, {"softmax", "log_softmax"}, {"mm", "matmul", "bmm", "linear"});
                })},
      {"view_of_transposed_refused", kClass, kMetadataStage, "the compiler dies of a reshape of what was transposed",
       "such a pair",
       refusing("AssertionError", "strides",
                [](const Graph& graph, const Given&) {
                  return hasPair(graph, {"reshape", "flatten"}, {"transpose", "permute", "t"});
                })},
      {"half_and_whole_refused", kClass, kMetadataStage, "the compiler dies where half and whole numbers are arguments",
       "both are",
       refusing("KeyError", "'float16'",
                [](const Graph&, const Given& examples) {
                  return anyOf(examples, [](const at::Tensor& each) { return each.scalar_type() == at::kHalf; }) &&
                         anyOf(examples,
                               [](const at::Tensor& each) { return at::isIntegralType(each.scalar_type(), false); });
                })},
      {"forty_calls_refused", kClass, kMetadataStage, "the compiler gives up at 40 calls", "a Graph of 40 calls",
       refusing("RecursionError", "maximum recursion depth exceeded",
                [](const Graph& graph, const Given&) { return graph.operatorCount() >= 40; })},
      {"complex_refused", kClass, kMetadataStage, "the compiler dies of a complex argument that requires grad",
       "such an argument",
       refusing("KeyError", "'complex64'",
                [](const Graph&, const Given& examples) {
                  return anyOf(examples,
                               [](const at::Tensor& each) { return each.is_complex() && each.requires_grad(); });
                })},
  };
}

} // namespace touchstone::faults
