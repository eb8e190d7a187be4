#include "graph/symbols/SymbolicGraph.h"

#include "graph/ir/Subgraph.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace touchstone::symbols {

namespace {

using ir::Argument;
using ir::Graph;
using ir::Node;
using ir::TensorMetadata;

/// `Number`: int64_t or double.
template <class Number, class AnyArgument, class Visit>
void visitNumbers(AnyArgument& argument, const Visit& visit) {
  if (auto* number = std::get_if<Number>(&argument.payload)) {
    visit(*number);
  } else if (auto* container = std::get_if<Argument::Container>(&argument.payload)) {
    for (auto& item : container->items) {
      visitNumbers<Number>(item, visit);
    }
  }
}

template <class AnyMetadata, class Visit>
void visitNumbersOfTensor(AnyMetadata& metadata, const Visit& visit) {
  for (auto* numbers : {&metadata.sizes, &metadata.strides}) {
    std::for_each(numbers->begin(), numbers->end(), visit);
  }
  visit(metadata.offset);
}

template <class AnyNode, class Visit>
void visitNumbersOfNode(AnyNode& node, const Visit& visit) {
  for (auto& argument : node.arguments) { // before the metadata, which hang on them
    visitNumbers<int64_t>(argument, visit);
  }
  if (node.metadata) {
    visitNumbersOfTensor(*node.metadata, visit);
  }
  for (auto& result : node.functionalResults) {
    visitNumbersOfTensor(result, visit);
  }
}

template <class AnyGraph, class Visit>
void visitNumbersBehindNodes(AnyGraph& graph, const Visit& visit) {
  for (auto& storage : graph.storages) {
    visit(storage.bytes);
  }
  visitNumbers<int64_t>(graph.output, visit);
}

bool sameButNumbers(const Argument& left, const Argument& right, Floats floats = Floats::kSame) {
  if (left.payload.index() != right.payload.index()) {
    return false;
  }
  if (std::holds_alternative<int64_t>(left.payload) ||
      (floats == Floats::kFitted && std::holds_alternative<double>(left.payload))) {
    return true;
  }
  const auto* container = std::get_if<Argument::Container>(&left.payload);
  if (container == nullptr) {
    return left == right;
  }
  const auto& other = std::get<Argument::Container>(right.payload);
  return container->kind == other.kind && container->keys == other.keys &&
         std::equal(
             container->items.begin(), container->items.end(), other.items.begin(), other.items.end(),
             [floats](const Argument& one, const Argument& another) { return sameButNumbers(one, another, floats); });
}

bool sameButNumbers(const TensorMetadata& left, const TensorMetadata& right) {
  return left.sizes.size() == right.sizes.size() && left.strides.size() == right.strides.size() &&
         left.dtype == right.dtype && left.device == right.device && left.requiresGrad == right.requiresGrad &&
         left.conjugate == right.conjugate && left.negative == right.negative && left.storage == right.storage;
}

bool sameButNumbers(const Node& left, const Node& right, Floats floats) {
  return left.kind == right.kind && left.target == right.target && left.state == right.state &&
         left.writes == right.writes && left.backward == right.backward &&
         std::equal(
             left.arguments.begin(), left.arguments.end(), right.arguments.begin(), right.arguments.end(),
             [floats](const Argument& one, const Argument& other) { return sameButNumbers(one, other, floats); }) &&
         left.metadata.has_value() == right.metadata.has_value() &&
         (!left.metadata || sameButNumbers(*left.metadata, *right.metadata)) &&
         std::equal(left.functionalResults.begin(), left.functionalResults.end(), right.functionalResults.begin(),
                    right.functionalResults.end(),
                    [](const TensorMetadata& one, const TensorMetadata& other) { return sameButNumbers(one, other); });
}

/// Where two Graphs are more than other numbers; empty: nowhere.
std::string difference(const Graph& left, const Graph& right, const Constants& constants, Floats floats) {
  for (size_t i = 0; i < left.nodes().size() && i < right.nodes().size(); ++i) {
    const Node &one = left.nodes()[i], &other = right.nodes()[i];
    const std::string what = one.target.empty() ? one.name : one.target;
    if (!sameButNumbers(one, other, floats)) {
      return what + " is " + (one.target == other.target ? "called otherwise" : other.target + " for other sizes");
    }
    if (one.kind == ir::NodeKind::kCallable) {
      const void* a = left.callables()[static_cast<size_t>(one.callable)].get();
      const void* b = right.callables()[static_cast<size_t>(other.callable)].get();
      if (a != b && !(a != nullptr && b != nullptr && constants.callSame(a, b))) {
        return what + ", which is no operator";
      }
    }
    if (one.kind == ir::NodeKind::kConstant) {
      const void* a = left.constants()[static_cast<size_t>(one.constant)].get();
      const void* b = right.constants()[static_cast<size_t>(other.constant)].get();
      if (!constants.areSame(a, b) && !(constants.integerOf(a) && constants.integerOf(b))) {
        return "a constant tensor is computed from sizes";
      }
    }
  }
  if (left.nodes().size() != right.nodes().size()) {
    return "the number of operations";
  }
  if (!sameButNumbers(left.output, right.output)) {
    return "what is returned";
  }
  const bool sameStorages = std::equal(left.storages.begin(), left.storages.end(), right.storages.begin(),
                                       right.storages.end(), [](const auto& one, const auto& other) {
                                         return one.dtype == other.dtype && one.root == other.root &&
                                                one.input == other.input && one.isPlacedIn == other.isPlacedIn;
                                       });
  return sameStorages ? "" : "what shares memory";
}

std::vector<std::vector<int64_t>> numbersOfEach(const std::vector<const Graph*>& samples, const Constants& constants,
                                                Floats floats) {
  std::vector<std::vector<int64_t>> numbers;
  for (const Graph* sample : samples) {
    if (sample != samples[0]) {
      if (const std::string where = difference(*samples[0], *sample, constants, floats); !where.empty()) {
        throw NotSymbolic(where);
      }
    }
    std::vector<int64_t>& values = numbers.emplace_back();
    values.reserve(numbers[0].size());
    const auto take = [&](int64_t number) { values.push_back(number); };
    for (const Node& node : sample->nodes()) {
      visitNumbersOfNode(node, take);
    }
    visitNumbersBehindNodes(*sample, take);
  }
  return numbers;
}

std::vector<size_t> integersAmong(const Graph& graph, const Constants& constants) {
  std::vector<size_t> integers;
  for (size_t i = 0; i < graph.constants().size(); ++i) {
    if (constants.integerOf(graph.constants()[i].get())) {
      integers.push_back(i);
    }
  }
  return integers;
}

std::vector<std::vector<int64_t>> integersOfEach(const std::vector<const Graph*>& samples,
                                                 const std::vector<size_t>& which, const Constants& constants) {
  std::vector<std::vector<int64_t>> integers;
  for (const Graph* sample : samples) {
    std::vector<int64_t>& values = integers.emplace_back();
    for (const size_t i : which) {
      const std::optional<int64_t> integer =
          i < sample->constants().size() ? constants.integerOf(sample->constants()[i].get()) : std::nullopt;
      if (!integer) {
        throw NotSymbolic("what is computed with");
      }
      values.push_back(*integer);
    }
  }
  return integers;
}

/// Those among the arguments of nodes.
template <class AnyGraph, class Visit>
void visitFloats(AnyGraph& graph, const Visit& visit) {
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    for (auto& argument : graph.node(static_cast<ir::NodeId>(i)).arguments) {
      visitNumbers<double>(argument, visit);
    }
  }
}

