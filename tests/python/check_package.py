"""Installs the package, then builds and runs the examples against it, outside of the build.

Usage: check_package.py CMAKE BUILD SOURCE TORCH_CMAKE_FOLDER [-DNAME=VALUE…]. What it makes lies in BUILD/package and is made anew each time.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

CMAKE, BUILD, SOURCE, TORCH = sys.argv[1], *map(pathlib.Path, sys.argv[2:5])
WORK = BUILD / "package"
PREFIX = WORK / "prefix"
HEADERS = {"touchstone/aot.h", "touchstone/backend.h", "touchstone/backend.hpp", "touchstone/compilers.h", "touchstone/effects.h", "touchstone/front_end.h", "touchstone/modes.h", "touchstone/module.h", "touchstone/property.h", "touchstone/property_campaign.h"} | {f"touchstone/graph/ir/{name}.h" for name in ("Arguments", "CompileReport", "Graph", "GraphBreakReport", "SplitGraph", "Subgraph", "Unsupported")}

SILU_CASE = """# touchstone: 1
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.nn.functional.silu(x)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
"""

FRONT_END = """#include <touchstone/effects.h>
#include <touchstone/front_end.h>

#include <ATen/ops/ones.h>
#include <ATen/TensorOperators.h>

#include <cstdio>

namespace aot = touchstone::aot;

