// The numbers that autograd gives to forward calls, and by which a backward node is known to be theirs.
#include "tests/backends/FallbackPrograms.h"

#include "backends/capture/ExportedProgram.h"
#include "graph/ir/Subgraph.h"

#include <ATen/record_function.h>

#include <mutex>
#include <regex>
#include <set>

namespace touchstone::tests {
namespace {

constexpr const char* kModel =
    "m = torch.nn.Module()\n"
    "m.conv1 = torch.nn.Conv2d(in_channels=16, out_channels=16, kernel_size=(1, 1), stride=1, "
    "padding=\"same\", bias=True)\n"
    "m.bn1 = torch.nn.BatchNorm2d(num_features=16)\n"
    "m.fc1 = torch.nn.Linear(in_features=1638400, out_features=1)\n"
    "x = torch.rand(100, 16, 32, 32).requires_grad_()\n"
    "return (m, x, torch.rand(1)), ()";

// `torch.nn.L1Loss` is `l1_loss`.
constexpr const char* kForward =
    "def forward(m, x, target):\n"
    "    y = x\n"
    "    x = m.conv1(x)\n"
    "    x = m.bn1(x)\n"
    "    x = torch.relu(x)\n"
    "    x = x + y\n"
    "    x = torch.flatten(x)\n"
    "    x = m.fc1(x)\n"
    "    output = torch.nn.functional.l1_loss(x, target)\n"
    "    return (output,)\n\n\n";

/// The sequence numbers of autograd's nodes that run while it lives, as a profiler sees them.
class BackwardNumbers {
 public:
  BackwardNumbers()
      : handle_(at::addGlobalCallback(
            at::RecordFunctionCallback([](const at::RecordFunction& function) -> std::unique_ptr<at::ObserverContext> {
              static const std::regex kBackward("Backward[01]");
              if (current != nullptr && function.seqNr() >= 0 && std::regex_search(function.name(), kBackward)) {
                const std::lock_guard<std::mutex> lock(current->mutex_);
                current->numbers.insert(function.seqNr());
              }
              return nullptr;
            }).scopes({at::RecordScope::BACKWARD_FUNCTION}))) {
    current = this;
  }
  ~BackwardNumbers() {
    current = nullptr;
    at::removeCallback(handle_);
  }

  std::set<int64_t> numbers;

