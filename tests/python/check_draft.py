"""`touchstone draft`: a finding as a text for maintainers, and as a test for CompilerBisector. `check_draft.py BINARY SOURCE`."""

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
LOST_WRITE = FOUND / "write_through_no_op_dropout.py"  # from AOTAutograd on


class Draft(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = pathlib.Path(held.name)

    def draft(self, *arguments, status=0):
        run = touchstone("draft", "--json", "--to", self.folder, "--runs", "1", *arguments)
        self.assertEqual(run.returncode, status, run.stdout + run.stderr)
        return json.loads(run.stdout)["written"][0] if status in (0, 1) else run.stderr

    def case(self, text, name="case.py"):
        file = self.folder / name
        file.write_text(text)
        return file

    def python(self, *arguments):
        return subprocess.run([sys.executable, "-W", "ignore", *arguments], capture_output=True, text=True, timeout=300, cwd=self.folder, env=os.environ)

    def test_a_finding_of_aot_autograd(self):
        told = self.draft(LOST_WRITE, "--backend", "torch:aot_eager")
        text = pathlib.Path(told["draft"]).read_text()
        self.assertEqual(told["against"], [], text)
        self.assertEqual(told["labels"], ["oncall: pt2", "module: pt2-dispatcher", "module: correctness (silent)", "topic: fuzzer"])
        self.assertEqual(told["priority"], "high: silently wrong")
        for backend, word in (("eager", "right"), ("aot_eager", "wrong"), ("aot_eager_decomp_partition", "wrong"), ("inductor", "wrong")):
            self.assertIn(f"| `{backend}` | {word} |", text)
        self.assertIn("default tolerance: **False** (torch.float32; reference: double precision)", text)
        self.assertRegex(text, r"CompilerBisector: `BisectionResult\(backend='aot_eager'")
        self.assertIn("PyTorch version: ", text)
        self.assertIn("call 0 output 2 differs", text)

        # It is no Case for those who name all files, and the draft is a person's now.
        self.assertIn("is the test that `touchstone draft` made", touchstone("run", told["test"]).stderr)
        self.assertIn(".md is there; --force replaces it", self.draft(LOST_WRITE, "--backend", "torch:aot_eager", status=2))
        self.case(GOOD_CASE)
        run = touchstone("run", self.folder, "--backends", "eager")
        self.assertEqual((run.returncode, "_test_fn" in run.stdout + run.stderr), (0, False), run.stderr)

        # The file stands alone, and is as right as what it tests.
        test = pathlib.Path(told["test"])
        ask = "import runpy, sys; print(runpy.run_path(sys.argv[1])['test_fn']())"
        self.assertTrue(self.python("-c", ask, test.name).stdout.endswith("\nFalse\n"))
        mended = test.read_text().replace("torch.compile(function, ", "torch.compile(function, **dict(disable=True), ")
        self.assertNotEqual(mended, test.read_text())
        test.write_text(mended)
        self.assertEqual(self.python("-c", ask, test.name).stdout, "True\n")

    def test_what_cannot_be_drafted(self):
        for backend in ("aot_eager", "torch:eager_python", "torch:fault:second_write_is_not_recorded", "torch:mine:backend"):
            self.assertIn("which is none of PyTorch's", self.draft(self.case(GOOD_CASE), "--backend", backend, status=2))
        self.assertIn("does not say under which backend it was found", self.draft(self.case(GOOD_CASE), status=2))
        self.assertFalse(list(self.folder.glob("*.md")))
        mine = self.folder / "case.md"
        mine.write_text("mine")
        self.assertIn("case.md is there; --force replaces it", self.draft(self.case(GOOD_CASE), "--backend", "torch:eager", status=2))
        self.assertEqual(mine.read_text(), "mine")
        mine.unlink()
        (self.folder / "case_test_fn.py").write_text("mine")
        self.assertIn("case_test_fn.py is there; --force", self.draft(self.case(GOOD_CASE), "--backend", "torch:eager", status=2))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
