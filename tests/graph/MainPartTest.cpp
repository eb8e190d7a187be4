#include "program/language/CasePrinter.h"
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"
#include "program/standalone/MainPart.h"
#include "tests/graph/PythonProcess.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::tests {
namespace {

// Two inputs that overlap in one base; torch 2.13's aot_eager regenerates `y[:3]` from the base as if it began at 0.
const char* const kAliasedInputs = R"(import torch


def inputs(seed, kind):
    base = data((12,), torch.float32, (seed, 0), kind)
    return (base[0:6], base[3:9]), (base,)


def program(x, y):
    x.add_(1)
    return y[:3], x * 2


CALLS = [
    dict(inputs="inputs", seed=7),
]
)";

// The same, but regenerating fails.
const char* const kAliasedInputsViewed = R"(import torch


def inputs(seed, kind):
    base = data((12,), torch.float32, (seed, 0), kind)
    return (base[0:6], base[3:9]), (base,)


def program(x, y):
    x.add_(1)
    return y.view(2, 3)


CALLS = [
    dict(inputs="inputs", seed=7),
]
)";

// Everything that CALLS can ask for, where eager and aot_eager agree.
const char* const kManyCalls = R"(import torch


def inputs(seed, kind):
    base = data((24,), torch.float32, (seed, 0), kind)
    x = torch.as_strided(base, (2, 3), (4, 1), 5)
    w = data((3, 3), torch.float32, (seed, 1), kind).requires_grad_()
    m = torch.nn.Module()
    m.weight = torch.nn.Parameter(data((3,), torch.float32, (seed, 2), kind))
    m.register_buffer("shift", data((3,), torch.float32, (seed, 3), kind))
    return (x, w, m, 3, [x]), (base,)


def program(x, w, m, n, xs):
    x.add_(n)
    y = torch.mm(x, w) * m.weight + m.shift
    return {"y": y, "sum": y.sum()}, x.shape, y.t(), torch.rand(2)


def touch(args, outs):
    args[3:] = []
    outs[1].mul_(2)


CALLS = [
    dict(inputs="inputs", seed=7),
    dict(inputs="inputs", seed=7, kind="uniform", backward=[0, 1], tangent_seed=5, tangent_layout="transposed", backward_times=2),
    dict(inputs="inputs", seed=8, backward=[0], tangent_layout="gapped", via="grad", wrt=[1]),
    dict(inputs="inputs", seed=8, backward=[0], tangent_layout="expanded", wrt=[0]),
    dict(inputs="inputs", seed=9, backward=[1], tangent_layout="none", create_graph=True),
    dict(inputs="inputs", seed=9, backward=[2], tangent_layout="contiguous"),
    dict(inputs="inputs", seed=10, grad_mode="no_grad", rng_seed=4),
    dict(inputs=None, grad_mode="inference"),
    dict(inputs="inputs", seed=11, autocast=torch.bfloat16, reset=True, backward=[0]),
    dict(inputs="inputs", seed=12, backward_after=8),
]
)";

// The rest of what CALLS can ask for.
const char* const kUnusualBackwards = R"(import torch


def inputs(seed, kind):
    w = data((3, 3), torch.float32, (seed, 1), kind).requires_grad_()
    return (data((3, 3), torch.float32, (seed, 0), kind), w), ()


def program(x, w):
    y = torch.mm(x.clone(), w)
    x.add_(w)
    return y, x


def touch(args, outs):
    outs[0].mul_(2)


CALLS = [
    dict(inputs="inputs", backward=[0, "arg 0"], compiled_autograd=True),
    dict(inputs="inputs", seed=2, backward=[0], between="touch", compiled_autograd=True),
    dict(inputs="inputs", seed=3, backward_after=1),
]
)";

// Forwards alive before their backwards, outputs that are inputs, second derivatives, the Program compiled twice.
const char* const kInterleavedCalls = R"(import torch


def inputs(seed, kind):
    w = data((3, 3), torch.float32, (seed, 1), kind).requires_grad_()
    return (data((3, 3), torch.float32, (seed, 0), kind), w), ()


def program(x, w):
    return x * w.sin(), w * 2


