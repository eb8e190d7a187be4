"""Workers that are forked from a process that has imported PyTorch: `check_warm.py BINARY`."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from built_binary import BINARY, GOOD_CASE, TESTS, results_of, touchstone
from tells_its_start import VARIABLE

BACKEND = "torch:tells_its_start:backend"


def wait_until(holds, seconds=30):
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.05)
    return holds()


def is_alive(process):
    try:
        status = pathlib.Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


class Warm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.case = pathlib.Path(cls.folder) / "case.py"
        cls.case.write_text(GOOD_CASE)
        cls.told = pathlib.Path(cls.folder) / "told"
        # The same variable for all: what differs otherwise is the test's business.
        os.environ[VARIABLE] = str(cls.told)
        os.environ.pop("TOUCHSTONE_WARM", None)
        cls.socket, cls.keeper = cls.start("warm"), None

    @classmethod
    def tearDownClass(cls):
        stopped = touchstone("warm", "--stop", TOUCHSTONE_WARM=str(cls.socket))
        assert stopped.returncode == 0 and not cls.socket.exists(), stopped.stderr
        assert wait_until(lambda: not is_alive(cls.keeper)), "it goes on"

    @classmethod
    def start(cls, name, *arguments):
        socket = pathlib.Path(cls.folder) / f"{name}.sock"
        started = touchstone("warm", "--socket", socket, *arguments, PYTHONPATH="")
        assert started.stdout == f"export TOUCHSTONE_WARM='{socket}'\n", (started.stdout, started.stderr)
        return socket

    def run_case(self, socket=None, **options):
        """What the backend told of the process that it ran in."""
        self.told.write_text("")
        run = touchstone("run", self.case, "--backends", BACKEND, "--python-path", TESTS / "python", "--no-warm-up", "--json",
                         TOUCHSTONE_WARM=str(socket or self.socket), **options)  # fmt: skip
        self.assertEqual([row["outcome"] for row in results_of(run)], ["Agreed"], run.stderr)
        return json.loads(self.told.read_text().splitlines()[-1])

    def keeper_of(self, told):
        """The process that keeps starts ready, where the worker is one of its own, and has its command line."""
        found = [each["process"] for each in told["ancestors"] if "--warm" in each["words"]]
        return found[-1] if found else None

    def test_a_worker_is_forked_from_it(self):
        first, second = self.keeper_of(self.run_case()), self.keeper_of(self.run_case())
        self.assertIsNotNone(first)
        self.assertEqual(first, second)
        type(self).keeper = first

    def test_it_has_the_folder_and_the_variables_of_whoever_asks(self):
        with tempfile.TemporaryDirectory() as elsewhere:
            told = self.run_case(cwd=elsewhere, TMPDIR=elsewhere)
            self.assertIsNotNone(self.keeper_of(told))
            self.assertEqual((told["folder"], told["temporary"]), (os.path.realpath(elsewhere), elsewhere))
            self.assertEqual(told["pythonpath"], str(TESTS / "python"))

    def test_what_may_change_an_import_starts_as_usual(self):
        for variables in ({"TORCHDYNAMO_VERBOSE": "1"}, {"TOUCHSTONE_COLD_WORKERS": "1"}):
            with self.subTest(variables=variables):
                self.assertIsNone(self.keeper_of(self.run_case(**variables)))

    def test_a_folder_with_a_module_of_pytorchs_name_starts_as_usual(self):
        with tempfile.TemporaryDirectory() as shadowing:
            (pathlib.Path(shadowing) / "sympy_notes.py").write_text("")
            self.assertIsNotNone(self.keeper_of(self.run_case(PYTHONPATH=shadowing)))
            (pathlib.Path(shadowing) / "sitecustomize.py").write_text("")
            self.assertIsNone(self.keeper_of(self.run_case(PYTHONPATH=shadowing)))

    def test_other_limits_start_as_usual(self):
        limited = ["sh", "-c", 'ulimit -Sn 512; exec "$@"', "sh", str(BINARY), "run", str(self.case), "--backends", BACKEND,
                   "--python-path", str(TESTS / "python"), "--no-warm-up"]  # fmt: skip
        self.told.write_text("")
        variables = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(TESTS / "python"), "TOUCHSTONE_WARM": str(self.socket)}
        subprocess.run(limited, env=variables, check=True, capture_output=True)
        self.assertIsNone(self.keeper_of(json.loads(self.told.read_text().splitlines()[-1])))

    def test_a_worker_ends_with_whoever_asked_for_it(self):
        self.told.write_text("")
        sleep = self.told.with_suffix(".sleep")  # so that it sees no end of its jobs
        sleep.touch()
        self.addCleanup(sleep.unlink)
        variables = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(TESTS / "python"), "TOUCHSTONE_WARM": str(self.socket)}
        command = [BINARY, "run", self.case, "--backends", BACKEND, "--python-path", TESTS / "python"]
        with subprocess.Popen(command, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
            self.assertTrue(wait_until(lambda: self.told.read_text().endswith("\n"), 60))
            told = json.loads(self.told.read_text())
            run.kill()
        started = [told["process"], *(each["process"] for each in told["ancestors"] if "--warm" in each["words"])]
        self.assertEqual(started[-1], self.keeper_of(told))
        self.assertTrue(wait_until(lambda: not any(map(is_alive, started[:-1]))), started)
        self.assertTrue(is_alive(started[-1]))

    def test_one_that_does_not_answer_is_left(self):
        keeper = self.keeper_of(self.run_case())
        os.kill(keeper, signal.SIGSTOP)
        try:
            self.assertIsNone(self.keeper_of(self.run_case()))
        finally:
            os.kill(keeper, signal.SIGCONT)
        self.assertEqual(self.keeper_of(self.run_case()), keeper)

    def test_a_file_that_is_no_socket_stays(self):
        refused = touchstone("warm", "--socket", self.case)
        self.assertEqual((refused.returncode, self.case.read_text()), (2, GOOD_CASE), refused.stderr)

    def test_a_backend_that_ends_each_worker_is_judged(self):
        run = touchstone("run", self.case, "--backends", "torch:broken_backends:ends_its_process", "--python-path", TESTS / "python",
                         TOUCHSTONE_WARM=str(self.socket))  # fmt: skip
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertIn("Crashed", run.stdout)

    def test_a_second_one_at_the_same_socket_is_refused(self):
        again = touchstone("warm", "--socket", self.socket)
        self.assertEqual(again.returncode, 2)
        self.assertIn("--stop", again.stderr)

    def test_when_it_is_killed_a_run_starts_as_usual(self):
        socket = self.start("killed")
        keeper = self.keeper_of(self.run_case(socket=socket))
        os.kill(keeper, signal.SIGKILL)
        self.assertTrue(wait_until(lambda: not is_alive(keeper)))
        self.assertIsNone(self.keeper_of(self.run_case(socket=socket)))
        self.assertEqual(touchstone("warm", "--stop", "--socket", socket).returncode, 2)
        self.start("killed", "--idle", "1")  # the socket that it has left is no hindrance
        self.assertTrue(wait_until(lambda: not socket.exists()), "it does not end by itself")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
