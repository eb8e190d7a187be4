"""`touchstone conform` on planted backends: `check_conform.py BINARY`, run with the Python that has PyTorch."""

import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

from built_binary import BINARY, TESTS, touchstone

OPERATORS = "sin,add,mul,cos,relu,neg,exp,abs,tanh,sub,view_as,t"


class Conform(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        held = tempfile.TemporaryDirectory()
        cls.addClassCleanup(held.cleanup)
        cls.folder = pathlib.Path(held.name).resolve()

    def conform(self, backend, levels, *more, cases=16, minutes=0.8, folder=None):
        folder = self.folder / (folder or backend)
        run = touchstone("conform", "--backend", f"torch:proof_backends:{backend}", "--python-path", TESTS / "python", "--minutes", minutes, "--cases", cases,
                         "--levels", levels, "--operators", OPERATORS, "--dtypes", "float32", "--report", folder, "--seed", 3, "--json", *more,
                         timeout=600)
        self.assertTrue(run.stdout.strip(), run.stderr)
        report = json.loads(run.stdout)
        self.assertEqual(report, json.loads((folder / "conformance.json").read_text()))
        return run, report, {level["level"]: level for level in report["levels"]}, folder

    def test_results_that_are_kept_fail_at_later_calls(self):
        run, report, levels, folder = self.conform("caches_results", "L0,L4,L5", "--proof", "spied", cases=24, minutes=1.5)
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertEqual(levels["L5"]["verdict"], "fails")
        self.assertEqual(levels["L0"]["verdict"], "not shown")
        self.assertEqual((levels["L4"]["causes"], levels["L1"]["verdict"]), ([], "not asked"))
        causes = [cause for cause in report["causes"] if not cause["is_refusal"]]
        self.assertEqual({cause["level"] for cause in causes}, {"L5"}, causes)  # gradients are wrong in later calls alone, too
        self.assertEqual((causes[0]["title"], causes[0]["plain_python"]), ("wrong values in a later call", "differs"))
        self.assertGreaterEqual(causes[0]["probes"], 5)
        self.assertGreaterEqual(len(causes[0]["operators"]), 5)
        self.assertIn("wrong values in a later call", (folder / "report.md").read_text())
        self.assertIn(f'id="{causes[0]["id"]}"', (folder / "index.html").read_text())
        self.assertIn("sin,float32,forward,wrong,Delegated", (folder / "operators.csv").read_text())
        suite = xml.etree.ElementTree.parse(folder / "junit.xml").getroot()
        self.assertEqual([test.get("name") for test in suite if test.find("failure") is not None][-1], "L5 later calls and guards")

    def test_results_in_one_memory_are_told_each_time(self):
        reports = []
        for _ in range(2):  # what is stored of the first run hides nothing of the second
            run, report, levels, folder = self.conform("reuses_memory", "L5")
            self.assertEqual((run.returncode, levels["L5"]["verdict"]), (1, "fails"), run.stderr)
            reports.append(report)
        for report in reports:
            first = report["causes"][0]
            self.assertEqual((first["level"], first["title"]), ("L5", "results of an earlier call change once it is called again"))
            self.assertGreaterEqual(first["cases"], 1)
        self.assertEqual(reports[0]["causes"][0]["id"], reports[1]["causes"][0]["id"])
        self.assertNotIn("not seen again: results of an earlier call", (folder / "report.md").read_text())

    def test_a_silent_fallback_has_agreed_about_nothing(self):
        run, report, levels, _ = self.conform("executes", "L0", "--proof", "spied")
        self.assertEqual((run.returncode, levels["L0"]["verdict"], report["causes"]), (0, "holds", []), run.stderr)
        self.assertGreaterEqual(levels["L0"]["delegations"]["Delegated"], 10)
        self.assertNotIn("Undelegated", levels["L0"]["delegations"])
        text = (self.folder / "executes" / "conformance.json").read_text().replace('"backend": "torch:proof_backends:executes"',
                                                                                  '"backend": "torch:proof_backends:falls_back"')
        older = self.folder / "older.json"
        older.write_text(text)

        run, report, levels, folder = self.conform("falls_back", "L0", "--proof", "spied", "--against", older)
        self.assertEqual((run.returncode, levels["L0"]["verdict"], report["causes"]), (4, "not shown", []), run.stderr)
        self.assertLess(levels["L0"]["agreed"], 10)  # Programs of views alone: there is nothing to execute
        self.assertIn("left what it was handed to PyTorch", levels["L0"]["why"])
        self.assertIn("sin,float32,forward,not_judged,Undelegated", (folder / "operators.csv").read_text())
        self.assertIn("of the operators supported → not_judged: ", (folder / "report.md").read_text())

    def test_a_part_that_is_left_is_told(self):
        _, report, levels, _ = self.conform("falls_back_for_most", "L0", "--proof", "spied")
        self.assertGreaterEqual(levels["L0"]["delegations"]["Undelegated"], 1)
        self.assertGreaterEqual(levels["L0"]["delegations"].get("Delegated", 0) + levels["L0"]["delegations"].get("Partly", 0), 1)
        self.assertEqual(report["causes"], [])

    def test_a_backend_without_gradients_holds_below(self):
        run, report, levels, _ = self.conform("refuses_gradients", "L0,L4")
        self.assertIn(levels["L0"]["verdict"], ("holds", "holds where taken"), run.stderr)  # some arguments require grad
        self.assertEqual(levels["L4"]["verdict"], "refused")
        self.assertEqual([(cause["level"], cause["is_refusal"]) for cause in report["causes"]], [("L4", True)])
        self.assertIn("gradients are not for this backend", report["causes"][0]["title"])
        self.assertTrue(any("gradients are not for this backend" in line for line in report["troubles"]))

    def test_a_whole_report_is_not_lost_to_an_interrupted_run(self):
        _, whole, levels, folder = self.conform("executes", "L0", cases=2, folder="whole")
        self.assertLessEqual(levels["L0"]["cases"], len(OPERATORS.split(",")) + 2)
        command = [str(BINARY), "conform", "--backend", "torch:proof_backends:executes", "--python-path", str(TESTS / "python"),
                   "--minutes", "5", "--levels", "L0", "--report", str(folder)]
        running = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.assertIn("probes: ", running.stderr.readline())
        second = touchstone(*command[1:])
        self.assertEqual(second.returncode, 2)
        self.assertIn("Another `touchstone conform` writes its report into", second.stderr)
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=300)
        self.assertEqual(running.returncode, 130, said)
        self.assertIn("is left as it was", said)
        self.assertEqual(json.loads((folder / "conformance.json").read_text()), whole)
        (apart,) = folder.glob("unfinished-*")
        self.assertTrue(json.loads((apart / "conformance.json").read_text())["is_interrupted"])
        self.conform("executes", "L0", cases=2, folder="whole")
        self.assertEqual(list(folder.glob("unfinished-*")), [apart])  # it was somebody's work
        self.assertIn("since", (folder / "report.md").read_text())

    def test_what_cannot_be_done_is_told(self):
        for arguments, text in (
            (("--levels", "L9"), "the levels are L0 to L7"),
            (("--against", "/nowhere.json"), "which --against names, is not there"),
            (("--minutes", "0"), "--minutes"),
        ):
            with self.subTest(arguments=arguments):
                run = touchstone("conform", "--backend", "torch:eager", "--report", self.folder / "none", *arguments)
                self.assertEqual(run.returncode, 2, run.stderr)
                self.assertIn(text, run.stderr)
        theirs = self.folder / "theirs" / "causes"
        theirs.mkdir(parents=True)
        (theirs / "mine.txt").write_text("mine")
        run = touchstone("conform", "--backend", "torch:eager", "--report", theirs.parent)
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertIn("holds other things than a report", run.stderr)
        self.assertEqual((theirs / "mine.txt").read_text(), "mine")
        other = self.folder / "other.json"
        other.write_text("{}")
        run = touchstone("conform", "--backend", "torch:eager", "--report", self.folder / "none", "--against", other)
        self.assertEqual(run.returncode, 2)
        self.assertIn("is no report of `touchstone conform`", run.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