CALLS = [
    dict(inputs="inputs", backward=[0], tangent_seed=2),
    dict(inputs="inputs", seed=2, backward=[0, 1], tangent_seed=3),
    dict(inputs="inputs", seed=3, backward=[0], backward_times=2, backward_after=[1, 0]),
    dict(inputs=None, feed=[(0, 1)], instance=1),
    dict(inputs="inputs", seed=4, backward=[0], via="grad", derivatives=2, feed=[(0, 0)]),
    dict(inputs="inputs", seed=5, instance=1),
]
)";

// Backends that get Dynamo's graph. tests/python/planted_backends.py has one for each property.
const char* const kPlanted = R"(
def values(graph_module, example_inputs):
    return lambda *args: tuple(out + 1 for out in graph_module(*args))

def raises(graph_module, example_inputs):
    raise KeyError("planted")

def detached(graph_module, example_inputs):
    return lambda *args: tuple(out.detach() for out in graph_module(*args))

def nothing(graph_module, example_inputs):
    return graph_module.forward
)";

const char* const kPlantedProgram = R"(import torch


def inputs(seed, kind):
    x = data((3, 5), torch.float32, (seed, 0), kind)[:, :4]
    w = data((3, 4), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    x.add_(1)
    y = x * w
    return y, y, y[1:]


CALLS = [
    dict(inputs="inputs", seed=7),
    dict(inputs="inputs", seed=7, backward=[0]),
]
)";

std::string printedWith(const std::string& definitions, const std::string& expectation,
                        const std::string& headers = "") {
  const std::string expect = expectation.empty() ? "" : "# expect: " + expectation + "\n";
  return standalone::printCase(parser::parseCase("# touchstone: 1\n" + headers + expect + definitions));
}

struct MainRun {
  std::string text; // the whole file
  std::string backend; // none: the file's own
  int status;
  std::string contains;
};

// Runs all in one interpreter, each as `python case.py`: a process of its own for each would import torch each time.
void expectStatuses(const std::vector<MainRun>& runs) {
  std::string script =
      "import contextlib, io, sys, types\nimport torch\ntorch.set_num_threads(1)\nplanted = "
      "types.ModuleType('planted')\n"
      "exec(" +
      language::printString(kPlanted) + ", planted.__dict__)\nsys.modules['planted'] = planted\nruns = [\n";
  for (const MainRun& run : runs) {
    script += "    (" + language::printString(run.text) + ", " + language::printString(run.backend) + ", " +
              std::to_string(run.status) + ", " + language::printString(run.contains) + "),\n";
  }
  script += R"(]
for text, backend, wanted, contains in runs:
    sys.argv = ["case.py"] + (["--backend", backend] if backend else [])
    torch._dynamo.reset()
    said, status = io.StringIO(), None
    try:
        with contextlib.redirect_stdout(said):
            exec(compile(text, "case.py", "exec"), {"__name__": "__main__"})
    except SystemExit as end:
        status = end.code
    except Exception as error:
        status = repr(error)
    if status != wanted or contains not in said.getvalue():
        print(f"exit {status}, not {wanted}, of {backend}\n{said.getvalue()}\n{text[text.index('def program'):]}")
)";
  const PythonResult result = runPython(script);
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(result.output, "");
}

TEST(MainPartTest, CallsBehindOneThatRaisesAreMade) {
  constexpr const char* kCase = R"(import torch


def inputs(seed, kind):
    return (data((2,), torch.float32, (seed, 0), kind), torch.tensor([seed])), ()


def inputs_of_no_size(seed, kind):
    return torch.zeros(2).view(3), torch.zeros(1)


def program(x, i):
    return x.index_select(0, i), i


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=9),
    dict(inputs="inputs", seed=1, feed=[(1, 1)]),
    dict(inputs="inputs_of_no_size"),
    dict(inputs="inputs", seed=1),
]
)";
  const std::string text = printedWith(kCase, "");
  expectStatuses(
      {{text, "eager", 0, "call 1 raises"},
       {text, "eager", 0, "call 2 raises IndexError"}, // whose argument is no output of the call before the last
       {text, "eager", 0, "call 3 raises RuntimeError"},
       {text, "eager", 0, "agrees"}});
}

TEST(MainPartTest, ARealDifferenceIsShownByPlainPython) {
  const std::string text = printedWith(kAliasedInputs, "torch:aot_eager Differs/values/call 0 output 0");
  const PythonResult result = runPython(text);
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_NE(result.output.find("call 0 output 0 differs\neager: tensor("), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("aot_eager: tensor("), std::string::npos) << result.output;
  EXPECT_LE(std::count(text.begin() + static_cast<std::ptrdiff_t>(text.find("if __name__")), text.end(), '\n'), 70);
}

