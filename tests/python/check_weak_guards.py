"""Each planted fault that takes away one kind of guard is found by a campaign of call sequences: `check_weak_guards.py BINARY`."""

import concurrent.futures
import json
import os
import re
import tempfile
import unittest

from built_binary import TESTS, touchstone

FEWEST = 17  # faults of that class
SOUND = "aot_eager"
FIRST, CASES = 150, 1000


def weak_guards():
    """The native faults of class guards; from the page that is printed from the table."""
    table = (TESTS.parent / "docs" / "faults.md").read_text().partition("| native fault |")[2].partition("\n\n")[0]
    return re.findall(r"^\| `(fault:\w+)` \| guards \|", table, re.MULTILINE)


def stages_found(backend, cases):
    """Where the findings of a short campaign are said to be."""
    with tempfile.TemporaryDirectory() as folder:
        run = touchstone("fuzz", "--sequences", "--seed", 5, "--cases", cases, "--backends", backend, "--findings", folder, "--json")
    assert run.returncode in (0, 1), run.stderr
    return [finding["stage"] for finding in json.loads(run.stdout)["findings"]]


def blames_guards(stages):
    return any(stage.endswith("guards") for stage in stages)


def found_by_sequences(backend):
    """The same of all Cases, or of the first ones where these suffice."""
    first = [] if backend == SOUND else stages_found(backend, FIRST)
    return first if blames_guards(first) else stages_found(backend, CASES)


class WeakGuards(unittest.TestCase):
    def test_each_is_found_and_blamed_on_guards(self):
        faults = weak_guards()
        self.assertGreaterEqual(len(faults), FEWEST)
        with concurrent.futures.ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
            found = dict(zip([SOUND, *faults], pool.map(found_by_sequences, [SOUND, *faults])))
        self.assertEqual(found.pop(SOUND), [], "nothing is planted there")
        for fault, stages in found.items():
            with self.subTest(fault):
                self.assertTrue(blames_guards(stages), stages or "no finding")


if __name__ == "__main__":
    import sys

    unittest.main(argv=sys.argv[:1], verbosity=2)
