"""Each planted fault of the native family is seen where it bites, and nowhere else: `check_faults.py BINARY`.

`tests/cases/faults/` has Cases with an `# expect:` line for each fault that they show; each fault has one. `plain.py` is changed by none but two that show in each
second call, which `plain_once.py` spares, and no Case by a control, which is an unusual rewrite that is right.
"""

import json
import os
import re
import sys
import unittest

from built_binary import TESTS, touchstone

CASES = TESTS / "cases" / "faults"
PLAIN = CASES / "plain.py"
PLAIN_ONCE = CASES / "plain_once.py"
JOBS = str(min(4, os.cpu_count() or 1))
FEWEST = 250  # faults
FEWEST_CONTROLS = 17
# These show in each second call, so the Case of a single call spares them.
SEEN_IN_SECOND_CALLS = {"fault:second_call_raises", "fault:second_call_repeats_first"}


def rows_of_faults():
    """Of each native fault: name of the backend, class and stage; from the page that is printed from the table."""
    table = (TESTS.parent / "docs" / "faults.md").read_text().partition("| native fault |")[2].partition("\n\n")[0]
    row = r"^\| `(fault:\w+)` \| (\w+) \| `(\w+)` \|.*\|$"
    return re.findall(row, table, re.MULTILINE)


ROWS = rows_of_faults()
FAULTS = [name for name, kind, _ in ROWS if kind != "control"]
CONTROLS = [name for name, kind, _ in ROWS if kind == "control"]


def judged(paths, backends=()):
    """What `touchstone run` says of each file under each backend."""
    chosen = ["--backends", ",".join(backends)] if backends else []
    run = touchstone("run", *paths, *chosen, "--jobs", JOBS, "--json")
    results = json.loads(run.stdout)["results"]
    assert results, run.stderr
    return results


class Faults(unittest.TestCase):
    def test_there_are_many(self):
        self.assertGreaterEqual(len(FAULTS), FEWEST)
        self.assertGreaterEqual(len(CONTROLS), FEWEST_CONTROLS)

    def test_each_one_is_seen_in_the_case_that_says_so(self):
        results = judged([CASES])
        unmet = [f"{each['file']}: {each['backend']} is {each['outcome']}" for each in results if not each["met"]]
        self.assertEqual(unmet, [])
        seen = {each["backend"] for each in results if each["expected"] not in ("", "Agreed")}
        self.assertEqual(sorted(set(FAULTS) - seen), [], "these faults have no Case that shows them")

    def test_none_changes_the_plain_case(self):
        changed = {each["backend"] for each in judged([PLAIN], FAULTS + CONTROLS) if each["outcome"] != "Agreed"}
        self.assertEqual(changed, SEEN_IN_SECOND_CALLS)
        outcomes = {each["outcome"] for each in judged([PLAIN_ONCE], sorted(SEEN_IN_SECOND_CALLS))}
        self.assertEqual(outcomes, {"Vacuous"}, "nothing is seen in a single call")

    def test_controls_change_no_case(self):
        clean = {each["file"]: each["outcome"] for each in judged([CASES], ["aot_eager"])}
        changed = [
            f"{each['file']} under {each['backend']}: {each['outcome']}"
            for each in judged([CASES], CONTROLS)
            if each["outcome"] != clean[each["file"]]
        ]
        self.assertEqual(changed, [])


class Ladders(unittest.TestCase):
    """The ladder names the first pipeline that has the fault's stage."""

    FIRST = {
        "captured": "@eager",
        "joint": "@aot_joint",
        "metadata": "@aot_joint",
        "functional": "@aot_functional",
        "forward": "@aot_eager_default_partitioner",
        "backward": "@aot_eager_default_partitioner",
        "merged": "",
    }

    def test_of_a_fault_of_each_stage(self):
        text = {path: path.read_text() for path in sorted(CASES.glob("*.py"))}
        for stage, rung in self.FIRST.items():
            names = [name for name, kind, at in ROWS if at == stage and kind != "control"]
            name, case = next(
                (name, path)
                for name in names
                for path in text
                if re.search(rf"^# expect: {name} (?!Agreed)", text[path], re.MULTILINE)
            )
            ladder = touchstone("bisect", case, "--backend", name).stdout
            with self.subTest(stage=stage, fault=name):
                self.assertIn(f"First to differ: {name}{rung} (", ladder)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
