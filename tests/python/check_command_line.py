"""What the built binary says about mistakes, and its exit status: `check_command_line.py BINARY`."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from built_binary import GOOD_CASE, results_of, touchstone

FAILING = GOOD_CASE.replace("import torch", "# expect: eager Differs/values\nimport torch", 1)


class CommandLine(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, text, name="case.py"):
        path = pathlib.Path(self.folder.name) / name
        path.write_text(text)
        return path

    def refusal(self, program, *parts, place=None):
        """A file with this program is refused: exit status 2, its place, one message that holds these parts."""
        file = self.file(GOOD_CASE.replace("torch.sin(x)", program))
        run = touchstone("run", file, "--backends", "eager", "--json")
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertEqual(run.stderr.count(f"{file}:"), 1, run.stderr)
        line = 1 + GOOD_CASE.splitlines().index("    return torch.sin(x)")
        self.assertIn(f"{file}:{line}:{place}: ", run.stderr)
        for part in (*parts, "expected", "    return " + program, "^"):
            self.assertIn(part, run.stderr)
        self.assertEqual(results_of(run), [])

    def test_an_unknown_operator(self):
        self.refusal("torch.sinn(x)", "torch.sinn", "`sin`", place=18)

    def test_a_forbidden_operator(self):
        self.refusal("torch.save(x)", "torch.save", "forbidden", place=18)

    def test_what_is_no_case_language(self):
        self.refusal("lambda: x", "lambda", place=12)

    def test_an_unclosed_bracket(self):
        file = self.file(GOOD_CASE.replace("torch.sin(x)", "torch.sin(x"))
        run = touchstone("run", file, "--backends", "eager")
        self.assertEqual(run.returncode, 2)
        self.assertEqual(run.stderr.count(f"{file}:"), 1, run.stderr)

    def test_a_good_file_among_bad_ones_is_judged(self):
        good, bad = self.file(GOOD_CASE, "good.py"), self.file("import os\n", "bad.py")
        run = touchstone("run", good, bad, "--backends", "eager", "--json")
        self.assertEqual(run.returncode, 2)
        self.assertEqual([row["outcome"] for row in results_of(run)], ["Agreed"])

    def test_what_is_not_met_exits_1(self):
        run = touchstone("run", self.file(FAILING), "--json")
        self.assertEqual(run.returncode, 1)
        found = json.loads(run.stdout)  # one object and nothing else
        self.assertEqual([(row["expected"], row["outcome"]) for row in found["results"]], [("Differs/values", "Agreed")])
        self.assertEqual(len(found["findings"]), 1)

    def test_nothing_to_reduce(self):
        run = touchstone("reduce", self.file(GOOD_CASE), "--backend", "eager", "--json")
        self.assertNotIn(run.returncode, (0, 5), run.stdout)
        self.assertTrue(run.stderr.strip())

    def test_a_python_without_torch(self):
        environment = pathlib.Path(self.folder.name) / "bare"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
        run = touchstone(
            "run", self.file(GOOD_CASE), "--backends", "torch:eager", TOUCHSTONE_PYTHON=str(environment / "bin" / "python")
        )
        self.assertEqual(run.returncode, 3, run.stdout + run.stderr)
        self.assertIn("bare/bin/python -m pip install torch==", run.stderr)

    def test_no_python_at_all(self):
        run = touchstone("run", self.file(GOOD_CASE), "--backends", "torch:eager", TOUCHSTONE_PYTHON="/no/such/python")
        self.assertEqual(run.returncode, 3, run.stdout + run.stderr)
        self.assertIn("/no/such/python", run.stderr)

    def test_a_custom_backend_that_is_not_there(self):
        run = touchstone("run", self.file(GOOD_CASE), "--backends", "torch:no_such_package:backend")
        self.assertEqual(run.returncode, 3, run.stdout + run.stderr)
        self.assertIn("torch:no_such_package:backend", run.stderr)
        self.assertIn("No module named 'no_such_package'", run.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
