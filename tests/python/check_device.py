"""Cases whose tensors live on a device of their own: `check_device.py BINARY ROOT`. Where there is a GPU, they run on it."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import torch

from built_binary import GOOD_CASE, touchstone

ROOT = pathlib.Path(sys.argv[2]).resolve()
BACKENDS = "eager,aot_joint,aot_eager,torch:eager_python,torch:aot_eager"
HAS_GPU = torch.cuda.is_available()


class Device(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, device, text=GOOD_CASE):
        path = pathlib.Path(self.folder.name) / "case.py"
        path.write_text(text.replace("# touchstone: 1\n", f"# touchstone: 1\n# device: {device}\n"))
        return path

    def test_a_case_with_a_device_runs_everywhere(self):
        device = "cuda" if HAS_GPU else "cpu"
        path = self.file(device)
        printed = touchstone("print", "--rewrite", path)
        self.assertEqual(printed.returncode, 0, printed.stderr)
        self.assertIn(f'torch.set_default_device("{device}")', path.read_text())
        run = touchstone("run", path, "--backends", BACKENDS)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertEqual(run.stdout.count("Agreed"), len(BACKENDS.split(",")))
        alone = subprocess.run([sys.executable, path], capture_output=True, text=True)
        self.assertEqual((alone.returncode, alone.stdout), (0, "agrees\n"), alone.stderr)

    def test_the_flag_takes_the_place_of_the_line(self):
        path = self.file("cuda:97")  # nowhere
        run = touchstone("run", path, "--backends", "aot_eager", "--device", "cpu")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        run = touchstone("run", path, "--backends", "aot_eager")
        self.assertNotEqual(run.returncode, 0)
        self.assertNotIn("Agreed", run.stdout)

    def test_a_device_that_is_not_there(self):
        run = touchstone("run", self.file("cpu"), "--device", "cuda:97")
        self.assertEqual(run.returncode, 3, run.stdout + run.stderr)
        self.assertRegex(run.stderr, r"the device `cuda:97` is not available here: .+")
        self.assertLess(len(run.stderr), 400, "one sentence of what libtorch says")

    def test_a_name_that_is_no_device(self):
        run = touchstone("run", self.file("cpu"), "--device", "gpu")
        self.assertEqual(run.returncode, 2, run.stdout + run.stderr)
        self.assertIn("`gpu` is no device; expected", run.stderr)

    def test_eager_on_the_cpu_beside_a_device(self):
        run = touchstone("fuzz", "--cases", "1", "--device", "cuda", "--reference", "cpu", "--findings", self.folder.name)
        self.assertEqual(run.returncode, 3, run.stdout + run.stderr)
        self.assertIn("reference", run.stderr)

    @unittest.skipUnless(HAS_GPU, "there is no GPU here")
    def test_the_edge_classes_on_the_gpu(self):
        run = touchstone("run", ROOT / "corpus" / "edge_classes", "--backends", "eager,aot_joint,aot_eager", "--device", "cuda")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    @unittest.skipUnless(HAS_GPU, "there is no GPU here")
    def test_what_was_found_on_a_gpu(self):
        run = touchstone("run", ROOT / "tests" / "cases" / "cuda", "--backends", "aot_eager,aot_eager_decomp_partition")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
