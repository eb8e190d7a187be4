"""`touchstone export --pytest`, and what pytest says of its files: `check_export.py BINARY SOURCE`. Needs pytest beside PyTorch."""

import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from built_binary import GOOD_CASE, touchstone

FOUND = pathlib.Path(sys.argv[2]) / "corpus" / "found"

# A difference of values, one of gradients, one that raises, and one of what a later call compiles.
SLICE = ("write_through_no_op_dropout", "leaf_that_is_a_view", "hook_on_one_of_several_results", "backward_of_another_way")


needs_pytest = unittest.skipUnless(importlib.util.find_spec("pytest"), f"{sys.executable} has no pytest: requirements.txt names it")


class Export(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = pathlib.Path(held.name)
        self.tests = self.folder / "tests"

    def export(self, *arguments, status=0):
        run = touchstone("export", "--pytest", self.tests, *arguments)
        self.assertEqual(run.returncode, status, run.stdout + run.stderr)
        return run

    def case(self, text, name="case.py"):
        file = self.folder / name
        file.write_text(text)
        return file

    def pytest(self, *arguments, status=0):
        command = [sys.executable, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", "-W", "ignore", str(self.tests), *arguments]
        run = subprocess.run(command, capture_output=True, text=True, timeout=500, env={**os.environ, "OMP_NUM_THREADS": "1"}, cwd=self.folder)
        self.assertEqual(run.returncode, status, run.stdout[-3000:] + run.stderr[-2000:])
        return run.stdout

    @needs_pytest
    def test_the_corpus_fails_as_expected(self):
        self.export(*(FOUND / f"{name}.py" for name in SLICE))
        text = self.pytest()
        self.assertRegex(text.splitlines()[-1], r"^11 xfailed")
        self.assertIn("XFAIL tests/test_write_through_no_op_dropout.py::test_write_through_no_op_dropout[aot_eager] - Differs/values/call 0 output 2: dropout that is off", text)

    def test_the_case_files_stay_as_they_are(self):
        case = self.case(GOOD_CASE)
        self.export(case)
        self.assertEqual(case.read_text(), GOOD_CASE)

    @needs_pytest
    def test_what_agrees_passes_and_a_mended_bug_shows(self):
        self.export(self.case(GOOD_CASE), "--backends", "torch:eager,torch:aot_eager")
        self.assertRegex(self.pytest().splitlines()[-1], r"^2 passed")
        mended = GOOD_CASE.replace("import torch\n", "# note: was wrong once\n# expect: torch:eager Differs/values/call 0 output 0\nimport torch\n", 1)
        self.export(self.case(mended))
        text = self.pytest(status=1)
        self.assertIn("[XPASS(strict)] Differs/values/call 0 output 0: was wrong once", text)

    @needs_pytest
    def test_a_difference_is_told(self):
        text = (FOUND / "write_through_no_op_dropout.py").read_text()
        self.export(self.case(re.sub(r"(?m)^# expect: .*\n", "", text)))
        text = self.pytest(status=1)
        self.assertIn("call 0 output 2 values differs", text)
        self.assertRegex(text, r"aot_eager: tensor\(")

    def test_what_may_break_the_process_has_one_of_its_own(self):
        for outcome, isApart in (("InternalError/forward", True), ("Crashed", True), ("Differs/values", False)):
            self.export(self.case(GOOD_CASE.replace("import torch\n", f"# expect: torch:eager {outcome}\nimport torch\n", 1)))
            self.assertEqual("subprocess.run(" in (self.tests / "test_case.py").read_text(), isApart, outcome)

    @needs_pytest
    def test_a_process_that_dies_is_a_test_that_fails(self):
        died = GOOD_CASE.replace("import torch\n", "# expect: torch:eager Crashed\nimport torch\n", 1)
        self.export(self.case(died))
        self.assertIn("[XPASS(strict)] Crashed", self.pytest(status=1))  # it lives
        (file,) = self.tests.glob("test_*.py")
        file.write_text(file.read_text().replace("run(compiled(program))", "run(compiled(program)); __import__('os').abort()"))
        self.assertRegex(self.pytest().splitlines()[-1], r"^1 xfailed")

    def test_files_of_the_user_stay(self):
        case = self.case(GOOD_CASE)
        self.export(case)
        self.export(case)  # it was ours
        mine = self.tests / "test_case.py"
        mine.write_text("# mine\n")
        self.assertIn("is there and was not exported; --force overwrites it", self.export(case, status=2).stderr)
        self.assertEqual(mine.read_text(), "# mine\n")
        self.export(case, "--force")
        self.assertIn("touchstone export", mine.read_text())

    def test_a_folder_without_cases(self):
        (self.folder / "empty").mkdir()
        self.assertIn("There is no case file in", self.export(self.folder / "empty", status=2).stderr)
        self.assertFalse(self.tests.exists())

    def test_names_and_native_backends(self):
        native = self.case(GOOD_CASE.replace("import torch\n", "# expect: ts Differs/values/call 0 output 0\nimport torch\n", 1), "native-one.py")
        self.assertIn("it is about ts, which pytest does not have", self.export(native, status=2).stderr)
        self.export(native, "--backends", "torch:aot_eager")
        self.assertTrue((self.tests / "test_native_one.py").exists())
        self.assertIn("`aot_eager` is Touchstone's own", self.export(native, "--backends", "aot_eager", status=2).stderr)
        self.assertIn("There is no backend `torch:aot_eger`", self.export(native, "--backends", "torch:aot_eger", status=2).stderr)
        (self.folder / "sub").mkdir()
        other = self.case(GOOD_CASE, "sub/native_one.py")
        told = json.loads(self.export("--json", native, other, "--backends", "torch:eager").stdout)
        self.assertEqual([pathlib.Path(each["file"]).name for each in told["written"]], ["test_native_one.py", "test_native_one_2.py"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