int main() {
  const aot::Function function = [](const aot::Tensors& x) -> aot::Tensors { return {x[0].sin() * 2}; };
  const aot::CompileCounter counter;
  int failures = 0;
  const aot::CompiledFunction compiled = aot::aotFunction(
      function, {.forwardCompiler = counter, .onGuardFailure = [&](const std::string&) { ++failures; }});
  compiled({at::ones({3})});
  compiled({at::ones({4})});
  const touchstone::ir::Graph graph = aot::makeGraph(function, {at::ones({3})}, aot::TracingMode::kFake);
  const auto parts = touchstone::ir::splitGraph(
      graph, [](const touchstone::ir::Node& node) { return node.target == "aten::sin" ? 0 : 1; });
  const auto checked = aot::aotModuleSimplified(graph, {at::ones({3})}, {.debugAssert = true});
  checked({at::ones({3})});
  aot::registerEffectfulOperator({"aten::_print", /*mayRaise=*/false});
  std::printf("%d frames, %d failures, %d parts, %d effects\\n", static_cast<int>(counter.frames()), failures,
              static_cast<int>(parts.size()), static_cast<int>(aot::effectfulOperators().size()));
}
"""


def run(*command, status=0):
    done = subprocess.run([str(each) for each in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != status:
        raise AssertionError(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def run_with(environment, *command, status=0):
    """With these variables, and none of those that steer the tests of a property."""
    variables = {name: value for name, value in os.environ.items() if name not in ("RC_PARAMS", "TEST_TMPDIR", "TOUCHSTONE_FINDINGS")}
    done = subprocess.run([str(each) for each in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**variables, **environment})
    if done.returncode != status:
        raise AssertionError(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def build_example(name):
    """A copy of the example, built: nothing of the source tree is beside it."""
    copy, build = WORK / name, WORK / f"build_{name}"
    shutil.copytree(SOURCE / "examples" / name, copy)
    configure(copy, build)
    run(CMAKE, "--build", build)
    return build


def configure(example, build, prefix=PREFIX, **options):
    return run(CMAKE, "-G", "Ninja", "-S", example, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix};{TORCH}", *sys.argv[5:], **options)


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(WORK, ignore_errors=True)
        run(CMAKE, "--install", BUILD, "--prefix", PREFIX)
        cls.example = WORK / "example"  # a copy: nothing of the source tree is beside it
        shutil.copytree(SOURCE / "examples" / "aot_training", cls.example)

    def test_front_end_and_effects(self):
        copy, build = WORK / "front_end", WORK / "build_front_end"
        shutil.copytree(SOURCE / "examples" / "aot_training", copy)
        (copy / "Main.cpp").write_text(FRONT_END)
        configure(copy, build)
        run(CMAKE, "--build", build)
        self.assertEqual(run(build / "aot_training").strip(), "2 frames, 1 failures, 2 parts, 3 effects")

    def test_what_is_installed(self):
        include = PREFIX / "include"
        self.assertEqual({str(path.relative_to(include)) for path in include.rglob("*") if path.is_file()}, HEADERS)
        for path in PREFIX.rglob("*.cmake"):
            for folder in (SOURCE, BUILD):
                self.assertNotIn(str(folder.resolve()) + "/", path.read_text().replace(str(PREFIX.resolve()), ""), path)

    def test_the_example_trains(self):
        configure(self.example, WORK / "build")
        run(CMAKE, "--build", WORK / "build")
        text = run(WORK / "build" / "aot_training")
        graphs = re.findall(r"^a graph of \d+ inputs:(.*)$", text, re.MULTILINE)
        self.assertEqual(len(graphs), 2, text)  # forward and backward
        self.assertIn("aten::addmm", graphs[0])
        self.assertNotIn("aten::mse_loss", text)  # decomposed
        losses = [tuple(map(float, pair)) for pair in re.findall(r"^step .*: eager (\S+), compiled (\S+)$", text, re.MULTILINE)]
        self.assertEqual(len(losses), 6, text)
        for eager, compiled in losses:
            self.assertAlmostEqual(eager, compiled, delta=1e-3 * eager)
        self.assertLess(losses[-1][1], losses[0][1] / 2)
        self.assertIn("running statistics agree", text)

    def test_a_shared_backend_is_fuzzed(self):
        build = build_example("shared_backend")
        fuzz = [BUILD / "harness" / "touchstone", "fuzz", "--cases", "200", "--seed", "3", "--json", "--load"]
        right = subprocess.run([*fuzz, build / "libnode_by_node.so", "--findings", WORK / "right"], capture_output=True, text=True)
        self.assertEqual(right.returncode, 0, right.stdout + right.stderr)
        counts = json.loads(right.stdout)["backends"]["node_by_node"]
        self.assertGreater(counts["Agreed"], 180, counts)
        wrong = subprocess.run([*fuzz, build / "libswapped_sub.so", "--findings", WORK / "wrong", "--max-findings", "1"],
                               capture_output=True, text=True)
        self.assertEqual(wrong.returncode, 1, wrong.stdout + wrong.stderr)
        (finding,) = json.loads(wrong.stdout)["findings"]
        self.assertLessEqual(finding["operations"], 2, finding)
        self.assertIn("torch.sub" if "torch.sub" in (text := pathlib.Path(finding["file"]).read_text()) else " - ", text)

    def test_modes_log_and_replace(self):
        build = build_example("modes")
        case = WORK / "silu.py"
        case.write_text(SILU_CASE)
        calls = {}
        for name in ("logged_eager", "exp_in_double"):
            calls[name] = WORK / f"{name}.txt"
            text = run_with({"CALLS": str(calls[name])}, BUILD / "harness" / "touchstone", "run", case, "--load", build / f"lib{name}.so")
            self.assertRegex(text, rf"(?m)^ok .* {name} +Agreed$")
        self.assertEqual(calls["logged_eager"].read_text(), 2 * "aten::silu(Float[2, 3]) -> Float[2, 3]\n")
        text = calls["exp_in_double"].read_text()
        self.assertIn("aten::neg(Float[2, 3]) -> Float[2, 3]\n", text)
        self.assertNotIn("aten::exp(", text)  # the other mode sees it first, and replaces it

    def test_a_property_ends_in_a_reduced_case(self):
        test = build_example("property_test") / "property_test"
        findings = WORK / "property_findings"
        stored = {"TOUCHSTONE_FINDINGS": str(findings)}
        seeded = {**stored, "RC_PARAMS": "seed=1"}
        text = run_with(seeded, test, "--gtest_filter=-*.SwappedSub")
        self.assertRegex(text, r"NodeByNode: 100 Cases: .*\d+ Agreed")
        self.assertFalse(findings.exists(), "what is right leaves no findings")
        text = run_with(seeded, test, "--gtest_filter=*.SwappedSub", status=1)
        self.assertIn("SwappedSub is not eager: Differs/values", text)
        self.assertRegex(text, r"(?m)reduced from \d+ operators to \S+(, \S+)?$")
        self.assertIn('RC_PARAMS="seed=1"', text)
        (file,) = findings.glob("SwappedSub-*.py")
        self.assertIn(f"file:   {file}", text)
        # The header replays it, first thing or alone; so does the tool, for which the Program is right.
        text = run_with(stored, test, "--gtest_filter=*.SwappedSub", status=1)
        self.assertIn(f"SwappedSub fails the stored Case {file}", text)
        elsewhere = {"TEST_TMPDIR": str(WORK / "elsewhere"), "TOUCHSTONE_REPLAY": str(file)}
        self.assertIn("fails the stored Case", run_with(elsewhere, test, "--gtest_filter=*.SwappedSub", status=1))
        run_with(elsewhere, test, "--gtest_filter=*.NodeByNode")
        run(BUILD / "harness" / "touchstone", "run", file, "--backends", "eager")

    def test_the_documents_show_the_examples(self):
        shown_files = (("cpp_api", "aot_training/CMakeLists.txt"), ("cpp_api", "aot_training/Main.cpp"),
                       ("own_backend", "shared_backend/CMakeLists.txt"), ("own_backend", "shared_backend/NodeByNode.cpp"),
                       ("modes", "modes/CMakeLists.txt"), ("modes", "modes/Modes.cpp"),
                       ("own_backend", "property_test/CMakeLists.txt"), ("own_backend", "property_test/PropertyTest.cpp"))
        for page, name in shown_files:
            document = (SOURCE / "docs" / f"{page}.md").read_text()
            text = (SOURCE / "examples" / name).read_text()
            shown = f"`examples/{name}`:\n\n```{'cpp' if name.endswith('.cpp') else 'cmake'}\n{text}```\n"
            self.assertTrue(shown in document, f"docs/{page}.md does not show {name} as it is")

    def test_the_version_is_checked(self):
        other = WORK / "other_version"
        other.mkdir()
        text = (self.example / "CMakeLists.txt").read_text()
        (other / "CMakeLists.txt").write_text(text.replace("touchstone 0.1 REQUIRED", "touchstone 7.0 REQUIRED"))
        (other / "Main.cpp").write_text("int main() {}\n")
        self.assertIn("7.0", configure(other, WORK / "build_other", status=1))

    def test_another_torch_is_refused(self):
        config = PREFIX / "lib" / "cmake" / "touchstone" / "touchstoneConfig.cmake"
        prefix = WORK / "other_torch"
        shutil.copytree(config.parent, prefix / "lib" / "cmake" / "touchstone")
        copy = prefix / "lib" / "cmake" / "touchstone" / config.name
        copy.write_text(re.sub(r'(touchstone_TORCH_VERSION )"[^"]*"', r'\1"1.2.3"', copy.read_text()))
        text = configure(self.example, WORK / "build_torch", prefix=prefix, status=1)
        self.assertIn("touchstone was built with torch 1.2.3", " ".join(text.split()))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