 private:
  static inline BackwardNumbers* current = nullptr;
  std::mutex mutex_;
  at::CallbackHandle handle_;
};

// The seed means to say that the backward of the model runs 13 nodes with numbers of their own, but its assertion
// cannot fail, and 13 is not true. With PyTorch 2.13: eager has 11 (what leads to `x` alone runs, so the transposition of
// `fc1.weight` does not); AOT autograd, which takes all gradients when it compiles, has 12, those of the table below.
TEST(AotAutogradFallbackTests, eager_sequence_nr) {
  const language::Case theCase =
      fallbackCase(std::string(kForward) +
                       "def program(m, x, target, grad_output):\n"
                       "    y = forward(m, x, target)\n"
                       "    gx = torch.autograd.grad(y[0], x, create_graph=True, grad_outputs=grad_output)[0]\n"
                       "    return gx\n",
                   kModel);
  values::ValueList arguments = argumentsOf(theCase);
  arguments.emplace_back(at::ones({}).requires_grad_());
  const Optimized nodeByNode(theCase, {.compiler = backends::compileToInterpreter, .traceGradients = false});
  const Optimized aot(theCase, {.compiler = aot_autograd::aotCompiler(), .traceGradients = false});
  auto numbersOf = [&](values::Callable& program, values::Value& result) {
    const BackwardNumbers seen;
    result = Optimized::call(program, arguments);
    return seen.numbers;
  };
  values::Value expected, actual;
  const std::set<int64_t> ofEager = numbersOf(*nodeByNode.eager, expected);
  EXPECT_EQ(ofEager.size(), 11u);
  for (int times = 0; times < 2; ++times) { // captured, and found in the cache
    EXPECT_EQ(numbersOf(*nodeByNode.compiled, actual).size(), 11u);
    expectSame(expected, actual);
  }
  const std::set<int64_t> ofAot = numbersOf(*aot.compiled, actual);
  EXPECT_EQ(ofAot.size(), 12u);
  EXPECT_EQ(*ofAot.rbegin() - *ofAot.begin(), 11); // without gaps
  EXPECT_TRUE(at::allclose(expected.tensor(), actual.tensor()));
  EXPECT_EQ(numbersOf(*aot.compiled, actual).size(), 0u); // compiled: one node stands for all
}

/// What the lines of `forward` call, in the words of the table.
const std::vector<std::string>& sourcesOfLines() {
  static const std::vector<std::string> sources{"",    "l__self___conv1", "l__self___bn1", "l__self___relu1",
                                                "add", "flatten",         "l__self___fc1", "l__self___loss_fn"};
  return sources;
}

/// A row for each operator: `7|aten.addmm.default|l__self___fc1`.
std::vector<std::string> tableOf(const ir::Graph& joint, const language::Case& theCase) {
  const int firstLine = theCase.find("forward")->body[0]->place.line;
  int64_t first = -1;
  std::vector<std::string> table;
  for (const ir::Node& node : joint.nodes()) {
    if (node.kind != ir::NodeKind::kOperator) {
      continue;
    }
    first = first < 0 ? node.sequence : first;
    std::string operation = std::regex_replace(node.target, std::regex("::"), ".");
    operation += std::count(operation.begin(), operation.end(), '.') == 1 ? ".default" : "";
    table.push_back(std::to_string(node.sequence - first) + "|" + operation + "|" +
                    (node.backward ? "" : sourcesOfLines().at(static_cast<size_t>(node.line - firstLine))));
  }
  return table;
}

/// The seed's table, row by row.
const std::vector<std::string> kTable{
    "0|aten.convolution.default|l__self___conv1",
    "0|aten.add.Tensor|l__self___bn1",
    "1|aten._native_batch_norm_legit_functional.default|l__self___bn1",
    "2|aten.relu.default|l__self___relu1",
    "2|aten.detach.default|l__self___relu1",
    "2|aten.detach.default|l__self___relu1",
    "3|aten.add.Tensor|add",
    "4|aten.view.default|flatten",
    "5|aten.view.default|l__self___fc1",
    "6|aten.t.default|l__self___fc1",
    "7|aten.addmm.default|l__self___fc1",
    "8|aten.view.default|l__self___fc1",
    "9|aten.sub.Tensor|l__self___loss_fn",
    "10|aten.abs.default|l__self___loss_fn",
    "11|aten.mean.default|l__self___loss_fn",
    "11|aten.ones_like.default|",
    "11|aten.expand.default|",
    "11|aten.div.Scalar|",
    "10|aten.sgn.default|",
    "10|aten.mul.Tensor|",
    "8|aten.view.default|",
    "7|aten.t.default|",
    "7|aten.mm.default|",
    "7|aten.t.default|",
    "7|aten.mm.default|",
    "7|aten.t.default|",
    "7|aten.sum.dim_IntList|",
    "7|aten.view.default|",
    "6|aten.t.default|",
    "5|aten.view.default|",
    "4|aten.view.default|",
    "2|aten.detach.default|",
    "2|aten.detach.default|",
    "2|aten.threshold_backward.default|",
    "1|aten.native_batch_norm_backward.default|",
    "0|aten.convolution_backward.default|",
    "11|aten.add.Tensor|",
};

std::vector<std::string> rowsOf(const std::vector<std::string>& table,
                                const std::function<bool(const std::string&)>& is) {
  std::vector<std::string> rows;
  std::copy_if(table.begin(), table.end(), std::back_inserter(rows), is);
  return rows;
}

/// Rows of `left` that `right` has not, sorted; each counts as often as it occurs.
std::vector<std::string> without(std::vector<std::string> left, std::vector<std::string> right) {
  std::sort(left.begin(), left.end());
  std::sort(right.begin(), right.end());
  std::vector<std::string> rows;
  std::set_difference(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(rows));
  return rows;
}

/// Between a view and the first operator that reads it there are only views that it reads, too; what no operator reads, a
/// gradient, stands behind them all.
void expectViewsWhereTheyAreRead(const ir::Graph& joint) {
  static const std::set<std::string> kViews{"aten::view", "aten::t", "aten::expand"};
  const auto& nodes = joint.nodes();
  auto isView = [&](size_t node) { return nodes[node].backward && kViews.contains(nodes[node].target); };
  auto reads = [&](size_t reader, size_t read) {
    bool does = false;
    for (const ir::Argument& argument : nodes[reader].arguments) {
      ir::forEachReference(argument, [&](ir::NodeId node) { does = does || static_cast<size_t>(node) == read; });
    }
    return does;
  };
  int views = 0;
  for (size_t view = 0; view < nodes.size(); ++view) {
    if (!isView(view)) {
      continue;
    }
    ++views;
    size_t reader = view + 1;
    while (reader < nodes.size() && !reads(reader, view)) {
      EXPECT_TRUE(isView(reader)) << nodes[reader].name << " stands between " << nodes[view].name << " and its reader";
      ++reader;
    }
  }
  EXPECT_EQ(views, 9);
}

// The joint Graph of the model has the seed's rows in all three columns, but for these:
// - Autograd saves a result by a copy of the handle, which is no operator, so there is no `detach`.
// - The gradient of the loss is an input of the joint Graph, so nothing makes it with `ones_like`.
// - The two gradients of `x` are summed by no node; the sum counts with the node that ran last, 0, in the seed with 11.
// - Views have no effect of their own and stand where they are read first, some at the end, as parts of gradients.
// (PyTorch 2.13 numbers the backward on, from 12 to 27; the native Graph has the forward's numbers, as the seed has them.)
TEST(AotAutogradFallbackTests, aot_sequence_nr) {
  const language::Case theCase =
      fallbackCase(std::string(kForward) + "def program(m, x, target):\n    return forward(m, x, target)\n", kModel);
  const values::ValueList arguments = argumentsOf(theCase);
  const std::unique_ptr<capture::ExportedProgram> exported = capture::exportGraph(theCase, arguments);
  std::vector<at::Tensor> inputs;
  exported->compile(
      [&](ir::Graph graph, const std::vector<at::Tensor>& examples) {
        inputs = examples;
        return backends::compileToInterpreter(std::move(graph), examples);
      },
      arguments);
  const ir::Graph joint = aot_autograd::aotExportJointSimple(
      exported->graph(), inputs, /*traceJoint=*/true, fake::Backing::kValues, aot_autograd::ExportedWrites::kReturned);
  const std::vector<std::string> table = tableOf(joint, theCase);
  auto isForward = [](const std::string& row) { return row.back() != '|'; };
  auto isDetach = [](const std::string& row) { return contains(row, "aten.detach"); };
  auto isView = [](const std::string& row) { return contains(row, "aten.view") || contains(row, "aten.t.default"); };
  const std::vector<std::string> onlySeed{"11|aten.add.Tensor|",
                                          "11|aten.ones_like.default|",
                                          "2|aten.detach.default|",
                                          "2|aten.detach.default|",
                                          "2|aten.detach.default|l__self___relu1",
                                          "2|aten.detach.default|l__self___relu1"};
  EXPECT_EQ(without(kTable, table), onlySeed);
  EXPECT_EQ(without(table, kTable), std::vector<std::string>{"0|aten.add.Tensor|"});
  EXPECT_EQ(rowsOf(table, isForward),
            rowsOf(kTable, [&](const std::string& row) { return isForward(row) && !isDetach(row); }));
  std::vector<std::string> backward = rowsOf(kTable, [&](const std::string& row) {
    return !isForward(row) && !isDetach(row) && !isView(row) && !contains(row, "ones_like");
  });
  backward.back() = "0|aten.add.Tensor|";
  EXPECT_EQ(rowsOf(table, [&](const std::string& row) { return !isForward(row) && !isView(row); }), backward);
  expectViewsWhereTheyAreRead(joint);
}

} // namespace
} // namespace touchstone::tests
