"""Judges the corpus against its expectations: `check_corpus.py BINARY CORPUS [--all]`.

Everything under `torch:eager_python` and each native backend that is not wrong on purpose; what was found and each fourth
of the other Cases under `torch:aot_eager`; with `--all` every Case under every backend of the torch family that its header
or another one's names. The Cases of `inductor_patterns/` are about Inductor and judged under few others. Says also that no
class of edge case and no shape of an issue has lost its Cases, and that every stored Case is kept in the short form.
"""

import json
import pathlib
import re
import sys
import tempfile
import unittest

from built_binary import BINARY, TESTS, results_of, touchstone
from whole_files import write_whole

CORPUS = pathlib.Path(sys.argv[2]).resolve()
CASES = sorted(CORPUS.glob("*/*.py"))
OF_INDUCTOR = [case for case in CASES if case.parent.name == "inductor_patterns"]
OTHERS = [case for case in CASES if case not in OF_INDUCTOR]
RECORDED = ("torch:eager", "torch:aot_eager", "torch:aot_eager_decomp_partition", "torch:aot_function")
FIRST_LINE = "# touchstone: 1\n"
EDGE_CLASSES = 62
SHAPES = 35


def numbers_in(folder):
    numbered = (re.match(r"\d+", case.name) for case in CASES if case.parent.name == folder)
    return {int(number[0]) for number in numbered if number}


def printed_texts(files, *form):
    """What `touchstone print` makes of each of these case files."""
    run = touchstone("print", *form, *files)
    texts = [FIRST_LINE + text for text in run.stdout.split(FIRST_LINE)[1:]]
    assert run.returncode == 0 and len(texts) == len(files), run.stderr
    return texts


class Form(unittest.TestCase):
    """The stored Cases are short: no `data`, no `__main__` part."""

    def test_each_file_is_what_print_makes_of_it(self):
        stored = [*CASES, *sorted((TESTS / "cases").rglob("*.py"))]
        self.assertGreater(len(stored), len(CASES))
        other = [str(file) for file, text in zip(stored, printed_texts(stored, "--short")) if file.read_text() != text]
        self.assertEqual(other, [], "`touchstone print --short --rewrite FILE` writes the short form")

    def test_the_whole_form_is_the_same_case(self):
        with tempfile.TemporaryDirectory() as folder:
            write_whole(BINARY, CORPUS, folder)
            whole = [pathlib.Path(folder) / case.relative_to(CORPUS) for case in CASES]
            texts = [case.read_text() for case in whole]
            self.assertEqual([text.count('if __name__ == "__main__":') for text in texts], [1] * len(CASES))
            self.assertEqual(texts, printed_texts(CASES))
            self.assertEqual(texts, printed_texts(whole))
            self.assertEqual([case.read_text() for case in CASES], printed_texts(whole, "--short"))


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
        results = self.judge(OTHERS, *native, "torch:eager_python")
        results += self.judge(OF_INDUCTOR, "eager", "aot_eager", "torch:eager_python")
        printed = {row["outcome"] for row in results if row["backend"] == "torch:eager_python"}
        self.assertEqual(printed - {"BothRejected", "Reference"}, {"Agreed"}, "some Cases are about what raises")

    def test_what_ends_python(self):
        """Not in `corpus/`, whose Cases are run in one process and are where others are derived from."""
        cases = sorted((CORPUS.parent / "tests" / "cases" / "crashes").glob("*.py"))
        results = self.judge(cases, "eager", "aot_eager", "torch:eager_python", "torch:aot_eager")
        crashed = [row for row in results if row["outcome"] == "Crashed"]
        self.assertEqual(sorted(row["file"] for row in crashed), [str(case) for case in cases])

    def test_a_slice_under_aot_eager(self):
        found = [case for case in CASES if case.parent.name == "found"]
        self.assertGreaterEqual(len(found), 3)
        self.judge(sorted({*found, *OTHERS[::4]}), "torch:aot_eager")

    @unittest.skipUnless("--all" in sys.argv, "minutes; `--all` asks for it")
    def test_every_recorded_line(self):
        self.judge(OTHERS, *RECORDED)
        compiled = [case for case in CASES if "# expect: torch:inductor " in case.read_text()]
        self.assertTrue(compiled)
        self.judge(compiled, "torch:inductor")

    def test_each_edge_class_and_each_shape_has_a_case(self):
        self.assertLessEqual(set(range(1, EDGE_CLASSES + 1)), numbers_in("edge_classes"))
        self.assertLessEqual(set(range(1, SHAPES + 1)), numbers_in("regressions"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
