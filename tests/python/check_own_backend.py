"""The findings of a backend that a module of one's own registers, under a profile: `check_own_backend.py BINARY`."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from built_binary import GOOD_CASE, results_of, touchstone

# Registers `torch:mycomp`, which takes sin for cos.
MODULE = """import torch


@torch._dynamo.register_backend(name="mycomp")
def mycomp(module, inputs):
    for node in module.graph.nodes:
        if node.target in (torch.sin, "sin"):
            node.target = torch.cos if node.target is torch.sin else "cos"
    module.recompile()
    return module.forward
"""


class OwnBackend(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        held = tempfile.TemporaryDirectory()
        cls.addClassCleanup(held.cleanup)
        cls.folder = pathlib.Path(held.name).resolve()
        (cls.folder / "code").mkdir()
        cls.module = cls.folder / "code" / "mycomp_backend.py"
        cls.module.write_text(MODULE)
        cls.profile = cls.folder / "profile.json"
        cls.profile.write_text(json.dumps({"backend": "torch:mycomp", "imports": ["mycomp_backend"], "python_path": ["code"]}))
        cls.findings = cls.folder / "findings"
        run = touchstone("fuzz", "--profile", cls.profile, "--cases", "20", "--seed", "4", "--calls", "2", "--max-findings", "1", "--min-operations", "2", "--max-operations", "4",
                         "--operators", "sin,add,mul", "--dtypes", "float32", "--reduce-seconds", "10", "--findings", cls.findings)
        assert run.returncode == 1, run.stdout + run.stderr
        (cls.finding,) = cls.findings.glob("*.py")

    def setUp(self):
        self.module.write_text(MODULE)

    def python(self, file, *arguments):
        """Plain Python, which knows nothing but the file."""
        variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        return subprocess.run([sys.executable, file, *arguments], capture_output=True, text=True, env=variables, cwd="/")

    def test_a_finding_runs_alone(self):
        run = self.python(self.finding)
        self.assertEqual((run.returncode, run.stdout.splitlines()[-1:]), (1, ["differs"]), run.stderr)
        self.assertEqual(self.python(self.finding, "--backend", "none").returncode, 0)

    def test_a_backend_that_is_gone_is_no_difference(self):
        self.module.unlink()
        run = self.python(self.finding)
        self.assertEqual(run.returncode, 2, run.stdout + run.stderr)
        self.assertIn("There is no backend mycomp: No module named 'mycomp_backend'", run.stdout)
        self.module.write_text("")  # it is there, and registers nothing
        run = self.python(self.finding)
        self.assertEqual(run.returncode, 2, run.stdout + run.stderr)
        self.assertIn("There is no backend mycomp: ", run.stdout)

    def test_what_is_reduced_runs_alone(self):
        large, small = self.folder / "large.py", self.folder / "small.py"
        large.write_text(GOOD_CASE.replace("torch.sin(x)", "torch.sin(x * 2) + 1"))
        run = touchstone("reduce", large, "--profile", self.profile, "--backend", "torch:mycomp", "--seconds", "4", "-o", small)
        self.assertEqual(run.returncode, 0, run.stderr)
        run = self.python(small)
        self.assertEqual((run.returncode, run.stdout.splitlines()[-1:]), (1, ["differs"]), run.stderr)

    def test_a_finding_agrees_when_the_bug_is_mended(self):
        calls = re.findall(r"(?m)^    dict\(inputs=.*$", self.finding.read_text())
        self.assertEqual(len(calls), 2, calls)
        self.module.write_text(MODULE.replace("torch.cos", "torch.sin").replace('"cos"', '"sin"'))
        run = touchstone("run", self.finding, "--profile", self.profile, "--json")
        self.assertEqual([row["outcome"] for row in results_of(run)], ["Agreed"], run.stderr)

    def test_the_profile_beside_the_findings_is_taken(self):
        plain = self.folder / "plain"
        plain.mkdir(exist_ok=True)
        case, profile = plain / "case.py", plain / "profile-0123abcd.json"
        case.write_text(GOOD_CASE)
        profile.write_text(json.dumps({"backend": "aot_eager", "maximum_rank": 3}))
        for path in (plain, case):
            run = touchstone("run", path, "--json")
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
            self.assertIn(f"with the profile `{profile}`", run.stderr)
        run = touchstone("run", case, "--backends", "eager", "--json")  # it is not about this one
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        other = self.folder / "other.py"
        other.write_text(GOOD_CASE)
        run = touchstone("run", case, other)  # nor about both of these
        self.assertNotIn("profile", run.stderr)
        (plain / "profile-2.json").write_text("{}")
        run = touchstone("run", plain)
        self.assertIn("2 profiles lie beside the findings, and none is taken", run.stderr)

    def test_a_profile_beside_the_findings_that_imports_is_not_taken_unasked(self):
        run = touchstone("run", self.finding)
        self.assertRegex(run.stderr, r"its `imports` may run code, so it is taken only with --profile \S+/profile-[0-9a-f]+\.json")

    def test_ladder_and_bisect_take_a_profile(self):
        case = self.folder / "case.py"
        case.write_text(GOOD_CASE)
        for file in (self.finding, case):
            run = touchstone("ladder", file, "--family", "torch", "--profile", self.profile, "--json")
            self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
            (family,) = json.loads(run.stdout)["families"]
            self.assertEqual((family["rungs"][-1]["backend"], family["first"]), ("torch:mycomp", "torch:mycomp"))
            run = touchstone("bisect", file, "--profile", self.profile, "--json")
            self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
            self.assertEqual(json.loads(run.stdout)["first"], "torch:mycomp")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
