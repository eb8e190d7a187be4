#include "backends/faults/NativeFault.h"

#include "graph/ir/ArgumentText.h"
#include "graph/ir/Subgraph.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

namespace touchstone::faults {

namespace {

using ir::Argument;
using ir::Graph;
using ir::Node;
using ir::NodeId;

/// What a merging pass takes two calls for equal by; empty: this one is not merged.
using ExpressionKey = std::function<std::string(const Graph& graph, const Node& node)>;

std::string nameOf(NodeId id) {
  return "%" + std::to_string(id);
}

std::string argumentsText(const Node& node) {
  std::string text;
  for (const Argument& argument : node.arguments) {
    text += ir::argumentText(argument, nameOf) + ", ";
  }
  return text;
}

std::string expressionText(const Node& node) {
  return node.target + "(" + argumentsText(node);
}

/// Calls that neither write nor draw, whose results are no views.
bool isPureCall(const Node& node) {
  return node.kind == ir::NodeKind::kOperator && !isInPlace(node) && !isView(node) && !isRandom(node) &&
         node.writes.empty() && !isCall(node, {"empty", "new_empty", "empty_like", "retain_grad"});
}

std::string operandsText(const Node& node) {
  std::string text;
  ir::forEachOperand(node, [&](NodeId read) { text += nameOf(read); });
  return text;
}

/// Later calls with the key of an earlier one are that one.
GraphChange merged(ExpressionKey key) {
  return [key = std::move(key)](Graph& graph) {
    std::map<std::string, NodeId> first;
    rewriteNodes(graph, [&](Graph& into, const Node& node) -> Instead {
      const std::string text = key(into, node);
      if (text.empty()) {
        return std::nullopt;
      }
      const std::string whole = text + (node.backward ? "/backward" : "");
      if (const auto known = first.find(whole); known != first.end()) {
        return known->second;
      }
      const NodeId added = emitSame(into, node);
      first.emplace(whole, added);
      return added;
    });
  };
}

/// Keys of calls of these operators alone.
ExpressionKey keyOf(std::vector<std::string_view> names,
                    std::function<std::string(const Graph& graph, const Node& node)> text) {
  return [names = std::move(names), text = std::move(text)](const Graph& graph, const Node& node) {
    const bool isMeant =
        std::any_of(names.begin(), names.end(), [&](std::string_view name) { return isCall(node, name); });
    return isMeant ? text(graph, node) : std::string();
  };
}

/// Nodes that nobody reads and that `isMeant` are left out.
GraphChange withoutUnread(std::function<bool(const Graph& graph, const Node& node)> isMeant) {
  return [isMeant = std::move(isMeant)](Graph& graph) {
    const std::vector<int> uses = useCounts(graph);
    size_t position = graph.placeholders().size();
    const Graph before = graph;
    rewriteNodes(graph, [&](Graph&, const Node& node) -> Instead {
      const size_t at = position++;
      return uses[at] == 0 && isMeant(before, before.nodes()[at]) && !node.arguments.empty() &&
                     nodeOf(node.arguments[0]) >= 0
                 ? Instead(nodeOf(node.arguments[0]))
                 : std::nullopt;
    });
  };
}

} // namespace

NativeFaultList repetitionFaults() {
  constexpr FaultClass kClass = FaultClass::kRewriting;
  return {
      {"merged_over_write", kClass, kCapturedStage,
       "equal calls are one although what they read was written to between them", "such calls stand around a write",
       merged([](const Graph&, const Node& node) {
         return isPureCall(node) && node.state.gradEnabled ? expressionText(node) : std::string();
       })},
      {"merged_over_no_grad", kClass, kCapturedStage, "a call under no_grad and an equal one outside are one",
       "the same is computed in both", merged([](const Graph&, const Node& node) {
         return isCall(node, {"mul", "add", "sin", "exp", "relu"}) && !isInPlace(node) ? expressionText(node)
                                                                                       : std::string();
       })},
      {"draws_merged", kClass, kCapturedStage, "equal draws of random numbers are one", "two draws of the same kind",
       merged([](const Graph&, const Node& node) {
         return isRandom(node) && !isInPlace(node) ? expressionText(node) : std::string();
       })},
      {"new_tensors_merged", kClass, kCapturedStage, "equal new tensors are one",
       "two tensors of zeros are made, and one is written to",
       merged(keyOf({"zeros", "ones", "zeros_like", "ones_like", "full_like", "full", "new_zeros"},
                    [](const Graph&, const Node& node) { return expressionText(node); }))},
      {"copies_merged", kClass, kCapturedStage, "two clones of a tensor are one",
       "one of them is written to, or both are returned",
       merged(keyOf({"clone"}, [](const Graph&, const Node& node) { return expressionText(node); }))},
      {"merged_by_operands", kClass, kFunctionalStage, "reductions of one tensor are equal whatever their dimensions",
       "a tensor is reduced over two dimensions in turn",
       merged(keyOf({"sum", "mean", "amax", "amin", "prod", "var"},
                    [](const Graph&, const Node& node) { return node.target + operandsText(node); }))},
      {"casts_merged", kClass, kFunctionalStage, "casts of one tensor are equal whatever their dtype",
       "a tensor is cast to two dtypes",
       merged(keyOf({"_to_copy"}, [](const Graph&, const Node& node) { return node.target + operandsText(node); }))},
      {"differences_merged", kClass, kFunctionalStage, "x - y and y - x are one", "both are computed",
       merged(keyOf({"sub.Tensor", "div.Tensor"},
                    [](const Graph&, const Node& node) {
                      const NodeId left = nodeOf(node.arguments[0]), right = nodeOf(node.arguments[1]);
                      return left < 0 || right < 0
                                 ? std::string()
                                 : node.target + nameOf(std::min(left, right)) + nameOf(std::max(left, right));
                    }))},
      {"products_merged", kClass, kFunctionalStage, "x @ y and y @ x are one", "both are computed",
       merged(keyOf({"mm", "bmm"},
                    [](const Graph&, const Node& node) {
                      const NodeId left = nodeOf(node.arguments[0]), right = nodeOf(node.arguments[1]);
                      return node.target + nameOf(std::min(left, right)) + nameOf(std::max(left, right));
                    }))},
      {"numbers_merged_by_whole_part", kClass, kFunctionalStage, "numbers of one whole part are one",
       "x + 1 and x + 1.5 are both computed",
       merged(keyOf({"add", "mul", "sub"},
                    [](const Graph& graph, const Node& node) {
                      const auto value = numberOf(graph, node.arguments[1]);
                      return value ? node.target + nameOf(nodeOf(node.arguments[0])) + "/" +
                                         std::to_string(std::trunc(*value))
                                   : std::string();
                    }))},
      {"comparisons_merged", kClass, kFunctionalStage, "x < c and x <= c are one",
       "both are computed, and a value is c",
       merged(keyOf({"lt", "le"}, [](const Graph&, const Node& node) { return "less(" + argumentsText(node); }))},
      {"extremes_merged", kClass, kFunctionalStage, "the greatest and the smallest value of a tensor are one",
       "amax and amin of one tensor",
       merged(keyOf({"amax", "amin", "maximum", "minimum"},
                    [](const Graph&, const Node& node) { return "extreme(" + argumentsText(node); }))},
      {"sine_and_cosine_merged", kClass, kFunctionalStage, "sin(x) and cos(x) are one", "both are computed",
       merged(keyOf({"sin", "cos"}, [](const Graph&, const Node& node) { return "circle(" + argumentsText(node); }))},
      {"cumulations_merged", kClass, kFunctionalStage, "cumsum over one dimension and another are one",
       "both are computed",
       merged(keyOf({"cumsum", "cumprod", "flip", "softmax", "_softmax", "_log_softmax"},
                    [](const Graph&, const Node& node) { return node.target + operandsText(node); }))},
      {"alpha_merged", kClass, kFunctionalStage, "sums with another alpha are one", "x + y and x - 2 * y by alpha",
       merged(keyOf({"add.Tensor", "sub.Tensor"},
                    [](const Graph&, const Node& node) { return node.target + operandsText(node); }))},
      {"later_elements_merged", kClass, kCapturedStage,
       "elements behind the second of what gives several are the second", "three pieces of a tensor are used",
       NodeRewrite([](Graph& graph, const Node& node) -> Instead {
         const auto index = node.kind == ir::NodeKind::kElement ? integerOf(node.arguments[1]) : std::nullopt;
         return index && *index > 1 ? Instead(graph.addElement(nodeOf(node.arguments[0]), 1)) : std::nullopt;
       })},
      {"unread_write_to_local_view_left_out", kClass, kCapturedStage,
       "a write through a view of a new tensor is dead code", "a piece of a new tensor is written to",
       withoutUnread([](const Graph& graph, const Node& node) {
         const Node* view = isInPlace(node) ? operand(graph, node, 0) : nullptr;
         const Node* base = view != nullptr && isView(*view) ? operand(graph, *view, 0) : nullptr;
         return base != nullptr && base->kind == ir::NodeKind::kOperator && !isView(*base);
       })},
      {"unread_draw_left_out", kClass, kCapturedStage, "random numbers that nobody reads are dead code",
       "more are drawn after them", withoutUnread([](const Graph&, const Node& node) { return isRandom(node); })},
      {"whole_write_is_the_only_one", kClass, kCapturedStage, "copy_ is dead code where the tensor is written to again",
       "a later write adds to it", GraphChange([](Graph& graph) {
         std::set<NodeId> later;
         std::vector<bool> isDead(graph.nodes().size(), false);
         const std::vector<int> uses = useCounts(graph);
         for (size_t i = graph.nodes().size(); i-- > 0;) {
           const Node& node = graph.nodes()[i];
           if (isInPlace(node)) {
             isDead[i] =
                 isCall(node, {"copy_", "fill_", "zero_"}) && uses[i] == 0 && later.contains(nodeOf(node.arguments[0]));
             later.insert(nodeOf(node.arguments[0]));
           }
         }
         size_t position = graph.placeholders().size();
         rewriteNodes(graph, [&](Graph&, const Node& node) -> Instead {
           return isDead[position++] ? Instead(nodeOf(node.arguments[0])) : std::nullopt;
         });
       })},
  };
}

NativeFaultList orderFaults() {
  constexpr FaultClass kClass = FaultClass::kRewriting;
  /// The first pair of neighbours that is meant changes places; the second one writes, or both do.
  const auto firstPair = [](std::function<bool(const Graph& graph, const Node& first, const Node& second)> isMeant) {
    return GraphChange([isMeant](Graph& graph) {
      for (size_t i = 0; i + 1 < graph.nodes().size(); ++i) {
        if (isMeant(graph, graph.nodes()[i], graph.nodes()[i + 1]) && swapNeighbours(graph, static_cast<NodeId>(i))) {
          return;
        }
      }
    });
  };
  const auto reads = [](const Node& node, NodeId sought) {
    bool found = false;
    ir::forEachOperand(node, [&](NodeId read) { found = found || read == sought; });
    return found;
  };
  const auto isPureRead = [](const Node& node) {
    return node.kind == ir::NodeKind::kOperator && !isInPlace(node) && !isView(node) && !isRandom(node);
  };
  return {
      {"read_sunk_below_write", kClass, kCapturedStage, "a value is read after the write that stands behind it",
       "a tensor is read, then written to", firstPair([=](const Graph&, const Node& first, const Node& second) {
         return isPureRead(first) && isInPlace(second) && reads(first, nodeOf(second.arguments[0]));
       })},
      {"read_hoisted_above_write", kClass, kCapturedStage, "a value is read before the write that stands before it",
       "a tensor is written to, then read", firstPair([=](const Graph&, const Node& first, const Node& second) {
         return isInPlace(first) && isPureRead(second) && reads(second, nodeOf(first.arguments[0]));
       })},
      {"read_of_base_hoisted_above_write_to_view", kClass, kCapturedStage,
       "a tensor is read before the write to a view of it that stands before it",
       "a view is written to, then its base is read",
       firstPair([=](const Graph& graph, const Node& first, const Node& second) {
         const Node* view = isInPlace(first) ? operand(graph, first, 0) : nullptr;
         return view != nullptr && isView(*view) && isPureRead(second) && reads(second, nodeOf(view->arguments[0]));
       })},
      {"writes_exchanged", kClass, kCapturedStage, "two writes to one tensor change places",
       "they stand behind each other and do not commute",
       firstPair([](const Graph&, const Node& first, const Node& second) {
         return isInPlace(first) && isInPlace(second) && nodeOf(first.arguments[0]) == nodeOf(second.arguments[0]);
       })},
      {"writes_through_views_exchanged", kClass, kCapturedStage, "writes to two views change places", "they overlap",
       firstPair([](const Graph& graph, const Node& first, const Node& second) {
         const Node* left = isInPlace(first) ? operand(graph, first, 0) : nullptr;
         const Node* right = isInPlace(second) ? operand(graph, second, 0) : nullptr;
         return left != nullptr && right != nullptr && left != right && (isView(*left) || isView(*right));
       })},
      {"draws_exchanged", kClass, kCapturedStage, "two draws of random numbers change places",
       "they stand behind each other", firstPair([](const Graph&, const Node& first, const Node& second) {
         return isRandom(first) && isRandom(second);
       })},
      {"last_write_first", kClass, kCapturedStage, "a copy_ moves up by two calls",
       "what stands before it reads or writes the tensor", GraphChange([](Graph& graph) {
         for (size_t i = 2; i < graph.nodes().size(); ++i) {
           if (isCall(graph.nodes()[i], "copy_") && graph.nodes()[i - 2].kind == ir::NodeKind::kOperator &&
               graph.nodes()[i - 1].kind == ir::NodeKind::kOperator) {
             if (swapNeighbours(graph, static_cast<NodeId>(i - 1))) {
               swapNeighbours(graph, static_cast<NodeId>(i - 2));
             }
             return;
           }
         }
       })},
  };
}

} // namespace touchstone::faults
