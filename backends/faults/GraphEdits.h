#pragma once

#include "graph/ir/Graph.h"

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace touchstone::faults {

/// Looks at a node whose arguments are already nodes of `graph`, the Graph in the making. Returns what takes its place there;
/// nothing: the node itself.
using NodeRewrite = std::function<std::optional<ir::NodeId>(ir::Graph& graph, const ir::Node& node)>;

/// The Graph node by node, each replaced by what `rewrite` says of it.
void rewriteNodes(ir::Graph& graph, const NodeRewrite& rewrite);
/// The same nodes in another order, in which each stands behind what it reads. Left as it is where one does not.
void reorderNodes(ir::Graph& graph, const std::vector<ir::NodeId>& order);
/// Exchanges two nodes that stand beside each other. False: the later one reads the earlier one.
bool swapNeighbours(ir::Graph& graph, ir::NodeId first);

/// A call of one of these operators of ATen, by name without namespace: `mul` is any overload, `mul.Tensor` is one.
bool isCall(const ir::Node& node, std::initializer_list<std::string_view> names);
inline bool isCall(const ir::Node& node, std::string_view name) {
  return isCall(node, {name});
}
/// A call that writes to its first argument: its name ends in an underscore.
bool isInPlace(const ir::Node& node);
/// A call that gives another view of its first argument's memory, or may.
bool isView(const ir::Node& node);
bool isRandom(const ir::Node& node);

/// The node that an argument is; -1: it is none.
ir::NodeId nodeOf(const ir::Argument& argument);
/// The node that an argument of a call is, null where there is none.
const ir::Node* operand(const ir::Graph& graph, const ir::Node& node, size_t position);
/// A number, as itself or as a constant without dimensions; nothing otherwise.
std::optional<double> numberOf(const ir::Graph& graph, const ir::Argument& argument);
/// The same of a whole number alone.
std::optional<int64_t> integerOf(const ir::Argument& argument);
/// A list of whole numbers; empty where it is none.
std::vector<int64_t> integersOf(const ir::Argument& argument);

/// A dimension that may count from the end; `rank` is not 0.
size_t wrapped(int64_t dim, size_t rank);
bool isContiguous(const ir::TensorMetadata& layout);
/// dtype, sizes where they are known.
std::optional<ir::DtypeConstant> dtypeOf(const ir::Graph& graph, ir::NodeId node);
std::vector<int64_t> sizesOf(const ir::Graph& graph, ir::NodeId node);
bool isHalf(const ir::Graph& graph, ir::NodeId node); // float16 or bfloat16
bool isFloating(const ir::Graph& graph, ir::NodeId node);
bool isInteger(const ir::Graph& graph, ir::NodeId node);

using Instead = std::optional<ir::NodeId>;
/// A rewrite of the calls of these operators alone.
NodeRewrite onCalls(std::vector<std::string_view> names, NodeRewrite rewrite);
/// Calls of these operators give what they were given first.
NodeRewrite dropped(std::vector<std::string_view> names);
/// The argument at this position, where it is not that already, is this one.
NodeRewrite withArgument(std::vector<std::string_view> names, size_t position, ir::Argument argument);
/// Two whole-number arguments change places; the same of nodes.
NodeRewrite withSwapped(std::vector<std::string_view> names, size_t first, size_t second);
/// The same arguments for another operator.
NodeRewrite renamed(std::vector<std::string_view> names, std::string target);
/// The arguments up to here for another operator, then these.
NodeRewrite renamed(std::vector<std::string_view> names, std::string target, size_t kept,
                    std::vector<ir::Argument> more);

/// How often each node is read, outputs included.
std::vector<int> useCounts(const ir::Graph& graph);

/// Adds a call in the state of `like`, with its metadata.
ir::NodeId emit(ir::Graph& graph, ir::Node like, std::string target, std::vector<ir::Argument> arguments);
/// Adds a node as it is, its arguments already those of `graph`: to go on with what it gives.
ir::NodeId emitSame(ir::Graph& graph, const ir::Node& node);
/// The call with other arguments.
ir::NodeId emitWith(ir::Graph& graph, ir::Node node, size_t position, ir::Argument argument);
ir::Argument number(int64_t value);
ir::Argument number(double value);

} // namespace touchstone::faults
