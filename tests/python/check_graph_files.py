"""Graphs as files: `check_graph_files.py BINARY TEST_TOOL`. They are printed for Python, written, read and run again, by Touchstone and by PyTorch."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from built_binary import GOOD_CASE, touchstone

PROGRAM = """    y = torch.nn.functional.dropout(x * w, 0.5)
    w.detach().mul_(2)
    return y.t().sin() + torch.tensor([1.0, float("inf")]).clamp(max=3).sum(), w[0]"""
CASE = (
    GOOD_CASE.replace("    return (x,), ()", "    w = data((2, 3), torch.float32, (seed, 1), kind).requires_grad_()\n    return (x, w), ()")
    .replace("program(x)", "program(x, w)")
    .replace("    return torch.sin(x)", PROGRAM)
)
CASE = CASE.replace('dict(inputs="inputs"', 'dict(inputs="inputs", backward=[0, 1]')
TEST_TOOL = sys.argv[2]
PARTS = ["joint", "forward", "backward"]


def fnv(text):
    total = 0xCBF29CE484222325
    for byte in text.encode():
        total = (total ^ byte) * 0x100000001B3 % 2**64
    return f"{total:016x}"


class GraphFiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.case = self.folder / "case.py"
        self.case.write_text(CASE)

    def run_touchstone(self, *arguments, status=0):
        run = touchstone(*arguments)
        self.assertEqual(run.returncode, status, run.stdout + run.stderr)
        return run

    def dump(self, *arguments):
        out = self.run_touchstone("dump", self.case, "--graphs", self.folder / "dumped", *arguments).stdout
        return [pathlib.Path(line) for line in out.splitlines()]

    def python(self, file, status=0):
        run = subprocess.run([sys.executable, file], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(run.returncode, status, run.stdout)
        return run.stdout

    def test_each_stage_is_printed_for_python(self):
        for stage in ("captured", "joint", "functional", "merged", "forward", "backward"):
            text = self.run_touchstone("dump", self.case, "--stage", stage, "--python").stdout
            space = {}
            exec(compile(text, stage, "exec"), space)
            self.assertTrue(callable(space[stage]), text)
        self.assertIn('float("inf")', text if "inf" in text else self.run_touchstone("dump", self.case, "-s", "forward", "--python").stdout)

    def test_a_captured_backward_is_a_module_that_sets_grads(self):
        case = GOOD_CASE.replace("(seed, 0), kind)", "(seed, 0), kind).requires_grad_()").replace("torch.sin", "torch.exp")
        self.case.write_text(case.replace('dict(inputs="inputs"', 'dict(inputs="inputs", backward=[0]'))
        text = self.run_touchstone("dump", self.case, "-s", "compiled_autograd", "--backend", "eager", "--python").stdout
        space = {}
        exec(compile(text, "compiled_autograd", "exec"), space)
        full = space["torch"].full
        space["compiled_autograd"]([full((2, 3), 2.0), full((2, 3), 5.0)], [], [])  # the tangent, and what exp has given
        self.assertEqual([grad.tolist() for grad in space["new_grads"].values()], [[[10.0] * 3] * 2], text)

    def test_a_folder_is_run_again_on_what_was_kept(self):
        (folder,) = self.dump("--inputs", "--name", "net")
        self.assertEqual(folder, (self.folder / "dumped" / "net_0").resolve())
        self.assertEqual(sorted(each.name for each in folder.iterdir()), sorted([*PARTS, "graphs.json"]))
        text = self.run_touchstone("run", folder).stdout
        self.assertEqual(text.count("the same as when it was dumped"), 3, text)
        for part in PARTS:
            self.assertIn("the same as when it was kept", self.python(folder / part / "graph.py"))

    def test_numbers_of_rare_dtypes_are_kept_and_run_again(self):
        wide = GOOD_CASE.replace("torch.float32", "torch.uint16").replace("torch.sin(x)", "x.to(torch.int64) + 1, x.view(-1)")
        self.case.write_text(wide.replace(".requires_grad_()", ""))
        (folder,) = self.dump("--inputs")
        self.assertIn("the same as when it was kept", self.python(folder / "forward" / "graph.py"))
        self.dump("--inputs")
        out = self.run_touchstone("run", self.folder / "dumped").stdout
        self.assertEqual(out.count("the same as when it was dumped"), 2, "a folder of folders: each of them\n" + out)

    def test_a_folder_without_values_runs_on_inputs_that_are_made(self):
        (folder,) = self.dump()
        found = json.loads(self.run_touchstone("run", folder, "--json").stdout)["folders"][0]
        self.assertEqual([graph["part"] for graph in found["graphs"]], PARTS)
        for graph in found["graphs"]:
            self.assertEqual((graph["kept"], graph["raised"]), (False, ""))
            lines = self.python(folder / graph["part"] / "graph.py").splitlines()
            self.assertEqual(len(lines), len(graph["outputs"]))

    def test_nothing_is_written_over(self):
        first, second = self.dump() + self.dump()
        self.assertEqual((first.name, second.name), ("graphs_0", "graphs_1"))
        before = {file: file.read_bytes() for file in first.rglob("*") if file.is_file()}
        (self.folder / "dumped" / "graphs_2").mkdir()
        self.assertEqual(self.dump()[0].name, "graphs_3")
        self.assertEqual(before, {file: file.read_bytes() for file in first.rglob("*") if file.is_file()})

    def test_another_graph_gives_something_else(self):
        (folder,) = self.dump("--inputs")
        file = folder / "forward" / "graph.json"
        envelope = json.loads(file.read_text())
        for node in envelope["content"]["nodes"]:
            node["target"] = node.get("target", "").replace("aten::sin", "aten::tanh") or node.get("target", "")
            if not node["target"]:
                del node["target"]
        content = json.dumps(envelope["content"], sort_keys=True, separators=(",", ":"))
        file.write_text(json.dumps({**envelope, "content": None})[: -len("null}")] + content + "}\n")
        self.assertIn("damaged", self.run_touchstone("run", folder, status=2).stderr)
        file.write_text(file.read_text().replace(envelope["checksum"], fnv(content)))
        self.assertIn("DIFFERS: output", self.run_touchstone("run", folder, status=1).stdout)

    def test_what_cannot_be_read_is_refused(self):
        (folder,) = self.dump("--inputs")
        values = folder / "forward" / "values.bin"
        whole = values.read_bytes()
        for text in (whole[: len(whole) // 2], whole[:-1], whole + b"x", b""):
            values.write_bytes(text)
            self.assertIn(f"{values}: ", self.run_touchstone("run", folder, status=2).stderr)
        values.write_bytes(whole.replace(b'"format": 1', b'"format": 7'))
        self.assertIn("it has format 7", self.run_touchstone("run", folder, status=2).stderr)
        run = self.run_touchstone("run", folder, self.case, status=2)
        self.assertIn("run them by themselves", run.stderr)
        self.run_touchstone("dump", self.case, "--inputs", status=2)
        self.run_touchstone("dump", self.case, "--graphs", self.folder / "d", "--backend", "eager", status=2)

    def test_graphs_of_random_cases_are_written_and_read(self):
        out = touchstone("check-graphs", "--check", "files", "--cases", "40", "--seed", "5", binary=TEST_TOOL).stdout
        self.assertIn("; 0 Cases fail\n", out)

    def test_graphs_of_random_cases_are_printed_and_drawn(self):
        out = touchstone("check-graphs", "--check", "texts", "--cases", "60", "--seed", "5", "--out", self.folder / "texts", binary=TEST_TOOL)
        self.assertIn("; 0 Cases fail\n", out.stdout)
        texts = list((self.folder / "texts").iterdir())
        self.assertGreater(len(texts), 150)
        for file in texts:
            compile(file.read_text(), file, "exec")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
