#include "graph/symbols/SymbolicGraph.h"

#include <map>

namespace touchstone::symbols {

namespace {

// Each expression is printed as a number that nothing else is, and put in afterwards.
constexpr int64_t kMark = 7'361'550'482'913'000'000;
constexpr double kFloatMark = 736'155'048.5;

void put(const std::string& mark, const std::string& expression, std::string& text) {
  for (size_t found = text.find(mark); found != std::string::npos; found = text.find(mark)) {
    text.replace(found, mark.size(), expression);
  }
}

bool isContiguous(const std::vector<Expression>& sizes, const std::vector<Expression>& strides) {
  Expression inside = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i].constant() == 1) {
      continue;
    }
    if (!(strides[i] == inside)) {
      return false;
    }
    inside = inside * sizes[i];
  }
  return true;
}

} // namespace

std::string SymbolicGraph::text(const std::string& name) const {
  return text([&](const ir::Graph& graph) { return ir::printGraph(graph, name); });
}

std::string SymbolicGraph::text(const std::function<std::string(const ir::Graph&)>& print) const {
  ir::Graph graph = graph_;
  const std::vector<int64_t*> places = numbersOf(graph);
  std::map<const int64_t*, Expression> varying;
  std::vector<std::string> expressions;
  const auto mark = [&](const Expression& expression) {
    expressions.push_back(expression.text());
    return kMark + static_cast<int64_t>(expressions.size()) - 1;
  };
  for (const auto& [number, expression] : numbers_.varying()) {
    varying.emplace(places[number], expression);
    *places[number] = mark(expression);
  }
  const auto expressionAt = [&](const int64_t& place) {
    const auto found = varying.find(&place);
    return found == varying.end() ? Expression(place) : found->second;
  };
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    std::optional<ir::TensorMetadata>& metadata = graph.node(static_cast<ir::NodeId>(i)).metadata;
    if (!metadata || metadata->strides.size() != metadata->sizes.size()) {
      continue;
    }
    std::vector<Expression> sizes, strides;
    for (size_t d = 0; d < metadata->sizes.size(); ++d) {
      sizes.push_back(expressionAt(metadata->sizes[d]));
      strides.push_back(expressionAt(metadata->strides[d]));
    }
    if (isContiguous(sizes, strides)) { // a printer cannot tell by the marks
      metadata->strides.clear();
    }
  }
  for (const auto& [number, expression] : ofConstants_.varying()) {
    const size_t constant = integers_[number];
    graph.replaceConstant(constant, constants_.withInteger(graph.constants()[constant].get(), mark(expression)));
  }
  const std::vector<double*> floats = floatsOf(graph);
  for (size_t i = 0; i < floats_.size(); ++i) {
    *floats[floats_[i].first] = kFloatMark + static_cast<double>(i);
  }
  std::string text = print(graph);
  for (size_t i = 0; i < expressions.size(); ++i) {
    put(std::to_string(kMark + static_cast<int64_t>(i)), expressions[i], text);
  }
  for (size_t i = 0; i < floats_.size(); ++i) {
    put(std::to_string(static_cast<int64_t>(kFloatMark) + static_cast<int64_t>(i)) + ".5", floats_[i].second.text(),
        text);
  }
  return text;
}

std::set<Symbol> SymbolicGraph::symbols() const {
  std::set<Symbol> symbols;
  for (const Numbers* numbers : {&numbers_, &ofConstants_}) {
    for (const auto& [number, expression] : numbers->varying()) {
      symbols.merge(expression.symbols());
    }
  }
  return symbols;
}

} // namespace touchstone::symbols
