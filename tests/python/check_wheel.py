"""The wheel that pip makes, installed and used away from the source tree: `check_wheel.py SOURCE BUILD`.

The wheel takes the executables of BUILD instead of compiling them again. It is installed into a fresh virtual environment whose other
packages, PyTorch included, are those of the Python that runs this, by a .pth file: nothing is downloaded. What is made lies in
BUILD/wheel and is made anew each time.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import time
import unittest
import zipfile

SOURCE, BUILD = (pathlib.Path(each).resolve() for each in sys.argv[1:3])
WORK = BUILD / "wheel"
PACKAGES = sysconfig.get_path("purelib")
SITE = WORK / "venv" / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
INSTALLED = SITE / "touchstone"
PYTHON, COMMAND = WORK / "venv" / "bin" / "python", WORK / "venv" / "bin" / "touchstone"
AWAY = WORK / "away"  # where everything runs
NATIVE = "relu_accuracy_error_TESTING_ONLY"
# None that leads back to the source tree, to the build or to a particular PyTorch.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(("TOUCHSTONE", "PYTHON", "LD_LIBRARY", "PYTEST"))}

JUDGES = """
import torch, touchstone
verdict = touchstone.judge(lambda x: torch.relu(x) * 2, (torch.ones(3),), backend=planted)
print(touchstone.__file__, verdict)
assert verdict.outcome == "Differs" and verdict.differences[0].property == "values", verdict
"""

FUZZES = f"""
import json, touchstone
campaign = touchstone.fuzz("{NATIVE}", cases=200, seed=1, max_findings=1, findings="found")
print(json.dumps([bool(campaign), [str(each) for each in campaign.files], campaign.findings[0]["command"]]))
"""

BACKENDS = """
import torch

def honest(module, inputs):
    return module.forward

def planted(module, inputs):  # adds one to each result
    return lambda *arguments: tuple(each + 1 for each in module(*arguments))
"""

PROPERTY = """
import touchstone, backends

@touchstone.property(backend=backends.honest, runs=5)
def test_of_honest(x=touchstone.tensors(("n", "m"))):
    return x.sin()

@touchstone.property(backend=backends.planted, runs=5)
def test_of_planted(x=touchstone.tensors(("n", "m"))):
    return x.sin()
"""

PLAIN = """
import sys

def test_plain(pytestconfig):
    assert "torch" not in sys.modules and pytestconfig.pluginmanager.has_plugin("touchstone.pytest_plugin")
"""

SHADOWED = """
import torch, backends

def test_compiled():
    torch.compile(lambda x: x.sin(), backend=backends.planted)(torch.ones(2))