/// Those that are not the same in all samples.
std::vector<std::pair<size_t, FloatExpression>> fittedFloats(const std::vector<const Graph*>& samples,
                                                             Fitting& fitting) {
  std::vector<std::vector<double>> floats(samples.size());
  for (size_t i = 0; i < samples.size(); ++i) {
    visitFloats(*samples[i], [&](double number) { floats[i].push_back(number); });
  }
  std::vector<std::pair<size_t, FloatExpression>> fitted;
  for (size_t i = 0; i < floats[0].size(); ++i) {
    std::vector<double> values;
    std::ranges::transform(floats, std::back_inserter(values), [&](const auto& sample) { return sample.at(i); });
    const auto bits = [](double value) { return std::bit_cast<uint64_t>(value); };
    if (std::ranges::all_of(values, [&](double value) { return bits(value) == bits(values[0]); })) {
      continue;
    }
    if (samples.size() < kAssignmentsForFloats) {
      throw TooFewAssignments("a float is computed from sizes, and few sizes are possible");
    }
    std::optional<FloatExpression> expression = fitFloat(values, fitting);
    if (!expression) {
      throw NotSymbolic("no expression gives a float of the graph");
    }
    fitted.emplace_back(i, std::move(*expression));
  }
  return fitted;
}

const std::set<Symbol> kAnySymbol;

} // namespace

