"""Cases that need Python: `check_python_cases.py BINARY`, run with the Python that has PyTorch. The uncompiled Program is the reference, native backends say what they do not take,
a sample of the whole files runs alone, and what the compiler does otherwise is what each file says. Of SAMPLED folders every fourth file is compiled."""

import collections
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from built_binary import TESTS, results_of, touchstone
from whole_files import write_whole

CASES = TESTS / "cases" / "python"
RAISES = {"exception_leaves_the_program.py": "BothRejected", "gradients_are_refused.py": "BothRejected"}
SAMPLED = ("attention", "compiling", "containers", "layers", "parametrizations", "randomness")
EACH = 20  # a start of PyTorch takes seconds
BINARY = pathlib.Path(sys.argv[1]).resolve()


def compiled_files():
    """All files of the other folders, and every fourth of the sampled ones."""
    others = [file for file in sorted(CASES.glob("*/*.py")) if file.parent.name not in SAMPLED]
    return others + [file for folder in SAMPLED for file in sorted((CASES / folder).glob("*.py"))[::4]]


class PythonCases(unittest.TestCase):
    def test_the_uncompiled_program_is_the_reference(self):
        rows = results_of(touchstone("run", CASES, "--backends", "torch:eager_python", "--json", timeout=900))
        others = {row["file"]: row["outcome"] for row in rows if row["outcome"] != "Reference"}
        self.assertEqual({pathlib.Path(file).name: outcome for file, outcome in others.items()}, RAISES)
        self.assertGreaterEqual(len(rows), 250)

    def test_the_compiled_program_does_what_each_file_says(self):
        run = touchstone("run", *compiled_files(), "--backends", "torch:aot_eager", "--json", timeout=900)
        unexpected = {row["file"]: row["outcome"] for row in results_of(run) if not row["met"]}
        self.assertEqual(unexpected, {})
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_native_backends_name_the_construct(self):
        rows = results_of(touchstone("run", CASES, "--backends", "eager,aot_eager", "--json", timeout=900))
        self.assertEqual({row["outcome"] for row in rows}, {"Unsupported"})
        constructs = collections.Counter(row["message"] for row in rows)
        self.assertGreaterEqual(constructs["module subclass"], 40)
        self.assertGreaterEqual(constructs["try"], 8)

    def test_whole_files_run_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            write_whole(BINARY, CASES, pathlib.Path(folder))
            for case in sorted(pathlib.Path(folder).glob("*/*.py"))[::EACH]:
                with self.subTest(case=case.name):
                    command = [sys.executable, str(case), "--backend", "none"]
                    variables = {**os.environ, "OMP_NUM_THREADS": "1"}
                    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=variables)
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    self.assertEqual(done.stdout.splitlines()[-1:], ["agrees"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
