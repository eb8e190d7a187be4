#include "program/language/CasePrinter.h"
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"
#include "tests/graph/PythonProcess.h"

#include <gtest/gtest.h>

#include <algorithm>
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

// Backends that break one property each. They get Dynamo's graph and may do what they like with its outputs.
const char* const kPlanted = R"(
import torch

def planted(change):
    def backend(graph_module, example_inputs):
        def run(*args):
            outs = graph_module(*args)
            return change(outs, [a for a in args if isinstance(a, torch.Tensor)])
        return run
    return backend

def none_if(x):
    raise KeyError("planted")

values = planted(lambda outs, args: tuple(o + 1 for o in outs))
dtype = planted(lambda outs, args: tuple(o.double() for o in outs))
shape = planted(lambda outs, args: tuple(o[:1] for o in outs))
strides = planted(lambda outs, args: tuple(o.t().contiguous().t() if o.dim() == 2 else o for o in outs))
offset = planted(lambda outs, args: tuple(torch.cat([o.reshape(-1)[:1], o.reshape(-1)])[1:].view(o.shape) for o in outs))
requires_grad = planted(lambda outs, args: tuple(o.detach() for o in outs))
leaf = requires_grad
grad_fn = requires_grad
identity = planted(lambda outs, args: tuple(o.view(o.shape) for o in outs))
partition = planted(lambda outs, args: tuple(o.clone() for o in outs))
effect = partition
gradient_values = planted(lambda outs, args: tuple(o * 2 - o.detach() for o in outs))
gradient_presence = requires_grad
raises = planted(lambda outs, args: none_if(outs))

def spoil(outs, args):
    with torch.no_grad():
        args[0].mul_(3)
    return outs

def spoil_quietly(outs, args):
    with torch.no_grad():
        args[0].detach().untyped_storage()[-1] = 9
    return outs

def reseed(outs, args):
    torch.rand(1)
    return outs

input_values = planted(spoil)
version = planted(lambda outs, args: outs)
storage_bytes = planted(spoil_quietly)
state = planted(reseed)
nothing = planted(lambda outs, args: outs)

def no_version(graph_module, example_inputs):
    def run(*args):
        tensors = [a for a in args if isinstance(a, torch.Tensor)]
        with torch.autograd._unsafe_preserve_version_counter(tuple(tensors)):
            return graph_module(*args)
    return run

def metadata(graph_module, example_inputs):
    def run(*args):
        outs = graph_module(*args)
        [a for a in args if isinstance(a, torch.Tensor)][0].t_()
        return outs
    return run
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
  EXPECT_NE(unusual.find("CALLS[n].get(\"compiled_autograd\", False)"), std::string::npos);
  const std::string deferred = printedWith(kAliasedInputs, "torch:eager Differs/effect");
  expectStatuses({{whole, "none", 0, "agrees"},
                  {whole, "eager", 0, "agrees"},
                  {one, "aot_eager", 0, "agrees"},
                  {grad, "aot_eager", 0, "agrees"},
                  {deferred, "", 0, "agrees"},
                  {unusual, "", 0, "agrees"},
                  {unusual, "none", 0, "agrees"}});
}

TEST(MainPartTest, EachPropertyIsSeen) {
  struct Plant {
    const char* backend;
    const char* outcome;
  };
  const std::vector<Plant> plants = {
      {"values", "Differs/values/call 0 output 0"},
      {"dtype", "Differs/dtype/call 0 output 1"},
      {"shape", "Differs/shape/call 0 output 0"},
      {"strides", "Differs/strides/call 0 output 0"},
      {"offset", "Differs/offset/call 0 output 0"},
      {"requires_grad", "Differs/requires_grad/call 0 output 0"},
      {"leaf", "Differs/leaf/call 0 output 0"},
      {"grad_fn", "Differs/grad_fn/call 0 output 0"},
      {"partition", "Differs/partition/call 0 output 2"},
      {"effect", "Differs/effect/call 0 output 2"},
      {"no_version", "Differs/version/call 0 arg 0"},
      {"input_values", "Differs/input_values/call 0 arg 0"},
      {"metadata", "Differs/input_metadata/call 0 arg 0"},
      {"storage_bytes", "Differs/storage_bytes/call 0 arg 0"},
      {"gradient_presence", "BackendRejected/backward/call 1"},
      {"gradient_values", "Differs/gradient_values/call 1 leaf 0"},
      {"state", "Differs/state/call 0"},
      {"values", "Differs/values"},
      {"values", "Differs"},
      {"raises", "BackendRejected/forward"},
      {"raises", "InternalError/forward"},
  };
  std::vector<MainRun> runs;
  for (const Plant& plant : plants) {
    std::string outcome = plant.outcome;
    // A position is given for differences only.
    outcome = outcome.substr(0, outcome.starts_with("Differs") ? outcome.size() : outcome.find("/call"));
    const std::string text =
        printedWith(kPlantedProgram, "torch:planted:" + std::string(plant.backend) + " " + outcome);
    runs.push_back({text, "", 1, "differs"});
    runs.push_back({text, "planted:nothing", 0, "agrees"});
    runs.push_back({text, "none", 0, "agrees"});
  }
  expectStatuses(runs);
}

// What a backend cannot spoil: the file's own program does, when it is compiled.
TEST(MainPartTest, WhatProgramsReturnIsSeen) {
  struct Spoiled {
    const char* outcome;
    const char* eager; // what `program` returns
    const char* compiled;
  };
  const std::vector<Spoiled> programs = {
      {"Differs/structure/call 0", "x, w", "[x, w]"},
      {"Differs/structure/call 0", "{\"a\": w}", "{\"b\": w}"},
      {"Differs/non_tensor/call 0", "w, 3", "w, 4"},
      {"Differs/identity/call 0 output 1", "w.t(), x", "w.t(), x.view(x.shape)"},
      {"Differs/gradient_presence/call 1 leaf 0", "x.sum() + w, w", "x.sum() + w.detach(), w"},
      {"Differs/values/call 1 output 0", "x + 1, w", "x + 2, w"},
  };
  std::vector<MainRun> runs;
  for (const Spoiled& program : programs) {
    const std::string definitions =
        "import torch\n\n\ndef inputs(seed, kind):\n"
        "    v = data((2,), torch.float32, (seed, 2), kind).requires_grad_()\n"
        "    return (data((2, 2), torch.float32, (seed, 0), kind) + v,\n"
        "            data((2, 2), torch.float32, (seed, 1), kind).requires_grad_()), (v,)\n\n\n"
        "def program(x, w):\n    return " +
        std::string(program.eager) +
        "\n\n\nCALLS = [dict(inputs=\"inputs\", seed=7), dict(inputs=\"inputs\", seed=8, backward=[0], "
        "tangent_layout=\"like\")]\n";
    std::string text = printedWith(definitions, std::string("torch:eager ") + program.outcome);
    runs.push_back({text, "", 0, "agrees"});
    const std::string returned = std::string("    return ") + program.eager + "\n";
    text.replace(text.find(returned), returned.size(),
                 std::string("    return (") + program.compiled + ") if torch.compiler.is_compiling() else (" +
                     program.eager + ")\n");
    runs.push_back({text, "", 1, "differs"});
    runs.push_back({text, "none", 0, "agrees"});
  }
  expectStatuses(runs);
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

} // namespace
} // namespace touchstone::tests
