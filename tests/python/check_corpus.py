"""Judges the corpus against its expectations: `check_corpus.py BINARY CORPUS [--all]`.

Everything under `torch:eager_python` and each native backend that is not wrong on purpose; what was found and each fourth
of the other Cases under `torch:aot_eager`; with `--all` every Case under every backend of the torch family that its header
or another one's names. Says also that no class of edge case and no shape of an issue has lost its Cases.
"""

import json
import pathlib
import re
import sys
import unittest

from built_binary import results_of, touchstone

CORPUS = pathlib.Path(sys.argv[2]).resolve()
CASES = sorted(CORPUS.glob("*/*.py"))
RECORDED = ("torch:eager", "torch:aot_eager", "torch:aot_eager_decomp_partition", "torch:aot_function")
EDGE_CLASSES = 62
SHAPES = 35


def numbers_in(folder):
    numbered = (re.match(r"\d+", case.name) for case in CASES if case.parent.name == folder)
    return {int(number[0]) for number in numbered if number}


class Corpus(unittest.TestCase):
    def judge(self, cases, *backends):
        """Each of these Cases does under each of these backends what its header says."""
        run = touchstone("run", *cases, "--jobs", 2, "--backends", ",".join(backends), "--json")
        results = results_of(run)
        unmet = [
            f"{row['file']} under {row['backend']}: expected {row['expected']}, got {row['outcome']}: {row['message']}"
            for row in results
            if not row["met"]
        ]
        self.assertEqual(unmet, [], run.stderr)
        self.assertEqual(len(results), len(cases) * len(backends), run.stderr)
        self.assertEqual(run.returncode, 0, run.stderr)
        return results

    def test_the_native_and_the_uncompiled_backends(self):
        known = json.loads(touchstone("backends", "--json").stdout)
        native = [each["name"] for each in known if each["family"] == "native" and "TESTING_ONLY" not in each["name"]]
        self.assertLessEqual({"eager", "aot_joint", "aot_functional", "aot_eager", "invoke_subgraph"}, set(native))
        results = self.judge(CASES, *native, "torch:eager_python")
        printed = {row["outcome"] for row in results if row["backend"] == "torch:eager_python"}
        self.assertEqual(printed - {"BothRejected"}, {"Agreed"}, "some Cases are about what raises")

    def test_what_ends_python(self):
        """Not in `corpus/`, whose Cases are run in one process and are where others are derived from."""
        cases = sorted((CORPUS.parent / "tests" / "cases" / "crashes").glob("*.py"))
        results = self.judge(cases, "eager", "aot_eager", "torch:eager_python")
        crashed = [row for row in results if row["outcome"] == "Crashed"]
        self.assertEqual([row["backend"] for row in crashed], ["torch:eager_python"] * len(cases))

    def test_a_slice_under_aot_eager(self):
        found = [case for case in CASES if case.parent.name == "found"]
        self.assertGreaterEqual(len(found), 3)
        self.judge(sorted({*found, *CASES[::4]}), "torch:aot_eager")

    @unittest.skipUnless("--all" in sys.argv, "minutes; `--all` asks for it")
    def test_every_recorded_line(self):
        self.judge(CASES, *RECORDED)
        compiled = [case for case in CASES if "# expect: torch:inductor " in case.read_text()]
        self.assertTrue(compiled)
        self.judge(compiled, "torch:inductor")

    def test_each_edge_class_and_each_shape_has_a_case(self):
        self.assertLessEqual(set(range(1, EDGE_CLASSES + 1)), numbers_in("edge_classes"))
        self.assertLessEqual(set(range(1, SHAPES + 1)), numbers_in("regressions"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
