"""What a machine without an accelerator says of one: `check_compare_devices.py BINARY ROOT`."""

import json
import pathlib
import re
import sys
import tempfile
import unittest

from built_binary import GOOD_CASE, touchstone

ROOT = pathlib.Path(sys.argv[2]).resolve()
EDGE_CLASSES = ROOT / "corpus" / "edge_classes"
FEWEST_CASES_COMPARED = 100


def program(*lines):
    """The good Case with another program."""
    return GOOD_CASE.replace("    return torch.sin(x)", "\n".join("    " + line for line in lines))


class Devices(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, text):
        path = pathlib.Path(self.folder.name) / "case.py"
        path.write_text(text)
        return path

    def compare(self, *arguments, status=0):
        run = touchstone("compare-devices", *arguments, "--json")
        self.assertEqual(run.returncode, status, run.stdout + run.stderr)
        return json.loads(run.stdout)

    def joint(self, *lines, device="cuda:0", status=0):
        run = touchstone("dump", self.file(program(*lines)), "--stage", "joint", "--device", device)
        self.assertEqual(run.returncode, status, run.stdout + run.stderr)
        return run.stdout if status == 0 else run.stderr

    def test_the_edge_classes(self):
        for stage in ("captured", "joint", "functional", "forward", "backward"):
            with self.subTest(stage):
                found = self.compare(EDGE_CLASSES, "--stage", stage)
                self.assertEqual(found["unexpected"], [])
                if stage != "joint":
                    continue
                of_eval_mode = ["24_eval_mode_batch_norm.py, call 0", "24_eval_mode_batch_norm.py, call 1"]
                self.assertEqual(found["chosen"].get("batch norm's statistics"), of_eval_mode)
                names = {path.name for path in EDGE_CLASSES.glob("*.py")}
                untraced = {text.split(",")[0] for text in found["untraced"]}
                self.assertEqual(found["cases"], len(names))
                self.assertGreaterEqual(len(names - untraced), FEWEST_CASES_COMPARED)
                for text in found["untraced"]:
                    self.assertRegex(text, r"^\S+\.py, call \d+: .", "each with its reason")

    def test_the_table_is_documented(self):
        text = (ROOT / "docs" / "cuda.md").read_text()
        source = (ROOT / "backends" / "fake" / "DeviceChoices.cpp").read_text()
        for name in set(re.findall(r'"(aten::[\w.]+)"', source)):
            self.assertIn(f"`{name}`", text)

    def test_a_difference_that_no_table_explains(self):
        file = self.file(program("return x.sin() if x.is_cuda else x.cos()"))
        found = self.compare(file, status=1)
        self.assertIn("the CPU has [aten::cos], the device [aten::sin]", found["unexpected"][0])

    def test_choices_of_the_device_are_named(self):
        found = self.compare(self.file(program("return torch.nn.functional.dropout(x, 0.5, True)")))
        self.assertEqual((list(found["chosen"]), found["same"]), (["dropout"], 0))

    def test_nothing_to_compare(self):
        found = self.compare(self.file(program("return x.view(5, 5)")), status=4)
        self.assertEqual(found["calls"], 0)
        self.assertIn("call 0: raises: shape '[5, 5]' is invalid", found["untraced"][0])

    def test_up_to_where_a_graph_breaks(self):
        found = self.compare(self.file(program("y = x.sin()", "return y[y > 0]")))
        self.assertEqual((found["calls"], found["partial"], found["same"]), (2, 2, 2))

    def test_what_needs_the_device_is_listed(self):
        found = self.compare(EDGE_CLASSES / "65_gradient_inside.py", status=4)
        self.assertIn("for the device: a gradient inside the program runs on autograd's engine", found["untraced"][0])

    def test_a_dump_says_where(self):
        text = self.joint("return x.sin() + torch.ones(3, device=x.device)")
        self.assertRegex(text, r"sin: .* # on cuda:0\n")
        self.assertRegex(text, r'ones: .*device=torch\.device\("cuda:0"\).*\)  # on cuda:0\n')
        whole = touchstone("dump", self.file(program("return x.sin()")), "--device", "cuda:0").stdout
        self.assertIn("for cuda:0, claimed: traced without values, not run\n", whole)

    def test_what_the_pipeline_makes_itself_is_there(self):
        batch_norm = EDGE_CLASSES / "24_eval_mode_batch_norm.py"
        decomposed = ["dump", batch_norm, "--backend", "aot_eager_decomp_partition", "--stage", "forward", "--json"]
        of_device = touchstone(*decomposed, "--device", "cuda:0")
        self.assertEqual(of_device.returncode, 0, of_device.stdout + of_device.stderr)
        (text,) = [stage["text"] for stage in json.loads(of_device.stdout)["stages"]]
        self.assertIn("torch.ops.aten.sub.Tensor(x, ", text)  # CUDA's formula, not the CPU's
        self.assertNotIn("torch.ops.aten.sub.Tensor(x, ", touchstone(*decomposed).stdout)
        overlap = self.file(program("y = x.reshape(-1).as_strided((3, 2), (1, 1))", "y.copy_(y + 1)", "return y.sin()"))
        text = touchstone("dump", overlap, "--stage", "functional", "--device", "cuda:0").stdout
        self.assertRegex(text, r'aten\.arange\.default\(.*device=torch\.device\("cuda:0"\)')

    def test_moves_between_devices(self):
        text = self.joint("y = x.to('cpu')", "z = y.sin().cuda()", "return z * x, y, z.device == x.device, x.is_cuda")
        self.assertRegex(text, r'_to_copy: "f32\[2, 3\]" = .*device=torch\.device\("cpu"\).*\)\n')
        self.assertRegex(text, r"sin: \"f32\[2, 3\]\" = torch\.ops\.aten\.sin\.default\(_to_copy\)\n")
        self.assertRegex(text, r"mul: .* # on cuda:0\n")

    def test_devices_that_do_not_mix(self):
        for line, message in (
            ("return x + torch.ones(3)", "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"),
            ("return x.sum() + torch.ones(3)", "found at least two devices, cuda:0 and cpu!"),
            ("return torch.mm(x, torch.ones(3, 2))", "on cpu, different from other tensors on cuda:0"),
            ("return torch.cat([x, torch.ones(2, 3)])", "on cpu, different from other tensors on cuda:0"),
            ("return torch.ones(2, 3)[x.long()]", "indices should be either on cpu or on the same device as the indexed tensor (cpu)"),
        ):
            with self.subTest(line):
                self.assertIn(message, self.joint(line, status=4))

    def test_devices_that_mix(self):
        self.joint("return x + torch.ones(()), x[torch.tensor([0, 1])], torch.where(x > 0, x, torch.zeros(()))")
        self.joint("y = torch.ones(2, 3)", "y.copy_(x)", "return y.sin()")
        self.joint("return torch.ones(()) + x.sum()")

    def test_a_device_that_nobody_claims(self):
        self.assertIn("cuda devices", self.joint("return x.cuda()", device="cpu", status=4))
        run = touchstone("dump", self.file(GOOD_CASE), "--device", "cud")
        self.assertEqual(run.returncode, 2, run.stderr)
        run = touchstone("dump", self.file(GOOD_CASE), "--device", "cuda:0", "--backend", "eager")
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertIn("AOT pipelines", run.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
