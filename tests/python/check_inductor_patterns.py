"""Cases of Inductor's patterns: `check_inductor_patterns.py BINARY ROOT`.

A few of them are compiled with Inductor's passes, which fire the patterns that the `# fires:` lines name, and no other; one runs under
`torch:inductor` as its header says. The coverage that docs/inductor_patterns.md shows is what the tool prints for all the lines.
"""

import pathlib
import re
import sys
import unittest
import warnings

from built_binary import results_of, touchstone

ROOT = pathlib.Path(sys.argv[2]).resolve()
CASES = ROOT / "corpus" / "inductor_patterns"
WATCHED = ("pointless_convert", "sfdp_pattern_01", "split_cat_trained", "cat_split", "frozen_conv_relu", "unbind_stack")
JUDGED = ("mul_softmax_int8",)

sys.path.insert(0, str(ROOT / "tools"))
warnings.simplefilter("ignore")

from inductor_patterns import coverage  # noqa: E402
from inductor_patterns.registered import registered  # noqa: E402


class Patterns(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.patterns = registered()
        cls.fired = coverage.recorded(CASES)

    def test_patterns_fire_where_a_case_says_so(self):
        from inductor_patterns.watching import fired

        for name in WATCHED:
            path = CASES / f"{name}.py"
            names, error = fired(path, self.patterns)
            self.assertEqual((sorted(names), error), (sorted(coverage.FIRES.findall(path.read_text())), ""), name)
            self.assertTrue(names or name == "split_cat_trained", name)

    def test_the_cases_do_what_their_headers_say(self):
        run = touchstone("run", *(CASES / f"{name}.py" for name in JUDGED), "--backends", "torch:inductor", "--no-warm-up", "--json")
        self.assertEqual([row["met"] for row in results_of(run)], [True] * len(JUDGED), run.stdout + run.stderr)

    def test_the_page_shows_what_the_tool_prints(self):
        page = (ROOT / "docs" / "inductor_patterns.md").read_text()
        table = "\n".join(coverage.table(self.patterns, self.fired))
        self.assertIn(table, page, "`python tools/mine_inductor_patterns.py table` prints it")
        cases = sum(1 for _ in CASES.glob("*.py"))
        self.assertEqual([int(number) for number in re.findall(r"\b(\d+) Cases\b", page)], [cases])

    def test_each_name_is_registered(self):
        self.assertEqual(coverage.unknown(self.patterns, self.fired), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
