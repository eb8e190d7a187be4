"""Known findings end to end: `check_known.py BINARY`.

A campaign under a planted backend proposes a suppression; a second one that is given it finds nothing; expiry, `skip`, `run`, and the
check of patterns that are too loose.
"""

import datetime
import json
import tempfile
import pathlib
import unittest
import sys

from built_binary import GOOD_CASE, touchstone

PLANTED = "relu_accuracy_error_TESTING_ONLY"
CASES = 120
RELU = GOOD_CASE.replace("torch.sin(x)", "torch.relu(x - 1)")


def known_file(folder, **changes):
    entry = {"id": "planted-relu", "backend": "relu_*", "pattern": ["relu(_)"], "reason": "planted", "expires": "2027-03-01"}
    entry.update(changes)
    entry = {key: value for key, value in entry.items() if value is not None}
    file = pathlib.Path(folder) / "known.json"
    file.write_text(json.dumps({"schema": 1, "known": [entry]}))
    return file


def campaign(findings, *arguments):
    # Other operators hold a relu as well, once they are taken apart.
    run = touchstone("fuzz", "--seed", 5, "--cases", CASES, "--backends", PLANTED, "--exclude-operators", "lp_pool*",
                     "--findings", findings, "--json", *arguments)
    try:
        return run, json.loads(run.stdout)
    except ValueError:
        raise AssertionError(f"no JSON; exit status {run.returncode}:\n{run.stderr}") from None