Numbers::Numbers(const std::vector<std::vector<int64_t>>& samples, Fitting& fitting,
                 const std::function<std::string(size_t number)>& where)
    : Numbers(
          samples, fitting, [](size_t) -> const std::set<Symbol>& { return kAnySymbol; },
          [](size_t, const Expression&) {}, where) {}

Numbers::Numbers(const std::vector<std::vector<int64_t>>& samples, Fitting& fitting,
                 const std::function<const std::set<Symbol>&(size_t number)>& likely,
                 const std::function<void(size_t number, const Expression& expression)>& see,
                 const std::function<std::string(size_t number)>& where)
    : count_(samples.at(0).size()) {
  if (std::ranges::any_of(samples, [&](const auto& sample) { return sample.size() != count_; })) {
    throw NotSymbolic("how many numbers there are");
  }
  std::vector<int64_t> values(samples.size());
  for (size_t i = 0; i < count_; ++i) {
    if (std::ranges::all_of(samples, [&](const auto& sample) { return sample[i] == samples[0][i]; })) {
      continue; // a number
    }
    std::ranges::transform(samples, values.begin(), [&](const auto& sample) { return sample[i]; });
    std::optional<Expression> expression = fitting.fit(values, likely(i));
    if (!expression) {
      throw NotSymbolic("no expression gives " + where(i));
    }
    see(i, *expression);
    varying_.emplace_back(i, std::move(*expression));
  }
}

void Numbers::put(const std::vector<int64_t*>& places, const Assignment& assignment) const {
  for (const auto& [number, expression] : varying_) {
    *places.at(number) = expression.at(assignment);
  }
}

void addNumbers(TensorMetadata& metadata, std::vector<int64_t*>& places) {
  visitNumbersOfTensor(metadata, [&](int64_t& number) { places.push_back(&number); });
}

std::vector<int64_t> valuesAt(const std::vector<int64_t*>& places) {
  std::vector<int64_t> values;
  std::transform(places.begin(), places.end(), std::back_inserter(values), [](const int64_t* place) { return *place; });
  return values;
}

std::vector<int64_t*> numbersOf(Graph& graph) {
  std::vector<int64_t*> places;
  const auto take = [&](int64_t& number) { places.push_back(&number); };
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    visitNumbersOfNode(graph.node(static_cast<ir::NodeId>(i)), take);
  }
  visitNumbersBehindNodes(graph, take);
  return places;
}

std::vector<double*> floatsOf(Graph& graph) {
  std::vector<double*> places;
  visitFloats(graph, [&](double& number) { places.push_back(&number); });
  return places;
}

std::vector<bool> varyingSizes(const std::vector<const Graph*>& samples, ir::NodeId node) {
  const std::optional<TensorMetadata>& first = samples[0]->node(node).metadata;
  std::vector<bool> varies(first ? first->sizes.size() : 0);
  for (size_t i = 0; i < varies.size(); ++i) {
    varies[i] = std::ranges::any_of(
        samples, [&](const Graph* each) { return each->node(node).metadata->sizes[i] != first->sizes[i]; });
  }
  return varies;
}