TEST(MainPartTest, RealDifferencesByBackend) {
  const std::string values = printedWith(kAliasedInputs, "torch:aot_eager Differs/values/call 0 output 0");
  const std::string raises = printedWith(kAliasedInputsViewed, "torch:aot_eager BackendRejected/forward");
  const std::string internal = printedWith(kAliasedInputsViewed, "torch:aot_eager InternalError/forward");
  const std::string whole = printedWith(kAliasedInputs, "");
  expectStatuses({
      {values, "", 1, "call 0 output 0 differs"},
      {values, "none", 0, "agrees"},
      {values, "eager", 0, "agrees"},
      {raises, "", 1, "raises"},
      {raises, "none", 0, "agrees"},
      {internal, "none", 0, "agrees"},
      {whole, "", 1, "call 0 output 0 values differs"},
      {whole, "none", 0, "agrees"},
      {whole, "eager", 0, "agrees"},
  });
}

TEST(MainPartTest, CallsOfEveryKindAgreeWhereNothingIsWrong) {
  const std::string whole = printedWith(kManyCalls, "");
  const std::string one = printedWith(kManyCalls, "torch:eager Differs/gradient_values/call 1 leaf 0");
  const std::string grad = printedWith(kManyCalls, "torch:eager Differs/gradient_values/call 2 leaf 1");
  const std::string unusual = printedWith(kUnusualBackwards, "torch:aot_eager Differs/gradient_values/call 1 leaf 0");
  EXPECT_NE(unusual.find("call.get(\"compiled_autograd\", False)"), std::string::npos);
  const std::string interleaved = printedWith(kInterleavedCalls, "");
  const std::string second = printedWith(kInterleavedCalls, "torch:eager Differs/gradient_values/call 4 leaf 1");
  const std::string tangent = printedWith(kInterleavedCalls, "torch:eager Differs/input_values/call 2 tangent 1");
  const std::string deferred = printedWith(kAliasedInputs, "torch:eager Differs/effect");
  expectStatuses({{whole, "none", 0, "agrees"},
                  {whole, "eager", 0, "agrees"},
                  {one, "aot_eager", 0, "agrees"},
                  {grad, "aot_eager", 0, "agrees"},
                  {deferred, "", 0, "agrees"},
                  {unusual, "", 0, "agrees"},
                  {unusual, "none", 0, "agrees"},
                  {interleaved, "none", 0, "agrees"},
                  {interleaved, "eager", 0, "agrees"},
                  {second, "", 0, "agrees"},
                  {tangent, "", 0, "agrees"},
                  {tangent, "aot_eager", 0, "agrees"}});
}

TEST(MainPartTest, WhatIsExpectedIsSeen) {
  std::vector<MainRun> runs;
  for (const char* outcome :
       {"values Differs/values/call 0 output 0", "values Differs/values/call 1 output 0", "values Differs/values",
        "values Differs", "raises BackendRejected/forward", "raises InternalError/forward"}) {
    const std::string text = printedWith(kPlantedProgram, "torch:planted:" + std::string(outcome));
    runs.push_back({text, "", 1, "differs"});
    runs.push_back({text, "planted:nothing", 0, "agrees"});
    runs.push_back({text, "none", 0, "agrees"});
  }
  // The keys of a dict.
  std::string keyed = printedWith(kPlantedProgram, "torch:eager Differs/structure/call 0");
  const std::string returns = "    return y, y, y[1:]\n";
  keyed.replace(keyed.find(returns), returns.size(),
                "    return {\"a\": y} if torch.compiler.is_compiling() else {\"b\": y}\n");
  runs.push_back({keyed, "", 1, "structure differs"});
  runs.push_back({keyed, "none", 0, "agrees"});
  // The backward alone raises.
  const std::string backward = printedWith(kPlantedProgram, "torch:planted:detached BackendRejected/backward");
  runs.push_back({backward, "", 1, "differs"});
  runs.push_back({backward, "planted:nothing", 0, "agrees"});
  // Eager raises, and the backend does not.
  std::string accepted = printedWith(kPlantedProgram, "torch:eager MissingRefusal");
  runs.push_back({accepted, "", 0, "agrees"});
  const std::string computes = "    y = x * w\n";
  accepted.replace(accepted.find(computes), computes.size(),
                   "    y = x * (w if torch.compiler.is_compiling() else None)\n");
  runs.push_back({accepted, "", 1, "raised differs"});
  expectStatuses(runs);
}

