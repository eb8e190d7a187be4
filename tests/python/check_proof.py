"""Proof that a backend executes what it is handed, and doors that open: `check_proof.py BINARY`, run with the Python that has PyTorch."""

import json
import sys
import tempfile
import unittest

from built_binary import TESTS, touchstone

CASES = ("--max-operations", "6", "--min-operations", "3", "--json")
SIMPLE = ("--without", "backward,modules,data_branches,custom_operators")


def campaign(backend, *more, cases=6, seed=5):
    name = f"torch:proof_backends:{backend}"
    more = more if "--findings" in more else (*more, "--judge-only", *SIMPLE)
    run = touchstone("fuzz", "--backends", name, "--python-path", TESTS / "python", "--cases", cases, "--seed", seed, *CASES, *more, timeout=600)
    return run, json.loads(run.stdout) if run.stdout.strip() else None, name


class Proof(unittest.TestCase):
    def told(self, backend, proof):
        run, report, name = campaign(backend, "--proof", proof)
        self.assertIsNotNone(report, run.stderr)
        return report["backends"][name], report["delegation"][name]

    def assert_all_own(self, outcomes, told):
        self.assertGreaterEqual(outcomes.get("Agreed", 0), 3)
        self.assertGreaterEqual(told["cases"]["Delegated"], 3)
        self.assertNotIn("Undelegated", told["cases"])
        self.assertGreaterEqual(len(told["operators"]), 5)
        own, calls = (sum(each[key] for each in told["operators"].values()) for key in ("own", "calls"))
        self.assertGreaterEqual(own, 0.6 * calls, told)  # the rest: gradients that a Program takes itself

    def test_what_is_executed_is_delegated(self):
        self.assert_all_own(*self.told("executes", "spied"))

    def test_a_counter_tells_the_same(self):
        self.assert_all_own(*self.told("executes", "proof_backends:executions"))

    def test_a_silent_fallback_has_not_agreed(self):
        for proof in ("spied", "proof_backends:executions"):
            with self.subTest(proof=proof):
                outcomes, told = self.told("falls_back", proof)
                self.assertNotIn("Agreed", outcomes)
                self.assertGreaterEqual(outcomes["Vacuous"], 3)
                self.assertEqual(set(told["cases"]), {"Undelegated"})
                self.assertTrue(all(each["own"] == 0 for each in told["operators"].values()), told)

    def test_backends_of_aotautograd_are_told_apart(self):
        self.assert_all_own(*self.told("aot_executes", "spied"))
        outcomes, told = self.told("aot_falls_back", "spied")
        self.assertNotIn("Agreed", outcomes)
        self.assertEqual(set(told["cases"]), {"Undelegated"})

    def test_a_part_is_told_by_operator(self):
        outcomes, told = self.told("falls_back_for_most", "spied")
        self.assertGreaterEqual(outcomes["Vacuous"], 1)
        self.assertGreaterEqual(told["cases"]["Undelegated"], 1)
        self.assertGreaterEqual(told["cases"].get("Delegated", 0) + told["cases"].get("Partly", 0), 1)
        own, calls = (sum(each[key] for each in told["operators"].values()) for key in ("own", "calls"))
        self.assertLess(0, own)
        self.assertLess(own, calls)

    def test_a_proof_that_is_none_is_refused(self):
        run, report, _ = campaign("executes", "--proof", "nothing")
        self.assertEqual((run.returncode, report), (2, None))
        self.assertIn("`spied`, or `module:attribute`", run.stderr)


class Doors(unittest.TestCase):
    def test_a_backend_without_gradients_is_tested(self):
        run, report, name = campaign("refuses_gradients", "--proof", "spied")
        self.assertGreaterEqual(report["backends"][name].get("Agreed", 0), 3)
        self.assertEqual(run.stderr.count("fails with gradients, writes to arguments and a graph break: "), 1, run.stderr)
        self.assertIn("gradients are not for this backend", run.stderr)
        self.assertNotIn("values alone", run.stderr)

    def test_what_fails_at_the_start_is_the_first_finding(self):
        with tempfile.TemporaryDirectory() as folder:
            run, report, name = campaign("refuses_gradients", "--findings", folder, "--max-findings", "1", "--reduce-seconds", "0", cases=1)
            (found,) = report["findings"]
            self.assertEqual((run.returncode, found["found_by"]), (1, "what workers start with, program 1"), run.stderr)
            self.assertTrue(found["oracle"].startswith("BackendRejected"), found)
            self.assertIn("gradients are not for this backend", found["message"])
            self.assertEqual(report["backends"][name], {"BackendRejected": report["cases"]})  # what got through is not counted

    def test_what_the_profile_leaves_out_is_not_asked_at_the_start(self):
        for backend, more in (("refuses_gradients", SIMPLE), ("executes", ())):
            with self.subTest(backend=backend), tempfile.TemporaryDirectory() as folder:
                _, report, _ = campaign(backend, "--findings", folder, "--reduce-seconds", "0", *more, cases=1, seed=6)  # whose first Case is no finding
                self.assertEqual([each for each in report["findings"] if each["found_by"].startswith("what workers start with")], [])

    def test_one_that_ends_the_process_is_tested(self):
        run, report, name = campaign("ends_the_process")
        self.assertGreaterEqual(report["backends"][name].get("Agreed", 0), 3)
        self.assertIn("it ends the process (SIGABRT)", run.stderr)

    def test_one_that_takes_nothing_has_findings(self):
        run, report, name = campaign("refuses_all")
        self.assertIn("Nothing is compiled before the first Case.", run.stderr)
        self.assertGreaterEqual(report["backends"][name]["BackendRejected"], 3)

    def test_one_that_is_not_there_is_not_available(self):
        run, report, _ = campaign("no_such_backend")
        self.assertEqual((run.returncode, report), (3, None))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
