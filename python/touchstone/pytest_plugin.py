"""Runs an existing test suite with every compiled call judged beside an eager one: `pytest -p touchstone.pytest_plugin --touchstone`.

The suite gets what its compiled calls give. docs/front_door.md says what is judged, what is left out, and what it costs.
"""

import os
import pathlib
import tempfile

import pytest

from touchstone.shadow_report import ShadowReport, merged, summary_lines

_FOLDER = "touchstone_report"  # what a worker of pytest-xdist is told


def pytest_addoption(parser):
    group = parser.getgroup("touchstone", "compiled calls beside eager ones")
    group.addoption("--touchstone", nargs="?", const="", default=None, metavar="BACKEND",
                    help="judge the calls of what torch.compile gives; only of this backend where one is named (write --touchstone=NAME)")
    group.addoption("--touchstone-compile", type=_words, default=[], metavar="NAME,...",
                    help="compile these functions where the suite calls them: PACKAGE.MODULE.FUNCTION, with shell patterns for FUNCTION")
    group.addoption("--touchstone-compile-modules", type=_words, default=[], metavar="PACKAGE,...",
                    help="compile each nn.Module of these packages where the suite calls it")
    group.addoption("--touchstone-sample", type=float, default=1.0, metavar="SHARE", help="judge this share of the calls")
    group.addoption("--touchstone-seconds", type=float, default=float("inf"), metavar="N",
                    help="stop judging after N seconds beside the compiled calls, in each process")
    group.addoption("--touchstone-gradients", action="store_true", help="compare the gradients of random tangents, too")
    group.addoption("--touchstone-versions", action="store_true", help="compare whether inputs' version counters are bumped")
    group.addoption("--touchstone-suppress", metavar="FILE", help="lines of patterns: PROPERTY [WHERE [NODEID]]")
    group.addoption("--touchstone-report", metavar="DIR", help="folder for the results and for a script for each differing call")
    group.addoption("--touchstone-strict", action="store_true", help="fail the session where a call differs")


def _words(text):
    return [each for each in text.split(",") if each]


def pytest_configure(config):
    if config.getoption("touchstone") is None:
        if config.option.touchstone_compile or config.option.touchstone_compile_modules:
            raise pytest.UsageError("--touchstone-compile and --touchstone-compile-modules need --touchstone, which judges what they compile.")
        return
    given = getattr(config, "workerinput", {}).get(_FOLDER) or config.option.touchstone_report or tempfile.mkdtemp(prefix="touchstone-")
    config.option.touchstone_report = str(pathlib.Path(given).absolute())
    plugin = _Plugin(config)
    config.pluginmanager.register(plugin, "touchstone-shadow")
    try:
        plugin.install()
    except ValueError as error:
        raise pytest.UsageError(f"--touchstone-compile: {error}") from error


def pytest_unconfigure(config):
    plugin = config.pluginmanager.get_plugin("touchstone-shadow")
    if plugin is not None:
        plugin.uninstall()
        config.pluginmanager.unregister(plugin)


class _Plugin:
    def __init__(self, config):
        from touchstone.compiling import Compiling  # with PyTorch, which a run that judges nothing is spared
        from touchstone.shadowing import Shadow, ShadowOptions

        option = config.option
        self._strict = option.touchstone_strict
        self._is_worker = hasattr(config, "workerinput")
        self._folder = pathlib.Path(option.touchstone_report)
        worker = config.workerinput["workerid"] if self._is_worker else "main"
        if not self._is_worker:
            for old in self._folder.glob("totals-*.json"):
                old.unlink()
        self.report = ShadowReport(self._folder, worker, option.touchstone_suppress, self._test)
        options = ShadowOptions(backend=option.touchstone, sample=option.touchstone_sample, seconds=option.touchstone_seconds,
                                gradients=option.touchstone_gradients, versions=option.touchstone_versions)
        self.compiling = Compiling(option.touchstone_compile, option.touchstone_compile_modules, option.touchstone or "inductor")
        self.shadow = Shadow(options, self.report.judged, self.report.left_out, self.compiling.paused)

    def install(self):
        self.shadow.install()
        self.compiling.install()

    def uninstall(self):
        self.compiling.uninstall()
        self.shadow.uninstall()

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node):
        node.workerinput[_FOLDER] = str(self._folder)

    @staticmethod
    def _test():
        return os.environ.get("PYTEST_CURRENT_TEST", "outside a test").rsplit(" (", 1)[0]

    def pytest_runtest_setup(self, item):
        self.compiling.start_test(item.path)

    def pytest_runtest_logfinish(self):
        self._write(ended=False)  # a worker that dies later has told this much

    def pytest_sessionfinish(self, session):
        self._write(ended=True)
        if not self._is_worker and self._strict and session.exitstatus == 0 and merged(self._folder)["differing"]:
            session.exitstatus = 1

    def _write(self, ended):
        self.report.write(self.shadow.compiled_seconds, self.shadow.shadow_seconds, ended)

    def pytest_terminal_summary(self, terminalreporter):
        terminalreporter.section("touchstone")
        for line in summary_lines(merged(self._folder), self._folder):
            terminalreporter.write_line(line)
