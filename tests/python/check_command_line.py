"""What the built binary says about mistakes, and its exit status: `check_command_line.py BINARY`."""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

from built_binary import BINARY, GOOD_CASE, TESTS, results_of, touchstone

FAILING = GOOD_CASE.replace("import torch", "# expect: eager Differs/values\nimport torch", 1)

# Greets as a worker does, and dies of the first thing that it is asked.
HANDSHAKE = TESTS.parent / "harness" / "worker" / "Handshake.h"
PROTOCOL = re.search(r"kJobProtocol = (\d+)", HANDSHAKE.read_text())[1]
DYING_WORKER = f"""#!/bin/sh
echo >>"$0.started"
while [ $# -gt 2 ]; do shift; done
exec 3</dev/fd/$1 4>/dev/fd/$2
echo 'touchstone worker ready, protocol {PROTOCOL}, torch 2.13.0' >&4
read -r line <&3
"""


class CommandLine(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, text, name="case.py"):
        path = pathlib.Path(self.folder.name) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def executable(self, text, name):
        path = self.file(text, name)
        path.chmod(0o755)
        return path

    def refusal(self, program, *parts, place=None):
        """A file with this program is refused: exit status 2, its place, one message that holds these parts."""
        file = self.file(GOOD_CASE.replace("torch.sin(x)", program))
        run = touchstone("run", file, "--backends", "eager", "--json")
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertEqual(run.stderr.count(f"{file}:"), 1, run.stderr)
        line = 1 + GOOD_CASE.splitlines().index("    return torch.sin(x)")
        self.assertIn(f"{file}:{line}:{place}: ", run.stderr)
        for part in (*parts, "expected", "    return " + program, "^"):
            self.assertIn(part, run.stderr)
        self.assertEqual(results_of(run), [])

    def test_an_unknown_operator(self):
        self.refusal("torch.sinn(x)", "torch.sinn", "`sin`", place=18)

    def test_a_forbidden_operator(self):
        self.refusal("torch.save(x)", "torch.save", "forbidden", place=18)

    def test_what_is_no_case_language(self):
        self.refusal("(yield x)", "yield", place=13)

    def test_an_unclosed_bracket(self):
        file = self.file(GOOD_CASE.replace("torch.sin(x)", "torch.sin(x"))
        run = touchstone("run", file, "--backends", "eager")
        self.assertEqual(run.returncode, 2)
        self.assertEqual(run.stderr.count(f"{file}:"), 1, run.stderr)

    def test_a_good_file_among_bad_ones_is_judged(self):
        good, bad = self.file(GOOD_CASE, "good.py"), self.file("import os\n", "bad.py")
        run = touchstone("run", good, bad, "--backends", "eager", "--json")
        self.assertEqual(run.returncode, 2)
        self.assertEqual([row["outcome"] for row in results_of(run)], ["Agreed"])

    def test_what_has_no_end_is_no_case(self):
        for command in (("run",), ("reduce", "--backend", "eager"), ("dump",)):
            run = touchstone(*command, "/dev/stdout", timeout=60)
            self.assertEqual(run.returncode, 2, run.stderr)
            self.assertIn("`/dev/stdout` is no file with an end but a device or a pipe", run.stderr)

    def test_what_is_not_met_exits_1(self):
        run = touchstone("run", self.file(FAILING), "--json")
        self.assertEqual(run.returncode, 1)
        found = json.loads(run.stdout)  # one object and nothing else
        self.assertEqual([(row["expected"], row["outcome"]) for row in found["results"]], [("Differs/values", "Agreed")])
        self.assertEqual(len(found["findings"]), 1)

    def test_what_differs_names_its_stage(self):
        backend = "relu_accuracy_error_TESTING_ONLY"
        relu = self.file(GOOD_CASE.replace("torch.sin(x)", "torch.relu(x) + torch.relu(x)"))
        run = touchstone("run", relu, "--backends", f"{backend},aot_eager", "--json")
        (finding,) = json.loads(run.stdout)["findings"]
        self.assertEqual((finding["stage_backend"], finding["phase"]), (backend, ""))
        self.assertEqual(finding["stage"], "WRONG ON PURPOSE: adds 1 where a Graph has a relu")
        shown = touchstone("run", relu, "--backends", backend).stdout
        self.assertIn(f"\n     stage: {backend} ({finding['stage']})\n", shown)
        run = touchstone("run", relu, "--backends", "relu_runtime_error_TESTING_ONLY", "--json")
        (finding,) = json.loads(run.stdout)["findings"]
        self.assertEqual((finding["stage_backend"], finding["phase"]), ("relu_runtime_error_TESTING_ONLY", "forward"))
        run = touchstone("run", self.file(FAILING), "--json")  # what agrees has none
        self.assertEqual([each["stage"] for each in json.loads(run.stdout)["findings"]], [""])

    def test_the_command_of_a_finding_says_the_whole_profile(self):
        backend = "relu_accuracy_error_TESTING_ONLY"
        relu = self.file(GOOD_CASE.replace("torch.sin(x)", "torch.relu(x) + torch.relu(x)"))
        profile = self.file(json.dumps({"backend": backend, "comment": "a profile"}), "with space.json")
        given = ["--profile", profile, "--rules-off", "A6,A7", "--option", "depth=null", "--option", 'words="3"']
        run = touchstone("run", relu, "--backends", backend, *given, "--json")
        (finding,) = json.loads(run.stdout)["findings"]
        said = shlex.split(finding["command"])[1:]
        self.assertEqual(said[:2], ["run", str(relu)])
        self.assertEqual(said[4:6], ["--profile", str(profile)])
        self.assertEqual(said[6:10], ["--rules-off", "A6", "--rules-off", "A7"])
        self.assertEqual(said[10:], ["--option", "depth=null", "--option", 'words="3"'])
        again = touchstone(*said, "--json")
        self.assertEqual(json.loads(again.stdout)["findings"][0]["command"], finding["command"])

    def test_an_option_may_be_null(self):
        odd = self.file(GOOD_CASE)
        run = touchstone("run", odd, "--backends", "aot_eager", "--option", "depth=null")
        self.assertIn("'depth': None", run.stdout, run.stderr)

    def test_without_modules_and_branches_on_data_no_case_holds_one(self):
        def texts(*flags):
            folder = pathlib.Path(self.folder.name) / f"cases{len(flags)}"
            run = touchstone("generate", "--seed", "3", "--cases", "200", "--out", folder, *flags)
            self.assertEqual(run.returncode, 0, run.stderr)
            return [file.read_text() for file in folder.rglob("*.py")]

        def count(cases):
            records = sum("torch.nn.Module()" in text for text in cases)
            branches = sum(re.search(r"if .*\.sum\(\) > 0:", text) is not None for text in cases)
            return records, branches

        records, branches = count(texts())
        self.assertGreater(records, 0)
        self.assertGreater(branches, 0)
        self.assertEqual(count(texts("--without", "modules,data_branches")), (0, 0))

    def test_events_that_cannot_be_written_are_told_once(self):
        run = touchstone("fuzz", "--cases", "20", "--seed", "3", "--backends", "eager", "--events", "/dev/full",
                         "--findings", f"{self.folder.name}/findings", "--json")
        self.assertEqual(run.returncode, 5, run.stderr)
        self.assertEqual(run.stderr.count("The file of events `/dev/full` can no longer be written: No space left"), 1, run.stderr)
        self.assertEqual(json.loads(run.stdout)["cases"], 20)

    def test_complex_inputs_require_grad_at_times(self):
        folder = pathlib.Path(self.folder.name) / "cases"
        run = touchstone("generate", "--seed", "31", "--cases", "200", "--out", folder)
        self.assertEqual(run.returncode, 0, run.stderr)
        leaf = re.compile(r"= data\(.*torch\.complex.*\.requires_grad_\(\)")
        self.assertTrue(any(leaf.search(file.read_text()) for file in folder.rglob("*.py")))

    def test_options_that_nobody_knows_are_told(self):
        odd = self.file(GOOD_CASE + 'COMPILE = dict(options={"depth": 3})\n')
        told = "{0} backend ignoring extra kwargs {{'depth': 3}}"
        run = touchstone("run", odd, "--backends", "eager,aot_eager")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        for backend in ("eager", "aot_eager"):
            self.assertEqual(run.stdout.count(f"\n     warning: {told.format(backend)}\n"), 1, run.stdout)
        rows = results_of(touchstone("run", odd, "--backends", "eager,aot_eager", "--json"))
        self.assertEqual([row["warnings"] for row in rows], [[told.format(row["backend"])] for row in rows])
        for command in ("explain", "dump"):
            run = touchstone(command, odd, "--backend", "aot_eager", "--json")
            self.assertEqual(json.loads(run.stdout)["warnings"], [told.format("aot_eager")])
            self.assertEqual(run.stderr, f"{odd}: warning: {told.format('aot_eager')}\n")
        run = touchstone("ladder", odd, "--family", "native", "--json")
        rungs = json.loads(run.stdout)["families"][0]["rungs"]
        self.assertEqual([rung["warnings"] for rung in rungs], [[told.format(rung["backend"])] for rung in rungs])
        known = self.file(GOOD_CASE + 'COMPILE = dict(options={"debug_interpreter": True})\n')
        rows = results_of(touchstone("run", known, "--backends", "eager,aot_eager", "--json"))
        self.assertEqual([row["warnings"] for row in rows], [[], []])

    def test_without_a_command_it_shows_what_there_is(self):
        done = touchstone()
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, touchstone("--help").stdout)

    def test_the_help_of_each_command_is_its_own(self):
        subcommands = touchstone("--help").stdout.split("Subcommands:\n")[1].split("\n\n")[0]
        shown = [line.split()[0] for line in subcommands.splitlines()]
        self.assertLessEqual({"backends", "ops", "print", "generate", "bisect"}, set(shown))
        for command in shown:
            text = touchstone(command, "--help").stdout
            self.assertNotIn("what can be tested here\n", text, f"the examples of all commands in `{command} --help`")
            lines = text.splitlines()
            options = [i for i, line in enumerate(lines) if line.startswith("  -")]
            self.assertTrue(options, text)
            for i in options:
                beside, below = lines[i][30:], lines[i + 1]
                described = beside.strip() or (below.startswith(" " * 30) and below.strip())
                self.assertTrue(described, f"{command}: {lines[i]}")

    def test_nothing_to_reduce(self):
        run = touchstone("reduce", self.file(GOOD_CASE), "--backend", "eager", "--json")
        self.assertNotIn(run.returncode, (0, 5), run.stdout)
        self.assertTrue(run.stderr.strip())

    def test_a_python_without_torch(self):
        environment = pathlib.Path(self.folder.name) / "bare"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
        run = touchstone(
            "run", self.file(GOOD_CASE), "--backends", "torch:eager", TOUCHSTONE_PYTHON=str(environment / "bin" / "python")
        )
        self.assertEqual(run.returncode, 3, run.stdout + run.stderr)
        self.assertIn("bare/bin/python -m pip install torch==", run.stderr)

    def test_no_python_at_all(self):
        run = touchstone("run", self.file(GOOD_CASE), "--backends", "torch:eager", TOUCHSTONE_PYTHON="/no/such/python")
        self.assertEqual(run.returncode, 3, run.stdout + run.stderr)
        self.assertIn("/no/such/python", run.stderr)

    def test_a_custom_backend_that_is_not_there(self):
        run = touchstone("run", self.file(GOOD_CASE), "--backends", "torch:no_such_package:backend")
        self.assertEqual(run.returncode, 3, run.stdout + run.stderr)
        self.assertIn("torch:no_such_package:backend", run.stderr)
        self.assertIn("No module named 'no_such_package'", run.stderr)

    def test_a_backend_that_ends_its_worker_at_the_start(self):
        run = touchstone("run", self.file(GOOD_CASE), "--backends", "torch:broken_backends:ends_its_process")
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertIn("Crashed", run.stdout)
        self.assertIn("fails with values alone: it ends the process (exit)", run.stderr)

    def test_another_torch_than_the_one_it_was_built_with(self):
        self.file('__version__ = "1.2.3"\n', "packages/torch/__init__.py")
        run = touchstone(
            "run", self.file(GOOD_CASE), "--backends", "torch:eager", PYTHONPATH=f"{self.folder.name}/packages"
        )
        self.assertEqual(run.returncode, 3, run.stdout + run.stderr)
        self.assertIn("has torch 1.2.3, and this program was built with torch ", run.stderr)

    def test_a_folder_of_findings_that_cannot_be_made(self):
        folder = self.file("", "a_file") / "findings"
        run = touchstone("fuzz", "--cases", "1", "--backends", "eager", "--findings", folder)
        self.assertEqual(run.returncode, 2, run.stdout + run.stderr)
        self.assertIn(f"`{folder}`", run.stderr)

    def test_a_command_that_does_not_exist(self):
        run = touchstone("bogus", "--seed", "1")
        self.assertEqual(run.returncode, 2)
        self.assertIn("There is no command `bogus`", run.stderr)
        for command in ("fuzz", "run", "reduce", "dump", "explain", "ladder", "bisect", "backends", "ops", "print", "generate"):
            self.assertRegex(run.stderr, rf"(?m)^  {command} +\w")
        self.assertNotIn("decode-bytes", run.stderr)

    def with_dying_worker(self, *arguments):
        """The run of a copy whose torch family has a worker that judges nothing; exit status 5 and the report."""
        binary = pathlib.Path(self.folder.name) / "touchstone"
        shutil.copy(BINARY, binary)
        self.executable(DYING_WORKER, "touchstone-torch-worker")
        run = touchstone(*arguments, "--backends", "torch:eager", "--json", binary=binary)
        self.assertEqual(run.returncode, 5, run.stdout + run.stderr)
        self.assertIn("could not be judged", run.stderr)
        return json.loads(run.stdout)

    def test_a_file_that_could_not_be_judged_exits_5(self):
        self.assertEqual(self.with_dying_worker("run", self.file(GOOD_CASE))["not_judged"], 1)

    def test_a_campaign_that_could_not_judge_exits_5(self):
        findings = f"{self.folder.name}/findings"
        self.assertEqual(self.with_dying_worker("fuzz", "--cases", "2", "--jobs", "1", "--findings", findings)["not_judged"], 2)
        started = len((pathlib.Path(self.folder.name) / "touchstone-torch-worker.started").read_text().splitlines())
        self.assertEqual(started, 5)  # two for each Case, and the one that had none left

    def test_a_place_that_cannot_be_written_to_is_told_before_anything_is_done(self):
        good = self.file(GOOD_CASE.replace("torch.sin(x)", "torch.relu(x)"))
        wrong = "relu_accuracy_error_TESTING_ONLY"
        inside = self.file("", "a_file") / "result"
        for arguments in (
            ["probe", "--backend", "eager", "--operators", "sin", "-o", inside],
            ["probe", "--backend", "eager", "--operators", "sin", "--write-cases", inside],
            ["reduce", good, "--backend", wrong, "-o", inside],
            ["run", good, "--backends", wrong, "--junit", inside],
            ["dump", good, "--stage", "joint", "--dot", inside],
            ["generate", "--cases", "1", "--out", inside],
            ["reduce", good, "--backend", wrong, "-o", self.folder.name],
        ):
            run = touchstone(*arguments)
            self.assertEqual((run.returncode, run.stdout), (2, ""), f"{arguments}: {run.stderr}")
            self.assertIn(f"`{arguments[-1]}", run.stderr)
            self.assertIn("nothing was done", run.stderr)
            self.assertEqual(run.stderr.count("\n"), 1, run.stderr)

    def test_what_a_campaign_writes_goes_where_it_went_wherever_it_is_resumed(self):
        first, second = (pathlib.Path(self.folder.name) / name for name in ("first", "second"))
        first.mkdir()
        second.mkdir()
        (first / "known.txt").write_text("# nothing\n")
        begun = touchstone("fuzz", "--cases", "600", "--seed", "5", "--backends", "relu_accuracy_error_TESTING_ONLY",
                           "--max-findings", "1", "--known", "known.txt", cwd=first)
        self.assertEqual(begun.returncode, 1, begun.stderr)
        found = len(list((first / "findings").glob("*.py")))
        resumed = touchstone("fuzz", "--resume", "../first/findings", "--max-findings", "3", "--json", cwd=second)
        self.assertEqual(resumed.returncode, 1, resumed.stderr)
        self.assertEqual(list(second.iterdir()), [])
        self.assertGreater(len(list((first / "findings").glob("*.py"))), found)
        for finding in json.loads(resumed.stdout)["findings"]:
            self.assertEqual((second / finding["file"]).resolve().parent, (first / "findings").resolve())
        moved = (first / "findings").rename(second / "moved")
        again = touchstone("fuzz", "--resume", moved, "--max-findings", "4", cwd=second)
        self.assertEqual(again.returncode, 1, again.stderr)
        self.assertFalse((first / "findings").exists())
        other = touchstone("fuzz", "--resume", moved, "--findings", "elsewhere", cwd=second)
        self.assertEqual(other.returncode, 2, other.stderr)
        self.assertIn("--findings", other.stderr)

    def test_cases_of_a_probe_say_what_is_expected_of_them(self):
        backend, folder = "relu_accuracy_error_TESTING_ONLY", pathlib.Path(self.folder.name) / "cases"
        run = touchstone("probe", "--backend", backend, "--operators", "relu", "--dtypes", "float32", "--write-cases", folder)
        self.assertEqual(run.returncode, 1, run.stderr)
        text = (folder / "relu-float32-forward.py").read_text()
        self.assertRegex(text, rf"(?m)^# expect: {backend} Differs/values/call 0 ")
        run = touchstone("run", folder)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_a_campaign_says_what_it_tests_when_its_profile_does_not(self):
        profile = self.file('{"dtypes": ["float32"]}', "profile.json")
        campaign = ["fuzz", "--cases", "1", "--seed", "3", "--judge-only", "--findings", f"{self.folder.name}/findings"]
        told = "The profile names no backend, so the default ones are tested: eager, torch:aot_eager\n"
        self.assertIn(told, touchstone(*campaign, "--profile", profile).stderr)
        self.assertNotIn("default ones", touchstone(*campaign, "--profile", profile, "--backends", "eager").stderr)
        self.assertRegex(touchstone("fuzz", "--help").stdout, r"by default the profile's,\s+without one eager,torch:aot_eager")

    def test_a_campaign_tells_of_compile_options_that_its_backend_does_not_know(self):
        campaign = ["fuzz", "--cases", "1", "--seed", "3", "--judge-only", "--findings", f"{self.folder.name}/findings"]
        run = touchstone(*campaign, "--backends", "eager", "--option", "depth=3")
        self.assertEqual(run.stderr.count("warning: eager backend ignoring extra kwargs {'depth': 3}\n"), 1, run.stderr)
        for flags in (["--option", "debug_interpreter=true"], ["--debug-interpreter"]):
            run = touchstone(*campaign, "--backends", "aot_eager", *flags)
            self.assertNotIn("warning", run.stderr)
        run = touchstone(*campaign, "--backends", "torch:aot_eager", "--option", "depth=3")
        self.assertIn("warning: `torch:aot_eager` takes no compile options", run.stderr)

    def test_a_backend_that_is_named_twice_is_judged_once(self):
        run = touchstone("run", self.file(GOOD_CASE), "--backends", "eager,aot_eager,eager", "--json")
        self.assertEqual([row["backend"] for row in results_of(run)], ["eager", "aot_eager"])

    def test_a_folder_of_modules_that_is_not_there(self):
        profile = self.file('{"backend": "torch:mine", "imports": ["mine"], "python_path": ["no_such_folder"]}', "profile.json")
        run = touchstone("fuzz", "--profile", profile, "--cases", "1", "--findings", f"{self.folder.name}/findings")
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertIn(f"profile.json and the flags: `python_path`: there is no folder `{self.folder.name}/no_such_folder`", run.stderr)

    def test_ladder_and_bisect_explain_their_exit_status(self):
        for command in ("ladder", "bisect"):
            text = " ".join(touchstone(command, "--help").stdout.split())
            for status in ("0 when no rung differs", "1 when some rung differs", "2 for wrong use", "4 when"):
                self.assertIn(status, text, command)

    def build_with(self, ninja, **environment):
        """What `./touchstone build` says to a log when the build is this shell script."""
        self.executable("#!/bin/sh\necho 'install ok installed'\n", "tools/dpkg-query")
        self.executable("#!/bin/sh\n", "tools/cmake")
        self.executable("#!/bin/sh\n" + ninja, "tools/ninja")
        environment = {
            **os.environ,
            "PATH": f"{self.folder.name}/tools:{os.environ['PATH']}",
            "TOUCHSTONE_TORCH": sys.executable,
            "TOUCHSTONE_BUILD": f"{self.folder.name}/build",
            **environment,
        }
        return subprocess.run([TESTS.parent / "touchstone", "build"], capture_output=True, text=True, env=environment, timeout=60)

    def test_a_long_build_says_how_far_it_is(self):
        run = self.build_with(
            "echo '[3/11] Building one.o'; sleep 2.5; echo '[4/11] Building two.o'; echo 'two.cpp:1: warning: odd'\n",
            TOUCHSTONE_PROGRESS_SECONDS="1",
        )
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("\ntouchstone: built 3 of 11 after 1 seconds\n", run.stderr)
        self.assertTrue(run.stderr.endswith("two.cpp:1: warning: odd\n"), run.stderr)
        self.assertNotIn("Building", run.stderr)

    def test_a_build_that_fails_says_why(self):
        run = self.build_with("echo '[1/2] Building one.o'; echo 'FAILED: one.o'; echo 'one.cpp:1: error: no'; exit 1\n")
        self.assertEqual(run.returncode, 5, run.stderr)
        self.assertIn("FAILED: one.o\none.cpp:1: error: no\ntouchstone: the build failed\n", run.stderr)

    def test_the_script_by_a_symbolic_link(self):
        self.executable('#!/bin/sh\necho "runs in $(pwd): $*"\n', "build/harness/touchstone")
        link = pathlib.Path(self.folder.name) / "linked"
        link.symlink_to(TESTS.parent / "touchstone")
        describe = [sys.executable, TESTS.parent / "cmake" / "describe_python.py"]
        self.file(subprocess.run(describe, check=True, capture_output=True, text=True).stdout.rstrip("\n"), "build/.stamp")
        for tool in ("apt-get", "sudo", "cmake", "ninja"):  # nothing to install or to build
            self.executable("#!/bin/sh\nexit 1\n", f"tools/{tool}")
        environment = {
            **os.environ,
            "PATH": f"{self.folder.name}/tools:{os.environ['PATH']}",
            "TOUCHSTONE_TORCH": sys.executable,
            "TOUCHSTONE_BUILD": f"{self.folder.name}/build",
        }
        run = subprocess.run(
            [link, "ops", "--json"], capture_output=True, text=True, cwd=self.folder.name, env=environment, timeout=60
        )
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual(run.stdout, f"runs in {os.path.realpath(self.folder.name)}: ops --json\n")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