class Known(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def test_a_campaign_with_the_suppression_finds_nothing_and_counts_what_it_suppressed(self):
        run, first = campaign(self.path / "first")
        self.assertEqual(run.returncode, 1, run.stderr)
        outcomes = first["backends"][PLANTED]
        self.assertEqual(len(first["findings"]), 1, [finding["id"] for finding in first["findings"]])
        found = first["findings"][0]["id"]
        failing = outcomes.get("Differs", 0) + outcomes.get("Suppressed", 0)
        self.assertEqual(first["suppressed"], {found: outcomes["Suppressed"]})
        beside = self.path / "first" / f"{found}.suppression.json"
        entry = json.loads(beside.read_text())["known"][0]
        self.assertIn("relu(", entry["pattern"][0])

        for known in beside, known_file(self.path):
            day = entry["expires"] if known == beside else "2027-03-01"
            run, second = campaign(self.path / f"second-{known.stem}", "--known", known, "--today", day)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual(second["findings"], [])
            self.assertEqual(sum(second["suppressed"].values()), failing)
            self.assertEqual(second["backends"][PLANTED]["Suppressed"], failing)
            # What a suppression matches and agrees is Agreed still.
            self.assertEqual(second["backends"][PLANTED]["Agreed"], outcomes["Agreed"])

    def test_the_same_seed_gives_the_same_clusters_with_any_number_of_workers(self):
        clusters = []
        for workers in 1, 2:
            _, result = campaign(self.path / f"jobs-{workers}", "--jobs", workers)
            clusters.append((sorted(finding["id"] for finding in result["findings"]), result["suppressed"], result["backends"]))
        self.assertEqual(clusters[0], clusters[1])

    def test_an_expired_entry_excuses_nothing_and_is_named(self):
        run, result = campaign(self.path / "findings", "--known", known_file(self.path), "--today", "2027-03-02")
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertEqual(len(result["findings"]), 1)
        self.assertEqual(result["expired"], [{"id": "planted-relu", "expires": "2027-03-01"}])
        text = touchstone("fuzz", "--seed", 5, "--cases", 3, "--backends", PLANTED, "--findings", self.path / "text",
                          "--known", known_file(self.path), "--today", "2027-03-02").stdout
        self.assertIn("EXPIRED: the known entry `planted-relu`", text)

    def test_what_a_skipping_suppression_matches_is_not_compiled(self):
        known = known_file(self.path, skip=True)
        run, result = campaign(self.path / "findings", "--known", known, "--today", "2027-01-01")
        self.assertIn(run.returncode, (0, 4), run.stderr)
        self.assertEqual(result["findings"], [])
        suppressed = result["suppressed"]["planted-relu"]
        self.assertGreater(suppressed, 0)
        self.assertLessEqual(result["effort"][PLANTED]["compiled"], CASES - suppressed)

    def test_run_takes_what_is_known_as_expected(self):
        case = self.path / "relu.py"
        case.write_text(RELU)
        self.assertEqual(touchstone("run", case, "--backends", PLANTED).returncode, 1)
        known = known_file(self.path)
        run = touchstone("run", case, "--backends", PLANTED, "--known", known, "--today", "2027-01-01")
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertIn("(Suppressed: planted-relu)", run.stdout)
        self.assertEqual(touchstone("run", case, "--backends", PLANTED, "--known", known, "--today", "2027-04-01").returncode, 1)

    def test_a_suppression_that_is_too_loose_fails_its_check(self):
        (self.path / "relu.py").write_text(RELU)
        for pattern, status in (["relu(_)"], 0), (["sub(_)"], 1), (["sub(_)", "y = relu(_)"], 0), (["cos(_)"], 1):
            check = touchstone("suppress", "--check", known_file(self.path, pattern=pattern, backend=PLANTED, case="relu.py"), "--json")
            self.assertEqual(check.returncode, status, f"{pattern}\n{check.stdout}{check.stderr}")
            (result,) = json.loads(check.stdout)["suppressions"]
            self.assertEqual(result["matches_case"], pattern != ["cos(_)"])

    def test_a_proposal_is_added_to_a_known_file_that_then_holds(self):
        case = self.path / "relu.py"
        case.write_text(RELU)
        unreduced = touchstone("suppress", case, "--backend", PLANTED)
        self.assertEqual(unreduced.returncode, 1, unreduced.stdout)
        self.assertIn("NOT REDUCED", unreduced.stdout)
        unsafe = ["suppress", case, "--backend", PLANTED, "--known", self.path / "unsafe.json", "--add", "--reason", "planted", "--expires"]
        self.assertEqual(touchstone(*unsafe, "2999-12-31").returncode, 1)
        self.assertIn("is before today", touchstone(*unsafe, "2020-01-01").stderr)
        self.assertFalse((self.path / "unsafe.json").exists() and "relu" in (self.path / "unsafe.json").read_text())
        damaged = self.path / "damaged.json"
        damaged.write_text('{"schema": 1, "known": [')
        torn = touchstone("suppress", case, "--backend", PLANTED, "--known", damaged, "--add", "--reason", "x", "--expires", "2999-12-31")
        self.assertEqual(torn.returncode, 2, torn.stderr)
        self.assertIn("damaged.json is no JSON", torn.stderr)
        case.write_text(RELU.replace("x - 1", "x"))
        known = self.path / "new.json"
        add = touchstone("suppress", case, "--backend", PLANTED, "--known", known, "--add", "--reason", "planted",
                         "--expires", (datetime.date.today() + datetime.timedelta(days=30)).isoformat())
        self.assertEqual(add.returncode, 0, add.stdout + add.stderr)
        self.assertIn('"relu()"', add.stdout)
        self.assertEqual(touchstone("suppress", "--check", known).returncode, 0)
        self.assertEqual(touchstone("retest", "--known", known).returncode, 0)
        self.assertEqual(touchstone("suppress", case, "--backend", PLANTED, "--known", known, "--add").returncode, 2)
        self.assertEqual(touchstone("suppress", case, "--backend", "aot_eager").returncode, 4)
        case.write_text(RELU)
        self.assertIn("sub(x, 1)\n", touchstone("suppress", case, "--operations").stdout)

    def test_mistakes_are_wrong_use(self):
        for changes, said in ({"patern": ["relu(_)"]}, "choose one of `pattern`"), ({"expires": "soon"}, "no date"):
            run = touchstone("fuzz", "--cases", 1, "--backends", PLANTED, "--findings", self.path / "f",
                             "--known", known_file(self.path, **changes))
            self.assertEqual(run.returncode, 2, run.stderr)
            self.assertIn(said, run.stderr)


unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
