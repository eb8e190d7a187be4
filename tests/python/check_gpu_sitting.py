"""`tools/gpu_sitting.sh` where there may be no GPU: `check_gpu_sitting.py BINARY ROOT`."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BINARY = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(sys.argv[2]).resolve()


class GpuSitting(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def sit(self, **settings):
        scaled = {"BUILD": str(BINARY.parents[1]), "SCALE": "0.05", "JOBS": "1", "SEED": "5"}
        environment = {**os.environ, **scaled, **settings}
        return subprocess.run(
            [ROOT / "tools/gpu_sitting.sh", self.folder.name], env=environment, capture_output=True, text=True
        )

    def rows(self, text):
        return [line.split(" | ") for line in text.splitlines() if line.startswith("| ") and "| step |" not in line]

    def test_steps_and_their_table(self):
        run = self.sit(DEVICE="cpu", STEPS="^edge classes$|^aot_eager$")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        rows = self.rows(run.stdout)
        self.assertEqual([row[:2] for row in rows], [["| edge classes", "0"], ["| aot_eager", "0"]])
        self.assertRegex(rows[0][3], r"\d+ judgements, 0 not as expected")
        self.assertRegex(rows[1][3], r"[1-9]\d* Cases in ")
        self.assertIn(run.stdout.strip(), (pathlib.Path(self.folder.name) / "table.md").read_text())

    def test_a_step_that_fails_is_told_and_the_next_one_runs(self):
        build = pathlib.Path(self.folder.name) / "without_tests"
        build.mkdir()
        (build / "harness").symlink_to(BINARY.parent)
        run = self.sit(DEVICE="cpu", STEPS="^kernels and scalars$|^cases of cuda$", BUILD=str(build))
        rows = self.rows(run.stdout)
        self.assertEqual([row[0] for row in rows], ["| kernels and scalars", "| cases of cuda"])
        self.assertEqual(rows[0][1], "127", run.stdout)
        self.assertEqual(run.returncode, 1)

    def test_without_the_device_it_says_so(self):
        run = self.sit(DEVICE="cuda:97")
        self.assertEqual(run.returncode, 3, run.stdout)
        self.assertIn("the device `cuda:97` is not available here", run.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
