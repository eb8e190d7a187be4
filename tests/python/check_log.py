"""What `touchstone run --log` prints, and what it refuses: `check_log.py BINARY ROOT`."""

import pathlib
import sys
import tempfile
import unittest

from built_binary import GOOD_CASE, results_of, touchstone

ROOT = pathlib.Path(sys.argv[2]).resolve()
INPUTS = GOOD_CASE[GOOD_CASE.index("def inputs"):GOOD_CASE.index("def program")].replace("kind)", "kind).requires_grad_()")
INPUTS = INPUTS.replace("(seed, kind).requires_grad_()", "(seed, kind)")
CASE = f"""# touchstone: 1
import torch


{INPUTS}{INPUTS.replace("def inputs", "def inputs_wider").replace("(2, 3)", "(4, 3)")}{INPUTS.replace("def inputs", "def inputs_flat").replace("(2, 3)", "(3,)")}def program(x):
    if x.dim() == 1:
        return torch.cos(x)
    return torch.sin(x)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
    dict(inputs="inputs_wider", seed=3, backward=[0]),
    dict(inputs="inputs_flat", seed=4, backward=[0]),
]
"""


class Log(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.file = pathlib.Path(held.name) / "case.py"
        self.file.write_text(CASE)

    def logged(self, names, *options, backends="eager", status=0):
        run = touchstone("run", self.file, "--backends", backends, "--log", names, *options)
        self.assertEqual(run.returncode, status, run.stdout + run.stderr)
        return run

    def texts(self, names, *options):
        (row,) = results_of(self.logged(names, "--compiled-autograd", "--json", *options))
        self.assertEqual((row["log"]["failure"], row["log"]["raised"]), ("", [""] * 4))
        return row["log"]["texts"]

    def test_each_capture_is_counted_and_shown_with_devices(self):
        texts = self.texts("compiled_autograd")
        self.assertEqual([(each["call"], each["step"], each["text"].split("\n")[0]) for each in texts],
                         [(0, "backward", "Capture 0"), (2, "backward", "Capture 1"), (3, "backward", "Capture 2")])
        lines = texts[1]["text"].split("\n")
        self.assertEqual(lines[1], "def compiled_autograd_1(inputs, sizes, hooks):")
        self.assertIn('    cos: "f32[4, 3]" = torch.ops.aten.cos.default(inputs_element_1)  # on cpu', lines)

    def test_why_the_cache_missed_is_told_node_by_node(self):
        misses = [each["text"].splitlines() for each in self.texts("compiled_autograd,verbose") if each["text"].startswith("Cache miss")]
        self.assertEqual(len(misses), 3)
        self.assertEqual(misses[0], ["Cache miss: nothing is compiled yet"])
        self.assertIn("sizes, strides or offsets", misses[1][0])
        self.assertRegex(misses[1][2], r"^  SinBackward0 \(NodeCall 1\): sizes\[\d\] is 4, compiled for 2$")
        self.assertEqual(misses[1][3], "  torch::autograd::AccumulateGrad (NodeCall 2): the same")
        self.assertEqual(misses[1][4],
                         "  inputs[0] is Float [4, 3] with strides [3, 1] at 0, compiled for Float [2, 3] with strides [3, 1] at 0")
        self.assertIn("  CosBackward0 (NodeCall 1): another kind of node than SinBackward0 (NodeCall 1)", misses[2])

    def test_what_becomes_a_symbol_is_told_with_the_graph_that_has_it(self):
        texts = [each["text"] for each in self.texts("verbose") if each["call"] == 2]
        (symbols,) = [text for text in texts if text.startswith("captured for symbols")]
        self.assertRegex(symbols, r"inputs\[0\]\.size\(\)\[0\] is s0, .*sizes\[0\] is s0")
        (graph,) = [text for text in texts if text.startswith("def backward")]
        self.assertIn('cos: "f32[s0, 3]"', graph)

    def test_verbose_alone_shows_the_graphs_too(self):
        self.assertEqual(self.texts("verbose"), self.texts("verbose,compiled_autograd"))

    def test_text_stands_below_the_judgement(self):
        lines = self.logged("compiled_autograd", "--compiled-autograd", backends="aot_eager").stdout.splitlines()
        self.assertTrue(lines[0].startswith("ok "), lines)
        self.assertEqual(lines[1:3], ["     call 0, backward: Capture 0", "       def compiled_autograd_0(inputs, sizes, hooks):"])
        self.assertIn("           # CompiledFunctionBackward (NodeCall 1)", lines)

    def test_without_compiled_autograd_nothing_is_captured(self):
        self.assertIn("log: no backward was captured; with --compiled-autograd", self.logged("compiled_autograd").stdout)
        self.assertNotIn("log", results_of(touchstone("run", self.file, "--backends", "eager", "--json"))[0])

    def test_unknown_names_are_refused_with_the_valid_ones(self):
        self.assertIn("--log: guards not in {compiled_autograd,verbose}", self.logged("compiled_autograd,guards", status=2).stderr)

    def test_pytorch_is_refused_with_what_to_do(self):
        self.assertIn("TORCH_LOGS=compiled_autograd_verbose", self.logged("verbose", backends="torch:aot_eager", status=2).stderr)

    def test_help_and_page_name_it(self):
        self.assertIn("{compiled_autograd,verbose}", touchstone("run", "--help").stdout)
        self.assertIn("--log compiled_autograd,verbose", (ROOT / "docs" / "compiled_autograd.md").read_text())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