TEST(MainPartTest, FlagsHoldForTheCallsAndNoLonger) {
  // What torch 2.13's backward of a dropout computes again draws other numbers where nothing may be saved.
  const std::string dropout = R"(import torch


def inputs(seed, kind):
    x = data((32,), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return torch.nn.functional.dropout(x.sin(), 0.5, True).cos()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3, rng_seed=5),
]
)";
  const char* const expected = "torch:aot_eager Differs/gradient_values/call 0 leaf 0";
  const std::string plain = printedWith(dropout, expected);
  const std::string flag =
      printedWith(dropout + "COMPILE = dict(config={\"functorch.activation_memory_budget\": 0})\n", expected);
  const std::string option =
      printedWith(dropout + "COMPILE = dict(options={\"activation_memory_budget\": 0, \"fuser\": 1})\n", expected);
  expectStatuses({{plain, "", 0, "agrees"},
                  {flag, "", 1, "differs"},
                  {flag, "none", 0, "agrees"},
                  {option, "", 1, "differs"},
                  {plain, "", 0, "agrees"}});
  EXPECT_NE(plain.find("donated_buffer = False"), std::string::npos);
  const std::string donated =
      printedWith(dropout + "COMPILE = dict(config={\"functorch.donated_buffer\": True})\n", expected);
  EXPECT_EQ(donated.find("donated_buffer = False"), std::string::npos);
  const std::string own = printedWith(dropout + "COMPILE = dict(options={\"activation_memory_budget\": 0})\n",
                                      "torch:mine:backend Differs");
  EXPECT_NE(own.find("options=COMPILE[\"options\"]"), std::string::npos);
  EXPECT_EQ(own.find("config.patch"), std::string::npos);
}

TEST(MainPartTest, GraphsCompiledAreCounted) {
  std::string definitions = kAliasedInputs;
  definitions.replace(
      definitions.find("CALLS"), std::string::npos,
      "def inputs_more(seed, kind):\n    x = data((8,), torch.float32, (seed, 0), kind)\n"
      "    return (x, x[1:]), ()\n\n\nCALLS = [dict(inputs=\"inputs\"), dict(inputs=\"inputs\", seed=1), "
      "dict(inputs=\"inputs_more\")]\n");
  expectStatuses(
      {{printedWith(definitions, "torch:eager Differs/recompiles/call 1"), "", 0, "agrees"},
       {printedWith(definitions, "torch:eager Differs/recompiles/call 2"), "", 1, "graphs compiled differs"}});
}

TEST(MainPartTest, ABoundIsTakenFromTheHeaderAlone) {
  const std::string expectation = "torch:aot_eager Differs/values/call 0 output 0";
  const std::string within = printedWith(kAliasedInputs, expectation, "# bound: 1e9\n");
  const std::string beyond = printedWith(kAliasedInputs, expectation, "# bound: 1e-6\n");
  const std::string odd = printedWith(kAliasedInputs, expectation, "# bound: __import__(\"os\")\n");
  EXPECT_EQ(printedWith(kAliasedInputs, expectation).find("allclose"), std::string::npos);
  EXPECT_EQ(odd.find("allclose"), std::string::npos);
  expectStatuses({{within, "", 0, "agrees"}, {beyond, "", 1, "differs"}, {beyond, "none", 0, "agrees"}});
}

TEST(MainPartTest, OnlyThePiecesThatAreNeeded) {
  const std::string text = printedWith(kAliasedInputs, "torch:aot_eager Differs/strides/call 0 output 0");
  for (const char* piece : {"backward", "tangent", "no_grad", "autocast", "bits", "effects", "sharing", "versions"}) {
    EXPECT_EQ(text.find(piece, text.find("if __name__")), std::string::npos) << piece;
  }
  const std::string dies = printedWith(kAliasedInputs, "torch:inductor Crashed");
  EXPECT_NE(dies.find("def _main(backend=\"inductor\")"), std::string::npos);
  EXPECT_EQ(dies.find("def tensors"), std::string::npos);
}

