#include "graph/ir/Graph.h"

#include <array>
#include <sstream>

namespace touchstone::graph {

namespace {

struct ArgumentPrinter {
  const Graph& graph;
  std::ostream& out;

  void print(const Argument& argument) { std::visit(*this, argument.payload); }

  void operator()(std::monostate) { out << "None"; }
  void operator()(NodeReference reference) { out << graph.node(reference.node).name; }
  void operator()(bool value) { out << (value ? "True" : "False"); }
  void operator()(int64_t value) { out << value; }
  void operator()(double value) { out << value; }
  void operator()(std::complex<double> value) { out << value.real() << "+" << value.imag() << "j"; }
  void operator()(const std::string& value) { out << '"' << value << '"'; }
  void operator()(DtypeConstant value) { out << "torch." << dtypeName(value); }
  void operator()(LayoutConstant value) { out << "layout:" << value.value; }
  void operator()(MemoryFormatConstant value) { out << "memory_format:" << value.value; }
  void operator()(const DeviceConstant& value) { out << '"' << value.text << '"'; }
  void operator()(const Argument::Container& container) {
    using Kind = Argument::Container::Kind;
    const char* brackets = container.kind == Kind::kList ? "[]" : container.kind == Kind::kDict ? "{}" : "()";
    out << brackets[0];
    for (size_t i = 0; i < container.items.size(); ++i) {
      out << (i > 0 ? ", " : "");
      if (container.kind == Kind::kDict) {
        out << '"' << container.keys.at(i) << "\": ";
      }
      print(container.items[i]);
    }
    if (brackets[0] == '(' && container.items.size() == 1) {
      out << ",";
    }
    out << brackets[1];
  }
};

void printMetadata(const TensorMetadata& metadata, std::ostream& out) {
  auto list = [&](const std::vector<int64_t>& numbers) {
    for (size_t i = 0; i < numbers.size(); ++i) {
      out << (i > 0 ? ", " : "") << numbers[i];
    }
  };
  out << "  # " << dtypeName(metadata.dtype) << "[";
  list(metadata.sizes);
  out << "] strides [";
  list(metadata.strides);
  out << "]";
  if (metadata.offset != 0) {
    out << " offset " << metadata.offset;
  }
  if (metadata.conjugate) {
    out << " conj";
  }
  if (metadata.negative) {
    out << " neg";
  }
  if (metadata.requiresGrad) {
    out << " requires_grad";
  }
}

} // namespace

std::string dtypeName(DtypeConstant dtype) {
  // In the order of c10::ScalarType.
  static constexpr std::array kNames{"uint8",   "int8",    "int16",     "int32",     "int64",      "float16",
                                     "float32", "float64", "complex32", "complex64", "complex128", "bool",
                                     "qint8",   "quint8",  "qint32",    "bfloat16"};
  const auto number = static_cast<size_t>(dtype.value);
  return number < kNames.size() ? kNames[number] : "dtype" + std::to_string(dtype.value);
}

std::string printGraph(const Graph& graph, const std::string& name) {
  std::ostringstream out;
  ArgumentPrinter printer{graph, out};
  out << name << "(";
  for (size_t i = 0; i < graph.placeholders().size(); ++i) {
    out << (i > 0 ? ", " : "") << graph.node(graph.placeholders()[i]).name;
  }
  out << "):\n";
  for (const Node& node : graph.nodes()) {
    if (node.kind == NodeKind::kPlaceholder) {
      continue;
    }
    out << "    " << node.name << " = ";
    if (node.kind == NodeKind::kConstant) {
      out << "constant " << node.constant;
    } else if (node.kind == NodeKind::kElement) {
      printer.print(node.arguments[0]);
      out << "[";
      printer.print(node.arguments[1]);
      out << "]";
    } else {
      out << node.target << "(";
      for (size_t i = 0; i < node.arguments.size(); ++i) {
        out << (i > 0 ? ", " : "");
        printer.print(node.arguments[i]);
      }
      out << ")";
    }
    if (node.metadata) {
      printMetadata(*node.metadata, out);
    }
    if (!node.state.gradEnabled) {
      out << (node.metadata ? " " : "  # ") << "no_grad";
    }
    out << "\n";
  }
  out << "    return ";
  printer.print(graph.output);
  out << "\n";
  return out.str();
}

} // namespace touchstone::graph
