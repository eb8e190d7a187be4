"""`touchstone.fuzz`: a campaign of the command `touchstone`, from Python."""

import dataclasses
import json
import os
import pathlib
import shutil
import subprocess

from touchstone import installed


class CommandError(RuntimeError):
    """The command `touchstone` is not there, or could not do what it was asked."""


@dataclasses.dataclass(frozen=True)
class Campaign:
    """What a campaign came to. False where it has new findings."""

    summary: dict  # as printed by `touchstone fuzz --json`; docs/json.md has the fields
    status: int  # exit status; docs/commands.md
    messages: str  # what went to standard error

    @property
    def outcomes(self):
        """By backend: how many Cases came to each outcome."""
        return self.summary["backends"]

    @property
    def findings(self):
        """The new findings, worst first: dicts with `symptom`, `oracle`, `file`, `command` and more."""
        return self.summary["findings"]

    @property
    def files(self):
        """The findings' files, each a program that shows its difference."""
        return [pathlib.Path(each["file"]) for each in self.findings]

    def __bool__(self):
        return self.status == 0

    def __str__(self):
        lines = [f"{self.summary['cases']} Cases, {self.summary['calls_judged']} calls judged, {len(self.findings)} findings"]
        return "\n".join(lines + [f"  {each['symptom']}: {each['file']}" for each in self.findings])


def fuzz(backend=None, cases=None, seed=None, seconds=None, findings=None, timeout=None, **flags):
    """Runs `touchstone fuzz` and gives the Campaign.

    backend: a name as of `--backends`, or several in a list ("torch:aot_eager"). cases, seconds: the end of the campaign; one
    is needed. findings: the folder for what is found. flags: any other flag, `max_operations=8` for `--max-operations 8` and
    `sequences=True` for `--sequences`. timeout: in seconds, after which subprocess.TimeoutExpired is raised.

    Raises CommandError where the command is not found, refuses its arguments (exit status 2), lacks something (3) or fails (5).
    """
    if cases is None and seconds is None:
        raise TypeError("fuzz needs an end: cases or seconds.")
    given = {"backends": ",".join(backend) if isinstance(backend, (list, tuple)) else backend, "cases": cases, "seed": seed,
             "seconds": seconds, "findings": findings, **flags}
    found = find_command()
    command = [str(found), "fuzz", "--json"]
    for name, value in given.items():
        if value is None or value is False:
            continue
        command += [f"--{name.replace('_', '-')}"] + ([] if value is True else [str(value)])
    ran = subprocess.run(command, capture_output=True, text=True, timeout=timeout, env=environment_for(found))
    try:
        summary = json.loads(ran.stdout)
    except json.JSONDecodeError:
        raise CommandError(f"{' '.join(command)} ended with status {ran.returncode}:\n{ran.stderr[-2000:]}") from None
    if ran.returncode in (2, 3, 5):
        raise CommandError(f"{' '.join(command)} ended with status {ran.returncode}:\n{ran.stderr[-2000:]}")
    return Campaign(summary, ran.returncode, ran.stderr)


def find_command():
    """The command: TOUCHSTONE_COMMAND, then inside this package, then of the source tree that this package is in, then on PATH.

    Raises CommandError that says what to do.
    """
    named = os.environ.get("TOUCHSTONE_COMMAND")
    if named:
        found = shutil.which(named)
        if found is None:
            raise CommandError(f"TOUCHSTONE_COMMAND is {named}, which cannot be run.")
        return pathlib.Path(found)
    try:
        return find_own_command()
    except CommandError:
        found = shutil.which("touchstone")
        if found is None:
            raise
        return pathlib.Path(found)


def find_own_command():
    """The executable inside this package, else of the source tree that this package is in. Raises CommandError that says what to do."""
    built = pathlib.Path(__file__).resolve().parents[2] / "build" / "harness" / "touchstone"
    for each in (installed.BINARY, built):
        if each.is_file() and os.access(each, os.X_OK):
            return each
    raise CommandError("The command `touchstone` is not found. In its source tree call `pip install .`; or `./touchstone build`, and set "
                       "TOUCHSTONE_COMMAND to build/harness/touchstone.")


def environment_for(command, called_as=None):
    """The environment variables that the command is run with; see installed.environment. Raises CommandError where it is that of
    the installed package and does not fit the PyTorch that is there."""
    if command != installed.BINARY:
        return dict(os.environ)
    if refusal := installed.refusal():
        raise CommandError(refusal)
    return installed.environment(called_as)
