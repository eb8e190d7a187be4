"""The `__main__` parts of Cases that differ: `check_main_parts.py BINARY CORPUS`.

Each is printed whole and run as a person would who found it in an issue: it exits with 1 and says what differs, and with 0 when nothing is
compiled. Run with the Python that has PyTorch.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from whole_files import write_whole

BINARY, CORPUS = (pathlib.Path(each).resolve() for each in sys.argv[1:3])
MOST = 6


def expectation_of(case):
    """Of the first line about a compiler that is not Agreed: (backend, outcome), or None."""
    line = r"(?m)^# expect: (torch:\S+) ((?:Differs|BackendRejected|InternalError|MissingRefusal|NoneBecameZero)\S*)"
    found = re.search(line, case.read_text())
    return found.groups() if found else None


def one_of_each_property(cases):
    """At most MOST Cases, first those that differ in something that none before them differs in."""
    known, others = {}, []
    for case in cases:
        _, outcome = expectation_of(case)
        kind = "/".join(outcome.split("/")[:2])
        if kind in known:
            others.append(case)
        else:
            known[kind] = case
    return [*known.values(), *others][:MOST]


def run(case, *arguments):
    command = [sys.executable, str(case), *arguments]
    variables = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=variables)


class MainParts(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = pathlib.Path(held.name)
        write_whole(BINARY, CORPUS, self.folder)

    def test_the_readme_shows_what_one_prints(self):
        readme = (CORPUS.parent / "README.md").read_text()
        block = re.search(r"(?ms)^\$ \./touchstone print corpus/(\S+) > whole\.py.*?^\$ \S+ whole\.py\n(.*?)^```", readme)
        self.assertEqual(run(self.folder / block.group(1)).stdout, block.group(2))

    def test_options_that_they_do_not_have_are_refused(self):
        case = next(case for case in sorted(self.folder.glob("found/*.py")) if expectation_of(case))
        done = run(case, "--bakend", "none")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("--backend NAME", done.stdout)

    def test_they_show_the_difference_and_only_when_compiled(self):
        cases = one_of_each_property(case for case in sorted(self.folder.glob("*/*.py")) if expectation_of(case))
        self.assertEqual(len(cases), MOST)
        for case in cases:
            with self.subTest(case=case.name):
                compiled = run(case)
                self.assertEqual(compiled.returncode, 1, compiled.stdout + compiled.stderr)
                self.assertIn("differs", compiled.stdout)
                plain = run(case, "--backend", "none")
                self.assertEqual(plain.returncode, 0, plain.stdout + plain.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
