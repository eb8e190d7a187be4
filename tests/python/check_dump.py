"""What `touchstone dump` shows and how it fails: `check_dump.py BINARY ROOT`."""

import ast
import json
import pathlib
import re
import sys
import tempfile
import unittest
import xml.etree.ElementTree

from built_binary import GOOD_CASE, touchstone

ROOT = pathlib.Path(sys.argv[2]).resolve()
STAGES = ["captured", "joint", "functional", "merged", "metadata", "forward", "backward"]

PROGRAM = """    y = x * w
    y.add_(1)
    return y.t(), w.sum(0)"""
WITH_BACKWARD = (
    GOOD_CASE.replace("    return (x,), ()", "    w = data((2, 3), torch.float32, (seed, 1), kind).requires_grad_()\n    return (x, w), ()")
    .replace("program(x)", "program(x, w)")
    .replace("    return torch.sin(x)", PROGRAM)
)


class Dump(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, text):
        path = pathlib.Path(self.folder.name) / "case.py"
        path.write_text(text)
        return path

    def program(self, *lines):
        """The good Case with another program."""
        return self.file(GOOD_CASE.replace("    return torch.sin(x)", "\n".join("    " + line for line in lines)))

    def dump(self, file, *arguments, status=0):
        run = touchstone("dump", file, *arguments)
        self.assertEqual(run.returncode, status, run.stdout + run.stderr)
        return run

    def stages(self, file, *arguments):
        found = json.loads(self.dump(file, *arguments, "--json").stdout)
        self.assertEqual((found["schema"], found["file"], found["outcome"]), (1, str(file), ""))
        return {stage["name"]: stage["text"] for stage in found["stages"]}

    def test_each_graph_of_a_call_has_its_stages(self):
        breaks = "torch._dynamo.graph_break()"
        file = self.program("a = x.sin()", breaks, "b = x.cos()", breaks, "return a, b, x.tan()")
        found = json.loads(self.dump(file, "--json").stdout)["stages"]
        self.assertEqual([stage["graph"] for stage in found], [0] * 5 + [1] * 5 + [2] * 5)
        for graph, operator in enumerate(("sin", "cos", "tan")):
            for stage in found[graph * 5 : graph * 5 + 5]:
                if stage["name"] != "metadata":
                    self.assertIn(f"aten.{operator}.default(", stage["text"])
                    self.assertRegex(stage["text"], rf"# line \d+: .* x\.{operator}\(\)")
        text = self.dump(file, "--stage", "forward").stdout
        for graph in range(3):
            self.assertIn(f"# Graph {graph}, forward: ", text)

    def test_a_graph_that_returns_nothing_computed(self):
        file = self.program("a = x.sin()", "torch._dynamo.graph_break()", "return a, x * 2")
        self.assertEqual({s["graph"] for s in json.loads(self.dump(file, "--json").stdout)["stages"]}, {0, 1})

    def test_sizes_that_are_symbols_are_expressions(self):
        text = WITH_BACKWARD.replace("return y.t(), w.sum(0)", "return torch.cat([y, y], 0), x.new_zeros(2 * x.size(0) + 1, n)").replace("(x, w)", "(x, w, n)").replace(
            "return (x, w, n), ()", "return (x, w, seed + 3), ()").replace("CALLS =", "COMPILE = dict(dynamic=True)\n\nCALLS =")
        file = self.file(text)
        for backend in ("aot_eager", "aot_eager_decomp_partition", "aot_joint"):
            stages = self.stages(file, "--backend", backend)
            for name in set(stages) & {"captured", "joint", "functional", "merged", "forward"}:
                head, _, code = stages[name].partition("def ")
                self.assertIn("# s0 is L['x'].size()[0]\n# s1 is L['x'].size()[1]\n# s2 is L['n']\n", head, (backend, name))
                self.assertIn('x: "f32[s0, s1]"', code)
                self.assertIn('"f32[2*s0, s1]"', code)
                self.assertIn('"f32[2*s0 + 1, s2]"', code)
                self.assertNotRegex(code, r'"f32\[\d+[,\]]|\d{6}', (backend, name))
        self.assertRegex(self.stages(file)["backward"], r"slice\w*: \"f32\[s0, s1\]\" = torch.ops.aten.slice.Tensor\(tangent_\d, 0, s0, 2\*s0\)")
        for backend in ("eager", "ts"):
            self.assertIn('"f32[2*s0 + 1, s2]"', self.stages(file, "--backend", backend)["captured"])
        numbers = self.stages(file, "--python")["captured"]
        self.assertIn('x: "f32[2, 3]"', numbers)
        self.assertEqual(numbers, self.stages(self.file(text.replace("dynamic=True", "dynamic=False")), "--python")["captured"])
        self.assertIn('x: "f32[s0, s1]"', self.stages(file, "--dynamic")["captured"])

    def test_graphs_of_attempts_that_were_given_up_are_not_shown(self):
        file = self.program("d = torch.cdist(x, x + 1)", "torch._dynamo.graph_break()", "return d * 2")
        file.write_text(file.read_text().replace("CALLS =", "COMPILE = dict(dynamic=True)\n\nCALLS ="))
        for backend in ("aot_eager", "eager", "ts", "pre_dispatch_eager"):
            found = json.loads(self.dump(file, "--json", "--backend", backend, "--stage", "captured").stdout)["stages"]
            self.assertEqual([stage["graph"] for stage in found], [0, 1], backend)
            self.assertIn("dist", found[0]["text"])
            self.assertIn("mul", found[1]["text"])
        for more in ((), ("--inputs",)):
            folder = pathlib.Path(self.folder.name) / f"graphs{len(more)}"
            told = self.dump(file, "--graphs", folder, *more).stdout.split()
            self.assertEqual(len(told), 2)
            self.assertEqual(sorted(told), sorted(str(each) for each in folder.iterdir()))

    def test_all_stages_in_their_order(self):
        file = self.file(WITH_BACKWARD)
        stages = self.stages(file)
        self.assertEqual(list(stages), STAGES)
        text = self.dump(file).stdout
        for name, part in stages.items():
            self.assertIn(f"\n# {name}: ", text)
            if name != "metadata":
                self.assertIn(part, text)
                self.assertTrue(part.startswith(f"def {name}("), part)
        ast.parse(text)  # all of it is Python

    def test_each_stage_does_what_its_name_says(self):
        stages = self.stages(self.file(WITH_BACKWARD))
        line = 1 + WITH_BACKWARD.splitlines().index("    y.add_(1)")
        self.assertIn(f"    # line {line}: y.add_(1)\n    add_", stages["captured"])
        self.assertRegex(stages["captured"], r"aten\.add_\.(Tensor|Scalar)\(mul, 1\)  # writes mul\n")
        self.assertNotIn("# backward", stages["captured"])
        self.assertIn("\n    # backward\n", stages["joint"])
        self.assertIn("# writes", stages["joint"])
        for name in ("functional", "forward", "backward"):
            self.assertNotIn("# writes", stages[name])
            self.assertNotRegex(stages[name], r"aten\.\w+_\.")
        self.assertIn("# backward of line ", stages["backward"])
        self.assertRegex(stages["captured"], r't\w*: "f32\[3, 2\]\[1, 3\]" = ')

    def test_one_stage(self):
        file = self.file(WITH_BACKWARD)
        run = self.dump(file, "--stage", "forward")
        self.assertEqual(run.stdout, self.stages(file)["forward"])
        self.assertEqual(list(self.stages(file, "--stage", "forward")), ["forward"])
        plan = self.dump(file, "--stage", "metadata").stdout
        self.assertTrue(plan.startswith("# "), plan)

    def test_the_call_decides_what_is_compiled(self):
        file = self.file(GOOD_CASE.replace("return (x,), ()", "return (x[:, seed:],), ()"))
        first, second = self.stages(file)["captured"], self.stages(file, "--call", "1")["captured"]
        self.assertIn('"f32[2, 2]', first)
        self.assertIn('"f32[2, 1]', second)
        run = self.dump(file, "--call", "2", status=2)
        self.assertIn("no call 2", run.stderr)

    def test_earlier_calls_leave_their_effects(self):
        text = GOOD_CASE.replace("    return torch.sin(x)", "    x.unsqueeze_(0)\n    return torch.sin(x)")
        file = self.file(text.replace('dict(inputs="inputs", seed=2)', "dict(inputs=None)"))
        self.assertIn('x: "f32[2, 3]"', self.stages(file)["captured"])
        self.assertIn('x: "f32[1, 2, 3]"', self.stages(file, "--call", "1")["captured"])

    def test_modes_and_constants(self):
        file = self.program("with torch.no_grad():", "    y = x * torch.tensor(0.5)", "return torch.sin(y)")
        captured = self.stages(file)["captured"]
        self.assertIn("    with torch.no_grad():\n", captured)
        self.assertIn("torch.tensor(0.5, dtype=torch.float32)", captured)
        self.assertNotIn("with", self.stages(file)["forward"])

    def test_another_native_backend(self):
        self.assertEqual(list(self.stages(self.file(GOOD_CASE), "--backend", "eager")), ["captured"])
        stages = self.stages(self.file(GOOD_CASE), "--backend", "pre_dispatch_eager")
        self.assertEqual(list(stages), ["captured", "pre_dispatch"])
        self.assertIn("aten.sin.default(x)", stages["pre_dispatch"])

    def test_a_picture(self):
        file = self.file(WITH_BACKWARD)
        svg, dot = (pathlib.Path(self.folder.name) / name for name in ("graph.svg", "graph.dot"))
        run = self.dump(file, "--stage", "functional", "--svg", svg, "--dot", dot)
        self.assertEqual(run.stdout, "")
        self.assertEqual([path.name for path in sorted(svg.parent.glob("graph*"))], ["graph.dot", "graph.svg"])
        root = xml.etree.ElementTree.parse(svg).getroot()
        texts = ["".join(element.itertext()) for element in root.iter("{http://www.w3.org/2000/svg}text")]
        for wanted in ("mul.Tensor", "forward", "backward (upwards)", "tangent", "input that requires grad", "saved for the backward"):
            self.assertIn(wanted, texts)
        self.assertTrue(any(re.fullmatch(r"mul: f32\[2, 3\]", text) for text in texts), texts)
        drawn = dot.read_text()
        for name in re.findall(r"^    (\w+): \".*\" = ", self.stages(file)["functional"], re.MULTILINE):
            self.assertEqual(drawn.count(f"<br/>{name}: f32"), 1, name)

    def test_pictures_of_every_stage(self):
        file, dot = self.file(WITH_BACKWARD), pathlib.Path(self.folder.name) / "graph.dot"
        for stage in ("captured", "joint", "merged", "forward", "backward"):
            self.dump(file, "--stage", stage, "--dot", dot)
            self.assertIn(f'label="{stage}"', dot.read_text())
        breaks = self.program("a = x.sin()", "torch._dynamo.graph_break()", "return a.cos()")
        self.dump(breaks, "--stage", "forward", "--dot", dot)
        self.assertEqual(re.findall(r'label="(Graph .*?)"', dot.read_text()), ["Graph 0, forward", "Graph 1, forward"])

    def test_metadata_is_of_readable_code_alone(self):
        file, folder = self.file(GOOD_CASE), pathlib.Path(self.folder.name)
        self.assertIn("give one of the two", self.dump(file, "--metadata", "--python", status=2).stderr)
        for more in (("--stage", "forward", "--dot", folder / "forward.dot"), ("--graphs", folder / "graphs")):
            self.assertIn("do not print", self.dump(file, "--metadata", *more, status=2).stderr)
            self.dump(file, "--metadata", "--json", *more)

    def test_pictures_that_cannot_be(self):
        file, svg = self.file(GOOD_CASE), pathlib.Path(self.folder.name) / "graph.svg"
        self.assertIn("--stage", self.dump(file, "--svg", svg, status=2).stderr)
        self.assertIn("nothing to draw", self.dump(file, "--stage", "metadata", "--svg", svg, status=2).stderr)
        self.dump(file, "--stage", "backward", "--svg", svg, status=4)
        self.assertFalse(svg.exists())

    def test_without_graphviz(self):
        svg = pathlib.Path(self.folder.name) / "graph.svg"
        run = touchstone("dump", self.file(GOOD_CASE), "--stage", "joint", "--svg", svg, PATH=self.folder.name)
        self.assertEqual(run.returncode, 3, run.stderr)
        for part in ("Install the package graphviz", "--dot FILE"):
            self.assertIn(part, run.stderr)
        self.assertEqual([path.name for path in svg.parent.iterdir()], ["case.py"])

    def test_a_backend_of_the_installed_pytorch(self):
        run = self.dump(self.file(GOOD_CASE), "--backend", "torch:aot_eager", status=2)
        self.assertIn("shows native pipelines only", run.stderr)

    def test_wrong_use(self):
        self.dump(self.file("import os\n"), status=2)
        self.dump("/no/such/file.py", status=2)
        self.assertIn("functional", self.dump(self.file(GOOD_CASE), "--stage", "bogus", status=2).stderr)
        self.assertIn("aot_eager", self.dump(self.file(GOOD_CASE), "--backend", "aot_eagre", status=2).stderr)

    def test_a_program_that_raises(self):
        run = self.dump(self.program("return x.view(5, 5)"), status=4)
        self.assertIn("raises in eager", run.stderr)
        self.assertIn("RuntimeError: shape '[5, 5]' is invalid for input of size 6", run.stderr)
        self.assertNotIn("def ", run.stdout)

    def test_inputs_that_raise(self):
        run = self.dump(self.file(GOOD_CASE.replace("return (x,), ()", "return (x.view(5, 5),), ()")), status=4)
        self.assertIn("RuntimeError: shape '[5, 5]'", run.stderr)

    def test_what_the_backend_cannot_take(self):
        lines = ("y = x.exp()", "x.detach_()", "x.requires_grad_()", "return x * x, y")
        text = self.program(*lines).read_text().replace("return (x,), ()", "return (x.requires_grad_() * 1,), (x,)")
        run = self.dump(self.file(text), status=4)
        self.assertRegex(run.stderr, r"cannot take this Case: [a-z]")

    def test_a_stage_that_there_is_not(self):
        run = self.dump(self.file(GOOD_CASE), "--stage", "backward", status=4)
        self.assertIn("there is captured, joint, functional, metadata, forward", run.stderr)

    def test_a_program_without_end(self):
        file = self.program("y = torch.ones((2000, 2000))", "for i in range(50000):", "    y = torch.mm(y, y)", "return y")
        run = self.dump(file, "--eager-seconds", "0.3", status=4)
        self.assertIn("does not come to an end in eager", run.stderr)
        self.assertIn("--eager-seconds", run.stderr)

    def test_help_teaches(self):
        text = touchstone("dump", "--help").stdout
        for part in (*STAGES, "--call", "--svg graph.svg", "--device cuda:0", "Examples:", "touchstone dump corpus/", "Exit status"):
            self.assertIn(part, text)
        self.assertIn("touchstone dump", touchstone("--help").stdout)

    def test_what_the_documentation_shows(self):
        shown = re.findall(r"^```\n\$ \./touchstone (dump .+)\n([\s\S]+?)^```$", (ROOT / "docs" / "stages.md").read_text(), re.MULTILINE)
        self.assertTrue(shown)
        for command, output in shown:
            self.assertEqual(touchstone(*command.split(), cwd=ROOT).stdout, output)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
