"""Random Cases of the day under every backend: `check_fresh_cases.py BINARY FOLDER`.

The seed is the day (UTC), or TOUCHSTONE_FRESH_SEED, so that each day other Cases are made and a day's are the same everywhere. A finding is
told and kept below FOLDER/SEED, and fails nothing: it may be PyTorch's, and it would fail whoever comes first. What fails is a
campaign that could not be run, a backend that no Case reached, and an error of Touchstone's own.
"""

import datetime
import json
import os
import pathlib
import sys

from built_binary import TESTS, touchstone

RAN = (0, 1)  # without findings, with findings
KNOWN = TESTS.parent / "corpus" / "known_torch.json"
ONE_CASE = ("torch:inductor",)  # seconds each


def backends():
    """Those that are there and not wrong on purpose, by the campaign that they go into."""
    rows = json.loads(touchstone("backends", "--json").stdout)
    names = [row["name"] for row in rows if row["available"] and ":package" not in row["name"] and "TESTING" not in row["name"]]
    native = [name for name in names if not name.startswith("torch:")]
    torch = [name for name in names if name.startswith("torch:") and name not in ONE_CASE]
    yield "native", native, ("--cases", 8)
    yield "compiled-autograd", ["eager", "aot_eager"], ("--cases", 12, "--compiled-autograd")
    if torch:
        yield "torch", torch, ("--cases", 3, "--known", KNOWN)
        yield "torch-compiled-autograd", ["torch:aot_eager"], ("--cases", 2, "--compiled-autograd", "--known", KNOWN)
    for name in ONE_CASE:
        if name in names:
            yield name.replace(":", "-"), [name], ("--cases", 1, "--known", KNOWN)


def campaign(label, names, options, seed, folder):
    """Whether it ran, and the files of what it found."""
    findings = folder / str(seed) / label
    limits = ("--jobs", 1, "--reduce-seconds", 5, "--suppressions", "none")
    run = touchstone("fuzz", "--seed", seed, *options, *limits, "--backends", ",".join(names), "--findings", findings, "--json", timeout=500)
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
    good, found, reached = True, [], 0
    for label, names, options in backends():
        ran, files = campaign(label, names, options, seed, folder)
        good, reached = good and ran, reached + len(names)
        found += files
        print(f"{label}: {len(names)} backends, {len(files)} findings")
    print(f"seed {seed}: {reached} backends in all; findings of the day: {len(found)}")
    for file in found:
        print(f"  {file}")
    return 0 if good and reached else 1


if __name__ == "__main__":
    sys.exit(main())
