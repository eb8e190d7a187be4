"""Random Cases of the day under every backend: `check_fresh_cases.py BINARY FOLDER`.

The seed is the day (UTC), or TOUCHSTONE_FRESH_SEED, so that each day other Cases are made and a day's are the same everywhere. A finding is
told and kept below FOLDER/SEED, and fails nothing: it may be PyTorch's, and it would fail whoever comes first. What fails is a
campaign that could not be run, a backend that no Case reached, and an error of Touchstone's own.
"""

import datetime
import json
import os
import pathlib
import subprocess
import sys
import time

from built_binary import TESTS, available, touchstone

RAN = (0, 1, 4)  # without findings, with findings, with too few calls that came to a verdict
SECONDS = 540  # for all
KNOWN = TESTS.parent / "corpus" / "known_torch.json"
ONE_CASE = ("torch:inductor",)  # seconds each


def backends():
    """Those that are there and not wrong on purpose, by the campaign that they go into."""
    native = available("native")
    torch = [name for name in available("torch") if name not in ONE_CASE]
    yield "native", native, ("--cases", 8)
    yield "compiled-autograd", ["eager", "aot_eager"], ("--cases", 12, "--compiled-autograd")
    if torch:
        yield "torch", torch, ("--cases", 3, "--known", KNOWN)
        yield "torch-compiled-autograd", ["torch:aot_eager"], ("--cases", 2, "--compiled-autograd", "--known", KNOWN)
    for name in ONE_CASE:
        if name in available("torch"):
            yield name.replace(":", "-"), [name], ("--cases", 1, "--known", KNOWN)


def campaign(label, names, options, seed, folder, seconds):
    """Whether it ran, and the files of what it found."""
    findings = folder / str(seed) / label
    limits = ("--jobs", 1, "--reduce-seconds", 5, "--suppressions", "none")
    try:
        run = touchstone("fuzz", "--seed", seed, *options, *limits, "--backends", ",".join(names), "--findings", findings, "--json",
                         timeout=seconds)  # fmt: skip
    except subprocess.TimeoutExpired:
        print(f"FAILED: {label}: not at its end after {seconds:.0f} s")
        return False, []
    if run.returncode not in RAN:
        print(f"FAILED: {label}: exit status {run.returncode}:\n{run.stderr[-3000:]}")
        return False, []
    outcomes = json.loads(run.stdout)["backends"]
    missed = [name for name in names if not sum(outcomes.get(name, {}).values())]
    if missed:
        print(f"FAILED: {label}: no Case came to {', '.join(missed)}")
    return not missed, sorted(findings.glob("*.py"))


def main():
    seed = int(os.environ.get("TOUCHSTONE_FRESH_SEED") or datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%d"))
    folder = pathlib.Path(sys.argv[2]).resolve()
    good, found, reached, end = True, [], 0, time.monotonic() + SECONDS
    for label, names, options in backends():
        ran, files = campaign(label, names, options, seed, folder, max(1, end - time.monotonic()))
        good, reached = good and ran, reached + len(names)
        found += files
        print(f"{label}: {len(names)} backends, {len(files)} findings")
    print(f"seed {seed}: {reached} backends in all; findings of the day: {len(found)}")
    for file in found:
        print(f"  {file}")
    return 0 if good and reached else 1


if __name__ == "__main__":
    sys.exit(main())