"""


def run(*command, status=0, **environment):
    """What a command said; it must end with this exit status."""
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=AWAY, timeout=300,
                          env={**ENVIRONMENT, **environment})
    if done.returncode != status:
        raise AssertionError(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def pytest(file, *flags, status=0):
    return run(PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", file, *flags, status=status)


def setUpModule():
    shutil.rmtree(WORK, ignore_errors=True)
    AWAY.mkdir(parents=True)
    (AWAY / "backends.py").write_text(BACKENDS)
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check")
    started = time.monotonic()
    run(*pip, "wheel", SOURCE, "--no-build-isolation", "--no-deps", "--no-index", "--wheel-dir", WORK,
        "-C", f"build-dir={WORK / 'build'}", "-C", f"cmake.define.TOUCHSTONE_PREBUILT={BUILD}")
    made = time.monotonic()
    run(sys.executable, "-m", "venv", "--without-pip", WORK / "venv")
    (SITE / "packages_of_the_project.pth").write_text(PACKAGES + "\n")
    run(*pip, "--python", PYTHON, "install", "--no-deps", "--no-index", *WORK.glob("*.whl"))
    print(f"wheel: {made - started:.1f} s, installed: {time.monotonic() - made:.1f} s", file=sys.stderr)


class Wheel(unittest.TestCase):
    def test_what_is_in_it(self):
        (file,) = WORK.glob("touchstone-0.1.0-*.whl")
        names = set(zipfile.ZipFile(file).namelist())
        package = {f"touchstone/{each.name}" for each in (SOURCE / "python" / "touchstone").glob("*.py")}
        programs = {f"touchstone/bin/{each}" for each in ("touchstone", "touchstone-torch-worker", "torch_version")}
        self.assertEqual({each for each in names if not each.startswith("touchstone-0.1.0.dist-info/")}, package | programs)
        self.assertIn("touchstone-0.1.0.dist-info/licenses/LICENSE", names)
        self.assertIn("Requires-Dist: torch\n", (SITE / "touchstone-0.1.0.dist-info" / "METADATA").read_text())

    def test_five_lines_judge(self):
        text = run(PYTHON, "-c", BACKENDS + JUDGES)
        self.assertIn(str(INSTALLED), text)

    def test_a_campaign_from_python_finds_something(self):
        agreed, files, command = json.loads(run(PYTHON, "-c", FUZZES))
        self.assertEqual((agreed, len(files)), (False, 1))
        self.assertIn(f"touchstone run {files[0]}", command)
        self.assertRegex(run("sh", "-c", command), "ok .*Differs/values")  # the file expects it; the command is typed as it is told

    def test_the_command(self):
        self.assertIn("built with torch", run(COMMAND, "--version"))
        for command in ((COMMAND,), (PYTHON, "-m", "touchstone")):
            rows = json.loads(run(*command, "backends", "--json"))
            self.assertEqual({row["family"] for row in rows if row["available"]}, {"native", "torch"})
        text = run(COMMAND, "fuzz", "--backends", "torch:eager_python", "--cases", "5", "--seed", "3", "--judge-only")
        self.assertIn("torch:eager_python", text)
        self.assertIn("no_such_command", run(COMMAND, "no_such_command", status=2))

    def test_torch_is_looked_for_beside_the_package(self):
        """Where torch is installed beside it, as pip does, the executable needs nothing but itself."""
        binary = INSTALLED / "bin" / "touchstone"
        self.assertIn("cannot open shared object file", run(binary, "backends", status=127))
        (SITE / "torch").symlink_to(pathlib.Path(PACKAGES) / "torch")
        self.addCleanup((SITE / "torch").unlink)
        self.assertIn(NATIVE, run(binary, "backends"))
        self.assertIn("torch:aot_eager", run(COMMAND, "backends"))

    def test_properties_under_pytest(self):
        file = AWAY / "test_property.py"
        file.write_text(PROPERTY)
        text = pytest(file, "-rA", status=1)
        self.assertIn("PASSED test_property.py::test_of_honest", text)
        self.assertRegex(text, "FAILED test_property.py::test_of_planted - AssertionError: .*Differs/values")

    def test_the_plugin_is_there_and_costs_nothing(self):
        file = AWAY / "test_plain.py"
        file.write_text(PLAIN)
        for flags in ((), ("-p", "touchstone.pytest_plugin")):
            self.assertNotIn("warning", pytest(file, *flags))
        file = AWAY / "test_shadowed.py"
        file.write_text(SHADOWED)
        self.assertIn("1 Differs", pytest(file, "--touchstone"))

    def test_another_torch_is_refused(self):
        other = AWAY / "other" / "torch"
        other.mkdir(parents=True)
        (other / "__init__.py").write_text("")
        (other / "version.py").write_text("__version__ = '1.2.3'\n")
        self.addCleanup(shutil.rmtree, other.parent)
        text = run(COMMAND, "backends", status=3, PYTHONPATH=str(other.parent))
        self.assertRegex(text, "was built with torch [0-9].* has torch 1.2.3")
        text = run(PYTHON, "-c", "import touchstone; touchstone.fuzz('eager', cases=1)", status=1, PYTHONPATH=str(other.parent))
        self.assertRegex(text, "CommandError: .*has torch 1.2.3")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
