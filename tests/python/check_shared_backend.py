"""Backends from shared libraries: `check_shared_backend.py BINARY CMAKE SOURCE WORK TORCH_CMAKE_FOLDER [-DNAME=VALUE…]`.

Builds tests/shared_backends with the headers and libtorch alone, outside of the build, in WORK.
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

from built_binary import GOOD_CASE, results_of, touchstone

CMAKE = sys.argv[2]
SOURCE, WORK, TORCH = map(pathlib.Path, sys.argv[3:6])

# The gradient of x * x is made of multiplications.
GRADIENT_CASE = GOOD_CASE.replace("return torch.sin(x)", "return torch.sin(x) * x").replace("    x = data", "    x = data").replace(
    "kind)\n    return (x,)", "kind).requires_grad_()\n    return (x,)"
)
GRADIENT_CASE = GRADIENT_CASE.replace("seed=1)", 'seed=1, backward=[0])').replace("seed=2)", 'seed=2, backward=[0])')


def run_tool(*command):
    done = subprocess.run([str(each) for each in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}")


SILU_CASE = GRADIENT_CASE.replace("torch.sin(x) * x", "torch.nn.functional.silu(torch.sin(x))")
CUSTOM_CASE = GRADIENT_CASE.replace("return torch.sin(x) * x", "return Scaled.apply(x)").replace("def inputs", '''class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 3


def inputs''')
CAPTURED, FORWARD, BACKWARD = "0 ", "1 ", "2 "  # touchstone_role


class SharedBackend(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        run_tool(CMAKE, "-G", "Ninja", "-S", SOURCE / "tests" / "shared_backends", "-B", WORK, f"-DCMAKE_PREFIX_PATH={TORCH}",
                 f"-DTOUCHSTONE_HEADERS={SOURCE / 'include'}", *sys.argv[6:])
        run_tool(CMAKE, "--build", WORK)
        cls.modes, cls.tables, cls.nothing, cls.call_modes = (
            WORK / f"lib{name}.so" for name in ("modes", "tables", "nothing", "call_modes"))
        held = tempfile.TemporaryDirectory()
        cls.addClassCleanup(held.cleanup)
        cls.folder = pathlib.Path(held.name)
        cls.case = cls.folder / "case.py"
        cls.case.write_text(GOOD_CASE)

    def outcome(self, mode="", case=GOOD_CASE, level="captured"):
        self.case.write_text(case)
        run = touchstone("run", "--load", self.modes, self.case, "--json", MODE=mode, LEVEL=level)
        (row,) = results_of(run)
        self.assertEqual(row["backend"], "by_mode_aot" if level == "aot" else "by_mode")
        return row

    def refused(self, library, status, **environment):
        run = touchstone("run", "--load", library, self.case, **environment)
        self.assertEqual(run.returncode, status, run.stdout + run.stderr)
        return run.stderr

    def test_what_is_right_agrees_and_was_compiled(self):
        for level in ("captured", "aot"):
            with self.subTest(level=level):
                for case in (GOOD_CASE, GRADIENT_CASE):
                    self.assertEqual(self.outcome(case=case, level=level)["outcome"], "Agreed")

    def test_what_compiles_nothing_is_vacuous(self):
        for level in ("captured", "aot"):
            with self.subTest(level=level):
                self.assertEqual(self.outcome("declines", level=level)["outcome"], "Vacuous")
        (row,) = results_of(touchstone("run", "--load", self.tables, self.case, "--json"))
        self.assertEqual((row["backend"], row["outcome"]), ("declining", "Vacuous"))

    def test_failures_are_told_in_its_words(self):
        for mode, text in (("compile_throws", "no code for aten::sin"), ("run_throws", "the run gave up"),
                           ("operator_throws", "no sine today"), ("too_few", "has 1 outputs, the backend gave 0")):
            with self.subTest(mode=mode):
                row = self.outcome(mode)
                self.assertEqual(row["outcome"], "BackendRejected/forward")
                self.assertIn(text, row["message"])
        row = self.outcome("unsupported")
        self.assertEqual(row["outcome"], "Unsupported")
        self.assertIn("graphs on a Tuesday", str(row))
        self.assertEqual(self.outcome("crashes")["outcome"], "Crashed")

    def test_errors_of_the_program_stay_what_they_are(self):
        case = GOOD_CASE.replace("return torch.sin(x)", "y = torch.sin(x)\n    return torch.index_select(y, 0, x.long() + 9)")
        self.assertEqual(self.outcome(case=case)["outcome"], "BothRejected")

    def test_a_wrong_backward_is_found(self):
        row = self.outcome("wrong_backward", GRADIENT_CASE, "aot")
        self.assertEqual(row["outcome"], "Differs/gradient_values/call 0 leaf 0")

    def test_libraries_that_cannot_be_used(self):
        self.assertIn("There is no shared library", self.refused(self.folder / "missing.so", 2))
        self.assertIn("exports no `touchstone_backend_v1`", self.refused(self.nothing, 2))
        self.assertIn("cannot be loaded", self.refused(self.case, 3))
        for table, status, text in (("null", 3, "cannot work on this machine"), ("abi", 3, "built for version 99"),
                                    ("torch", 3, "built with libtorch 1.2.3"), ("taken", 2, "which a built-in one has"),
                                    ("spaces", 2, "the name `my backend`"), ("incomplete", 2, "lacks one of the functions"),
                                    ("dies", 3, "ends the process")):
            with self.subTest(table=table):
                self.assertIn(text, self.refused(self.tables, status, TABLE=table))
        run = touchstone("run", "--load", self.tables, "--load", self.tables, self.case)
        self.assertEqual(run.returncode, 2)
        self.assertIn("Two of the libraries have a backend `declining`", run.stderr)

    def in_mode(self, level, case, mode=""):
        """The row of a backend with a mode, and the lines that the mode wrote: role, what is called, number of arguments."""
        self.case.write_text(case)
        calls = self.folder / "calls.txt"
        calls.unlink(missing_ok=True)
        (row,) = results_of(touchstone("run", "--load", self.call_modes, self.case, "--json", MODE=mode, LEVEL=level, CALLS=calls))
        self.assertEqual(row["backend"], f"mode_{level}")
        return row, set(calls.read_text().splitlines())

    def test_modes_see_the_calls_of_their_graphs(self):
        row, calls = self.in_mode("eager", SILU_CASE)
        self.assertEqual((row["outcome"], calls), ("Agreed", {CAPTURED + "aten::sin 1", CAPTURED + "aten::silu 1"}))
        row, calls = self.in_mode("nop", SILU_CASE)
        self.assertEqual(row["outcome"], "Agreed")
        self.assertLessEqual({FORWARD + "aten::silu 1", BACKWARD + "aten::silu_backward 2", BACKWARD + "aten::cos 1"}, calls)
        self.assertNotIn(FORWARD + "aten::exp 1", calls)
        row, calls = self.in_mode("decomposed", SILU_CASE)
        self.assertEqual(row["outcome"], "Agreed")
        self.assertLessEqual({FORWARD + "aten::exp 1", BACKWARD + "aten::cos 1"}, calls)
        self.assertNotIn(FORWARD + "aten::silu 1", calls)

    def test_modes_see_callables(self):
        row, calls = self.in_mode("eager", CUSTOM_CASE)
        self.assertEqual((row["outcome"], calls), ("Agreed", {CAPTURED + "callable Scaled.apply 1"}))
        row, _ = self.in_mode("eager", CUSTOM_CASE, "replaces")
        self.assertEqual(row["outcome"], "Differs/values/call 0 output 0")

    def test_modes_replace_and_fail_in_their_words(self):
        for level in ("eager", "nop", "decomposed"):
            with self.subTest(level=level):
                row, _ = self.in_mode(level, GRADIENT_CASE, "replaces")
                self.assertEqual(row["outcome"], "Differs/values/call 0 output 0")
                row, _ = self.in_mode(level, GRADIENT_CASE, "throws")
                self.assertEqual(row["outcome"], "BackendRejected/forward")
                self.assertIn("no sine today", row["message"])
                row, _ = self.in_mode(level, GRADIENT_CASE, "forgets")
                self.assertIn("A mode neither made the call `aten::sin` nor replaced it", row["message"])

    def test_each_mode_is_judged_beside_its_pipeline(self):
        self.case.write_text(GOOD_CASE)
        for level, base in (("eager", "eager"), ("nop", "aot_eager_default_partitioner"), ("decomposed", "aot_eager_decomp_partition")):
            run = touchstone("ladder", "--load", self.call_modes, self.case, "--family", "native", LEVEL=level, CALLS=self.folder / "calls.txt", MODE="throws")
            self.assertIn(f"First to differ: mode_{level}", run.stdout)
            self.assertRegex(run.stdout, rf"(?m)^.*\b{base}\b")

    def test_other_commands_take_it(self):
        run = touchstone("backends", "--load", self.modes)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("does what MODE says", run.stdout)
        self.assertNotIn("NOT AVAILABLE", run.stdout.split("by_mode")[1].splitlines()[0])
        self.case.write_text(GOOD_CASE)
        run = touchstone("ladder", "--load", self.modes, self.case, "--family", "native", MODE="run_throws")
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertIn("First to differ: by_mode", run.stdout)
        reduced = self.folder / "reduced.py"
        run = touchstone("reduce", "--load", self.modes, "--backend", "by_mode", self.case, "-o", reduced, MODE="operator_throws")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("# expect: by_mode BackendRejected", reduced.read_text())

    def test_a_campaign_goes_on(self):
        findings = self.folder / "findings"
        options = ("--load", self.modes, "--findings", findings, "--seed", "3", "--json")
        run = touchstone("fuzz", *options, "--cases", "20", MODE="declines")
        self.assertEqual(run.returncode, 4, run.stdout + run.stderr)  # nothing was judged
        run = touchstone("fuzz", "--resume", findings, "--json", MODE="declines")
        self.assertEqual(run.returncode, 4, run.stdout + run.stderr)
        self.assertIn("by_mode", run.stdout)

    def test_a_profile_names_it_from_its_own_folder(self):
        profile = self.folder / "profile.json"
        (self.folder / "link.so").unlink(missing_ok=True)
        (self.folder / "link.so").symlink_to(self.modes)
        profile.write_text('{"load": ["link.so"], "backend": "by_mode"}')
        self.case.write_text(GOOD_CASE)
        (row,) = results_of(touchstone("run", "--profile", profile, self.case, "--json", cwd="/"))
        self.assertEqual((row["backend"], row["outcome"]), ("by_mode", "Agreed"))
        both = touchstone("run", self.case, "--profile", profile, "--backends", "by_mode,torch:eager", "--json")
        self.assertEqual([row["outcome"] for row in results_of(both)], ["Agreed", "Agreed"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