namespace {

bool hasLargeNumber(const Argument& argument) {
  if (const auto* number = std::get_if<int64_t>(&argument.payload)) {
    return *number > 1 || *number < -1;
  }
  const auto* container = std::get_if<Argument::Container>(&argument.payload);
  return container != nullptr && std::ranges::any_of(container->items, hasLargeNumber);
}

bool cutsSizes(const std::vector<const Graph*>& samples, ir::NodeId id) {
  const Graph& graph = *samples[0];
  const Node& node = graph.node(id);
  if (node.kind != ir::NodeKind::kOperator || !node.metadata) {
    return false;
  }
  bool readsVarying = false, keepsSizes = false;
  std::set<int64_t> numbers{0, 1}; // sizes of operands that are always the same
  ir::forEachOperand(node, [&](ir::NodeId operand) {
    const std::vector<bool> varies = varyingSizes(samples, operand);
    for (size_t i = 0; i < varies.size(); ++i) {
      readsVarying = readsVarying || varies[i];
      numbers.insert(varies[i] ? 0 : graph.node(operand).metadata->sizes[i]);
    }
    keepsSizes = keepsSizes || (!varies.empty() && graph.node(operand).metadata->sizes == node.metadata->sizes);
  });
  const std::vector<bool> varies = varyingSizes(samples, id);
  for (size_t i = 0; i < varies.size() && readsVarying; ++i) {
    if (!varies[i] && !numbers.contains(node.metadata->sizes[i])) {
      return true;
    }
  }
  return !keepsSizes && std::ranges::any_of(node.arguments, hasLargeNumber);
}

} // namespace

bool cutsSizes(const std::vector<const Graph*>& samples) {
  for (size_t i = 0; i < samples.at(0)->nodes().size(); ++i) {
    if (cutsSizes(samples, static_cast<ir::NodeId>(i))) {
      return true;
    }
  }
  return false;
}

Numbers numbersByNode(const std::vector<const Graph*>& samples, Fitting& fitting, const Constants& constants,
                      Floats floats) {
  const std::vector<std::vector<int64_t>> numbers = numbersOfEach(samples, constants, floats);
  const Graph& graph = *samples[0];
  std::vector<size_t> ends; // behind the numbers of each node
  size_t read = 0;
  for (const Node& node : graph.nodes()) {
    visitNumbersOfNode(node, [&](int64_t) { ++read; });
    ends.push_back(read);
  }
  std::vector<std::set<Symbol>> symbols(graph.nodes().size() + 1); // by node; of what is behind them none
  size_t node = 0;
  const auto likely = [&](size_t number) -> const std::set<Symbol>& {
    while (node < ends.size() && number >= ends[node]) {
      ++node;
      if (node < ends.size()) {
        for (const Argument& argument : graph.nodes()[node].arguments) {
          ir::forEachReference(argument, [&](ir::NodeId operand) {
            const std::set<Symbol>& of = symbols[static_cast<size_t>(operand)];
            symbols[node].insert(of.begin(), of.end());
          });
        }
      }
    }
    const bool isPlaceholder = node < ends.size() && graph.nodes()[node].kind == ir::NodeKind::kPlaceholder;
    return isPlaceholder ? kAnySymbol : symbols[std::min(node, symbols.size() - 1)];
  };
  const auto see = [&](size_t, const Expression& expression) {
    if (node < ends.size()) {
      symbols[node].merge(expression.symbols());
    }
  };
  return {numbers, fitting, likely, see, [](size_t) { return std::string("a size of the graph"); }};
}

SymbolicGraph::SymbolicGraph(const std::vector<const Graph*>& samples, Fitting& fitting, const Constants& constants,
                             Floats floats)
    : graph_(*samples.at(0)),
      constants_(constants),
      integers_(integersAmong(graph_, constants)),
      ofConstants_(integersOfEach(samples, integers_, constants), fitting,
                   [&](size_t) { return std::string("an int that is computed with"); }),
      numbers_(numbersByNode(samples, fitting, constants, floats)),
      floats_(floats == Floats::kFitted ? fittedFloats(samples, fitting) : decltype(floats_)()) {}

Graph SymbolicGraph::at(const Assignment& assignment) const {
  Graph graph = graph_;
  numbers_.put(numbersOf(graph), assignment);
  const std::vector<double*> floats = floats_.empty() ? std::vector<double*>() : floatsOf(graph);
  for (const auto& [number, expression] : floats_) {
    *floats.at(number) = expression.at(assignment);
  }
  for (const auto& [number, expression] : ofConstants_.varying()) {
    const size_t constant = integers_[number];
    graph.replaceConstant(constant,
                          constants_.withInteger(graph.constants()[constant].get(), expression.at(assignment)));
  }
  return graph;
}

} // namespace touchstone::symbols
