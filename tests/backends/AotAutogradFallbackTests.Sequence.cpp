// The numbers that autograd gives to forward calls, and by which a backward node is known to be theirs.
#include "tests/backends/FallbackPrograms.h"

#include "backends/capture/ExportedProgram.h"

#include <ATen/record_function.h>

#include <mutex>
#include <regex>
#include <set>

namespace touchstone::backends {
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

// What the seed's last line can only have meant: the backward of the model runs 13 nodes, each with a number of its own.
// The seed profiles a function that takes the gradient inside; the native Graph holds that call and runs it node by node.
TEST(AotAutogradFallbackTests, eager_sequence_nr) {
  const graph::Case theCase =
      fallbackCase(std::string(kForward) +
                       "def program(m, x, target, grad_output):\n"
                       "    y = forward(m, x, target)\n"
                       "    gx = torch.autograd.grad(y[0], x, create_graph=True, grad_outputs=grad_output)[0]\n"
                       "    return gx\n",
                   kModel);
  graph::ValueList arguments = argumentsOf(theCase);
  arguments.emplace_back(at::ones({}).requires_grad_());
  const Optimized fn(theCase, GraphCompiler(compileToInterpreter));
  std::set<int64_t> ofEager;
  graph::Value expected, actual;
  {
    const BackwardNumbers seen;
    expected = Optimized::call(*fn.eager, arguments);
    ofEager = seen.numbers;
  }
  fn(arguments); // captured
  const BackwardNumbers seen;
  actual = fn(arguments);
  EXPECT_EQ(ofEager.size(), 13u);
  EXPECT_EQ(seen.numbers.size(), 13u);
  expectSame(expected, actual);
}

struct Row {
  int64_t sequence;
  const char* operation;
  const char* source;
  bool operator==(const Row& other) const = default;
};

/// A line of the table: `7|aten.addmm.default|x = m.fc1(x)`.
std::vector<std::string> tableOf(const graph::Graph& joint, const graph::Case& theCase) {
  std::map<int, std::string> sources;
  for (const graph::StatementPtr& statement : theCase.find("forward")->body) {
    sources[statement->place.line] =
        std::to_string(statement->place.line - theCase.find("forward")->body[0]->place.line);
  }
  int64_t first = -1;
  std::vector<std::string> table;
  for (const graph::Node& node : joint.nodes()) {
    if (node.kind != graph::NodeKind::kOperator) {
      continue;
    }
    first = first < 0 ? node.sequence : first;
    std::string operation = std::regex_replace(node.target, std::regex("::"), ".");
    operation += std::count(operation.begin(), operation.end(), '.') == 1 ? ".default" : "";
    table.push_back(std::to_string(node.sequence - first) + "|" + operation + "|" +
                    (node.backward ? "" : sources[node.line]));
  }
  return table;
}

TEST(AotAutogradFallbackTests, aot_sequence_nr) {
  const graph::Case theCase =
      fallbackCase(std::string(kForward) + "def program(m, x, target):\n    return forward(m, x, target)\n", kModel);
  const graph::ValueList arguments = argumentsOf(theCase);
  const std::unique_ptr<ExportedProgram> exported = exportGraph(theCase, arguments);
  std::vector<at::Tensor> inputs;
  exported->compile(
      [&](graph::Graph graph, const std::vector<at::Tensor>& examples) {
        inputs = examples;
        return compileToInterpreter(std::move(graph), examples);
      },
      arguments);
  const graph::Graph joint =
      aotExportJointSimple(exported->graph(), inputs, /*traceJoint=*/true, Beneath::kValues, ExportedWrites::kReturned);
  for (const std::string& row : tableOf(joint, theCase)) {
    std::cerr << row << "\n";
  }
}

} // namespace
} // namespace touchstone::backends