/// The lines of a text without indentation.
std::set<std::string> trimmedLines(const std::string& text) {
  std::set<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.insert(line.substr(std::min(line.find_first_not_of(' '), line.size())));
  }
  return lines;
}

// A condition that no Case meets, or each, is misspelt, or needs a Case here that tells it apart.
constexpr const char* kNeedsPython = R"(import random

import torch


class Held:
    def __init__(self, x):
        self.values = x


def doubled(x):
    return x * 2


def inputs(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    f = torch.compile(doubled, backend="eager")
    return Held(f(x) * random.random())


CALLS = [
    dict(inputs="inputs", seed=7),
    dict(inputs="inputs", seed=8),
]
)";

TEST(MainPartTest, EveryMarkedLineIsPrintedForSomeCasesAndNotForOthers) {
  std::vector<std::string> texts;
  const auto add = [&](const char* definitions, const std::string& expectation, const std::string& headers = "") {
    texts.push_back(printedWith(definitions, expectation, headers));
  };
  for (const char* definitions : {kAliasedInputs, kManyCalls, kUnusualBackwards, kPlantedProgram, kInterleavedCalls}) {
    add(definitions, "");
    add(definitions, "torch:mine:backend Differs", "# bound: 1e-5\n# imports: mine\n# python-path: /here\n");
    for (const char* outcome : {"Crashed", "InternalError/forward", "BackendRejected/forward", "BackendAccepts"}) {
      add(definitions, "torch:eager " + std::string(outcome));
    }
    for (const language::PropertyRow& row : language::kProperties) {
      add(definitions, "torch:eager Differs/" + std::string(row.name) + "/call 0");
      add(definitions, "torch:eager Differs/" + std::string(row.name));
    }
  }
  const std::string grad =
      std::string(kPlantedProgram)
          .replace(std::string(kPlantedProgram).find("backward=[0]"), 12, "backward=[0], via=\"grad\"");
  add(grad.c_str(), "");
  const std::string bare =
      std::string(kPlantedProgram)
          .replace(std::string(kPlantedProgram).find("backward=[0]"), 12, "backward=[0], tangent_layout=\"none\"");
  add(bare.c_str(), "");
  const std::string flags =
      std::string(kPlantedProgram) +
      "COMPILE = dict(config={\"functorch.donated_buffer\": True, \"inductor.fallback_random\": False, "
      "\"dynamo.recompile_limit\": 8})\n";
  add(flags.c_str(), "");
  add(kNeedsPython, "");
  add(kNeedsPython, "torch:eager Differs/structure/call 0");
  language::Case plain = parser::parseCase("# touchstone: 1\n" + std::string(kAliasedInputs));
  texts.push_back(standalone::printAssertion(plain, "torch:eager", "_check").text);
  texts.push_back(standalone::printAssertion(plain, "torch:mine:backend", "_check").text);

  std::vector<std::set<std::string>> printed;
  std::ranges::transform(texts, std::back_inserter(printed), trimmedLines);
  std::ifstream file(std::string(TOUCHSTONE_SOURCE_DIR) + "/program/standalone/main_part.py");
  const std::regex kFilled(
      "\\b(BOUND|CALL|CALLS_MADE|DIFFERENCE|DYNAMIC\\w*|DYNAMO|FUNCTORCH|IMPORTS|INDUCTOR|NAMES|OPTIONS|PYTHON_PATH|PROPERTY|LABEL|FUNCTION)\\b");
  int marked = 0;
  for (std::string line; std::getline(file, line);) {
    const size_t mark = std::min(line.find("  # if "), line.find("  # around if "));
    const size_t begin = std::min(line.find_first_not_of(' '), line.size());
    if (mark == std::string::npos || mark < begin) {
      continue;
    }
    const std::string wanted = line.substr(begin, mark - begin);
    if (std::regex_search(wanted, kFilled)) {
      continue;
    }
    const auto count =
        std::ranges::count_if(printed, [&](const std::set<std::string>& lines) { return lines.contains(wanted); });
    EXPECT_GT(count, 0) << wanted;
    EXPECT_LT(count, static_cast<std::ptrdiff_t>(printed.size())) << wanted;
    ++marked;
  }
  EXPECT_GT(marked, 80);
}

} // namespace
} // namespace touchstone::tests
