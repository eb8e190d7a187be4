"""The native pipeline beside the installed PyTorch's: `check_equivalence.py BINARY ROOT`."""

import json
import pathlib
import sys
import tempfile
import unittest

from built_binary import GOOD_CASE, touchstone

ROOT = pathlib.Path(sys.argv[2]).resolve()
LEAST_SHARE_THAT_AGREES = 0.85  # of dense Programs; less without `asPyTorch`
LEAST_SHARE_TAKEN_OVER = 0.98


def case_of(*lines):
    """The good Case with another program."""
    return GOOD_CASE.replace("    return torch.sin(x)", "\n".join("    " + line for line in lines))


class Equivalence(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def equivalence(self, *arguments, status):
        run = touchstone("equivalence", *arguments, "--json")
        self.assertIn(run.returncode, status, run.stdout + run.stderr)
        return json.loads(run.stdout)

    def of_program(self, *lines, status):
        path = pathlib.Path(self.folder.name) / "case.py"
        path.write_text(case_of(*lines))
        return self.equivalence(path, status=status)

    def test_what_is_written_in_other_operators_agrees(self):
        found = self.of_program("y = x.sin()", "y[0].mul_(2)", "return y.flatten(), x * y", status=[0])
        self.assertEqual((found["compared"], found["agreed"], found["graphs"]), (1, 1, 1))

    def test_a_graph_that_breaks_elsewhere_is_a_disagreement(self):
        found = self.of_program("y = x.sin()", "x.add_(1).t_()", "return y, x.cos()", status=[1])
        self.assertEqual([each["name"] for each in found["disagreements"]], ["graphs"])
        self.assertIn("; breaks: `aten::t_` of an argument / none", found["disagreements"][0]["message"])

    def test_what_one_output_of_several_needs_is_computed_again_by_both(self):
        program = case_of("y = x * 0.25", "return y.cos(), y + 1").replace("(seed, 0), kind)", "(seed, 0), kind).requires_grad_()")
        path = pathlib.Path(self.folder.name) / "case.py"
        path.write_text(program)
        self.assertEqual(self.equivalence(path, status=[0])["agreed"], 1)

    def test_outputs_that_cover_one_another_agree(self):
        found = self.of_program("y = x + x", "return y, y.clone(), y.flatten()", status=[0])
        self.assertEqual(found["agreed"], 1)

    def test_sizes_may_be_symbolic(self):
        path = pathlib.Path(self.folder.name) / "case.py"
        path.write_text(case_of("return x.sin() * x.size(0)").replace("CALLS =", "COMPILE = dict(dynamic=True)\n\nCALLS =", 1))
        touchstone("print", "--rewrite", path)
        self.assertEqual(self.equivalence(path, status=[0])["agreed"], 1)

    def test_nothing_to_compare(self):
        found = self.of_program("return x[7]", status=[4])
        self.assertEqual((found["right"], found["compared"]), (0, 0))
        self.assertEqual([each["name"] for each in found["left_out"]], ["BothRejected"])

    def test_random_cases(self):
        found = self.equivalence("--cases", "36", "--seed", "1", status=[0, 1])
        self.assertEqual(found["cases"], 36)
        self.assertGreater(found["compared"], 18)
        self.assertGreaterEqual(found["agreed"], LEAST_SHARE_THAT_AGREES * found["compared"])
        self.assertGreaterEqual(found["imported"], LEAST_SHARE_TAKEN_OVER * (found["imported"] + found["refused"]))
        self.assertGreater(found["partitions"], 6)
        self.assertEqual(found["breaches"], [])
        self.assertLess(sum(each["cases"] for each in found["unjudged_partitions"]), found["partitions"] / 4)
        documented = (ROOT / "docs" / "equivalence.md").read_text()
        for each in found["disagreements"]:
            self.assertIn(f"| {each['name']} |", documented)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
