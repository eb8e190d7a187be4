"""Runs the built `touchstone`: the first argument of each script that imports this."""

import json
import os
import pathlib
import subprocess
import sys

BINARY = pathlib.Path(sys.argv[1]).resolve()
TESTS = pathlib.Path(__file__).resolve().parent.parent

GOOD_CASE = """# touchstone: 1
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.sin(x)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
"""


def touchstone(*arguments, timeout=300, cwd=None, binary=BINARY, **environment):
    """What `touchstone ARGUMENTS…` said; planted_backends can be imported by it."""
    variables = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(TESTS / "python"), **environment}
    command = [str(binary), *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=timeout, env=variables, cwd=cwd, errors="replace"
    )


def available(family):
    """The backends of a family that can be used here and are not wrong on purpose."""
    rows = json.loads(touchstone("backends", "--json").stdout)
    return [row["name"] for row in rows if row["available"] and row["family"] == family and "TESTING_ONLY" not in row["name"]]


def results_of(run):
    """The rows that `touchstone run --json` printed."""
    try:
        return json.loads(run.stdout)["results"]
    except ValueError:
        raise AssertionError(f"no JSON; exit status {run.returncode}:\n{run.stdout}\n{run.stderr}") from None
