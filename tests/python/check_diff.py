"""`touchstone diff`: nothing between a backend and itself, the planted rare fault and nothing else: `check_diff.py BINARY`."""

import json
import os
import pathlib
import pty
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

from built_binary import BINARY, GOOD_CASE, TESTS, results_of, touchstone

RARE = "rare_accuracy_error_TESTING_ONLY"
CASES = 300
SCRIPT = TESTS.parent / "touchstone"

FAULTY = GOOD_CASE.replace("torch.sin(x)", "torch.angle(torch.sin(x))")

# Says that it is ready as a worker did before there were protocols.
OLD_WORKER = """#!/bin/sh
while [ $# -gt 2 ]; do shift; done
exec 3</dev/fd/$1 4>/dev/fd/$2
echo 'touchstone worker ready' >&4
read -r line <&3
"""


class Diff(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.findings = pathlib.Path(self.folder.name) / "changed"

    def file(self, text, name="case.py", mode=0o644):
        path = pathlib.Path(self.folder.name) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return path

    def diff(self, left, right, *arguments, status=0, **environment):
        """The object that `diff --json` prints; its exit status is this one."""
        run = touchstone("diff", "--left", left, "--right", right, "--findings", self.findings, "--json", *arguments, **environment)
        self.assertEqual(run.returncode, status, run.stderr + run.stdout)
        return json.loads(run.stdout)

    def refusal(self, *arguments, status=2):
        """What a comparison that cannot be made says."""
        run = touchstone("diff", "--findings", self.findings, *arguments)
        self.assertEqual(run.returncode, status, run.stderr + run.stdout)
        return run.stderr

    def test_a_backend_and_itself(self):
        """Few Cases: the rare fault has many, and observes the same in all of them."""
        found = self.diff("aot_eager", "aot_eager", "--cases", 200, "--seed", 1)
        self.assertEqual(found["cases"], 200)
        self.assertEqual([found[key] for key in ("changes", "unconfirmed", "not_made", "not_judged")], [[], [], 0, 0])
        self.assertGreater(found["observed"]["compared"], 200 * 0.9)
        self.assertEqual(found["observed"]["same"], found["observed"]["compared"], found["observed"])
        self.assertEqual(found["observed"]["other_counts"], 0)
        self.assertFalse(self.findings.exists())

    def test_a_rare_fault_and_nothing_else(self):
        found = self.diff("aot_eager", RARE, "--cases", CASES, "--seed", 1, status=1)
        self.assertGreater(found["worse"], 1)
        self.assertEqual([found["better"], found["other"], found["unconfirmed"]], [0, 0, []])
        self.assertLess(found["worse"], CASES / 50)
        self.assertEqual(found["observed"]["same"], found["observed"]["compared"], found["observed"])
        self.assertEqual(sum(len(change["cases"]) for change in found["changes"]), found["worse"])
        for change in found["changes"]:
            text = pathlib.Path(change["file"]).read_text()
            self.assertIn("angle(", text)
            self.assertIn("# expect: aot_eager Agreed\n", text)
            self.assertIn(f"# expect: {RARE} {change['right']}\n", text)
            self.assertEqual(change["left"], "Agreed")
            self.assertLessEqual(change["operations"], 3)
        files = [change["file"] for change in found["changes"]]
        again = touchstone("run", *files, "--json")  # both lines of each are met
        self.assertEqual(again.returncode, 0, again.stdout)
        self.assertEqual({row["backend"] for row in results_of(again)}, {"aot_eager", RARE, "eager"})
        self.assertEqual(self.diff("aot_eager", RARE, *files, status=1)["worse"], len(files))

    def test_every_eighth_case_that_holds_a_cluster_is_looked_at_all_the_same(self):
        """Without reduction another Program is another cluster."""
        first = self.file(FAULTY, "0.py")
        others = [self.file(FAULTY.replace("torch.sin(x)", "torch.sin(x).cos()"), f"{number}.py") for number in range(1, 18)]
        found = self.diff("aot_eager", RARE, first, *others, "--reduce-seconds", 0, status=1)
        self.assertEqual([len(change["cases"]) for change in found["changes"]], [16, 2])

    def test_the_other_direction_is_better(self):
        file = self.file(FAULTY)
        found = self.diff(RARE, "aot_eager", file, status=1)
        self.assertEqual([found["worse"], found["better"], found["other"]], [0, 1, 0])
        self.diff(RARE, "aot_eager", "--allow-better", file)

    def test_a_report_is_the_same_with_more_workers(self):
        def report(jobs):
            found = self.diff("aot_eager", RARE, *cases, "--jobs", jobs, status=1)
            return {key: found[key] for key in ("transitions", "changes", "observed", "cases")}

        several = [self.file(FAULTY.replace("(2, 3)", f"({size}, 3)"), f"{size}.py") for size in (2, 4)]
        for cases in (("--cases", 90, "--seed", 5, "--reduce-seconds", 0), several):
            self.assertEqual(report(1), report(3))

    def test_given_files(self):
        good, bad = self.file(GOOD_CASE, "good.py"), self.file(FAULTY, "bad.py")
        junit = pathlib.Path(self.folder.name) / "report.xml"
        found = self.diff("eager", RARE, good, bad, "--junit", junit, status=1)
        self.assertEqual(found["seed"], None)
        self.assertEqual([change["cases"] for change in found["changes"]], [[str(bad)]])
        self.assertEqual(len(xml.etree.ElementTree.parse(junit).getroot().findall(".//failure")), 1)
        text = touchstone("diff", "--left", "eager", "--right", RARE, "--findings", self.findings, good, bad).stdout
        self.assertIn("worse: 1 Case, 1 cluster\n", text)
        self.assertIn(f"touchstone diff --left eager --right {RARE} {self.findings}", text)

    def test_two_profiles_of_one_backend(self):
        """The left one says what is expected."""
        left = self.file(json.dumps({"backend": RARE}), "left.json")
        right = self.file(json.dumps({"backend": RARE, "rules_off": ["A7"], "unsupported": ["nothing"]}), "right.json")
        found = self.diff(left, right, "--cases", 100, "--seed", 1, "--part", "no-all")
        self.assertEqual(found["changes"], [])
        strict = self.file(json.dumps({"backend": "aot_eager", "rules": "strict"}), "strict.json")
        found = self.diff("aot_eager", strict, "--cases", 100, "--seed", 1, "--reduce-seconds", 5, status=1)
        text = pathlib.Path(found["changes"][0]["file"]).read_text()
        self.assertEqual(text.count("# expect: aot_eager"), 1)

    def test_what_a_rule_allows_is_no_change_of_outcome(self):
        found = self.diff(
            "aot_eager", "aot_eager_decomp_partition", "--cases", 200, "--seed", 1, "--part", "no-all", "--observations"
        )
        observed = found["observed"]
        self.assertGreater(observed["within_rules"], 0)
        self.assertTrue(any("values" in name and "A7" in name for name in observed["properties"]), observed["properties"])
        changes = [each for each in observed["changes"] if each["property"] == "values"]
        self.assertTrue(changes and all(each["left"] != each["right"] for each in changes))

    def test_another_installation(self):
        other = pathlib.Path(self.folder.name) / "build" / "harness" / "touchstone"
        other.parent.mkdir(parents=True)
        other.symlink_to(BINARY)
        status = self.status_of_rare(60)
        self.assertEqual(status, 1)
        for program in (other, other.parent.parent):
            found = self.diff("aot_eager", RARE, "--right-program", program, "--cases", 60, "--seed", 5, "--start", 0,
                              "--max-unjudged", 1, status=status)
            self.assertEqual(found["right"]["name"], f"{RARE}, build {program}")
            self.assertEqual(found["left"]["torch"], found["right"]["torch"])

    def status_of_rare(self, cases):
        return touchstone("diff", "--left", "aot_eager", "--right", RARE, "--findings", self.findings, "--cases", cases,
                          "--seed", 5, "--reduce-seconds", 0).returncode

    def test_an_installation_of_another_version(self):
        old = self.file(OLD_WORKER, "touchstone", mode=0o755)
        text = self.refusal("--left", "aot_eager", "--right", "aot_eager", "--left-program", old, "--cases", 5, status=3)
        self.assertIn("another version of Touchstone", text)
        text = self.refusal("--left", "aot_eager", "--right", "aot_eager", "--right-program", "/no/such", "--cases", 5)
        self.assertIn("--right-program: there is no program `/no/such`", text)

    def test_interpreters_in_place_of_programs(self):
        def said(*arguments):
            command = [str(SCRIPT), "diff", "--left", "torch:eager", "--right", "torch:eager", *arguments, str(self.file(GOOD_CASE))]
            return subprocess.run(command, capture_output=True, text=True, timeout=300)

        both = said("--left-torch", sys.executable, f"--right-torch={sys.executable}", "--json")
        self.assertEqual(both.returncode, 0, both.stderr)
        self.assertEqual(json.loads(both.stdout)["cases"], 1)
        none = said("--left-torch", "/no/such/python")
        self.assertEqual(none.returncode, 3, none.stderr)
        self.assertIn("there is no interpreter /no/such/python", none.stderr)
        self.assertIn("The script ./touchstone of the source tree takes this", self.refusal("--left", "eager", "--right", "eager", "--left-torch", "python"))

    def test_wrong_use(self):
        self.assertIn("Say what to compare", self.refusal("--left", "aot_eager", "--right", "eager"))
        self.assertIn("no backend `aot_eagre`", self.refusal("--left", "aot_eager", "--right", "aot_eagre", "--cases", 5))
        nameless = self.file(json.dumps({"dtypes": ["float32"]}), "nameless.json")
        self.assertIn("names no `backend`", self.refusal("--left", nameless, "--right", "eager", "--cases", 5))
        left = self.file(json.dumps({"backend": "eager", "dtypes": ["float32"]}), "left.json")
        right = self.file(json.dumps({"backend": "eager", "dtypes": ["float64"]}), "right.json")
        self.assertIn("steer how Cases are made", self.refusal("--left", left, "--right", right, "--cases", 5))
        self.assertIn("is no file with an end", self.refusal("--left", "eager", "--right", "eager", "/dev/null"))

    def test_a_profile_steers_how_cases_are_made(self):
        right = self.file(json.dumps({"backend": RARE, "operators": ["sin", "add"]}), "right.json")
        self.assertEqual(self.diff("aot_eager", right, "--cases", 200, "--seed", 1)["worse"], 0)

    def test_an_interrupted_one_tells_the_change_that_was_being_reduced(self):
        statements = "".join(f"    x{i + 1} = torch.sin(x{i})\n" for i in range(40))
        text = GOOD_CASE.replace("program(x)", "program(x0)").replace(
            "    return torch.sin(x)\n", statements + "    return torch.relu(x40) + 1\n"
        )
        file = self.file(text)
        right = self.file(json.dumps({"backend": "torch:planted_causes:sum_behind_relu", "python_path": [str(TESTS / "python")]}), "right.json")
        command = ["diff", "--left", "torch:aot_eager", "--right", right, file, "--findings", self.findings, "--json"]
        reader, terminal = pty.openpty()  # so that it shows what it does
        run = subprocess.Popen([BINARY, *map(str, command)], stdout=subprocess.PIPE, stderr=terminal, text=True)
        os.close(terminal)
        shown = ""
        while "reducing a change" not in shown:
            shown += os.read(reader, 4096).decode()
        run.send_signal(signal.SIGINT)
        output, _ = run.communicate(timeout=120)
        os.close(reader)
        self.assertEqual(run.returncode, 130, shown)
        found = json.loads(output)
        self.assertTrue(found["interrupted"])
        self.assertEqual([change["cases"] for change in found["changes"]], [[str(file)]])
        self.assertIn("torch.relu", pathlib.Path(found["changes"][0]["file"]).read_text())

    def test_seconds_end_it_though_more_cases_are_made(self):
        """A Case a second and more, 512 of which are made ahead. The first are judged though workers take longer to start."""
        begin = time.monotonic()
        found = self.diff("torch:aot_eager", "torch:aot_eager", "--seconds", 0.1, "--seed", 1, "--max-unjudged", 1)
        self.assertLess(time.monotonic() - begin, 60)
        self.assertGreater(found["cases"], 0)
        self.assertLess(found["cases"], 100)

    def test_too_little_is_judged(self):
        raising = self.file(GOOD_CASE.replace("torch.sin(x)", "torch.sin(x).view(7)"))
        self.diff("aot_eager", "eager", raising, status=4)


if __name__ == "__main__":
    unittest.main(argv=["check_diff"])
